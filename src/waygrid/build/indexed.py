"""Finders that preprocess the map: a read-only index that is built, saved, loaded and shared between threads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from threading import RLock, Thread, current_thread
from threading import enumerate as list_threads
from typing import TYPE_CHECKING, Any, ClassVar

from waygrid.build.difference import Difference
from waygrid.build.follow import StandIn
from waygrid.build.sweep import Plan
from waygrid.core.types import Array
from waygrid.errors import WaygridError
from waygrid.grid.snapshot import Snapshot
from waygrid.search.finder import Finder
from waygrid.search.following import Followed
from waygrid.search.registry import refuse_unsupported
from waygrid.search.request import Memory

if TYPE_CHECKING:
    from waygrid.grid.grid import Grid
    from waygrid.search.declaration import AlgorithmInfo


_SEARCHED = 32  # queries that were searched for, after which edits="rebuild" builds


class IndexedFinder(Finder):
    """A finder with an index: arrays built for one version of one grid."""

    _ARRAYS: ClassVar[tuple[str, ...]]  # names of the index's arrays
    _LAYOUT: ClassVar[str] = "1"  # increase it when their meaning changes: older files are then refused
    _stand_in: StandIn | None = None
    _stand_in_type: ClassVar[type[StandIn]] = StandIn
    _kept_stand_in: StandIn | None = None  # while edits are undone too: its finder that searches took time to make
    _supported: tuple[bool, bool] | None = None  # whether a supported grid had no weights, and no one-way tiles
    _verifying: Thread | None = None  # while the checksums of a large index file are verified

    def __init__(
        self,
        info: AlgorithmInfo,
        grid: Grid,
        options: Mapping[str, Any],
        index: dict[str, Array] | None = None,
        *,
        plan: Plan | None = None,
        home: Snapshot | None = None,
    ) -> None:
        self._plan = plan or Plan()  # how to build; no part of the index
        self._lock = RLock()  # held while the finder follows an edit, so that threads can share it
        self._seen = -1  # the version of the grid that it followed last
        super().__init__(info, grid, options)
        self._home = home or Snapshot.take(grid)  # the map that the index is for
        self._fits = grid.version if home is None else -1  # a version of the grid at which the map is that one
        self._gap: Difference | None = None
        self._rebuilt: Rebuild | None = None
        self.index = self._timed_build() if index is None else index
        self._lock_index()

    def _lock_index(self) -> None:
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

    def _check_loaded(self) -> None:
        """Check an index from a file against the map it was built for."""
        edited = self._fits != self.grid.version
        home = self._home.restore(self.grid) if edited else self.grid
        (type(self)(self.info, home, self.options, self.index) if edited else self)._check_index()

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

    # --- After edits --------------------------------------------------------------------------------------------------

    def _measure_gap(self) -> Difference:
        """Compare the map as it is with the one of the index."""
        if self._gap is None:
            self._gap = Difference(self._home.restore(self.grid), self.grid)
        self._gap.update()
        return self._gap

    def _moved(self) -> int:
        """Return how many cells of the map are not as the index has them."""
        with self._lock:
            return self._differing_cells()

    def _differing_cells(self) -> int:
        return 0 if self.grid.version == self._fits else self._measure_gap().cells

    @property
    def _repairs(self) -> bool:
        return self.info.follows == "repaired"

    @property
    def stale(self) -> int:
        return 0 if self._repairs else self._moved()

    @property
    def followed(self) -> Followed:
        return Followed(0, 0, 0) if self._kept_stand_in is None else self._kept_stand_in.followed

    def _refresh(self) -> None:
        with self._lock:
            if self._version == self.grid.version:
                return  # another thread was first
            if self._seen != self.grid.version or self._is_alone():
                self._install()
            self._follow_grid()
            self._seen = self.grid.version
            waits = self._rebuilt is not None and self._rebuilt.result is not None and self._is_alone()
            self._version = -1 if waits else self._seen  # last: now other threads query, too
            if self._damage is not None:  # after it: damage that is found later resets the version
                self._version = -1
                raise self._damage

    def _is_alone(self) -> bool:
        """Return whether no other thread can be in the middle of a query."""
        others = [thread for thread in list_threads() if thread is not current_thread()]
        return all(thread.name.startswith("waygrid") for thread in others)

    def _follow_grid(self) -> None:
        if self.grid.version == self._fits:
            self._stand_in = None
            self._refresh_tables()
            return
        if self._plan.edits == "refuse":
            raise WaygridError(
                f"the index of {self.info.name} was built for version {self._fits} of the grid, "
                f"which is now at version {self.grid.version}; create the finder again, or make it with edits='follow'"
            )
        if self._repairs:
            self._repair()
            return
        gap = self._measure_gap()
        if gap.cells == 0:  # edits that were undone
            self._fits = self.grid.version
            self._stand_in = None
            self._refresh_tables()
        else:
            self._refuse_new_rules()
            self._follow(gap)

    def _refuse_new_rules(self) -> None:
        """Refuse a grid that has got weights or one-way tiles that the algorithm does not support."""
        rules = self.grid._weights is None, self.grid._exits is None
        if rules != self._supported:
            refuse_unsupported(self.info, self.grid)
            self._supported = rules

    def _rebuild_if_wanted(self, searched: int) -> None:
        """Build the index anew on a thread once queries were searched for, if the finder was made to do so."""
        made = self._rebuilt
        again = made is None or (made.failed and made.version != self.grid.version)
        if self._plan.edits == "rebuild" and searched >= _SEARCHED and again:
            self.rebuild(background=True)

    def _refresh_tables(self) -> None:
        """Follow the grid as a finder without an index does."""
        super()._refresh()

    def _made_from(self) -> tuple[object, ...] | None:
        base = super()._made_from()
        return None if base is None else (*base, self.index)

    def _repair(self) -> None:
        """Bring the index up to the map as it is, and refresh the tables."""
        raise NotImplementedError

    def _follow(self, gap: Difference) -> None:
        """Prepare for queries on a map that is not the one of the index."""
        if self._kept_stand_in is None:
            self._kept_stand_in = self._stand_in_type(self, gap, gap.home)
        self._stand_in = self._kept_stand_in
        self._stand_in.refresh()
        self._sizes = self._stand_in.known._sizes

    def rebuild(self, background: bool = False) -> Rebuild:
        made = Rebuild(self)
        self._rebuilt = made
        made.begin(background)
        return made

    def _install(self) -> bool:
        """Take over an index that was built anew, if there is one."""
        made = self._rebuilt
        if made is None or made.result is None:
            return False
        self._rebuilt = self._gap = self._stand_in = self._kept_stand_in = None
        self.index, self._home, self.build_seconds = made.result.index, made.result._home, made.result.build_seconds
        self._fits = made.version
        self._damage = self._verifying = None
        self._version = -1
        return True

    def _take_over(self) -> None:
        """Use an index that was built anew from now on; no other thread may be in the middle of a query."""
        with self._lock:
            self._install()

    @classmethod
    def _remade(
        cls,
        info: AlgorithmInfo,
        grid: Grid,
        options: Mapping[str, Any],
        index: dict[str, Array],
        home: Snapshot | None,
        edits: str,
    ) -> IndexedFinder:
        """Return a finder as it was in another process. home: the map of the index, where the grid has another."""
        return cls(info, grid, options, index, plan=Plan(edits=edits), home=home)

    def __reduce__(self) -> tuple[Any, ...]:
        from waygrid.search.registry import remade

        home = self._home if self._moved() else None
        return remade, (self.info.name, self.grid, self.options, self.index, home, self._plan.edits)

    @property
    def memory(self) -> Memory:
        """Bytes of the index, of an agent, and of the memory of one running search."""
        self._check_version()
        base = super().memory if self._stand_in is None else self._stand_in.known.memory
        return base._replace(fixed_bytes=sum(array.nbytes for array in self.index.values()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the index and its map; `waygrid.load_finder` reads it, also for a map that was edited since.

        >>> import tempfile, waygrid as wg
        >>> grid = wg.Grid([[1, 1, 1], [1, 0, 1]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wg.make_finder("jps+", grid).save(folder + "/small.wgi")
        ...     wg.load_finder(folder + "/small.wgi", grid).find((0, 1), (2, 1)).cost
        4.0
        """
        from waygrid.formats.index import write_index

        fits = self.grid.version == self._fits
        write_index(
            path,
            self.index | self._home.arrays(),
            algorithm=self.info.name,
            options=self.options,
            map_hash=(self.grid if fits else self._home.restore(self.grid)).fingerprint(),
            extra={"layout": self._LAYOUT},
        )


class Rebuild:
    """The build of an index for the map as it was when it began."""

    def __init__(self, finder: IndexedFinder) -> None:
        self._finder = finder
        self._grid = finder.grid.copy()
        self.version = finder.grid.version
        self.result: IndexedFinder | None = None
        self._error: BaseException | None = None
        self._thread: Thread | None = None

    def __repr__(self) -> str:
        state = "failed" if self.failed else "done" if self.done else "running"
        return f"<rebuild of {self._finder.info.name} for version {self.version} of the grid: {state}>"

    def begin(self, background: bool) -> None:
        """Build here, or on a thread."""
        if background:
            self._thread = Thread(target=self._run, name="waygrid rebuild", daemon=True)
            self._thread.start()
        else:
            self._run()
            self.wait()

    def _build(self) -> None:
        finder = self._finder
        refuse_unsupported(finder.info, self._grid)
        self.result = type(finder)(finder.info, self._grid, finder.options, plan=finder._plan.again())
        finder._version = -1  # so that the next query looks for it, see `_refresh`

    def _run(self) -> None:
        try:
            self._build()
        except BaseException as error:
            self._error = error

    @property
    def done(self) -> bool:
        """Whether the build has ended."""
        return self._thread is None or not self._thread.is_alive()

    @property
    def failed(self) -> bool:
        """Whether the build has ended with an error."""
        return self._error is not None

    def wait(self) -> None:
        """Wait for the end of the build, and let the finder use its index; raise an error if it failed.

        Other threads may not query the finder meanwhile.
        """
        if self._thread is not None:
            self._thread.join()
        if self._error is not None:
            raise self._error
        if self._finder._rebuilt is self:
            self._finder._take_over()
