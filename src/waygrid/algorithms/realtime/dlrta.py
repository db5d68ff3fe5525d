"""D LRTA*: LRTA* from subgoal to subgoal of a table over a clique abstraction (Bulitko et al. 2008)."""

from __future__ import annotations

from typing import Any

import numpy as np

from waygrid.algorithms.realtime import dlrta_guide as dlrta
from waygrid.algorithms.realtime.dlrta_groups import MOST_LEVELS, find_cliques
from waygrid.algorithms.realtime.dlrta_table import MOST_NODES, ExitWork, subgoal_table
from waygrid.algorithms.realtime.guides import Guide
from waygrid.algorithms.realtime.lrta import Lrta
from waygrid.algorithms.regions.checks import (
    list_owners,
    require_cells,
    require_homes,
    require_next_hops,
    require_spans,
)
from waygrid.build.checks import require, require_array, require_offsets, require_range
from waygrid.build.indexed import IndexedFinder
from waygrid.build.sweep import build_key, sweep
from waygrid.core.types import Array
from waygrid.errors import WaygridError

VERSION = 1  # of the subgoals that a build keeps; a higher one when their meaning changes
ENOUGH = 2500  # nodes of the level that is taken unless one is named: a table of about 1 MB or less


class Dlrta(IndexedFinder, Lrta):
    """LRTA* towards subgoals that are looked up by where the agent is and where it wants to go."""

    _ARRAYS = (*dlrta.Subgoals._fields, "level")

    def _build(self) -> dict[str, Array]:
        cut = find_cliques(self.grid, self.options["level"], ENOUGH)
        key = build_key("exits", self.grid.fingerprint(), {"level": cut.level}, VERSION)
        return subgoal_table(cut, sweep(ExitWork(self.grid, cut), self._plan, key)["exits"])

    def _check_index(self) -> None:
        index, grid, labels = self.index, self.grid, self.grid.table.labels
        nodes = len(require_array(index, "places", np.uint16, (None,)))
        require(nodes <= MOST_NODES, f"array 'places' has {nodes} numbers; allowed are {MOST_NODES}")
        node, components = require_spans(grid, index, nodes), np.full(nodes, -1, np.int64)
        components[node[labels >= 0]] = labels[labels >= 0]
        require((components >= 0).all(), "array 'spans' has no cell of some node")
        require_homes(grid, node, components)
        exits = require_array(index, "exits", np.int32, (None,))
        offsets = require_array(index, "offsets", np.uint32, (nodes + 1,))
        require_offsets(offsets, "array 'offsets'", len(exits))
        require_cells(grid, exits, "array 'exits'", components[list_owners(offsets)])
        require_next_hops(index, np.uint16, components)
        level = require_array(index, "level", np.int64, (1,))
        require_range(level, "array 'level'", 0, self.options["level"] or MOST_LEVELS)

    @property
    def _known(self) -> dlrta.Subgoals:
        return dlrta.Subgoals(**{name: self.index[name] for name in dlrta.Subgoals._fields})

    def _index_arrays_for(self, moves: Array) -> Guide:
        return Guide(subgoals=self._known)

    def verify(self) -> None:
        """Follow the subgoals from every node to every other; an error names the first two where that fails.

        >>> import waygrid as wg
        >>> wg.make_finder("dlrta", wg.generate("rooms", width=60, height=40, seed=1)).verify()
        """
        self._check_version()
        pair = np.zeros(2, np.int64)
        if dlrta.first_astray(self.grid.table.labels, self._known, pair):
            raise WaygridError(f"the stored subgoals do not lead from abstract node {pair[0]} to {pair[1]}")

    def subgoals(self) -> dict[str, Any]:
        """Return how large the index is: the level taken, its nodes, their subgoals and the runs of the table."""
        names = {"regions": "places", "subgoals": "exits", "runs": "runs"}
        return {"level": int(self.index["level"][0])} | {name: len(self.index[of]) for name, of in names.items()}
