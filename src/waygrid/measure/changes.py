"""Generated dynamic scenarios: random changes of a map, and queries with the lengths that dijkstra finds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.grid.changing import CHANGES, MIXED, Changer, Mixed
from waygrid.grid.grid import Grid
from waygrid.measure.dynamic import DynamicScenario, refuse_other_rules
from waygrid.measure.problems import dijkstra_costs
from waygrid.measure.timing import Progress
from waygrid.options import Integer

KINDS = (*CHANGES, MIXED)
_ROUNDS = 8  # of drawing pairs of cells anywhere, before only the largest component is used
_COUNTS = {
    "edits": Integer(100, "of the map", least=0, greatest=10**7),
    "queries": Integer(100, "for a path", least=1, greatest=10**7),
    "burst": Integer(10, "queries between two groups of edits", least=1),
    "seed": Integer(0, "of all chance", least=0),
}


class _Patches:
    """Patches by number; equal ones are kept once."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[tuple[int, ...], bytes], int] = {}
        self.patches: list[npt.NDArray[np.bool_]] = []

    def number(self, patch: npt.NDArray[np.bool_]) -> int:
        """Return the number of a patch."""
        key = (patch.shape, patch.tobytes())
        if key not in self._numbers:
            self._numbers[key] = len(self.patches)
            self.patches.append(patch)
        return self._numbers[key]


def generate_changes(
    grid: Grid,
    kind: str = MIXED,
    *,
    edits: int = 100,
    queries: int = 100,
    burst: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
) -> DynamicScenario:
    """Generate changes of a map (doors, walls, bases or mixed) and queries with the lengths of shortest paths.

    The grid is the map before the first edit, and stays as it is. The edits are spread over the queries: some of them
    happen before each `burst` of queries. Queries join random cells that are connected on the map as it is then. The
    same seed gives the same scenario on every machine.

    >>> import waygrid as wg
    >>> grid = wg.generate("rooms", width=40, height=30, seed=1)
    >>> generate_changes(grid, "doors", edits=20, queries=30, seed=1)
    DynamicScenario('doors, seed 1', 20 edits, 30 queries)
    """
    if kind not in KINDS:
        raise WaygridError(f"there are no changes {show(kind)}; allowed are {', '.join(KINDS)}")
    given = {"edits": edits, "queries": queries, "burst": burst, "seed": seed}
    edits, queries, burst, seed = (_COUNTS[name].check(name, value) for name, value in given.items())
    if not isinstance(grid, Grid):
        raise WaygridError(f"generate_changes needs a Grid, not {type(grid).__name__}")
    refuse_other_rules(grid, kind)
    rng = np.random.Generator(np.random.PCG64(seed))
    now = Grid(grid.passable)
    make = Mixed if kind == MIXED else CHANGES[kind].make
    changer, kept = make(rng, now.passable, edits), _Patches()
    made: list[tuple[int, int, int]] = []
    ends: list[npt.NDArray[np.int32]] = []
    costs: list[npt.NDArray[np.float64]] = []
    groups = -(-queries // burst)
    counts = np.minimum(burst, queries - burst * np.arange(groups))
    until = edits * np.arange(1, groups + 1) // groups
    for count, last in zip(counts.tolist(), until.tolist(), strict=True):
        while len(made) < last:
            made.append(_change(now, changer, kept, kind, len(made)))
        pairs = _draw_pairs(now, count, rng)
        ends.append(pairs)
        costs.append(dijkstra_costs(now, pairs[:, :2], pairs[:, 2:]))
        if progress is not None:
            progress(len(ends) / groups, f"{len(made)} edits")
    cells = np.concatenate(ends)
    group = np.arange(groups)
    return DynamicScenario(
        grid.width,
        grid.height,
        kept.patches,
        made,
        cells[:, :2],
        cells[:, 2:],
        np.concatenate(costs),
        np.repeat(until, counts),
        buckets=np.repeat(group, counts),
        edit_buckets=np.repeat(group, np.diff(until, prepend=0)),
        start_map=grid.passable,
        name=f"{kind}, seed {seed}",
    )


def _change(now: Grid, changer: Changer, kept: _Patches, kind: str, done: int) -> tuple[int, int, int]:
    """Change the map; return the number of the patch and its place."""
    change = changer.next(now.passable)
    if change is None:
        needs = " or ".join(one.needs for name, one in CHANGES.items() if kind in (name, MIXED))
        raise WaygridError(f"after {done} edits nothing is left to change by {kind!r}: the map has no {needs}")
    now.paste(*change)
    return kept.number(change.patch), change.x, change.y


def _draw_pairs(now: Grid, count: int, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    """Return random pairs of different, connected cells: rows of start x, start y, goal x, goal y."""
    labels = now.components.reshape(-1)
    cells = np.flatnonzero(labels >= 0)
    if not cells.size:
        raise WaygridError("the map has no passable cell left, so there is nothing to search")
    found = np.zeros((0, 2), np.int64)
    for turn in range(_ROUNDS + 1):
        if turn == _ROUNDS:  # many small components: two cells are seldom in the same
            cells = np.flatnonzero(labels == np.bincount(labels[cells]).argmax())
        pairs = cells[(rng.random((max(2 * count, 16), 2)) * cells.size).astype(np.int64)]
        same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
        found = np.concatenate((found, pairs[same & ((pairs[:, 0] != pairs[:, 1]) | (cells.size == 1))]))[:count]
        if len(found) == count:
            break
    while len(found) < count:  # a component of very few cells
        found = np.concatenate((found, cells[(rng.random((count, 2)) * cells.size).astype(np.int64)]))[:count]
    return np.stack((found % now.width, found // now.width), axis=2).reshape(-1, 4).astype(np.int32)
