"""Connected components that are kept up to date: after every edit the same as those of a fresh grid."""

import numpy as np
import pytest
from edited import rng, same_parts

import waygrid as wg

WIDTH, HEIGHT = 150, 130  # large enough for small edits to be repaired instead of numbering all cells anew


def check(grid):
    labels, kept = grid.components, grid.table._components
    assert same_parts(labels, grid.copy().components)
    if kept._regions is not None:
        counted = np.bincount(labels[labels >= 0], minlength=len(kept._regions.sizes))
        assert (counted == kept._regions.sizes).all()
        assert not kept._regions.marks.any()


def edit(chance, grid):
    x, y = int(chance.integers(grid.width)), int(chance.integers(grid.height))
    kind = chance.integers(3)
    if kind == 0:
        size = chance.integers(1, 12, 2)
        patch = chance.random(size) < chance.random()
        grid.paste(patch, min(x, grid.width - size[1]), min(y, grid.height - size[0]))
    elif kind == 1:
        grid.set_passable((slice(x, x + 9), slice(y, y + 1)), bool(chance.integers(2)))
    else:
        grid.set_passable((x, y), not grid.passable[y, x])


@pytest.mark.parametrize("corners", ["never", "one", "always"])
@pytest.mark.parametrize("topology", ["tile", "octile", "hex", "tex"])
def test_joined_and_split_components_are_repaired(topology, corners):
    for seed, share in enumerate((0.55, 0.65, 0.8)):  # around where maps fall apart
        chance = rng(seed)
        clearance = 2 if seed == 2 and topology in ("tile", "octile") else 1
        passable = chance.random((HEIGHT, WIDTH)) < share
        grid = wg.Grid(passable, topology=topology, corners=corners, clearance=clearance)
        check(grid)
        if seed == 1:
            for x, y in chance.integers(HEIGHT, size=(40, 2)).tolist():
                grid.set_one_way((x, y), allowed=[grid.directions[0]])
        for _ in range(25):
            edit(chance, grid)
            check(grid)
        assert grid.table._components._regions is not None


@pytest.mark.parametrize(
    ("topology", "corners"), [("tile", "never"), ("octile", "never"), ("octile", "one"), ("hex", "never")]
)
def test_small_edits_are_told_apart(topology, corners):
    """Most leave the components as they are, which the cells around them tell; others split or join some."""
    chance = rng(7)
    grid = wg.Grid(chance.random((HEIGHT, WIDTH)) < 0.62, topology=topology, corners=corners)
    check(grid)
    grid.set_passable((0, 0), not grid.passable[0, 0])
    counts = {True: 0, False: 0}
    kept = grid.table._components
    real = kept._is_kept
    kept._is_kept = lambda *edit: counts.__setitem__(found := real(*edit), counts[found] + 1) or found
    for k in range(400):
        x, y, size = int(chance.integers(WIDTH - 2)), int(chance.integers(HEIGHT - 2)), 1 + k % 3
        if k % 4:
            grid.set_passable((x, y), not grid.passable[y, x])
        else:
            grid.set_passable((slice(x, x + size), slice(y, y + 2)), bool(chance.integers(2)))
        if k % 5 == 0:
            check(grid)
    check(grid)
    assert min(counts.values()) > 50


@pytest.mark.parametrize("kind", ["rooms", "caves", "maze"])
def test_doors_between_large_parts(kind):
    """Walls across the whole map with one door: every toggle splits or joins half of it."""
    grid, chance = wg.generate(kind, width=WIDTH, height=HEIGHT, seed=1), rng(1)
    grid.set_passable((slice(70, 71), slice(0, HEIGHT)), False)
    grid.set_passable((slice(69, 72), slice(60, 61)), True)
    check(grid)
    before = len(np.unique(grid.components))
    for _ in range(6):
        grid.set_passable((70, 60), False)
        check(grid)
        assert len(np.unique(grid.components)) == before + 1
        grid.set_passable((70, 60), True)
        check(grid)
        x, y = chance.integers(HEIGHT, size=2).tolist()
        if x not in (69, 70, 71):
            grid.set_passable((x, y), not grid.passable[y, x])
            check(grid)
            before = len(np.unique(grid.components))


def test_numbers_that_are_no_longer_used_may_grow():
    grid = wg.Grid(np.ones((HEIGHT, WIDTH), bool))
    assert grid.components.max() == 0
    for k in range(3000):
        grid.paste([".#.", "###", ".#."] if k % 2 else ["...", "...", "..."], 40 + k % 31, 50)
    check(grid)
    assert len(grid.table._components._regions.sizes) < 10 * WIDTH * HEIGHT


def test_numbers_of_components_are_used_again():
    grid = wg.Grid(np.ones((40, 40), bool), topology="tile")
    assert grid.components.max() == 0
    patch = np.indices((16, 16)).sum(axis=0) % 2 == 0  # 128 components
    for _ in range(400):
        grid.paste(patch, 8, 8)
    assert grid.table._components._count < 6 * grid.passable.size + 2048
    assert same_parts(grid.components, grid.copy().components)
