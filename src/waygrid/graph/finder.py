"""A* and Dijkstra on graphs with coordinates, and both with goal bounding."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import pairwise
from os import PathLike, fspath, getpid
from threading import Event, Thread
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.build.loading import load_checked
from waygrid.build.sweep import Plan, build_key, sweep
from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show
from waygrid.formats.index import IndexFile
from waygrid.graph import query as kernel
from waygrid.graph.boxes import VERSION, BoxWork, rank_coordinates
from waygrid.graph.declare import ALGORITHMS
from waygrid.graph.graph import Graph
from waygrid.graph.memory import GraphMemory
from waygrid.graph.path import GraphBatch, GraphPath
from waygrid.options import check_options, plain
from waygrid.search.batch import _executor
from waygrid.search.cells import count_threads
from waygrid.search.declaration import BUILD_OPTIONS, AlgorithmInfo
from waygrid.search.names import unknown_algorithm
from waygrid.search.pool import Pool
from waygrid.search.request import SLICE, Memory

_NO_PLACES: Array = np.zeros((0, 2), np.uint8)
_NO_PLACES.flags.writeable = False  # as those of an index are
_CHUNKS_PER_THREAD = 8  # so that a thread with long paths does not keep the others waiting at the end


class GraphFinder:
    """Finds paths on one graph; created by `waygrid.make_finder`.

    `build_seconds` is the build time of its index; 0.0 without an index or for a loaded one.
    """

    build_seconds = 0.0  #: of the index; 0.0 without an index or for a loaded one

    def __init__(self, info: AlgorithmInfo, graph: Graph, options: Mapping[str, Any]) -> None:
        self.info = info
        self.graph = graph
        self.options = {name: plain(value) for name, value in options.items()}
        self.index: dict[str, Array] = {}
        weight = self.options.get("weight", 0.0)  # Dijkstra has none: no estimate
        self._tables = (graph.offsets, graph.arcs, graph.components, graph.scaled_points, graph.ratio * weight)
        self._boxes: tuple[Array | None, Array] = (None, _NO_PLACES)
        self._pool = Pool(lambda: GraphMemory(len(graph)))

    @property
    def optimal(self) -> bool:
        """Whether paths are optimal with the given options."""
        return bool(self.options.get("weight", 0.0) <= 1)

    # --- Queries ------------------------------------------------------------------------------------------------------

    def find(self, start: int, goal: int, **options: Any) -> GraphPath:
        """Find a path between two nodes, given by their numbers.

        >>> import waygrid as wg
        >>> graph = wg.Graph([(0, 0), (1, 0), (1, 1)], [(0, 1), (1, 2)])
        >>> path = wg.make_finder("astar", graph).find(0, 2)
        >>> path.nodes.tolist(), path.cost, path.stats.expanded
        ([0, 1, 2], 2.0, 3)
        >>> wg.make_finder("astar", graph).find(0, 7)
        Traceback (most recent call last):
        waygrid.errors.WaygridError: goal is 7; allowed are the node numbers 0 to 2
        """
        self._refuse(options)
        ends = self.graph.node_number("start", start), self.graph.node_number("goal", goal)
        memory = self._pool.take()
        path = self._one(memory, ends, None)
        self._pool.give(memory)
        return path

    def find_many(
        self, starts: npt.ArrayLike, goals: npt.ArrayLike, threads: int | None = None, **options: Any
    ) -> GraphBatch:
        """Find many paths in one call, on all cores (threads=None) or on a number of threads.

        Results do not depend on the number of threads.
        """
        self._refuse(options)
        threads = count_threads(threads)
        queries = self._queries(starts, goals)
        count = len(queries)
        rows, totals = np.zeros((count, layout.ROW_SIZE), np.int64), np.zeros(count)
        chunks = 1 if threads == 1 or count < 2 else min(count, threads * _CHUNKS_PER_THREAD)
        bounds = np.linspace(0, count, chunks + 1).astype(int).tolist()
        stop = Event()

        def work(bound: tuple[int, int]) -> list[Array]:
            part = slice(*bound)
            return self._chunk(queries[part], rows[part], totals[part], stop)

        try:
            parts = list(pairwise(bounds))
            over = map if chunks == 1 else _executor(threads, getpid()).map
            done = list(over(work, parts))
        except BaseException:
            stop.set()  # Ctrl-C: the other threads end with their slice
            raise
        nodes = np.concatenate([np.zeros(0, np.int32), *(piece for pieces in done for piece in pieces)])
        return GraphBatch(rows, totals, nodes, self.graph)

    def expansion_order(self, start: int, goal: int) -> npt.NDArray[np.int32]:
        """Return the nodes that a search expands, in order; a node that is reopened appears again.

        >>> import waygrid as wg
        >>> graph = wg.Graph([(0, 0), (1, 0), (2, 0), (-1, 0)], [(0, 1), (1, 2), (0, 3)])
        >>> wg.make_finder("astar", graph).expansion_order(0, 2).tolist()
        [0, 1, 2]
        """
        ends = self.graph.node_number("start", start), self.graph.node_number("goal", goal)
        memory = self._pool.take()
        order = np.zeros(len(self.graph), np.int32)
        while True:
            expanded = self._one(memory, ends, order).stats.expanded
            if expanded <= len(order):
                break
            order = np.zeros(expanded, np.int32)
        self._pool.give(memory)
        return order[:expanded]

    def _one(self, memory: GraphMemory, ends: tuple[int, int], order: Array | None) -> GraphPath:
        memory.query[0] = ends
        own = (memory.query, memory.row, memory.total, memory.path)
        kernel.run(self._tables, self._boxes, memory.arrays, order, own, 0, SLICE)
        row: list[int] = memory.row[0].tolist()
        return GraphPath(row, float(memory.total[0]), memory.path[: row[layout.ROW_LENGTH]].copy(), self.graph)

    def _chunk(self, queries: Array, rows: Array, totals: Array, stop: Event) -> list[Array]:
        """Answer some queries on this thread and return their nodes."""
        memory = self._pool.take()
        pieces, number = [], 0
        while number < len(queries) and not stop.is_set():
            first, own = number, (queries, rows, totals, memory.path)
            number = kernel.run(self._tables, self._boxes, memory.arrays, None, own, first, SLICE)
            pieces.append(memory.path[: int(rows[first:number, layout.ROW_LENGTH].sum())].copy())
        self._pool.give(memory)
        return pieces

    def _queries(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> Array:
        columns = []
        for name, given in (("start", starts), ("goal", goals)):
            try:
                array = np.asarray(given)
            except ValueError:
                array = np.zeros((0, 0))
            if array.size == 0 and array.ndim == 1:
                array = array.astype(np.int32)
            if array.ndim != 1 or array.dtype.kind not in "iuf":
                raise WaygridError(f"{name}s have shape {array.shape} of {array.dtype}; allowed are (n,) node numbers")
            bad = ~((array >= 0) & (array < len(self.graph)))
            if array.dtype.kind == "f":  # NaN is named as such; whole floats are no numbers of nodes either
                bad[:] = True
            if bad.any():
                row = int(np.argmax(bad))
                raise self.graph.node_error(f"query {row}: {name}", array[row].item())
            columns.append(array)
        if len(columns[0]) != len(columns[1]):
            raise WaygridError(
                f"there are {len(columns[0])} starts and {len(columns[1])} goals; there must be as many goals as starts"
            )
        return np.stack(columns, axis=1).astype(np.int32)

    def _refuse(self, options: Mapping[str, Any]) -> None:
        if options:
            raise WaygridError(f"{self.info.name} on a graph has no per-query option {show(next(iter(options)))}")

    # --- Index --------------------------------------------------------------------------------------------------------

    @property
    def memory(self) -> Memory:
        """Bytes of the index, and of the memory of one running search."""
        search = GraphMemory.bytes_for(len(self.graph))
        return Memory(sum(array.nbytes for array in self.index.values()), search, search)

    def finish_verification(self) -> None:
        """Wait until the checksums of a large index file are verified; see `waygrid.load_finder`."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the index, if the algorithm has one."""
        raise WaygridError(f"{path}: {self.info.name} has no index to save; create the finder again instead")

    def __repr__(self) -> str:
        chosen = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"<{self.info.name} finder on {self.graph!r}{chosen}>"


class _ClosedPool(Pool[GraphMemory]):
    """A pool that raises the error of a damaged index, so that `find` need not test for damage."""

    def __init__(self, error: WaygridError) -> None:
        super().__init__(self._refuse, kept=0)
        self._error = error

    def _refuse(self) -> GraphMemory:
        raise self._error


class BoundedGraphFinder(GraphFinder):
    """A search that follows an edge only if the goal lies in its box (Rabin and Sturtevant, section 22.3)."""

    _verifying: Thread | None = None  # while an index from a large file is compared with its checksums
    _damage: WaygridError | None = None

    def __init__(
        self,
        info: AlgorithmInfo,
        graph: Graph,
        options: Mapping[str, Any],
        index: dict[str, Array] | None = None,
        *,
        plan: Plan | None = None,
    ) -> None:
        super().__init__(info, graph, options)
        self.index = self._build(plan or Plan()) if index is None else self._check_shapes(index)
        for array in self.index.values():  # read-only, built or mapped: to Numba another type, and so compiled once
            array.flags.writeable = False
        self._boxes = (self.index["boxes"], self.index["places"])

    def _build(self, plan: Plan) -> dict[str, Array]:
        plan.watch.start()
        places = rank_coordinates(self.graph.points)
        places.flags.writeable = False
        every = self.options["ties"] == "all"
        # Weights and the search itself change nothing: all finders of one graph and one `ties` have the same boxes.
        key = build_key("graph-boxes", self.graph.fingerprint(), {"ties": self.options["ties"]}, VERSION)
        made = {**sweep(BoxWork(self.graph, places, every), plan, key), "places": places}
        self.build_seconds = plan.watch.seconds
        return made

    def _check_shapes(self, index: dict[str, Array]) -> dict[str, Array]:
        """Refuse arrays that do not fit the graph: compiled code does not check."""
        count, axes = self.graph.points.shape
        shapes = {name: array.shape for name, array in index.items()}
        kinds = {array.dtype for array in index.values()}
        expected = {"boxes": (len(self.graph.arcs), 2 * axes), "places": (count, axes)}
        if shapes != expected or len(kinds) != 1 or not kinds <= {np.dtype(np.uint8), np.dtype(np.uint16)}:
            raise WaygridError(f"the index holds arrays of {shapes}; this graph needs {expected}")
        return index

    def _check_loaded(self) -> None:
        """Check nothing more: shapes are always checked, and the numbers are only compared with ranks."""

    def _set_damaged(self, error: WaygridError) -> None:
        """Raise this error at every query from now on."""
        self._damage = error
        self._pool = _ClosedPool(error)

    def finish_verification(self) -> None:
        if self._verifying is not None:
            self._verifying.join()
        if self._damage is not None:
            raise self._damage

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the index; `waygrid.load_finder` reads it for the same graph.

        >>> import tempfile, waygrid as wg
        >>> graph = wg.Graph([(0, 0), (1, 0), (1, 1)], [(0, 1), (1, 2)])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wg.make_finder("astar-gb", graph).save(folder + "/small.wgi")
        ...     wg.load_finder(folder + "/small.wgi", graph).find(0, 2).cost
        2.0
        """
        from waygrid.formats.index import write_index

        fingerprint = self.graph.fingerprint()
        write_index(path, self.index, algorithm=self.info.name, options=self.options, map_hash=fingerprint)


def make_graph_finder(name: str, graph: Graph, options: Mapping[str, Any]) -> GraphFinder:
    """Return a finder for a graph; `waygrid.make_finder` calls this."""
    info = _known(name)
    chosen = check_options(name, {**info.options, **(BUILD_OPTIONS if info.index else {})}, options, " on a graph")
    if not info.index:
        return GraphFinder(info, graph, chosen)
    plan = Plan(**{key: chosen.pop(key) for key in BUILD_OPTIONS})
    if plan.device == "gpu":
        raise WaygridError(f"{name} builds on device 'cpu' only, on a graph")
    if plan.cluster is not None:
        raise WaygridError(f"cluster is {show(plan.cluster)}; {name} builds on this machine only, on a graph")
    return BoundedGraphFinder(info, graph, chosen, plan=plan)


def load_graph_finder(path: str | PathLike[str], graph: Graph, verify: bool) -> GraphFinder:
    """Load a saved index for its graph; `waygrid.load_finder` calls this."""
    return load_checked(path, verify, lambda data: _put_into_finder(data, graph, fspath(path)))


def _put_into_finder(data: IndexFile, graph: Graph, path: str) -> BoundedGraphFinder:
    if data.algorithm not in ALGORITHMS:
        raise WaygridError(f"{path}: an index of {show(data.algorithm)}, which no Graph takes")
    info = _known(data.algorithm)
    if data.map_hash != graph.fingerprint():
        raise WaygridError(
            f"{path}: the index was built for another graph or a grid "
            f"(hash {data.map_hash[:12]}..., this graph has {graph.fingerprint()[:12]}...)"
        )
    if not info.index or data.options.keys() != info.options.keys():
        raise WaygridError(f"{path}: the options of the index are not those of {info.name} on a graph")
    try:
        return BoundedGraphFinder(info, graph, check_options(info.name, info.options, data.options), data.arrays)
    except WaygridError as error:
        raise WaygridError(f"{path}: the index is damaged: {error}") from error


def _known(name: str) -> AlgorithmInfo:
    if not isinstance(name, str) or name not in ALGORITHMS:
        raise unknown_algorithm(name, ALGORITHMS, " for a Graph")
    return ALGORITHMS[name]
