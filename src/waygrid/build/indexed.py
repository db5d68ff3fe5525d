"""Finders that preprocess the map: a read-only index that is built, saved, loaded and shared between threads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar

from waygrid.build.sweep import Plan
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.search.finder import Finder
from waygrid.search.request import Memory

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid
    from waygrid.search.declaration import AlgorithmInfo


class IndexedFinder(Finder):
    """A finder with an index: arrays built for one version of one grid."""

    _ARRAYS: ClassVar[tuple[str, ...]]  # names of the index's arrays
    _LAYOUT: ClassVar[str] = "1"  # increase it when their meaning changes: older files are then refused
    _verifying: Thread | None = None  # while the checksums of a large index file are verified

    def __init__(
        self,
        info: AlgorithmInfo,
        grid: Grid,
        options: Mapping[str, Any],
        index: dict[str, Array] | None = None,
        *,
        plan: Plan | None = None,
    ) -> None:
        self._plan = plan or Plan()  # how to build; no part of the index
        super().__init__(info, grid, options)
        self._built_for = grid.version
        self.index = self._timed_build() if index is None else index
        for array in self.index.values():  # read-only, built or mapped: to Numba another type, and so compiled once
            array.flags.writeable = False

    def _timed_build(self) -> dict[str, Array]:
        _ = self.grid.table  # the grid's own, whatever is built on it
        self._plan.watch.start()
        made = self._build()
        self.build_seconds = self._plan.watch.seconds
        return made

    def _build(self) -> dict[str, Array]:
        """Build the index for the current grid."""
        raise NotImplementedError

    def _check_index(self) -> None:
        """Refuse an index whose numbers would lead a kernel out of its arrays.

        Called for an index from a file, before its first query: shapes, kinds of numbers, and the range of every number
        that a kernel uses as an address, a length or a count.
        """

    def _set_damaged(self, error: WaygridError) -> None:
        """Raise this error at every query from now on; a thread that compares checksums calls it.

        Queries only check the version of the grid, so damage is marked by a version that never matches.
        """
        self._damage = error
        self._version = -1

    def finish_verification(self) -> None:
        if self._verifying is not None:
            self._verifying.join()
        if self._damage is not None:
            raise self._damage

    def _refresh(self) -> None:
        if self.grid.version != self._built_for:
            raise WaygridError(
                f"the index of {self.info.name} was built for version {self._built_for} of the grid, "
                f"which is now at version {self.grid.version}; create the finder again"
            )
        super()._refresh()
        if self._damage is not None:  # at the end: damage that is found later resets the version after it was set here
            self._version = -1
            raise self._damage

    def __reduce__(self) -> tuple[Any, ...]:
        from waygrid.search.registry import remade

        self._check_version()  # otherwise a stale index would be unpickled as a current one
        return remade, (self.info.name, self.grid, self.options, self.index)

    @property
    def memory(self) -> Memory:
        """Bytes of the index, of an agent, and of the memory of one running search."""
        return super().memory._replace(fixed_bytes=sum(array.nbytes for array in self.index.values()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the index; `waygrid.load_finder` reads it for the same map.

        >>> import tempfile, waygrid as wg
        >>> grid = wg.Grid([[1, 1, 1], [1, 0, 1]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wg.make_finder("jps+", grid).save(folder + "/small.wgi")
        ...     wg.load_finder(folder + "/small.wgi", grid).find((0, 1), (2, 1)).cost
        4.0
        """
        from waygrid.formats.index import write_index

        self._check_version()
        write_index(
            path,
            self.index,
            algorithm=self.info.name,
            options=self.options,
            map_hash=self.grid.fingerprint(),
            extra={"layout": self._LAYOUT},
        )
