"""Input validation of graphs; errors name the value and the row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError

LARGEST = 1e150  # of coordinates and costs: squares and sums of more would overflow
MOST_ARCS = 2**31 - 1


def check_points(points: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return a copy of the coordinates of all nodes as floats."""
    given = _array("points", points, "(n, 2) or (n, 3) numbers")
    if given.size == 0 and given.ndim <= 2:
        width = given.shape[1] if given.ndim == 2 and given.shape[1] in (2, 3) else 2
        return np.zeros((0, width))
    if given.ndim != 2 or given.shape[1] not in (2, 3) or given.dtype.kind not in "iuf":
        raise WaygridError(f"points have shape {given.shape} of {given.dtype}; allowed are (n, 2) or (n, 3) numbers")
    array = np.array(given, np.float64, order="C") + 0.0  # -0.0 becomes 0.0: the same place, the same bytes
    bad = ~(np.abs(array) <= LARGEST)
    if bad.any():
        row, axis = np.argwhere(bad)[0]
        raise WaygridError(f"node {row} has {'xyz'[axis]} = {array[row, axis]}; allowed are up to 1e150 either way")
    return array


def check_edges(edges: npt.ArrayLike, nodes: int) -> npt.NDArray[np.int64]:
    """Return the edges as pairs of node numbers."""
    given = _array("edges", edges, "(m, 2) node numbers")
    if given.size == 0 and given.ndim <= 2:
        return np.zeros((0, 2), np.int64)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise WaygridError(f"edges have shape {given.shape} of {given.dtype}; allowed are (m, 2) node numbers")
    if len(given) > MOST_ARCS // 2:
        raise WaygridError(f"there are {len(given)} edges; allowed are up to {MOST_ARCS // 2}")
    bad = (given < 0) | (given >= nodes)
    if bad.any():
        row, end = np.argwhere(bad)[0]
        allowed = f"allowed are 0 to {nodes - 1}" if nodes else "the graph has no nodes"
        raise WaygridError(f"edge {row} names node {given[row, end]}; {allowed}")
    return given.astype(np.int64)


def check_costs(
    costs: npt.ArrayLike | None, points: npt.NDArray[np.float64], edges: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the cost of every edge: the given cost, or its length."""
    if costs is None:
        step = points[edges[:, 0]] - points[edges[:, 1]]
        lengths = np.hypot(step[:, 0], step[:, 1])
        if points.shape[1] == 3:
            lengths = np.hypot(lengths, step[:, 2])
        bad = ~(lengths >= 1 / LARGEST) & (edges[:, 0] != edges[:, 1])
        if bad.any():
            row = int(np.argmax(bad))
            one, other = edges[row]
            raise WaygridError(f"edge {row} joins nodes {one} and {other} at the same place; give costs for the edges")
        return lengths
    given = _array("costs", costs, "one positive number for each edge")
    if given.size == 0 and len(edges) == 0:
        return np.zeros(0)
    if given.shape != (len(edges),) or given.dtype.kind not in "iuf":
        raise WaygridError(
            f"costs have shape {given.shape} of {given.dtype}; allowed is one positive number for each of "
            f"the {len(edges)} edges"
        )
    array = given.astype(np.float64)
    bad = ~((array >= 1 / LARGEST) & (array <= LARGEST))
    if bad.any():
        row = int(np.argmax(bad))
        raise WaygridError(f"edge {row} costs {given[row]}; allowed are positive numbers from 1e-150 to 1e150")
    return array


def _array(what: str, value: Any, allowed: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(value)
    except (ValueError, TypeError):
        raise WaygridError(f"{what} cannot be converted to an array; allowed are {allowed}") from None
