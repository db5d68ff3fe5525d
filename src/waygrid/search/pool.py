"""Pools of memory for searches and floods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Memory = TypeVar("Memory")


class Pool(Generic[Memory]):
    """Memory of one kind; list operations are atomic, so no lock is needed.

    kept: how many stay in the pool; more exist only while many searches run at once.
    """

    def __init__(self, make: Callable[[], Memory], kept: int = 16) -> None:
        self._make, self._kept = make, kept
        self._free: list[Memory] = []

    def take(self) -> Memory:
        """Return memory for one search."""
        try:
            return self._free.pop()
        except IndexError:
            return self._make()

    def give(self, memory: Memory) -> None:
        """Take memory back for the next search."""
        if len(self._free) < self._kept:
            self._free.append(memory)
