"""Metrics: the costs of a straight and a diagonal move, as a pair of integers.

Integers keep results exact and ties the same on every machine. The pair 5741/8119 is a convergent of the square root of
two, with an error of 1e-8. The cost that users see is computed from the path with the true value.
"""

import math
from dataclasses import dataclass

from waygrid.errors import WaygridError, show

METRICS = {"octile": (5741, 8119), "dba": (10, 14), "kumar": (10, 14), "bg": (100, 150), "unit": (1, 1)}
_LARGEST = 2**20


@dataclass(frozen=True)
class Metric:
    """A pair of integer costs, and the true cost of a diagonal as a float."""

    name: str | tuple[int, int]
    cardinal: int
    diagonal: int
    diagonal_cost: float


def metric(value: str | tuple[int, int]) -> Metric:
    """Return the metric of a name or of a pair (cardinal, diagonal).

    >>> metric("dba").diagonal_cost
    1.4
    >>> metric((2, 3)).diagonal_cost
    1.5
    """
    if isinstance(value, str):
        if value not in METRICS:
            raise WaygridError(
                f"metric is {show(value)}; allowed are {', '.join(METRICS)} or a pair (cardinal, diagonal)"
            )
        cardinal, diagonal = METRICS[value]
        return Metric(value, cardinal, diagonal, math.sqrt(2) if value == "octile" else diagonal / cardinal)
    try:
        cardinal, diagonal = (int(part) for part in value)
        exact = (cardinal, diagonal) == tuple(value)
    except (TypeError, ValueError, OverflowError):
        exact = False
    if not exact or not 0 < cardinal <= diagonal <= 2 * cardinal or diagonal > _LARGEST:
        raise WaygridError(
            f"metric is {show(value)}; a pair of integers needs 0 < cardinal <= diagonal <= 2 * cardinal, "
            f"up to {_LARGEST}"
        )
    return Metric((cardinal, diagonal), cardinal, diagonal, diagonal / cardinal)
