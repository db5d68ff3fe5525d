"""Jump tables in little memory: tiles of 8 x 8 cells, one byte for a jump, none for tiles of walls.

The table of JPS+ takes 16 bytes for every cell of the map, 15 MB on orz900d, nine tenths of it for walls; a query of a
contraction hierarchy reads some twenty of its rows. A byte holds jumps of up to `REACH` steps. For longer ones it says
in which of the two ways they end, and a reader goes on from `REACH` steps ahead.
"""

import numpy as np

from waygrid.algorithms.jumps.jump_points import forced_corners, forced_sides
from waygrid.algorithms.jumps.turns_build import turn_directions
from waygrid.core import layout as at
from waygrid.core.jit import int64, jit

REACH = 126
FAR_POINT, FAR_WALL = 127, -128  # a jump point, a wall, more than REACH steps away
_ONE = np.uint64(1)


@jit
def slot_of(places, across: int, x: int, y: int) -> int:
    """Return the row of a cell in the jumps; `across`: tiles in a row of the map."""
    return (int64(places[(y >> 3) * across + (x >> 3)]) << 6) + ((y & 7) << 3) + (x & 7)


@jit
def bit_of(x: int, y: int):
    """Return the bit of a cell in the mask of its tile."""
    return _ONE << np.uint64(((y & 7) << 3) + (x & 7))


@jit
def is_spot(masks, across: int, x: int, y: int) -> bool:
    """Return whether a cell is a spot."""
    return bool(masks[(y >> 3) * across + (x >> 3)] & bit_of(x, y))


@jit
def count_bits(word) -> int:
    """Return how many bits of a 64-bit word are set."""
    count = 0
    while word:
        word &= word - _ONE
        count += 1
    return count


@jit
def count_bits_of(words) -> int:
    """Return how many bits of all words are set."""
    count = 0
    for word in words:
        count += count_bits(word)
    return count


@jit
def spot_number(masks, numbers, across: int, x: int, y: int) -> int:
    """Return the number of the spot at a cell; spots are numbered tile by tile."""
    tile = (y >> 3) * across + (x >> 3)
    return int64(numbers[tile]) + count_bits(masks[tile] & (bit_of(x, y) - _ONE))


@jit
def map_tiles(moves, geo, masks, places, first: int, last: int) -> None:
    """Mark the spots of rows of tiles, and with place 1 the tiles that have cells with moves."""
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    across = (width + 7) >> 3
    for tile in range(first * across, last * across):
        left, top, mask = (tile % across) << 3, (tile // across) << 3, np.uint64(0)
        for y in range(top, min(top + 8, height)):
            for x in range(left, min(left + 8, width)):
                cell = y * width + x
                if moves[cell] != 0:
                    places[tile] = 1
                    if turn_directions(moves, geo, cell) != 0:
                        mask |= bit_of(x, y)
        masks[tile] = mask


@jit
def number_spots(masks, places, numbers) -> tuple[int, int]:
    """Number spots and tiles; return how many spots there are and how many tiles need jumps.

    Tiles without moves share the first block of jumps, all zero.
    """
    spots, blocks = 0, 1
    for tile in range(masks.size):
        numbers[tile] = spots
        spots += count_bits(masks[tile])
        if places[tile] != 0:
            places[tile] = blocks
            blocks += 1
    numbers[masks.size] = spots
    return spots, blocks


@jit
def list_spots(masks, numbers, across: int, spots) -> None:
    """Write x and y of all spots."""
    for tile in range(masks.size):
        number, mask = numbers[tile], masks[tile]
        for bit in range(64):
            if (mask >> np.uint64(bit)) & _ONE:
                spots[number, 0], spots[number, 1] = (
                    ((tile % across) << 3) + (bit & 7),
                    (tile // across << 3) + (bit >> 3),
                )
                number += 1


@jit
def as_byte(steps: int) -> int:
    """Return how a jump is written."""
    if steps > REACH:
        return FAR_POINT
    return FAR_WALL if steps < -REACH else steps


@jit
def fill_straight(moves, geo, places, jumps, d: int, ahead) -> None:
    """Fill the jumps of one straight direction; `ahead` has room for one row of the map."""
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    across = (width + 7) >> 3
    for row in range(height):
        y = row if d != 2 else height - 1 - row
        for column in range(width):
            x = column if d == 3 else width - 1 - column
            cell, steps = y * width + x, 0
            if (moves[cell] >> d) & 1:
                before = int64(ahead[x + geo[at.DX + d]])
                if forced_sides(moves, geo, cell, cell + geo[at.STEP + d], d):
                    steps = 1
                else:
                    steps = before + 1 if before > 0 else before - 1
            ahead[x] = steps
            if steps != 0:
                jumps[slot_of(places, across, x, y), d] = as_byte(steps)


@jit
def fill_diagonal(moves, geo, places, jumps, d: int, ahead) -> None:
    """Fill the jumps of one diagonal, after those of all straight directions; `ahead` has room for two rows."""
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    across = (width + 7) >> 3
    dx, dy = geo[at.DX + d], geo[at.DY + d]
    for row in range(height):
        y = row if dy < 0 else height - 1 - row
        for x in range(width):
            cell, steps = y * width + x, 0
            if (moves[cell] >> d) & 1:
                following = slot_of(places, across, x + dx, y + dy)
                stops = (jumps[following, d & 3] > 0) | (jumps[following, (d + 1) & 3] > 0)
                if stops or forced_corners(moves, geo, cell + geo[at.STEP + d], d):
                    steps = 1
                else:
                    before = int64(ahead[(row + 1) & 1, x + dx])
                    steps = before + 1 if before > 0 else before - 1
                jumps[slot_of(places, across, x, y), d] = as_byte(steps)
            ahead[row & 1, x] = steps


@jit
def find_bad_jump(geo, places, masks, jumps) -> int:
    """Return the first cell with a jump that leads off the map, or straight to a cell that is no spot; -1: none."""
    width, height = geo[at.WIDTH], geo[at.HEIGHT]
    across = (width + 7) >> 3
    for y in range(height):
        for x in range(width):
            slot = slot_of(places, across, x, y)
            for d in range(8):
                steps = int64(jumps[slot, d])
                far = min(abs(steps), REACH)
                there_x, there_y = x + far * geo[at.DX + d], y + far * geo[at.DY + d]
                if not (0 <= there_x < width and 0 <= there_y < height):
                    return y * width + x
                if d < 4 and 0 < steps <= REACH and not is_spot(masks, across, there_x, there_y):
                    return y * width + x
    return -1
