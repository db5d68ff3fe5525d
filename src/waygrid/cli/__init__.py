"""The command line: `waygrid COMMAND`, also as `python -m waygrid.cli`."""

import os
import re
import sys
from collections.abc import Sequence

DONE, NO_PATH, BAD_INPUT, SLOWER, WRONG, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 4, 130, 141

_NEGATIVE_CELL = re.compile(r"-\d+,-?\d+")


class Stopped(Exception):  # noqa: N818 (what the user asked for is no error)
    """Ctrl-C, with something to tell."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0 done, 1 no path exists, 2 bad input, 3 a benchmark got slower than allowed, 4 a benchmark found wrong paths.

    >>> main(["algorithms", "quick-sort"])
    2
    """
    from waygrid.cli.app import make_app
    from waygrid.errors import WaygridError

    words = sys.argv[1:] if arguments is None else arguments
    # -1,4 is a cell outside the map and not a row of short options; a blank keeps it from being read as one.
    words = [f" {word}" if _NEGATIVE_CELL.fullmatch(word) else word for word in words]
    try:
        code = make_app()(words, prog_name="waygrid", standalone_mode=False)
        sys.stdout.flush()
    except WaygridError as error:
        return _fail(str(error), BAD_INPUT)
    except MemoryError:
        return _fail("there is not enough memory for this", BAD_INPUT)
    except Stopped as stop:
        return _fail(str(stop), INTERRUPTED)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # The reader of a pipe has left: Rich and Typer turn that into an exit. What is still to come goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as error:
        if type(error).__name__ == "Abort":  # how Typer used to report Ctrl-C
            code = INTERRUPTED
        elif hasattr(error, "format_message"):  # Typer's usage errors, whose class has moved between its versions
            return _fail(_usage(error), BAD_INPUT)
        else:
            raise
    return _fail("interrupted", INTERRUPTED) if code == INTERRUPTED else int(code or DONE)


def _fail(message: str, code: int) -> int:
    print("waygrid:", " ".join(message.splitlines()), file=sys.stderr)
    return code


def _usage(error: Exception) -> str:
    message = str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]
    message = message[:1].lower() + message[1:]
    context = getattr(error, "ctx", None)
    command = "waygrid" if context is None else context.command_path
    return f"{message}{'' if message.endswith('?') else ';'} see {command} --help"
