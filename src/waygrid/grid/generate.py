"""Map generators: random walls, rooms, mazes, caves and the floors of a building.

Every map depends on its seed alone. NumPy guarantees the bits of PCG64, but not the results of `integers`, `choice` or
`shuffle`. So all randomness here comes from `Generator.random`, which returns those bits as fractions.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waygrid.errors import WaygridError, show
from waygrid.grid._caves import caves
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
        caves,
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
