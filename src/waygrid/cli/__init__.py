"""The command line: `waygrid COMMAND`, also as `python -m waygrid.cli`."""

import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

from waygrid import interrupts
from waygrid.cli.codes import ExitCode, Stopped

_NEGATIVE_CELL = re.compile(r"-[\d.]+,-?[\d.]+")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code, one of `waygrid.cli.codes.ExitCode`.

    >>> main(["algorithms", "quick-sort"])
    2
    """
    if arguments is None:  # otherwise the process, and its Ctrl-C, belong to the caller
        interrupts.watch()
    words = sys.argv[1:] if arguments is None else arguments
    # -1,4 is a cell outside the map, or -1.5,4 a point, and not a row of short options, as which it would be read
    # without a blank.
    words = [f" {word}" if _NEGATIVE_CELL.fullmatch(word) else word for word in words]
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            end = _run(words)
    except KeyboardInterrupt:  # while an error was being explained
        end = _End(ExitCode.INTERRUPTED, "interrupted")
    if end.words:
        _say(end.words)
    if arguments is None:
        interrupts.end()
    return int(end.code)


class _End(NamedTuple):
    """How a command ended: its exit code and the message, if any."""

    code: int
    words: str = ""


def _run(words: Sequence[str]) -> _End:
    """Run a command and turn its result or error into an exit code and a line."""
    end = _End(ExitCode.INTERRUPTED, "interrupted")
    try:
        from waygrid.cli.app import make_app

        code = make_app()(words, prog_name="waygrid", standalone_mode=False)
        sys.stdout.flush()
    except Stopped as stop:
        return _End(ExitCode.INTERRUPTED, str(stop))
    except KeyboardInterrupt:
        return end
    except BaseException as error:
        # The compiler turns an interrupt into errors of its own.
        return end if interrupts.interrupted() else _explain(error)
    return end if interrupts.interrupted() or code == ExitCode.INTERRUPTED else _End(int(code or ExitCode.DONE))


def _explain(error: BaseException) -> _End:
    from waygrid.errors import WaygridError

    if isinstance(error, WaygridError):
        return _End(ExitCode.BAD_INPUT, str(error))
    if isinstance(error, MemoryError):
        return _End(ExitCode.BAD_INPUT, "there is not enough memory for this")
    if isinstance(error, (BrokenPipeError, SystemExit)):
        # The reader closed the pipe: Rich and Typer turn that into an exit. The remaining output is discarded.
        _write_nowhere()
        return _End(ExitCode.BROKEN_PIPE)
    if type(error).__name__ == "Abort":  # how Typer used to report Ctrl-C
        return _End(ExitCode.INTERRUPTED, "interrupted")
    if hasattr(error, "format_message"):  # Typer's usage errors, whose class has moved between its versions
        return _End(ExitCode.BAD_INPUT, _usage(error))
    if os.environ.get("WAYGRID_DEBUG", "0") not in ("", "0"):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, OSError):
        _write_nowhere()  # standard output may be the file that failed, and would fail again at exit
    return _End(ExitCode.INTERNAL, f"internal error: {type(error).__name__}: {error} (WAYGRID_DEBUG=1 shows where)")


def _write_nowhere() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    """Print a warning as one line without the source location, which users of the command line do not need."""
    _say(f"warning: {message}")


def _say(words: str) -> None:
    print("waygrid:", " ".join(words.splitlines()), file=sys.stderr)


def _usage(error: BaseException) -> str:
    message = str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]
    message = message[:1].lower() + message[1:]
    context = getattr(error, "ctx", None)
    command = "waygrid" if context is None else context.command_path
    return f"{message}{'' if message.endswith('?') else ';'} see {command} --help"
