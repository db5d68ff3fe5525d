"""Distances between all nodes of a small graph, and the steps of a turn table, on the GPU (see `core.elimination`)."""

from waygrid.build.cuda._device import cuda, kernel
from waygrid.core.types import Array


@kernel
def sweep_columns(first: Array, upper: Array, prices: Array, sources: Array, far: int, dist: Array) -> None:
    """Fill dist[node, k], the distance of each node from source k; nodes by rank, one thread per source.

    Threads side by side read numbers side by side: all of them go through the nodes in the same order.
    """
    k = cuda.grid(1)
    if k >= sources.size:
        return
    nodes = first.size - 1
    for node in range(nodes):
        dist[node, k] = far
    dist[sources[k], k] = 0
    for node in range(sources[k], -1, -1):
        here = dist[node, k]
        if here < far:
            for edge in range(first[node], first[node + 1]):
                way = here + prices[edge]
                if way < dist[upper[edge], k]:
                    dist[upper[edge], k] = way
    for node in range(nodes):
        here = dist[node, k]
        for edge in range(first[node], first[node + 1]):
            here = min(here, dist[upper[edge], k] + prices[edge])
        dist[node, k] = here


@kernel
def write_rows(dist: Array, rank: Array, first: int, begins: Array, rows: Array) -> None:
    """Write rows of the triangle from `first` on, one for each of `begins`, where each begins."""
    spot, k = cuda.grid(2)
    if k < begins.size and spot <= first + k:
        rows[begins[k] + spot] = dist[rank[spot], k]


@kernel
def choose_steps(
    distances: Array, spots: Array, costs: Array, link_first: Array, first: int, none: int, steps: Array
) -> None:
    """Write the steps of all spots towards spots from `first` on, one row for each of them; one thread per step."""
    spot, k = cuda.grid(2)
    if k >= steps.shape[0] or spot >= steps.shape[1]:
        return
    goal, chosen = first + k, none
    low, high = min(spot, goal), max(spot, goal)
    whole = distances[(high * (high + 1) >> 1) + low]
    for link in range(link_first[spot], link_first[spot + 1]):
        over = spots[link]
        low, high = min(over, goal), max(over, goal)
        if chosen == none and distances[(high * (high + 1) >> 1) + low] + costs[link] == whole:
            chosen = link - link_first[spot]
    steps[k, spot] = chosen
