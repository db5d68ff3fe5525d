import hashlib
from collections import deque

import numpy as np
import pytest

from waygrid.errors import WaygridError
from waygrid.grid._spanning import spanning_forest
from waygrid.grid.generate import KINDS, MAX_CELLS, generate_passable

pytestmark = pytest.mark.quick

CONNECTED = ("rooms", "maze", "caves", "indoor")
SIZES = ((1, 1), (1, 9), (2, 2), (3, 3), (4, 7), (8, 8), (17, 5), (40, 24), (33, 61))
# Of 40 x 24 cells, seed 7. A change here changes every user's maps: say so in the release notes.
PINNED = {
    "random": "104820de3b468833",
    "rooms": "656b788dd6b43a95",
    "maze": "a0a52657edb09010",
    "caves": "5b0719bc0c4230a4",
    "indoor": "92e30c6c74451e20",
}


def reached(passable: np.ndarray) -> int:
    """Count the cells of the 4-connected region of the first passable cell."""
    height, width = passable.shape
    y, x = (int(n) for n in np.argwhere(passable)[0])
    seen, todo = {(x, y)}, deque([(x, y)])
    while todo:
        x, y = todo.popleft()
        for a, b in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if 0 <= a < width and 0 <= b < height and passable[b, a] and (a, b) not in seen:
                seen.add((a, b))
                todo.append((a, b))
    return len(seen)


def edges(passable: np.ndarray) -> int:
    return int((passable[:, :-1] & passable[:, 1:]).sum() + (passable[:-1] & passable[1:]).sum())


def extremes(kind: str) -> list[dict[str, float]]:
    """Return the defaults, and the smallest and largest value of every option."""
    options = KINDS[kind].options.items()
    return [{}, {name: option.least for name, option in options}, {name: option.greatest for name, option in options}]


@pytest.mark.parametrize("kind", KINDS)
def test_shape_and_type(kind):
    passable = generate_passable(kind, 31, 17, seed=3)
    assert passable.shape == (17, 31)
    assert passable.dtype == np.bool_
    assert passable.flags.c_contiguous
    assert 0.2 < passable.mean() < 0.95


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides(kind):
    one = generate_passable(kind, 40, 24, seed=7)
    assert np.array_equal(one, generate_passable(kind, 40, 24, seed=7))
    assert not np.array_equal(one, generate_passable(kind, 40, 24, seed=8))
    assert hashlib.sha256(np.packbits(one).tobytes()).hexdigest()[:16] == PINNED[kind]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 2), (2, 1), (1, 40), (40, 2), (3, 3)])
def test_tiny_maps_have_a_passable_cell(kind, width, height):
    for seed in range(5):
        passable = generate_passable(kind, width, height, seed=seed)
        assert passable.shape == (height, width)
        assert passable.any()


@pytest.mark.parametrize("kind", CONNECTED)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_connected(kind, width, height):
    for seed in range(6):
        for options in extremes(kind):
            passable = generate_passable(kind, width, height, seed=seed, **options)
            assert reached(passable) == passable.sum(), (seed, options)


@pytest.mark.parametrize("room", [3, 4, 5, 7, 15])
def test_indoor_is_connected_with_any_room_and_full_of_furniture(room):
    for seed in range(8):
        passable = generate_passable("indoor", 70, 50, seed=seed, room=room, furniture=1.0, loops=0.0)
        assert reached(passable) == passable.sum()


@pytest.mark.parametrize("walls", [0.1, 0.38, 0.5, 0.6, 0.9])
@pytest.mark.parametrize("rounds", [0, 2, 5])
def test_caves_are_joined_at_any_density(walls, rounds):
    passable = generate_passable("caves", 60, 45, seed=2, walls=walls, rounds=rounds)
    assert reached(passable) == passable.sum()


def test_caves_without_and_with_nothing_but_rock():
    assert generate_passable("caves", 20, 12, walls=0)[1:-1, 1:-1].sum() >= 10 * 18 - 4  # smoothing rounds the corners
    assert generate_passable("caves", 20, 12, walls=1).sum() == 1


@pytest.mark.parametrize("kind", ["caves", "indoor", "rooms", "maze"])
def test_maps_are_closed_by_walls(kind):
    passable = generate_passable(kind, 41, 30, seed=5)
    assert not passable[[0, -1]].any()
    assert not passable[:, [0, -1]].any()


@pytest.mark.parametrize("walls", [0, 0.1, 0.25, 0.333, 0.5, 0.999, 1])
@pytest.mark.parametrize(("width", "height"), [(40, 25), (7, 3), (101, 10)])
def test_random_has_exactly_the_walls_asked_for(walls, width, height):
    passable = generate_passable("random", width, height, seed=9, walls=walls)
    cells = width * height
    expected = cells if walls == 1 else min(round(walls * cells), cells - 1)
    assert (~passable).sum() == expected


def test_random_keeps_one_cell_unless_all_are_walls():
    assert generate_passable("random", 1, 1, walls=0.99).all()
    assert not generate_passable("random", 1, 1, walls=1.0).any()


@pytest.mark.parametrize("seed", range(5))
def test_a_maze_of_single_cells_is_a_tree(seed):
    for width, height in ((21, 21), (22, 40), (2, 9), (60, 7)):
        passable = generate_passable("maze", width, height, seed=seed)
        assert passable.sum() == edges(passable) + 1


@pytest.mark.parametrize("corridor", [2, 3, 5])
def test_a_maze_of_wide_corridors_is_a_tree_of_its_lattice(corridor):
    pitch = corridor + 1
    passable = generate_passable("maze", 12 * pitch + 1, 9 * pitch + 1, seed=1, corridor=corridor)
    inner = passable[1:, 1:].reshape(9, pitch, 12, pitch)
    assert inner[:, :corridor, :, :corridor].all()
    right, down = inner[:, :corridor, :, corridor], inner[:, corridor, :, :corridor]
    assert np.array_equal(right.any(axis=1), right.all(axis=1))  # a way is open in its whole width or closed
    assert np.array_equal(down.any(axis=2), down.all(axis=2))
    assert right[:, 0].sum() + down[:, :, 0].sum() == 9 * 12 - 1


def test_loops_open_that_share_of_the_other_walls():
    lattice, walls = 20 * 15, 20 * 14 + 19 * 15
    for loops in (0.0, 0.2, 1.0):
        passable = generate_passable("maze", 41, 31, seed=3, loops=loops)
        extra = round(loops * (walls - lattice + 1))
        assert edges(passable) - passable.sum() == extra - 1


def test_rooms_lie_on_a_lattice_with_single_doors():
    passable = generate_passable("rooms", 65, 41, seed=2, room=8)
    for y in range(1, 41, 8):
        for x in range(1, 65, 8):
            if x < 64 and y < 40:
                assert passable[y : y + 7, x : x + 7].all()
                below, right = passable[y + 7, x : x + 7], passable[y : y + 7, x + 7]
                assert below.sum() <= 1
                assert right.sum() <= 1
    assert not passable[::8, ::8].any()


def test_indoor_has_rooms_that_end_there():
    """A door is a passable cell between two walls; rooms behind a single one are the dead ends of the paper."""
    passable = generate_passable("indoor", 120, 80, seed=1, furniture=0.0)
    plus = np.pad(passable, 1)
    across = ~plus[1:-1, :-2] & ~plus[1:-1, 2:] & plus[:-2, 1:-1] & plus[2:, 1:-1]
    upright = ~plus[:-2, 1:-1] & ~plus[2:, 1:-1] & plus[1:-1, :-2] & plus[1:-1, 2:]
    doors = np.argwhere(passable & (across | upright))
    assert len(doors) > 20
    dead_ends = 0
    for y, x in doors:
        without = passable.copy()
        without[y, x] = False
        region = reached(without)
        dead_ends += region != without.sum()
    assert dead_ends > 5


def test_furniture_only_takes_cells_away():
    bare = generate_passable("indoor", 80, 60, seed=4, furniture=0.0)
    full = generate_passable("indoor", 80, 60, seed=4, furniture=1.0)
    assert not (full & ~bare).any()
    assert full.sum() < bare.sum()


@pytest.mark.parametrize("kind", KINDS)
def test_large_maps(kind):
    """Array operations throughout: a loop over cells in Python would show in the time of this test."""
    passable = generate_passable(kind, 1024, 1024, seed=1)
    assert 0.3 < passable.mean() < 0.9


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("desert", 4, 4), ("'desert'", "random, rooms, maze, caves, indoor")),
        (("maze", 0, 4), ("width is 0", "1 to 65535")),
        (("maze", 4, -3), ("height is -3",)),
        (("maze", 65536, 4), ("width is 65536",)),
        (("maze", 4.5, 4), ("width is 4.5", "the integers")),
        (("maze", True, 4), ("width is True",)),
        (("maze", 60000, 60000), ("60000 x 60000", str(MAX_CELLS))),
        (("maze", 4, 4, -1), ("seed is -1", "from 0")),
        (("maze", 4, 4, "one"), ("seed is 'one'",)),
    ],
)
def test_bad_arguments_are_named(arguments, parts):
    with pytest.raises(WaygridError) as caught:
        generate_passable(*arguments)
    assert all(part in str(caught.value) for part in parts)


@pytest.mark.parametrize(
    ("kind", "options", "parts"),
    [
        ("maze", {"walls": 0.3}, ("'walls'", "corridor, loops")),
        ("random", {"walls": 1.2}, ("walls is 1.2", "0 to 1")),
        ("random", {"walls": float("nan")}, ("walls is nan",)),
        ("random", {"walls": "0.2"}, ("walls is '0.2'",)),
        ("random", {"walls": None}, ("walls is None",)),
        ("rooms", {"room": 1}, ("room is 1", "2 to")),
        ("maze", {"corridor": 0}, ("corridor is 0",)),
        ("maze", {"corridor": 1.5}, ("corridor is 1.5", "the integers")),
        ("maze", {"loops": -0.1}, ("loops is -0.1",)),
        ("caves", {"rounds": -1}, ("rounds is -1", "0 to 100")),
        ("indoor", {"room": 2}, ("room is 2", "3 to")),
        ("indoor", {"furniture": 2}, ("furniture is 2",)),
    ],
)
def test_bad_options_are_named(kind, options, parts):
    with pytest.raises(WaygridError) as caught:
        generate_passable(kind, 10, 10, **options)
    assert all(part in str(caught.value) for part in parts)


@pytest.mark.parametrize("seed", range(10))
def test_spanning_forest_is_that_of_kruskal(seed):
    rng = np.random.default_rng(seed)
    nodes = 30
    a, b = rng.integers(0, nodes, (2, 10 + 8 * seed))
    tree, expected = list(range(nodes)), []
    for one, two in zip(a.tolist(), b.tolist(), strict=True):
        old, new = tree[one], tree[two]
        expected.append(old != new)
        tree = [new if name == old else name for name in tree]
    kept, label = spanning_forest(nodes, a, b)
    assert kept.tolist() == expected
    same = np.array(tree)[:, None] == np.array(tree)
    assert np.array_equal(label[:, None] == label, same)
    assert sorted(set(label.tolist())) == list(range(len(set(tree))))


def test_numpy_numbers_are_numbers():
    assert generate_passable("maze", np.int32(9), np.int64(7), np.uint8(3), corridor=np.int16(1)).shape == (7, 9)
    assert generate_passable("random", 10, 10, walls=np.float32(0.5)).sum() == 50


def test_kinds_describe_their_options():
    assert list(KINDS) == ["random", "rooms", "maze", "caves", "indoor"]
    for kind in KINDS.values():
        assert kind.summary
        for option in kind.options.values():
            assert option.least <= option.default <= option.greatest
            assert option.summary
