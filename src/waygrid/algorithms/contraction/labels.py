"""Hub labels, written level by level from the top, by threads where a level is wide."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

from waygrid.algorithms.contraction import labels_build as labelling
from waygrid.algorithms.contraction.hierarchy import Arcs
from waygrid.build.progress_bar import Progress
from waygrid.build.steps import Steps
from waygrid.core import layout
from waygrid.core.threads import count_threads
from waygrid.core.types import Array

_CHUNK = 1024  # nodes of a call
_CHUNKS = 4  # for each thread, before what they wrote is joined
_ROOM = 4096  # for labels, at least


class HubLabels(NamedTuple):
    """The labels of all nodes; those of a node lie from `places[node, 0]` to before `places[node, 1]`."""

    places: Array
    hubs: Array
    costs: Array
    steps: Array  # the first arc of the way to the hub, or `labels_build.OWN`


def write_labels(
    made: Arcs, threads: int | None = None, chunk: int = _CHUNK, progress: bool | Progress | None = None
) -> HubLabels:
    """Return the labels of all nodes. They do not depend on the number of threads."""
    with Steps(progress, len(made.ranks)) as steps:
        return _write_labels(_Writer(made, count_threads(threads)), made, chunk, steps)


def _write_labels(writer: _Writer, made: Arcs, chunk: int, steps: Steps) -> HubLabels:
    line = np.argsort(-made.levels, kind="stable").astype(np.int32)
    ends = np.cumsum(np.unique(-made.levels, return_counts=True)[1]).tolist()
    with ThreadPoolExecutor(writer.threads, thread_name_prefix="waygrid") as pool:
        for begin, end, wide in _rounds(ends, 2 * chunk if writer.threads > 1 else len(line) + 1):
            if not wide:
                for part in range(begin, end, chunk):
                    writer.write_here(line[part : min(part + chunk, end)])
                    steps.add(min(part + chunk, end) - part)
                continue
            most = _CHUNKS * writer.threads * chunk
            for part in range(begin, end, most):
                nodes = line[part : min(part + most, end)]
                chunks = [nodes[k : k + chunk] for k in range(0, len(nodes), chunk)]
                written = list(pool.map(writer.write_apart, chunks))  # all, before what they read moves
                for piece, new in zip(chunks, written, strict=True):
                    writer.append(piece, new)
                steps.add(len(nodes))
    return writer.result()


def _rounds(ends: list[int], wide: int) -> Iterator[tuple[int, int, bool]]:
    """Yield ranges of nodes: each wide level, and all narrow ones between two of them together."""
    begin = before = 0
    for end in ends:
        if end - before >= wide:
            if before > begin:
                yield begin, before, False
            yield before, end, True
            begin = end
        before = end
    if before > begin:
        yield begin, before, False


class _Writer:
    """Labels under construction."""

    def __init__(self, made: Arcs, threads: int) -> None:
        self.threads = threads
        self._graph = made.first, made.arcs, made.prices
        self._nodes = len(made.ranks)
        self._places = np.zeros((self._nodes, 2), np.int64)
        self._used, room = 0, 32 * self._nodes + _ROOM
        self._hubs, self._costs = np.zeros(room, np.int32), np.zeros(room, np.int32)
        self._steps = np.zeros(room, np.uint16)
        self._memories: SimpleQueue[tuple[Array, ...]] = SimpleQueue()
        for _ in range(threads):
            ways = np.zeros(self._nodes, np.uint16), np.zeros(self._nodes + 1, np.int32)
            self._memories.put((np.full(self._nodes, layout.INFINITE, np.int64), *ways))

    @property
    def _labels(self) -> tuple[Array, Array, Array]:
        return self._hubs, self._costs, self._steps

    def write_here(self, nodes: Array) -> None:
        """Write labels behind the others; those of upper neighbours may be among them."""
        memory, done = self._memories.get(), 0
        while done < len(nodes):
            done, used = labelling.write_labels(
                self._graph, self._labels, self._places, memory, nodes, done, self._labels, self._used
            )
            if used < 0:
                self._used = int(self._places[:, 1].max(initial=0))
                self._widen()
                continue
            self._used = used
            if done < len(nodes):
                self._make_room(self._growth())
        self._memories.put(memory)

    def write_apart(self, nodes: Array) -> tuple[Array, ...]:
        """Return labels of nodes of one level; their places count from the first of them."""
        memory = self._memories.get()
        room = labelling.count_all_candidates(self._graph[0], self._graph[1], self._places, nodes)
        labels, used = self._labels, -1
        while used < 0:  # at most twice
            new = np.empty(room, np.int32), np.empty(room, labels[1].dtype), np.empty(room, np.uint16)
            _, used = labelling.write_labels(self._graph, labels, self._places, memory, nodes, 0, new, 0)
            if used < 0:
                labels = labels[0], labels[1].astype(np.int64), labels[2]
        self._memories.put(memory)
        return tuple(array[:used] for array in new)

    def append(self, nodes: Array, new: tuple[Array, ...]) -> None:
        """Put labels that were written apart behind the others."""
        count = len(new[0])
        if self._used + count > len(self._hubs):
            self._make_room(max(count, self._growth()))
        if new[1].itemsize > self._costs.itemsize:
            self._widen()
        for array, part in zip(self._labels, new, strict=True):
            array[self._used : self._used + count] = part
        self._places[nodes] += self._used
        self._used += count

    def result(self) -> HubLabels:
        """Return the labels, without the room behind them."""
        self._make_room(self._used - len(self._hubs))
        return HubLabels(self._places, *self._labels)

    def _widen(self) -> None:
        self._costs = self._costs.astype(np.int64)

    def _growth(self) -> int:
        return len(self._hubs) // 16 + self._nodes  # it costs memory even where it stays empty

    def _make_room(self, more: int) -> None:
        for array in self._labels:  # the system moves pages, nothing is copied
            array.resize(len(array) + more, refcheck=False)
