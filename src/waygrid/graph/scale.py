"""Costs as integers: exact sums, and ties that are broken the same way everywhere.

A cost c becomes the nearest integer to c * 2**e, at least 1. The exponent e is the largest for which the longest
possible path stays below 2**54 units; estimates, which never exceed it, may be weighted a hundredfold and still fit 64
bits. Whole numbers and fractions such as 0.25 keep their exact value as long as e is large enough, which for a path of
2**30 leaves 24 binary places. A cost is off by half a unit at most (a unit if it is smaller than one), so a path that
is found costs at most as many units more than the cheapest one as that has edges.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

_LONGEST = 54  # bits of the longest path
_MARGIN = 1.0 - 2.0**-40  # more than the rounding of a distance, so that no estimate is too high
_SHORTEST = 1e-140  # edges count as no shorter: below, squares lose their digits


def exponent_for(nodes: int, costs: npt.NDArray[np.float64]) -> int:
    """Return e such that (nodes - 1) * max(costs) * 2**e is below 2**54, and no larger e does.

    >>> exponent_for(5, np.array([1.0, 2.0])), exponent_for(0, np.array([]))
    (50, 54)
    """
    longest = float(costs.max(initial=0.0)) * max(1, nodes - 1)
    return _LONGEST - int(np.frexp(longest)[1])


def to_integers(costs: npt.NDArray[np.float64], exponent: int) -> npt.NDArray[np.int64]:
    """Return costs in units of 2**-exponent.

    >>> to_integers(np.array([0.75, 2.0, 1e-30]), 3).tolist()
    [6, 16, 1]
    """
    return np.maximum(np.rint(np.ldexp(costs, exponent)), 1.0).astype(np.int64)


def cheapest_ratio(points: npt.NDArray[Any], arcs: npt.NDArray[Any]) -> float:
    """Return the lowest cost per distance of all arcs, 0 if all nodes lie in one place.

    Times the distance to the goal it is an admissible heuristic, whatever the costs: every path is at least as long as
    the straight line, and no part of it is cheaper per distance.
    """
    step = points[arcs["source"]] - points[arcs["target"]]
    length = np.hypot(np.hypot(step[:, 0], step[:, 1]), step[:, 2])
    apart = length > 0
    if not apart.any():
        return 0.0
    return float((arcs["cost"][apart] / np.maximum(length[apart], _SHORTEST)).min()) * _MARGIN
