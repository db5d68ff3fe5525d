"""Which legs between cell centres are legal, by brute force: every cell around is cut with the leg, in fractions."""

from fractions import Fraction
from itertools import pairwise

SHAPES = {  # the corners of a cell around its centre, clockwise on the screen, in sixths
    "tile": ((-3, -3), (3, -3), (3, 3), (-3, 3)),
    "octile": ((-3, -3), (3, -3), (3, 3), (-3, 3)),
    "tex": ((-3, -3), (3, -3), (3, 3), (-3, 3)),
    "hex": ((-2, -3), (2, -3), (4, 0), (2, 3), (-2, 3), (-4, 0)),
}


def centre(case, cell):
    """Return a cell's centre in sixths of a column and of a row."""
    x, y = cell
    return 6 * x, 6 * y - (3 * (x % 2) if case.topology in ("hex", "tex") else 0)


def cut(case, here, there, cell):
    """Return from which share of a leg to which it touches a cell, None if it does not."""
    first, last = Fraction(0), Fraction(1)
    (ax, ay), (bx, by), (cx, cy) = centre(case, here), centre(case, there), centre(case, cell)
    corners = [(cx + dx, cy + dy) for dx, dy in SHAPES[case.topology]]
    for (px, py), (qx, qy) in zip(corners, corners[1:] + corners[:1], strict=True):
        a, b = ((qx - px) * (y - py) - (qy - py) * (x - px) for x, y in ((ax, ay), (bx, by)))  # >= 0 inside
        if a < 0 and b < 0:
            return None
        if a < 0:
            first = max(first, Fraction(a, a - b))
        if b < 0:
            last = min(last, Fraction(a, a - b))
    return (first, last) if first <= last else None


def touched(case, here, there):
    """Return every cell that a leg touches, also outside of the map, with the shares between which it does."""
    low, high = (tuple(f(a, b) for a, b in zip(here, there, strict=True)) for f in (min, max))
    around = [(x, y) for x in range(low[0] - 2, high[0] + 3) for y in range(low[1] - 2, high[1] + 3)]
    return {cell: shares for cell in around if (shares := cut(case, here, there, cell))}


def is_legal(case, here, there):
    """Return whether a leg is legal under the rules of a grid."""

    def may_move(a, b):
        return any((x, y) == b for x, y, _ in case.neighbours(*a))

    cells = touched(case, here, there)
    inside = {cell: shares for cell, shares in cells.items() if shares[0] < shares[1]}
    if not all(case.fits(*cell) for cell in inside):
        return False
    if case.topology != "octile" and not all(case.fits(*cell) for cell in cells):
        return False
    for a, (_, end) in inside.items():
        for b, (begin, _) in inside.items():
            if begin != end:
                continue
            if case.topology == "tile" and a[0] != b[0] and a[1] != b[1]:
                sides = ((a[0], b[1]), (b[0], a[1]))
                if not all(may_move(a, side) and may_move(side, b) for side in sides):
                    return False
            elif not may_move(a, b):
                return False
    return True


def leg_cost(case, here, there):
    """Return what a leg costs: its length in each cell times the cell's weight, the larger one along a side."""
    (ax, ay), (bx, by) = (centre(case, cell) for cell in (here, there))
    width = 0.75 if case.topology == "hex" else 1.0  # the square of a column's
    length = (((bx - ax) / 6) ** 2 * width + ((by - ay) / 6) ** 2) ** 0.5
    if here == there:
        return 0.0
    cells, paid = touched(case, here, there), 0.0
    marks = sorted({share for shares in cells.values() for share in shares})
    for a, b in pairwise(marks):
        over = [cell for cell, (begin, end) in cells.items() if begin <= a and b <= end]
        paid += float(b - a) * max(1 if case.weights is None else int(case.weights[y, x]) for x, y in over)
    return paid * length
