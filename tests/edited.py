"""Random edits of a grid and of the oracle's map alike."""

import numpy as np

import waygrid as wg


def edit(chance, case, grid):
    """Make one random edit: a cell, a box, a patch or, where the map has them, a weight or a one-way tile.

    Return what undoes it.
    """
    height, width = case.passable.shape
    x, y = int(chance.integers(width)), int(chance.integers(height))
    kind = chance.integers(6)
    if kind == 0 and case.weights is not None:
        return _set_weight(case, grid, x, y, int(chance.integers(1, 10)))
    if kind == 1:
        shape = int(chance.integers(1, height - y + 1)), int(chance.integers(1, width - x + 1))
        prices = chance.integers(1, 10, shape) if case.weights is not None and chance.random() < 0.5 else None
        return _paste(case, grid, x, y, chance.random(shape) < 0.6, prices)
    if kind == 2:
        right, bottom = (min(side, at + int(chance.integers(1, 4))) for side, at in ((width, x), (height, y)))
        return _set_box(case, grid, (slice(x, right), slice(y, bottom)), bool(chance.integers(2)))
    if kind == 3 and grid.has_one_way:
        names = {name for name in case.steps(0) if chance.random() < 0.5} if chance.random() < 0.7 else None
        return _set_one_way(case, grid, (x, y), names)
    return _set_box(case, grid, (slice(x, x + 1), slice(y, y + 1)), not case.passable[y, x])


def _set_weight(case, grid, x, y, weight):
    old, case.weights[y, x] = int(case.weights[y, x]), weight
    grid.set_weight((x, y), weight)
    return lambda: _set_weight(case, grid, x, y, old)


def _paste(case, grid, x, y, patch, prices):
    part = slice(y, y + patch.shape[0]), slice(x, x + patch.shape[1])
    before = case.passable[part].copy(), None if prices is None else case.weights[part].copy()
    case.passable[part] = patch
    if prices is not None:
        case.weights[part] = prices
    grid.paste(patch, x, y, weights=prices)
    return lambda: _paste(case, grid, x, y, *before)


def _set_box(case, grid, box, value):
    columns, rows = box
    before = case.passable[rows, columns].copy()
    case.passable[rows, columns] = value
    if before.size == 1:
        grid.set_passable((columns.start, rows.start), bool(value))
    else:
        grid.set_passable(box, bool(value))
    return lambda: _paste(case, grid, columns.start, rows.start, before, None)


def _set_one_way(case, grid, cell, names):
    old = case.one_way.pop(cell, None)
    if names is not None:
        case.one_way[cell] = names
    grid.set_one_way(cell, allowed=names)
    return lambda: _set_one_way(case, grid, cell, old)


def supporting(grid, names=None):
    """Return finders for a grid, of all algorithms that support it."""
    made = []
    for name in names or wg.algorithms():
        try:
            made.append(wg.make_finder(name, grid))
        except wg.WaygridError as error:
            if not any(word in str(error) for word in ("support", "needs", "allowed")):
                raise
    return made


def rng(seed):
    return np.random.Generator(np.random.PCG64(seed))


def same_parts(one, other):
    """Whether two numberings of cells, -1 for walls, divide the map alike, whatever numbers they use."""
    if ((one < 0) != (other < 0)).any():
        return False
    pairs = np.unique(np.stack((one[one >= 0], other[one >= 0])), axis=1)
    return len(np.unique(pairs[0])) == pairs.shape[1] == len(np.unique(pairs[1]))
