"""The floor of a building, after the demo map of Improved Heuristics (Figure 1): rooms, doors, corridors, furniture."""

import numpy as np
from numpy.typing import NDArray

from waygrid.grid._spanning import spanning_forest

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]
Box = tuple[int, int, int, int]  # x0, y0, x1, y1, half open

UNUSED = 0.08  # share of the rooms at the end of a way that stay solid: shafts, and corners cut from the outline


def indoor(rng: np.random.Generator, width: int, height: int, room: int, furniture: float, loops: float) -> Mask:
    """Build a floor of rooms about `room` cells wide; all its passable cells are 4-connected."""
    if min(width, height) < 3:
        return np.ones((height, width), np.bool_)
    corridors, rooms = _floor_plan(rng, (1, 1, width - 1, height - 1), room)
    owner = np.full((height, width), -1)
    for number, (x0, y0, x1, y1) in enumerate(corridors + rooms):
        owner[y0:y1, x0:x1] = number
    doors, used = _doors(rng, owner, len(corridors), len(corridors) + len(rooms), loops)
    passable: Mask = (owner >= 0) & used[owner]
    passable.ravel()[doors] = True
    near = np.zeros((height, width), np.bool_)
    near.ravel()[doors[:, None] + np.array([1, -1, width, -width])] = True
    for box, in_use in zip(rooms, used[len(corridors) :], strict=True):
        if in_use and rng.random() < furniture:
            _furnish(rng, passable, near, box)
    return passable


def _below(rng: np.random.Generator, limit: int) -> int:
    return int(rng.random() * limit)


def _floor_plan(rng: np.random.Generator, floor: Box, room: int) -> tuple[list[Box], list[Box]]:
    """Cut the floor by corridors into blocks some rooms long and two deep, and the blocks by walls into rooms."""
    corridors: list[Box] = []
    rooms: list[Box] = []
    todo = [(floor, True)]
    while todo:
        box, is_block = todo.pop()
        sides = box[2] - box[0], box[3] - box[1]
        long, short = max(sides), min(sides)
        axis = sides.index(long)
        if is_block and (long > 4 * room or (short > 2 * room and long > 3 * room)):
            gap = min(4, 1 + (room > 5) + (long > 8 * room) + (long > 24 * room))
            first, passage, last = _cut(rng, box, axis, gap, 0.3)
            corridors.append(passage)
            todo += [(first, True), (last, True)]
        elif long > 3 * room // 2 or (long > room and rng.random() < 0.5):
            first, _, last = _cut(rng, box, axis, -1, 0.35)
            todo += [(first, False), (last, False)]
        else:
            rooms.append(box)
    return corridors, rooms


def _cut(rng: np.random.Generator, box: Box, axis: int, gap: int, edge: float) -> tuple[Box, Box, Box]:
    """Cut a box into two and a passage of `gap` cells between two walls; gap -1 is one wall and no passage."""
    low, high = box[axis], box[axis + 2]
    rest = high - low - gap - 2
    least = max(1, int(edge * rest))
    start = low + least + _below(rng, rest - 2 * least + 1) + 1
    ranges = (low, start - 1), (start, start + gap), (start + gap + 1, high)
    if axis == 0:
        first, passage, last = ((a, box[1], b, box[3]) for a, b in ranges)
    else:
        first, passage, last = ((box[0], a, box[2], b) for a, b in ranges)
    return first, passage, last


def _doors(rng: np.random.Generator, owner: Ints, corridors: int, spaces: int, loops: float) -> tuple[Ints, Mask]:
    """Choose the wall cells that become doors so that all spaces in use are joined: (flat cells, space in use?)."""
    a, b, first, count, cells = _shared_walls(owner, spaces)
    # Corridors meet each other first and rooms open on corridors, as a rule; the dice make the exceptions.
    rank = 0.8 * (a >= corridors) + 0.8 * (b >= corridors) + 1.4 * rng.random(a.size)
    order = np.argsort(rank, kind="stable")
    a, b, first, count = a[order], b[order], first[order], count[order]
    kept, _ = spanning_forest(spaces, a, b)
    degree = np.bincount(np.concatenate([a[kept], b[kept]]), minlength=spaces)
    used = (degree != 1) | (np.arange(spaces) < corridors) | (rng.random(spaces) >= UNUSED) | (spaces < 3)
    usable = used[a] & used[b]
    kept |= rng.random(a.size) < loops
    a, b, first, count = (values[kept & usable] for values in (a, b, first, count))
    size = np.where(rng.random(a.size) < 0.3, np.minimum(count, 2), 1)
    margin = (count > size + 1).astype(np.int64)  # no door in a corner where there is another place
    start = margin + (rng.random(a.size) * (count - size - 2 * margin + 1)).astype(np.int64)
    open_end = b < corridors  # where corridors meet there is no door
    start, size = np.where(open_end, 0, start), np.where(open_end, count, size)
    offset = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    return cells[np.repeat(first + start, size) + offset], used


def _shared_walls(owner: Ints, spaces: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Find the walls between two spaces a < b: a, b, where each wall begins in the list of cells, its length, cells."""
    cell = np.arange(owner.size).reshape(owner.shape)
    sides = [(owner[:, :-2], owner[:, 2:], cell[:, 1:-1]), (owner[:-2], owner[2:], cell[1:-1])]
    found = [((one >= 0) & (two >= 0) & (one != two), one, two, at) for one, two, at in sides]
    one, two, at = (np.concatenate([side[i][side[0]] for side in found]) for i in (1, 2, 3))
    key = np.minimum(one, two) * spaces + np.maximum(one, two)
    order = np.argsort(key, kind="stable")
    pair, first, count = np.unique(key[order], return_index=True, return_counts=True)
    return pair // spaces, pair % spaces, first, count, at[order]


def _furnish(rng: np.random.Generator, passable: Mask, near: Mask, box: Box) -> None:
    """Put tables and shelves into a room, none next to another or before a door: so all free cells stay joined."""
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    if min(width, height) < 4:
        return
    for _ in range(1 + width * height // 30):
        w, h = 1 + _below(rng, min(4, width - 3)), 1 + _below(rng, min(4, height - 3))
        x, y = x0 + 1 + _below(rng, width - 1 - w), y0 + 1 + _below(rng, height - 1 - h)
        wall = _below(rng, 8)  # half of the pieces stand at a wall, one cell deep
        if wall < 2:
            x, w = (x0, 1) if wall == 0 else (x1 - 1, 1)
        elif wall < 4:
            y, h = (y0, 1) if wall == 2 else (y1 - 1, 1)
        around = passable[max(y - 1, y0) : min(y + h + 1, y1), max(x - 1, x0) : min(x + w + 1, x1)]
        if around.all() and not near[y : y + h, x : x + w].any():
            passable[y : y + h, x : x + w] = False
