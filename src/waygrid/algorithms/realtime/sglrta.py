"""sgLRTA*: a tree of subgoals for every goal (Hernández and Baier 2011)."""

from __future__ import annotations

from typing import Any

import numpy as np

from waygrid.algorithms.bounds import boxes_build as boxes
from waygrid.algorithms.classic.best_first import make_flooding
from waygrid.algorithms.jumps.floods import CanonicalFlood, uniform
from waygrid.algorithms.realtime import guides
from waygrid.algorithms.realtime import sglrta_build as trees_build
from waygrid.algorithms.realtime import sglrta_guide as trees
from waygrid.algorithms.realtime.guided import GuidedLrta
from waygrid.build.checks import require, require_array, require_offsets
from waygrid.build.sweep import build_key, sweep
from waygrid.core.types import Array
from waygrid.errors import WaygridError, damage_error
from waygrid.grid.grid import Grid

VERSION = 1  # of the trees; a higher one when their meaning changes
_ROOM = 64  # nodes of a tree, at first


class SgLrta(GuidedLrta):
    """LRTA* from subgoal to subgoal of the tree that was made for its goal."""

    _ARRAYS = trees.Trees._fields

    def _build(self) -> dict[str, Array]:
        count, limit = int(np.count_nonzero(self.grid.table.walk)), self.options["max_cells"]
        if count > limit:
            raise WaygridError(
                f"the map has {count} cells, and sglrta makes a tree for each; allowed are {limit}: "
                f"the option max_cells={count} lets it try"
            )
        work = TreeWork(self.grid)
        made = dict(sweep(work, self._plan, build_key("subgoal-trees", self.grid.fingerprint(), {}, VERSION)))
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(made.pop("counts"), dtype=np.int64)))
        return {"cells": work.cells, "ids": work.ids, "offsets": offsets, **made}

    def _check_index(self) -> None:
        index, table = self.index, self.grid.table
        cells, ids, kind = number_cells(self.grid)
        for name, array in (("cells", cells), ("ids", ids)):
            require_array(index, name, array.dtype, array.shape)
            require(np.array_equal(index[name], array), f"array {name!r} does not number the cells of this map")
        nodes = require_array(index, "nodes", kind, (None,))
        require_array(index, "parents", kind, nodes.shape)
        require_array(index, "costs", cost_kind(self.grid), nodes.shape)
        require_offsets(require_array(index, "offsets", np.int64, (len(cells) + 1,)), "array 'offsets'", len(nodes))
        require((index["offsets"][1:] > index["offsets"][:-1]).all(), "array 'offsets' has a tree without nodes")
        stray, place = trees_build.first_stray(table.labels, table.longest, self._trees())
        name = ("", "nodes", "parents", "costs")[stray]
        if stray:
            raise damage_error(f"array {name!r} holds {index[name][place]} at {place}, which fits no tree of this map")

    def verify(self) -> None:
        """Climb from every node of every tree to its parent; an error names the first that costs more than it should.

        >>> import waygrid as wg
        >>> wg.make_finder("sglrta", wg.generate("rooms", width=30, height=20, seed=1)).verify()
        """
        self._check_version()
        table, index = self.grid.table, self.index
        node = trees_build.first_broken(table.moves, table.geo, self._trees())
        if node >= 0:
            tree = int(np.searchsorted(index["offsets"], node, side="right")) - 1
            ends = [divmod(int(index["cells"][k]), self.grid.width)[::-1] for k in (index["nodes"][node], tree)]
            raise WaygridError(f"the subgoal {ends[0]} on the way to {ends[1]} does not lead to the next one")

    def _trees(self) -> trees.Trees:
        return trees.Trees(**{name: self.index[name] for name in self._ARRAYS})

    def _index_arrays_for(self, moves: Array) -> guides.Guide:
        return guides.Guide(trees=self._trees())

    def subgoals(self) -> dict[str, Any]:
        """Return how large the trees are: how many there are, and their nodes together."""
        return {"trees": len(self.index["cells"]), "nodes": len(self.index["nodes"])}


def number_cells(grid: Grid) -> tuple[Array, Array, Any]:
    """Return the cells where an agent can stand, for every cell its number among them, and the type of a number."""
    cells = np.flatnonzero(grid.table.walk).astype(np.int32)
    kind = np.uint16 if len(cells) < 2**16 else np.uint32
    ids: Array = np.zeros(grid.table.walk.size, kind)
    ids[cells] = np.arange(len(cells))
    return cells, ids, kind


def cost_kind(grid: Grid) -> Any:
    """Return the type of the cost of a path."""
    return np.uint32 if grid.table.longest < 2**32 else np.int64


class TreeWork:
    """The trees of all goals: `counts`, the nodes of each, and `nodes`, `parents` and `costs`, tree after tree."""

    def __init__(self, grid: Grid) -> None:
        self._grid, table = grid, grid.table
        self.cells, self.ids, self._kind = number_cells(grid)
        self._wide = cost_kind(grid)
        self.total = len(self.cells)
        self.output_bytes = self.total * (
            4 + _ROOM * (2 * np.dtype(self._kind).itemsize + np.dtype(self._wide).itemsize)
        )
        self._flood = CanonicalFlood(grid) if uniform(grid) else None
        if self._flood is not None:
            own = self._flood.bytes
        else:
            self._finder: Any = make_flooding(grid)
            own = self._finder.memory.agent_bytes + 8 * table.moves.size
        self.scratch_bytes = own + 8 * table.moves.size + 16 * self.total

    def scratch(self) -> Any:
        """Return the memory of one flood."""
        return self._finder._pool.take() if self._flood is None else self._flood.water()

    def _room(self, size: int) -> trees.Trees:
        """Return trees without their offsets, with room for so many nodes."""
        kinds = (self._kind, self._kind, self._wide)
        return trees.Trees(self.cells, self.ids, np.zeros(0, np.int64), *(np.zeros(size, kind) for kind in kinds))

    def run(self, scratch: Any, first: int, last: int) -> dict[str, Array]:
        """Return the trees of goals first to last - 1."""
        table, counts = self._grid.table, np.zeros(last - first, np.int32)
        made, done = self._room((last - first) * _ROOM), 0
        while True:
            used = int(counts[:done].sum())
            if self._flood is not None:
                done = trees_build.canonical_trees(self._flood.ground, scratch, first, counts, done, made, used)
            else:
                searched = boxes.Searched(table.moves, table.reverse, table.weights, table.geo, self._finder._policy)
                memory = boxes.FloodMemory(*scratch.arrays)
                done = trees_build.search_trees(searched, memory, first, counts, done, made, used)
            used = int(counts[:done].sum())
            if done == last - first:
                return {"counts": counts, **{name: getattr(made, name)[:used].copy() for name in made._fields[3:]}}
            larger = self._room(made.nodes.size * 2 + self.total)
            for old, new in zip(made[3:], larger[3:], strict=True):
                new[:used] = old[:used]
            made = larger
