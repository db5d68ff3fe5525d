"""The four topologies, three corner rules and two price rules, and the table of steps they give."""

from dataclasses import dataclass

import numpy as np

from waygrid.core import layout
from waygrid.core.types import Array
from waygrid.errors import WaygridError, show


@dataclass(frozen=True)
class Topology:
    """The moves of a topology: their names and steps, in the order of the bits of a move byte."""

    name: str
    number: int
    directions: tuple[str, ...]
    dx: tuple[int, ...]
    dy: tuple[tuple[int, ...], tuple[int, ...]]  # for even and for odd columns
    opposite: tuple[int, ...]
    diagonal: tuple[bool, ...]


def _square(name: str, number: int, count: int) -> Topology:
    dy = (-1, 0, 1, 0, -1, 1, 1, -1)[:count]
    return Topology(
        name,
        number,
        ("N", "E", "S", "W", "NE", "SE", "SW", "NW")[:count],
        (0, 1, 0, -1, 1, 1, -1, -1)[:count],
        (dy, dy),
        (2, 3, 0, 1, 6, 7, 4, 5)[:count],
        (False,) * 4 + (True,) * (count - 4),
    )


def _shifted(name: str, number: int) -> Topology:
    # Odd columns sit half a cell higher: their upper side neighbours are one row up, their lower ones on the same row.
    return Topology(
        name,
        number,
        ("N", "NE", "SE", "S", "SW", "NW"),
        (0, 1, 1, 0, -1, -1),
        ((-1, 0, 1, 1, 1, 0), (-1, -1, 0, 1, 0, -1)),
        (3, 4, 5, 0, 1, 2),
        (False,) * 6,
    )


TOPOLOGIES = {
    "tile": _square("tile", layout.TILE, 4),
    "octile": _square("octile", layout.OCTILE, 8),
    "hex": _shifted("hex", layout.HEX),
    "tex": _shifted("tex", layout.TEX),
}
CORNERS = {"never": layout.NEVER, "one": layout.ONE, "always": layout.ALWAYS}
RULES = {"enter": layout.ENTER, "mean": layout.MEAN}


def choose(what: str, value: object, allowed: object) -> str:
    """Return the value if it is one of the allowed names, else raise an error that lists them."""
    names = [str(name) for name in allowed]  # type: ignore[attr-defined]
    if isinstance(value, str) and value in names:
        return value
    raise WaygridError(f"{what} is {show(value)}; allowed are {', '.join(names)}")


def check_rule(value: str, weighted: bool) -> str:
    """Return the price rule if the map supports it."""
    rule = choose("rule", value, RULES)
    if rule == "mean" and not weighted:
        raise WaygridError("rule 'mean' prices moves by weights, and the map has none; pass weights=, or take 'enter'")
    return rule


def check_clearance(value: int, topology: str) -> int:
    """Return the side of the agent if the topology supports it."""
    if not isinstance(value, (int, np.integer)) or not 1 <= value <= 255:
        raise WaygridError(f"clearance is {show(value)}; allowed are the integers 1 to 255")
    if value > 1 and topology not in ("tile", "octile"):
        raise WaygridError(f"clearance {value} needs square cells (tile or octile); on {topology} only 1 is allowed")
    return int(value)


def geometry(
    topology: str, corners: str, rule: str, prices: tuple[int, int], width: int, height: int, clearance: int
) -> Array:
    """Return the packed table that kernels read (see `layout`)."""
    shape = TOPOLOGIES[topology]
    geo = np.zeros(layout.GEO_SIZE, np.int64)
    geo[layout.WIDTH], geo[layout.HEIGHT] = width, height
    geo[layout.TOPOLOGY], geo[layout.CORNERS] = shape.number, CORNERS[corners]
    geo[layout.RULE] = RULES[rule]
    geo[layout.CARDINAL], geo[layout.DIAGONAL] = prices
    geo[layout.MIN_WEIGHT], geo[layout.CLEARANCE] = 1, clearance
    for d in range(len(shape.directions)):
        geo[layout.DX + d] = shape.dx[d]
        geo[layout.COST + d] = prices[1] if shape.diagonal[d] else prices[0]
        geo[layout.OPPOSITE + d] = shape.opposite[d]
        for parity in (0, 1):
            geo[layout.DY + 8 * parity + d] = shape.dy[parity][d]
            geo[layout.STEP + 8 * parity + d] = shape.dy[parity][d] * width + shape.dx[d]
    return geo
