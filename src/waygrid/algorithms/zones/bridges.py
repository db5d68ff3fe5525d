"""Bridges of the graph of zones: gates whose closing would cut the map in two, and the tree of blocks between them."""

import numpy as np

from waygrid.core.jit import jit


@jit
def _explore(first, enters, opposite, low, into, preorder) -> None:
    """Walk the multigraph depth-first (Tarjan): `low` is the earliest zone that a zone's subtree reaches.

    `into` is the port by which the walk left the zone before, -1 for where it began; `preorder` lists the zones.
    """
    zones = first.size - 1
    number = np.full(zones, -1, np.int64)
    following = first[:zones].copy()
    stack = np.empty(zones, np.int64)
    count = 0
    for root in range(zones):
        if number[root] >= 0:
            continue
        stack[0], top = root, 0
        number[root] = low[root] = count
        preorder[count] = root
        count += 1
        while top >= 0:
            zone = stack[top]
            if following[zone] < first[zone + 1]:
                port = following[zone]
                following[zone] += 1
                other = enters[port]
                if into[zone] >= 0 and port == opposite[into[zone]]:
                    continue  # back through the same gate; another gate between the same zones is another way
                if number[other] >= 0:
                    low[zone] = min(low[zone], number[other])
                else:
                    top += 1
                    stack[top] = other
                    into[other] = port
                    number[other] = low[other] = count
                    preorder[count] = other
                    count += 1
            else:
                top -= 1
                if top >= 0:
                    low[stack[top]] = min(low[stack[top]], low[zone])
    for zone in range(zones):  # nothing behind a bridge reaches back before the zone itself
        low[zone] = 1 if low[zone] == number[zone] else 0


@jit
def find_blocks(first, enters, opposite, bridge, block, last) -> int:
    """Mark the ports of bridges; number blocks, zones that no bridge parts, in preorder; return how many there are.

    The blocks behind the bridge into block b are b to last[b].
    """
    zones = first.size - 1
    low, into, preorder = np.empty(zones, np.int64), np.full(zones, -1, np.int64), np.empty(zones, np.int64)
    _explore(first, enters, opposite, low, into, preorder)
    above = np.full(zones, -1, np.int64)
    count = 0
    for k in range(zones):
        zone = preorder[k]
        port = into[zone]
        before = enters[opposite[port]] if port >= 0 else -1
        if port >= 0 and low[zone] == 0:
            block[zone] = block[before]
            continue
        if port >= 0:
            bridge[port] = bridge[opposite[port]] = 1
            above[count] = block[before]
        block[zone] = count
        last[count] = count
        count += 1
    for number in range(count - 1, -1, -1):
        if above[number] >= 0:
            last[above[number]] = max(last[above[number]], last[number])
    return count


@jit
def mark_trails(first, enters, gate, start: int, goal: int, used, stack, marks, mark: int, limit: int) -> bool:
    """Mark the zones on trails from start to goal that use no gate twice, by enumerating them (the paper's search).

    It takes time exponential in the number of gates: after `limit` steps it gives up and marks all zones. `used` is
    zero for every gate, before and after; `stack` has room for one port per gate and one more.
    """
    top, steps = 0, 0
    stack[0] = first[start]
    zone = start
    marks[start] = mark
    trail = np.empty(stack.size, np.int64)  # zones of the trail
    trail[0] = start
    while top >= 0 and steps < limit:
        zone, port = trail[top], stack[top]
        if port == first[zone + 1]:  # all ways on were tried
            top -= 1
            if top >= 0:
                used[gate[stack[top] - 1]] = 0
            continue
        stack[top] += 1
        if used[gate[port]]:
            continue
        steps += 1
        used[gate[port]] = 1
        top += 1
        trail[top], stack[top] = enters[port], first[enters[port]]
        if enters[port] == goal:
            for k in range(top + 1):
                marks[trail[k]] = mark
    complete = top < 0
    if not complete:
        used[:] = 0
        marks[:] = mark
    return complete
