"""Exit codes of the command line, and how a command that was stopped says so."""

from __future__ import annotations

from enum import IntEnum

from waygrid import interrupts


class ExitCode(IntEnum):
    """How a command ended; `short` for a list, `meaning` with everything that there is to say.

    >>> int(ExitCode.NO_PATH), ExitCode.NO_PATH.short
    (1, 'no path exists')
    """

    short: str
    meaning: str

    DONE = 0, "done", "also a search that a limit stopped"
    NO_PATH = 1, "no path exists", "also where `--partial` returned the way to the closest cell"
    BAD_INPUT = 2, "bad input", "one line says what was wrong and where (file, line, cell)"
    SLOWER = 3, "a benchmark regressed", "`waygrid bench --against` found something slower or worse than allowed"
    WRONG = (
        4,
        "a benchmark found wrong results",
        "`waygrid bench` or `waygrid maps verify` found a path that breaks the rules, or a cost other than the optimum "
        "from an algorithm that promises it; takes precedence over 3. `waygrid crowd` found a collision",
    )
    NO_ADVICE = 5, "no algorithm meets the limits", "of `waygrid advise`"
    INTERNAL = (
        70,
        "a bug in waygrid",
        "or a system that fails in a way it does not expect; one line says what happened, and `WAYGRID_DEBUG=1` shows "
        "the traceback",
    )
    INTERRUPTED = (
        interrupts.INTERRUPTED,
        "interrupted",
        "`waygrid build`, `waygrid bench --store` and `waygrid maps verify` say how far they were and what is kept",
    )
    BROKEN_PIPE = 141, "the reader of the output went away", ""

    def __new__(cls, number: int, short: str = "", meaning: str = "") -> ExitCode:
        """Make a code that carries its texts."""
        code = int.__new__(cls, number)
        code._value_, code.short, code.meaning = number, short, meaning
        return code


def list_codes() -> str:
    """Return all exit codes in one line."""
    return ", ".join(f"{int(code)} {code.short}" for code in ExitCode)


class Stopped(Exception):  # noqa: N818 (what the user asked for is no error)
    """Ctrl-C, with something to report."""
