import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from waygrid.grid.changing import CHANGES, MIXED, WIDEST_DOOR, Bases, Doors, Mixed, Walls, find_doorways
from waygrid.grid.generate import generate_passable

pytestmark = pytest.mark.quick

MAPS = npst.arrays(np.bool_, st.tuples(st.integers(1, 14), st.integers(1, 14)))


def random_numbers(seed=0):
    return np.random.Generator(np.random.PCG64(seed))


def plain_doorways(passable):
    """Every passage, cell by cell."""
    height, width = passable.shape

    def free(x, y):
        return 0 <= x < width and 0 <= y < height and bool(passable[y, x])

    found = set()
    for y in range(height):
        for x in range(width):
            for size in range(1, WIDEST_DOOR + 1):
                across = [(x + k, y) for k in range(size)]
                down = [(x, y + k) for k in range(size)]
                if (
                    all(free(i, j - 1) and free(i, j) and free(i, j + 1) for i, j in across)
                    and not free(x - 1, y)
                    and not free(x + size, y)
                ):
                    found.add((x, y, size, 1))
                if (
                    all(free(i - 1, j) and free(i, j) and free(i + 1, j) for i, j in down)
                    and not free(x, y - 1)
                    and not free(x, y + size)
                ):
                    found.add((x, y, 1, size))
    return found


@settings(max_examples=100, deadline=None)
@given(MAPS)
def test_doorways(passable):
    found = find_doorways(passable)
    assert set(map(tuple, found.tolist())) == plain_doorways(passable)


@settings(max_examples=60, deadline=None)
@given(MAPS, st.sampled_from([*CHANGES, MIXED]), st.integers(0, 2**32))
def test_changes_lie_inside_the_map(passable, kind, seed):
    make = Mixed if kind == MIXED else CHANGES[kind].make
    changer, now = make(random_numbers(seed), passable, 20), passable.copy()
    for _ in range(20):
        change = changer.next(now)
        if change is None:
            break
        height, width = change.patch.shape
        assert change.patch.dtype == np.bool_
        part = now[change.y : change.y + height, change.x : change.x + width]
        assert part.shape == change.patch.shape
        if kind == "walls":
            assert (change.patch >= part).all()
            assert (change.patch > part).any()
        part[:] = change.patch


def test_doors_open_and_close():
    rooms = generate_passable("rooms", 40, 30, 1)
    doors, now = Doors(random_numbers(), rooms, 40), rooms.copy()
    seen = {}
    for _ in range(40):
        change = doors.next(now)
        place, state = (change.x, change.y, change.patch.shape), bool(change.patch.all())
        assert state == bool(change.patch.any())
        assert state != seen.get(place, True)  # doors are open at first
        seen[place] = state
        now[change.y : change.y + change.patch.shape[0], change.x : change.x + change.patch.shape[1]] = change.patch
    assert 1 < len(seen) <= 10
    assert Doors(random_numbers(), np.ones((9, 9), bool), 9).next(np.ones((9, 9), bool)) is None


def test_all_walls_fall():
    now = np.ones((12, 12), bool)
    now[3:6, 4:9] = now[9, 9] = False
    walls, count = Walls(random_numbers(), now, 5), 0
    while (change := walls.next(now)) is not None:
        now[change.y : change.y + change.patch.shape[0], change.x : change.x + change.patch.shape[1]] = change.patch
        count += 1
    assert now.all()
    assert count > 1


def test_bases_stand_free_and_are_torn_down():
    now = np.ones((40, 40), bool)
    bases, built, torn = Bases(random_numbers(), now, 5), 0, 0
    for _ in range(200):
        change = bases.next(now)
        height, width = change.patch.shape
        part = now[change.y : change.y + height, change.x : change.x + width]
        if change.patch.all():
            torn += 1
            assert not part.all()
        else:
            built += 1
            assert now[change.y - 1 : change.y + height + 1, change.x - 1 : change.x + width + 1].all()
            edges = np.concatenate((change.patch[[0, -1]].ravel(), change.patch[1:-1, [0, -1]].ravel()))
            assert edges.sum() == bool(change.patch.any())  # a yard has one gate, in no corner
            assert not change.patch[[0, 0, -1, -1], [0, -1, 0, -1]].any()
        part[:] = change.patch
    assert built > torn > 10
    assert Bases(random_numbers(), now, 5).next(np.ones((4, 9), bool)) is None
