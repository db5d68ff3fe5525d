"""Reads networkx graphs by their methods, without importing networkx."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from waygrid.errors import WaygridError, show


def read_network(
    graph: Any, pos: Any, weight: str | None
) -> tuple[list[Any], list[tuple[int, int]], list[float] | None, bool, tuple[Hashable, ...]]:
    """Return points, edges, costs, whether edges are directed, and the names of the nodes, in one order.

    Parallel edges of a multigraph are all returned; the cheapest counts.
    """
    if not all(hasattr(graph, name) for name in ("nodes", "edges", "is_directed")):
        raise WaygridError(f"from_networkx needs a networkx graph, not {type(graph).__name__}")
    names = tuple(graph.nodes)
    numbers = {name: number for number, name in enumerate(names)}
    points = [_point(name, graph.nodes[name], pos) for name in names]
    sizes = {len(point) for point in points}
    if len(sizes) > 1:
        odd = next(k for k, point in enumerate(points) if len(point) != len(points[0]))
        raise WaygridError(
            f"node {show(names[odd])} has {len(points[odd])} coordinates, node {show(names[0])} has {len(points[0])}"
        )
    edges, costs, without = [], [], None
    for one, other, data in graph.edges(data=True):
        edges.append((numbers[one], numbers[other]))
        if weight is None or weight not in data:
            without = (one, other) if without is None else without
        else:
            costs.append(_cost(data[weight], one, other, weight))
    if costs and without is not None:
        raise WaygridError(f"edge {without} has no {show(weight)}, but others have; set it on all edges or on none")
    return points, edges, costs or None, bool(graph.is_directed()), names


def _point(name: Hashable, data: Mapping[str, Any], pos: Any) -> list[float]:
    given = pos.get(name) if isinstance(pos, Mapping) else data.get(pos)
    if given is None:
        where = "in pos" if isinstance(pos, Mapping) else f"in its attribute {show(pos)}"
        raise WaygridError(f"node {show(name)} has no coordinates {where}; every node needs them")
    try:
        point = np.asarray(given)
    except ValueError:
        point = np.zeros(0)
    finite = point.ndim == 1 and point.size in (2, 3) and point.dtype.kind in "iuf" and np.isfinite(point).all()
    if not finite:
        raise WaygridError(f"node {show(name)} lies at {show(given)}; allowed are 2 or 3 finite numbers")
    return [float(part) for part in point]


def _cost(value: Any, one: Hashable, other: Hashable, weight: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)) or not 0 < value < 1e150:
        raise WaygridError(f"edge {(one, other)} has {weight} {show(value)}; allowed are positive numbers")
    return float(value)
