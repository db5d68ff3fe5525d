"""Random edits of a grid and of the oracle's map alike."""

import numpy as np

import waygrid as wg


def edit(chance, case, grid):
    """Make one random edit: a cell, a patch or, on terrain, a weight. Return what undoes it."""
    height, width = case.passable.shape
    x, y = int(chance.integers(width)), int(chance.integers(height))
    kind = chance.integers(4)
    if case.weights is not None and kind == 0:
        old, new = case.weights[y, x], int(chance.integers(1, 10))
        case.weights[y, x] = new
        grid.set_weight((x, y), new)
        return lambda: (case.weights.__setitem__((y, x), old), grid.set_weight((x, y), int(old)))
    if kind == 1:
        patch = chance.random((int(chance.integers(1, height - y + 1)), int(chance.integers(1, width - x + 1)))) < 0.6
        part = case.passable[y : y + patch.shape[0], x : x + patch.shape[1]]
        before = part.copy()
        part[:] = patch
        grid.paste(patch, x, y)
        return lambda: (part.__setitem__(slice(None), before), grid.paste(before, x, y))
    value = not case.passable[y, x]
    case.passable[y, x] = value
    grid.set_passable((x, y), bool(value))
    return lambda: (case.passable.__setitem__((y, x), not value), grid.set_passable((x, y), not value))


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
