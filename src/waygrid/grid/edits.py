"""The edits of a grid: which part of the map each version changed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from waygrid.core.types import Array
from waygrid.grid.where import Window

MOST_BOXES = 64  # that `merge_windows` returns
_ROWS = 8  # parts of the map to which boxes are merged, across and down
_KEPT = 4096  # edits; of older ones only the smallest window around all is known


class EditLog:
    """The windows of a grid's edits.

    >>> log = EditLog()
    >>> log.add(1, Window(2, 2, 3, 3)), log.add(2, Window(5, 0, 6, 1)), log.since(1)
    (None, None, [Window(x0=5, y0=0, x1=6, y1=1)])
    """

    def __init__(self) -> None:
        self._windows: list[Window] = []
        self._first = 1  # the version that the first of them made
        self._before = Window(0, 0, 0, 0)  # around all edits that are no longer listed

    def add(self, version: int, window: Window) -> None:
        """Note what the edit that made this version changed."""
        if not self._windows:
            self._first = version
        self._windows.append(window)
        if len(self._windows) > 2 * _KEPT:
            self._before = enclose([self._before, *self._windows[:_KEPT]])
            del self._windows[:_KEPT]
            self._first += _KEPT

    def since(self, version: int) -> list[Window]:
        """Return the windows of all edits after a version, in order, none of them empty."""
        known = version + 1 - self._first
        some = [self._before, *self._windows] if known < 0 else self._windows[known:]
        return [window for window in some if window[0] < window[2] and window[1] < window[3]]

    def boxes_since(self, version: int, before: int, width: int, height: int) -> Array:
        """Return them as boxes for kernels: grown by so many cells to the left and above, by one to the others.

        These hold all cells whose moves the edits may have changed, if `before` is the clearance.
        """
        edits = self._windows[-1:] if version + 2 == self._first + len(self._windows) else self.since(version)
        boxes = [
            (max(0, x0 - before), max(0, y0 - before), min(width, x1 + 1), min(height, y1 + 1))
            for x0, y0, x1, y1 in edits
            if x0 < x1 and y0 < y1
        ]
        return np.array(boxes, np.int64) if boxes else np.zeros((0, 4), np.int64)


def is_empty(window: Window) -> bool:
    """Return whether a window has no cell."""
    return window.x0 >= window.x1 or window.y0 >= window.y1


def enclose(windows: Iterable[Window]) -> Window:
    """Return the smallest window around some.

    >>> enclose([Window(2, 2, 3, 3), Window(0, 0, 0, 0), Window(5, 0, 6, 1)])
    Window(x0=2, y0=0, x1=6, y1=3)
    """
    some = [window for window in windows if not is_empty(window)]
    if not some:
        return Window(0, 0, 0, 0)
    left, top, right, bottom = zip(*some, strict=True)
    return Window(min(left), min(top), max(right), max(bottom))


def merge_windows(windows: list[Window], width: int, height: int) -> list[Window]:
    """Return at most MOST_BOXES windows that hold all the given ones: those that lie close together become one.

    >>> merge_windows([Window(2, 2, 3, 3), Window(2, 2, 3, 3)], 9, 9)
    [Window(x0=2, y0=2, x1=3, y1=3)]
    """
    different = list(dict.fromkeys(windows))
    if len(different) <= MOST_BOXES:
        return different
    parts: dict[tuple[int, int], list[Window]] = {}
    for window in different:
        middle = (window.x0 + window.x1) // 2, (window.y0 + window.y1) // 2
        parts.setdefault((middle[0] * _ROWS // width, middle[1] * _ROWS // height), []).append(window)
    return [enclose(part) for part in parts.values()]
