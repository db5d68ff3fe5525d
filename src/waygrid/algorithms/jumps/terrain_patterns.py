"""Which moves are worth trying at a cell of a weighted map: read off the terrain of the cell and its eight neighbours.

A cell c is entered from p and left to n. If a path from p to n that stays among these nine cells and avoids c costs
less, no cheapest path goes p, c, n. At equal costs the path whose last move comes first in the order of directions is
kept: straight moves before diagonal ones. That is the canonical order of jump point search, diagonals first.

Why this loses no cell, even with one record per cell: of all cells u from which a cheapest path enters n, take the one
whose move into n comes first. Whichever cheapest path entered u, no other path can take its place: that would need
another such cell with an earlier move. So n is reached from u, at its true cost. (Carlson, Moghadam, Harabor, Stuckey
and Ebrahimi, AAAI 2023, prune by the same local comparison, and keep its results by the pattern of terrain.)

Patterns are numbered as they are met on the map. A table holds the moves worth trying for each number and direction;
the map holds the number of each cell, 0 where nothing is known: then every move is tried.
"""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit

MOST_TERRAINS = 126  # that are told apart: nine of seven bits fill a key
UNKNOWN = 127  # any other terrain
COUNT, TERRAINS, MOST = 0, 1, 2  # places in `state`: patterns and terrains so far, patterns allowed
STATE_SIZE = 3
_CENTRE = 4  # of the nine cells, row by row
EVERY = 255  # all moves, as bits
_FAR = 2**62


@jit
def step_inside(geo, prices, place: int, d: int) -> int:
    """Return the place, of the nine, to which a legal move from a place leads; -1 where there is none."""
    x, y = place % 3, place // 3
    to_x, to_y = x + geo[at.DX + d], y + geo[at.DY + d]
    if not (0 <= to_x < 3 and 0 <= to_y < 3) or prices[3 * to_y + to_x] == 0:
        return -1
    if d >= 4 and geo[at.CORNERS] != at.ALWAYS:
        sides = int(prices[3 * y + to_x] > 0) + int(prices[3 * to_y + x] > 0)
        if sides < 2 and (geo[at.CORNERS] == at.NEVER or sides == 0):
            return -1
    return int(3 * to_y + to_x)


@jit
def go_around(geo, prices, origin: int, costs) -> None:
    """Fill the costs of the cheapest paths from one of the nine cells to the others that avoid the middle."""
    for place in range(9):
        costs[place] = _FAR
    costs[origin] = 0
    changed = True
    while changed:
        changed = False
        for place in range(9):
            if place == _CENTRE or costs[place] == _FAR:
                continue
            for d in range(8):
                to = step_inside(geo, prices, place, d)
                if to < 0 or to == _CENTRE:
                    continue
                cost = costs[place] + geo[at.COST + d] * prices[to]
                if cost < costs[to]:
                    costs[to] = cost
                    changed = True


@jit
def keeps_move(geo, prices, costs, origin: int, entered: int, d: int) -> bool:
    """Return whether a move out of the middle is worth trying: no way around is cheaper, or as cheap and in order."""
    to = step_inside(geo, prices, _CENTRE, d)
    if to < 0 or to == origin:
        return False
    own = geo[at.COST + entered] * prices[_CENTRE] + geo[at.COST + d] * prices[to]
    for e in range(8):
        x, y = to % 3 - geo[at.DX + e], to // 3 - geo[at.DY + e]
        if not (0 <= x < 3 and 0 <= y < 3):
            continue
        place = 3 * y + x
        if place == _CENTRE or costs[place] == _FAR or step_inside(geo, prices, place, e) != to:
            continue
        around = costs[place] + geo[at.COST + e] * prices[to]
        if around < own or (around == own and e < d):
            return False
    return True


@jit
def list_successors(geo, prices, costs, successors, number: int) -> None:
    """Fill a row of the table: by the direction in which the middle is entered, the moves worth trying, as bits.

    prices: the weights of the nine cells, 0 for walls. costs: room for nine numbers.
    """
    for entered in range(8):
        origin = 3 * (1 - geo[at.DY + entered]) + 1 - geo[at.DX + entered]
        if prices[origin] == 0:  # nobody comes from there, or one who stands on a blocked cell
            successors[number, entered] = EVERY
            continue
        go_around(geo, prices, origin, costs)
        moves = 0
        for d in range(8):
            if keeps_move(geo, prices, costs, origin, entered, d):
                moves |= 1 << d
        successors[number, entered] = moves


@jit
def terrain_of(walk, weights, geo, terrains, prices, state, x: int, y: int) -> int:
    """Return the number of a cell's terrain, 0 for walls, and number new ones while there is room."""
    if not (0 <= x < geo[at.WIDTH] and 0 <= y < geo[at.HEIGHT]):
        return 0
    cell = y * geo[at.WIDTH] + x
    if walk[cell] == 0:
        return 0
    weight = int64(weights[cell]) if weights.size > 1 else 1
    if terrains[weight] == 0:
        if state[TERRAINS] == MOST_TERRAINS:
            return UNKNOWN
        state[TERRAINS] += 1
        terrains[weight] = state[TERRAINS]
        prices[state[TERRAINS]] = weight
    return int64(terrains[weight])


@jit
def column_key(walk, weights, geo, terrains, prices, state, x: int, y: int) -> int:
    """Return the terrains of three cells below each other as one number, -1 where one of them is unknown."""
    key = 0
    for row in range(y - 1, y + 2):
        terrain = terrain_of(walk, weights, geo, terrains, prices, state, x, row)
        if terrain == UNKNOWN:
            return -1
        key = key << 7 | terrain
    return key


@jit
def pattern_number(geo, prices, state, keys, places, successors, nine, costs, key: int) -> int:
    """Return the number of the pattern of a key, a new one while there is room; 0 where there is none."""
    mask = keys.size - 1
    slot = int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)) & mask
    while keys[slot] != 0:
        if keys[slot] == key:
            return int64(places[slot])
        slot = (slot + 1) & mask
    if state[COUNT] >= state[MOST]:
        return 0
    state[COUNT] += 1
    number = state[COUNT]
    keys[slot], places[slot] = key, number
    for place in range(9):  # columns from left to right, each from top to bottom
        terrain = (key >> (7 * (8 - (3 * (place % 3) + place // 3)))) & 127
        nine[place] = prices[terrain] if terrain else 0
    list_successors(geo, nine, costs, successors, number)
    return int64(number)


@jit
def number_patterns(walk, weights, geo, known, numbers, x0: int, y0: int, x1: int, y1: int) -> None:
    """Write the number of the pattern of each cell of a window.

    known: what was learned of terrains and patterns, see `patterns`.
    """
    terrains, prices, state, keys, places, successors, nine, costs = known
    width = geo[at.WIDTH]
    for y in range(y0, y1):
        left = column_key(walk, weights, geo, terrains, prices, state, x0 - 1, y)
        middle = column_key(walk, weights, geo, terrains, prices, state, x0, y)
        last_key, number = -1, 0
        for x in range(x0, x1):
            right = column_key(walk, weights, geo, terrains, prices, state, x + 1, y)
            if walk[y * width + x] == 0 or left < 0 or middle < 0 or right < 0:
                numbers[y * width + x] = 0
            else:
                key = left << 42 | middle << 21 | right
                if key != last_key:
                    number = pattern_number(geo, prices, state, keys, places, successors, nine, costs, key)
                    last_key = key
                numbers[y * width + x] = number
            left, middle = middle, right


@jit
def forget_patterns(walk, other_walk, geo, numbers) -> None:
    """Write 0 around every cell that one map has as a wall and the other not: there every move is tried."""
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    for cell in range(walk.size):
        if walk[cell] == other_walk[cell]:
            continue
        x, y = cell % width, cell // width
        for row in range(max(0, y - 1), min(height, y + 2)):
            for column in range(max(0, x - 1), min(width, x + 2)):
                numbers[row * width + column] = 0


@jit
def count_stops(numbers, successors, walk, counts) -> None:
    """Count over all cells and directions how often a line passes (0) and how often it ends (1)."""
    for cell in range(numbers.size):
        if walk[cell] == 0:
            continue
        number = int64(numbers[cell])
        for d in range(8):
            moves = int64(successors[number, d])
            if number > 0 and moves == EVERY:  # nobody enters from there
                continue
            natural = 1 << d
            if d >= 4:
                natural |= 1 << (d & 3) | 1 << ((d + 1) & 3)
            counts[int(moves | natural != natural)] += 1
