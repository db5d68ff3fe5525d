"""Exit codes of the command line, and how a command that was stopped says so."""

from waygrid import interrupts

DONE, NO_PATH, BAD_INPUT, SLOWER, WRONG, NO_ADVICE, INTERNAL, BROKEN_PIPE = 0, 1, 2, 3, 4, 5, 70, 141
INTERRUPTED = interrupts.INTERRUPTED


class Stopped(Exception):  # noqa: N818 (what the user asked for is no error)
    """Ctrl-C, with something to tell."""
