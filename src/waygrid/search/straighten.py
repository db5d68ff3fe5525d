"""From paths that step from cell to cell to straight legs."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from waygrid.core import layout as at
from waygrid.core import pull
from waygrid.errors import WaygridError, show
from waygrid.grid.grid import Grid
from waygrid.grid.table import cell_numbers
from waygrid.search.path import Batch, GridLink, Path, Sizes
from waygrid.search.straight_path import StraightBatch, StraightPath, pack_lengths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from waygrid.core.types import Array

ROUNDS = 2
_MOST_ROUNDS = 100


def straighten_path(path: Path, grid: Grid | None, rounds: int, blocked: Any) -> StraightPath:
    """Return a path as straight legs."""
    if isinstance(path, StraightPath) and path._sizes.model != "centres":
        return path  # it bends at walls only, where it has to
    row = np.array([path._row], np.int64)
    cells = path.cells if path else np.zeros((0, 2), np.int32)
    rows, points = _straighten(row, cells, np.array([0, len(cells)]), path._sizes, grid, rounds, blocked)
    made = StraightPath(rows[0].tolist(), points, _sizes_of(path._sizes, grid))
    return path if isinstance(path, StraightPath) and path.cost <= made.cost else made


def straighten_batch(batch: Batch, grid: Grid | None, rounds: int, blocked: Any) -> StraightBatch:
    """Return the paths of a batch as straight legs."""
    if isinstance(batch, StraightBatch) and batch._sizes.model != "centres":
        return batch
    if not batch.has_paths or batch.cells is None:
        raise WaygridError("the batch was computed with paths=False and has no cells to straighten")
    offsets = batch.offsets
    if isinstance(batch, StraightBatch):
        offsets = np.concatenate(([0], np.cumsum([len(path) for path in batch])))
    rows, points = _straighten(batch.rows, batch.cells, offsets, batch._sizes, grid, rounds, blocked)
    made = StraightBatch(rows, points, _sizes_of(batch._sizes, grid), batch._writing)
    return _keep_shorter(batch, made) if isinstance(batch, StraightBatch) else made


def _keep_shorter(batch: StraightBatch, made: StraightBatch) -> StraightBatch:
    """Return the cheaper one of each two paths: cells that legs pass may lead off the legs."""
    rows, better = made.rows.copy(), made.costs < batch.costs
    rows[~better] = batch.rows[~better]
    paths = [(made if better[k] else batch)[k]._stored for k in range(len(batch))]
    return StraightBatch(rows, np.concatenate([np.zeros((0, 2), np.int32), *paths]), made._sizes, batch._writing)


def _sizes_of(sizes: Sizes, grid: Grid | None) -> Sizes:
    link = sizes.link if grid is None else GridLink(grid)
    return sizes._replace(model="centres", exact=False, link=link)


def _straighten(
    rows: npt.NDArray[np.int64],
    cells: Array,
    offsets: Array,
    sizes: Sizes,
    grid: Grid | None,
    rounds: int,
    blocked: Any,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the rows of straight paths, and their waypoints."""
    if not isinstance(rounds, (int, np.integer)) or not 1 <= rounds <= _MOST_ROUNDS:
        raise WaygridError(f"rounds is {show(rounds)}; allowed are the integers from 1 to {_MOST_ROUNDS}")
    home = sizes.link.grid() if grid is None else grid
    if home is None:
        raise WaygridError("the grid of this path is gone; name one: straighten(grid)")
    if not isinstance(home, Grid):
        raise WaygridError(f"grid is {show(home)}; allowed is a wg.Grid, or None for that of the path")
    if home.topology != sizes.topology:
        raise WaygridError(f"the path is one of a {sizes.topology} grid; the grid given is {home.topology}")
    flat, offsets = np.ascontiguousarray(cells, np.int32).reshape(-1), np.ascontiguousarray(offsets, np.int64)
    longest = int(np.diff(offsets).max(initial=1))
    # A leg passes at most two cells for each move that it replaces, and on tile grids so many again round corners.
    room = (np.empty(2 * longest + 4), *(np.empty(4 * longest + 8, np.int32) for _ in range(3)))
    counts, totals, out = np.zeros(len(rows), np.int64), np.zeros((len(rows), 2)), np.empty(flat.size, np.int32)
    with _lend(home, blocked) as tables:
        bad = pull.straighten_all(tables, flat, offsets, rounds, room, counts, totals, out)
        if bad >= 0:
            moves, walk, _, geo = tables
            path = flat[2 * int(offsets[bad]) : 2 * int(offsets[bad + 1])]
            number = pull.first_illegal_move(moves, walk, geo, path, path.size // 2)
            here = tuple(path[2 * number : 2 * number + 2].tolist())
            raise WaygridError(f"move {number} of the path, from {here}, is not legal on the grid as it is")
    made = rows.copy()
    made[:, at.ROW_LENGTH] = counts
    pack_lengths(made, slice(None), totals[:, 1], totals[:, 0])
    return made, out[: 2 * int(counts.sum())].reshape(-1, 2)


@contextmanager
def _lend(grid: Grid, blocked: Any) -> Iterator[tuple[Array, Array, Array | None, Array]]:
    """Lend the tables of a grid, with some cells blocked for the time of the block."""
    table = grid.table
    if blocked is None:
        yield table.moves, table.walk, table.weights, table.geo
        return
    with table.blocked(cell_numbers(blocked, grid)) as overlay:
        yield overlay.moves, overlay.walk, table.weights, table.geo
