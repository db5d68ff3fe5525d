"""A fixed piece of work that shows how fast the machine is at the moment: benchmarks are timed beside it.

It never changes with the searches: it shares no code with them. It is of their kind all the same, a breadth-first flood
that reads and writes a map larger than the first caches, so what slows them down slows it down as well.
"""

from waygrid.core.jit import Array, jit


@jit
def lay_out(passable: Array, side: int) -> None:
    """Make a square map with one cell in five blocked at random, and a wall around it."""
    seed = 12345
    for y in range(1, side - 1):
        for x in range(1, side - 1):
            seed = (1103515245 * seed + 12345) & 0x7FFFFFFF
            passable[y * side + x] = 1 if (seed >> 16) % 5 > 0 else 0
    passable[(side // 2) * side + side // 2] = 1


@jit
def flood(passable: Array, side: int, depth: Array, waiting: Array) -> int:
    """Visit all cells that the middle of the map is connected with; return how many there are."""
    for cell in range(passable.size):
        depth[cell] = -1
    first = (side // 2) * side + side // 2
    depth[first] = 0
    waiting[0] = first
    head, tail = 0, 1
    while head < tail:
        cell = waiting[head]
        head += 1
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                other = cell + dy * side + dx
                if passable[other] != 0 and depth[other] < 0:
                    depth[other] = depth[cell] + 1
                    waiting[tail] = other
                    tail += 1
    return tail
