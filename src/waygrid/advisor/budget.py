"""The time that the advisor may take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter


class Budget:
    """Counts seconds down; compiling, which happens once on a machine, is not counted.

    >>> now = [0.0]
    >>> budget = Budget(10, lambda: now[0])
    >>> now[0] = 4; budget.left
    6.0
    >>> with budget.pause():
    ...     now[0] = 9
    >>> budget.spent, budget.over
    (4.0, False)
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = perf_counter) -> None:
        self.seconds = float(seconds)
        self._clock = clock
        self._began = clock()
        self._paused = 0.0

    @property
    def spent(self) -> float:
        """Seconds since the beginning, without pauses."""
        return float(self._clock() - self._began - self._paused)

    @property
    def left(self) -> float:
        """Seconds that remain, 0 at least."""
        return max(0.0, self.seconds - self.spent)

    @property
    def over(self) -> bool:
        """Whether nothing remains."""
        return self.left <= 0

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Let time pass for nothing."""
        began = self._clock()
        try:
            yield
        finally:
            self._paused += self._clock() - began
