"""Map generators: random walls, rooms, mazes, caves and the floors of a building.

Every map depends on its seed alone. NumPy guarantees the bits of PCG64, but not the results of `integers`, `choice` or
`shuffle`. So all randomness here comes from `Generator.random`, which returns those bits as fractions.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waygrid.errors import WaygridError, show
from waygrid.grid._indoor import indoor
from waygrid.grid._spanning import spanning_forest
from waygrid.options import Integer, Number, Option, check_options

MAX_SIDE = 65535
MAX_CELLS = 2**28
_SIDE = Integer(1, "of a map", least=1, greatest=MAX_SIDE, unit="cells")
_SEED = Integer(0, "of all chance", least=0)

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Kind:
    """A kind of map: what it looks like, its options and the function that builds it.

    >>> sorted(KINDS["caves"].options)
    ['rounds', 'walls']
    """

    summary: str
    options: Mapping[str, Option]
    build: Callable[..., Mask]


def generate_passable(kind: str, width: int, height: int, seed: int = 0, **options: float) -> Mask:
    """Return a new map, True for passable cells, indexed [y, x]; `KINDS` lists the kinds and their options.

    >>> print("\\n".join("".join(".@"[not cell] for cell in row) for row in generate_passable("maze", 13, 5, seed=4)))
    @@@@@@@@@@@@@
    @.@...@.....@
    @.@.@.@.@@@.@
    @...@...@...@
    @@@@@@@@@@@@@
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise WaygridError(f"there is no kind of map {show(kind)}; allowed are {', '.join(KINDS)}")
    width, height = _SIDE.check("width", width), _SIDE.check("height", height)
    if width * height > MAX_CELLS:
        raise WaygridError(f"a map of {width} x {height} cells is too large; at most {MAX_CELLS} cells are allowed")
    chosen = check_options(f"{kind} map", KINDS[kind].options, options)
    rng = np.random.Generator(np.random.PCG64(_SEED.check("seed", seed)))
    return KINDS[kind].build(rng, width, height, **chosen)


# ---- random, rooms, maze


def _lattice_openings(rng: np.random.Generator, rows: int, columns: int, loops: float) -> tuple[Mask, Mask]:
    """Open a random spanning tree of a lattice, and the share `loops` of its other walls: (to the right, downwards)."""
    node = np.arange(rows * columns).reshape(rows, columns)
    a = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
    b = np.concatenate([node[:, 1:].ravel(), node[1:].ravel()])
    order = np.argsort(rng.random(a.size), kind="stable")
    kept, _ = spanning_forest(node.size, a[order], b[order])
    closed = np.flatnonzero(~kept)
    kept[closed[: round(loops * closed.size)]] = True
    opened = np.zeros(a.size, np.bool_)
    opened[order[kept]] = True
    split = rows * (columns - 1)
    return opened[:split].reshape(rows, columns - 1), opened[split:].reshape(rows - 1, columns)


def _random(rng: np.random.Generator, width: int, height: int, walls: float) -> Mask:
    cells = width * height
    count = cells if walls == 1 else min(round(walls * cells), cells - 1)
    if count == cells:
        return np.zeros((height, width), np.bool_)
    draw = rng.random(cells)
    limit = np.partition(draw, count)[count]
    passable: Mask = draw >= limit
    # Huge maps have equal draws; the first of those at the limit make up the exact number.
    missing = count - int(cells - np.count_nonzero(passable))
    passable[np.flatnonzero(draw == limit)[:missing]] = False
    return passable.reshape(height, width)


def _room_lines(length: int, room: int) -> Ints:
    """Where the walls of the lattice lie; too narrow a last room joins the one before it."""
    if length < 3:
        return np.array([-1, length])
    lines = np.arange(0, length - 1, room)
    if lines.size > 1 and length - 1 - lines[-1] < max(2, room / 2):
        lines = lines[:-1]
    return np.append(lines, length - 1)


def _rooms(rng: np.random.Generator, width: int, height: int, room: int, loops: float) -> Mask:
    xs, ys = _room_lines(width, room), _room_lines(height, room)
    passable = np.ones((height, width), np.bool_)
    passable[ys[(ys >= 0) & (ys < height)]] = False
    passable[:, xs[(xs >= 0) & (xs < width)]] = False
    right, down = _lattice_openings(rng, ys.size - 1, xs.size - 1, loops)
    row, column = np.nonzero(right)
    passable[_inside(rng, ys, row), xs[column + 1]] = True
    row, column = np.nonzero(down)
    passable[ys[row + 1], _inside(rng, xs, column)] = True
    return passable


def _inside(rng: np.random.Generator, lines: Ints, number: Ints) -> Ints:
    """For each room number, a random cell between its two walls."""
    free = lines[number + 1] - lines[number] - 1
    return lines[number] + 1 + (rng.random(number.size) * free).astype(np.int64)


def _maze(rng: np.random.Generator, width: int, height: int, corridor: int, loops: float) -> Mask:
    corridor = min(corridor, max(width, height))
    pitch = corridor + 1
    rows, columns = max(1, (height - 1) // pitch), max(1, (width - 1) // pitch)
    right, down = _lattice_openings(rng, rows, columns, loops)
    blocks = np.zeros((rows, pitch, columns, pitch), np.bool_)
    blocks[:, :corridor, :, :corridor] = True
    blocks[:, :corridor, :-1, corridor] = right[:, None]
    blocks[:-1, corridor, :, :corridor] = down[:, :, None]
    passable = np.zeros((height, width), np.bool_)
    top, left = int(height > pitch), int(width > pitch)  # a side too short for walls around it has none
    part = passable[top : top + rows * pitch, left : left + columns * pitch]
    part[:] = blocks.reshape(rows * pitch, columns * pitch)[: part.shape[0], : part.shape[1]]
    return passable


# ---- caves

SMALL_CAVE = 12  # cells; smaller holes are filled
RIDGE = 16  # cells between high and low points of the rock's density, fewer on small maps
RIDGE_HEIGHT = 0.6


def _caves(rng: np.random.Generator, width: int, height: int, walls: float, rounds: int) -> Mask:
    if min(width, height) < 3:
        return np.ones((height, width), np.bool_)
    unevenness = 4 * walls * (1 - walls)  # none at either end: 0 is no rock and 1 is rock only
    wall = rng.random((height, width)) < walls + unevenness * _ridges(rng, width, height)
    for _ in range(rounds):
        wall = _wall_neighbours(wall) >= 5
    wall[[0, -1]] = True
    wall[:, [0, -1]] = True
    if wall.all():
        wall[height // 2, width // 2] = False
    return _join_caves(~wall)


def _ridges(rng: np.random.Generator, width: int, height: int) -> NDArray[np.float64]:
    """Vary the density of rock over the map; a large map of even noise has neither halls nor massifs."""
    apart = max(2, min(RIDGE, min(width, height) // 4))
    points = rng.random((height // apart + 2, width // apart + 2))
    points -= math.fsum(points.ravel().tolist()) / points.size  # fsum: no rounding that differs between processors
    y, x = np.arange(height) / apart, np.arange(width) / apart
    row, column = y.astype(np.int64), x.astype(np.int64)
    down, right = (y - row)[:, None], x - column
    rows = points[row] * (1 - down) + points[row + 1] * down
    return RIDGE_HEIGHT * (rows[:, column] * (1 - right) + rows[:, column + 1] * right)


def _wall_neighbours(wall: Mask) -> NDArray[np.uint8]:
    """Count the walls among each cell and its eight neighbours; all is rock outside the map."""
    count = np.pad(wall, 1, constant_values=True).astype(np.uint8)
    count = count[:-2] + count[1:-1] + count[2:]
    return count[:, :-2] + count[:, 1:-1] + count[:, 2:]


def _number_caves(passable: Mask) -> Ints:
    """Give every cell the number of its 4-connected cave, -1 in rock; the border has to be rock.

    The nodes of the graph are horizontal runs, which the border keeps apart when the map is read as one long row.
    """
    flat, width = passable.ravel(), passable.shape[1]
    run = np.cumsum(np.diff(flat, prepend=False) & flat) - 1
    both = flat[:-width] & flat[width:]
    touch = np.flatnonzero(np.diff(both, prepend=False) & both)
    _, cave = spanning_forest(int(run[-1]) + 1, run[touch], run[touch + width])
    return np.where(flat, cave[run], -1)


def _join_caves(passable: Mask) -> Mask:
    """Fill small caves and dig tunnels between the others, along the shortest paths through the rock."""
    owner = _number_caves(passable)
    size = np.bincount(owner[owner >= 0])
    small = (size < SMALL_CAVE) & (np.arange(size.size) != size.argmax())
    owner[(owner >= 0) & small[owner]] = -1
    if np.count_nonzero(~small) > 1:
        owner[_tunnels(owner, passable.shape)] = size.size
    return (owner >= 0).reshape(passable.shape)


def _tunnels(owner: Ints, shape: tuple[int, ...]) -> Mask:
    """Grow all caves at once until they meet; a spanning tree of the nearest meetings shows where to dig."""
    width = shape[1]
    rock = np.pad(owner.reshape(shape)[1:-1, 1:-1] < 0, 1).ravel()  # without the border
    reach, parent = owner.copy(), np.full(owner.size, -1)
    distance = np.zeros(owner.size, np.int64)
    frontier, level = np.flatnonzero(owner >= 0), 0
    while frontier.size:
        level, grown = level + 1, []
        for step in (1, width, -1, -width):
            source = frontier[rock[frontier + step]]
            rock[source + step] = False
            reach[source + step], parent[source + step], distance[source + step] = reach[source], source, level
            grown.append(source + step)
        frontier = np.concatenate(grown)
    ends = [(cell, cell + step) for step in (1, width) for cell in [np.flatnonzero(reach[:-step] != reach[step:])]]
    a, b = (np.concatenate(side) for side in zip(*ends, strict=True))
    inner = (reach[a] >= 0) & (reach[b] >= 0)
    a, b = a[inner], b[inner]
    order = np.argsort(distance[a] + distance[b], kind="stable")
    a, b = a[order], b[order]
    kept, _ = spanning_forest(int(reach.max()) + 1, reach[a], reach[b])
    dug = np.zeros(owner.size, np.bool_)
    cell = np.concatenate([a[kept], b[kept]])
    while cell.size:
        dug[cell] = True
        cell = parent[cell]
        cell = cell[cell >= 0]
    return _widen(dug.reshape(shape)).ravel()


def _widen(mask: Mask) -> Mask:
    wide = mask.copy()
    wide[1:-1, 1:-1] |= mask[:-2, 1:-1] | mask[2:, 1:-1] | mask[1:-1, :-2] | mask[1:-1, 2:]
    return wide


_LOOPS = "share of the remaining walls that are opened as well"
KINDS: dict[str, Kind] = {
    "random": Kind(
        "single walls anywhere", {"walls": Number(0.25, "exact share of walls", least=0, greatest=1)}, _random
    ),
    "rooms": Kind(
        "a lattice of square rooms with doors one cell wide",
        {
            "room": Integer(8, "side of a room with one wall", least=2, greatest=MAX_SIDE, unit="cells"),
            "loops": Number(0.5, _LOOPS, least=0, greatest=1),
        },
        _rooms,
    ),
    "maze": Kind(
        "a maze with one route between any two cells",
        {
            "corridor": Integer(1, "width of the ways", least=1, greatest=MAX_SIDE, unit="cells"),
            "loops": Number(0.0, _LOOPS, least=0, greatest=1),
        },
        _maze,
    ),
    "caves": Kind(
        "caves joined by tunnels",
        {
            "walls": Number(0.45, "share of rock before smoothing", least=0, greatest=1),
            "rounds": Integer(5, "rounds of smoothing", least=0, greatest=100),
        },
        _caves,
    ),
    "indoor": Kind(
        "the floor of a building: rooms, doors, corridors and furniture",
        {
            "room": Integer(10, "usual side of a room", least=3, greatest=MAX_SIDE, unit="cells"),
            "furniture": Number(0.6, "share of the rooms with furniture", least=0, greatest=1),
            "loops": Number(0.05, _LOOPS, least=0, greatest=1),
        },
        indoor,
    ),
}
