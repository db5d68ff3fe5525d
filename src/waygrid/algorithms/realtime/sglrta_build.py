"""Subgoal trees (Hernández and Baier 2011): for one goal, cells from which every other is one climb away.

A flood from the goal gives all distances. Then cells are taken in the order of their distance. Each gets a subgoal, a
node of the tree to which hill climbing leads along a cheapest path: that of a neighbour on such a path if it serves,
otherwise the neighbour itself, which becomes a node, below its own subgoal. So from any cell the climbs to its subgoal,
to that one's parent, and so on to the goal cost as much as the cheapest path.

The paper asks of a subgoal only that the distance on the empty map be the true one. Then there is a path of that cost,
but LRTA*, which chooses among equals as hill climbing does, may run into a dead end beside it, and to find the first
subgoal of a start takes a search of the rectangle before each. Asking for the climb makes trees larger, by 4 % on an
indoor map and by 75 % in caves.
"""

import numpy as np

from waygrid.algorithms.bounds.boxes_build import FloodMemory, Searched
from waygrid.algorithms.classic.flood_query import flood as search
from waygrid.algorithms.classic.flood_query import write_distances
from waygrid.algorithms.jumps.canonical import Ground, Water, flood, largest_distance
from waygrid.algorithms.realtime.sglrta_guide import Trees
from waygrid.algorithms.regions.climb import ENDLESS, blocked_step, climb, is_plain, straight_on
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit
from waygrid.core.layout import COST, STEP, WIDTH

DIGIT = 11  # bits that a round of sorting looks at


@jit
def sort_cells(dist, none: int, cells, order, spare) -> int:
    """List the cells that were reached by increasing distance; return how many there are.

    `cells` are those to look at. By radix, a round for every 11 bits of the largest distance.
    """
    count, most = 0, int64(0)
    for k in range(cells.size):
        if dist[cells[k]] != none:
            order[count] = cells[k]
            count += 1
            most = max(most, int64(dist[cells[k]]))
    heads = np.empty(1 << DIGIT, np.int64)
    shift = 0
    while most >> shift:
        heads[:] = 0
        for k in range(count):
            heads[(int64(dist[order[k]]) >> shift) & ((1 << DIGIT) - 1)] += 1
        total = 0
        for digit in range(heads.size):
            heads[digit], total = total, total + heads[digit]
        for k in range(count):
            digit = (int64(dist[order[k]]) >> shift) & ((1 << DIGIT) - 1)
            spare[heads[digit]] = order[k]
            heads[digit] += 1
        for k in range(count):
            order[k] = spare[k]
        shift += DIGIT
    return count


@jit
def _try_climbs(moves, geo, dist, subs, known, n: int) -> int:
    """Return the first subgoal of a neighbour on a cheapest path to which a climb is as cheap, -1 where none is."""
    width = geo[WIDTH]
    legal, left_here = int64(moves[n]), int64(dist[n])
    for d in range(8):
        if (legal >> d) & 1:
            c = n + geo[STEP + d]
            if int64(dist[c]) + geo[COST + d] == left_here:
                v = int64(known[subs[c]])
                left = left_here - int64(dist[v])
                if natural(geo, n % width, n // width, v % width, v // width) == left:
                    if climb(moves, geo, n, v, ENDLESS) == left:
                        return int64(subs[c])
    return -1


@jit
def grow_tree(moves, geo, dist, order, count: int, subs, own, known, above) -> int:
    """Make the tree of the goal, which comes first in `order`; return how many nodes it has.

    `known` receives their cells and `above` their parents, the goal first. `own`, for each cell its node, is -1
    everywhere before and after.

    Of the subgoals of a cell's neighbours on cheapest paths the first counts that is seen at once to serve: a climb to
    it is cheapest, since its first move leads where one begins. Then a neighbour that is a node; then a subgoal whose
    climb was tried. All but that last stands here in one loop: as functions, which count references of the arrays that
    they read in branches, it took six times as long.
    """
    plain, goal, width = is_plain(geo), order[0], geo[WIDTH]
    known[0], above[0], own[goal], subs[goal], nodes = goal, 0, 0, 0, 1
    for k in range(1, count):
        n = int64(order[k])
        x, y, legal, here = n % width, n // width, int64(moves[n]), int64(dist[n])
        found, node, before = int64(-1), int64(-1), int64(-1)
        for d in range(8):
            if (legal >> d) & 1 == 0:
                continue
            c = n + geo[STEP + d]
            if int64(dist[c]) + geo[COST + d] != here:
                continue
            if before < 0:
                before = c
            if own[c] >= 0:
                node = int64(own[c])
            sub = int64(subs[c])
            v = int64(known[sub])
            goal_x, goal_y = v % width, v // width
            if natural(geo, x, y, goal_x, goal_y) + int64(dist[v]) != here:
                continue
            e = straight_on(goal_x - x, goal_y - y)
            if not plain or (legal >> e) & 1 == 0:
                e = blocked_step(geo, legal, x, y, goal_x, goal_y, plain)
            if e < 0:
                continue
            m = n + geo[STEP + e]
            if int64(dist[m]) + geo[COST + e] == here and (m == v or int64(subs[m]) == sub):
                found = sub
                break
        if found < 0 and node < 0:
            found = _try_climbs(moves, geo, dist, subs, known, n)
        if found < 0:
            found = node
        if found < 0:
            known[nodes], above[nodes], own[before], found = before, subs[before], nodes, nodes
            nodes += 1
        subs[n] = found
    for node in range(nodes):
        own[known[node]] = -1
    return nodes


@jit
def _write_tree(dist, ids, known, above, count: int, made: Trees, used: int) -> bool:
    """Write a tree behind others, if there is room."""
    fits = used + count <= made.nodes.size
    if fits:
        for k in range(count):
            made.nodes[used + k] = ids[known[k]]
            made.parents[used + k] = above[k]
            made.costs[used + k] = dist[known[k]]
    return fits


@jit
def canonical_trees(ground: Ground, water: Water, first: int, counts, done: int, made: Trees, used: int) -> int:
    """Make the trees of goals first + done and on, each by a canonical flood, behind the `used` nodes there are.

    Returns how many are done, all or as many as there is room for; `counts` says how many nodes each has.
    """
    moves, geo, dist, cells = ground.moves, ground.geo, water.dist, made.cells
    order, spare, known = np.empty(cells.size, np.int32), np.empty(cells.size, np.int32), np.empty(cells.size, np.int32)
    above, subs, own = np.empty(cells.size, np.int32), np.zeros(dist.size, np.int32), np.full(dist.size, -1, np.int32)
    source, fits = np.zeros(1, np.int64), True
    while done < counts.size and fits:
        source[0] = cells[first + done]
        flood(ground, water, source)
        found = sort_cells(dist, largest_distance(dist), cells, order, spare)
        count = grow_tree(moves, geo, dist, order, found, subs, own, known, above)
        fits = _write_tree(dist, made.ids, known, above, count, made, used)
        if fits:
            counts[done] = count
            used += count
            done += 1
    return done


@jit
def search_trees(tables: Searched, scratch: FloodMemory, first: int, counts, done: int, made: Trees, used: int) -> int:
    """Do the same by the best-first loop, for grids that the canonical flood does not serve."""
    moves, _, weights, geo, policy = tables
    nodes, queue, bits, keys, ctl = scratch
    cells, dist = made.cells, np.zeros(moves.size, np.int64)
    order, spare, known = np.empty(cells.size, np.int32), np.empty(cells.size, np.int32), np.empty(cells.size, np.int32)
    above, subs, own = np.empty(cells.size, np.int32), np.zeros(dist.size, np.int32), np.full(dist.size, -1, np.int32)
    source, fits = np.zeros(1, np.int64), True
    while done < counts.size and fits:
        source[0] = cells[first + done]
        search(moves, weights, geo, policy, nodes, queue, bits, keys, ctl, source, None)
        write_distances(nodes, ctl, dist)
        found = sort_cells(dist, -1, cells, order, spare)
        count = grow_tree(moves, geo, dist, order, found, subs, own, known, above)
        fits = _write_tree(dist, made.ids, known, above, count, made, used)
        if fits:
            counts[done] = count
            used += count
            done += 1
    return done


@jit
def first_stray(labels, longest: int, made: Trees) -> tuple[int, int]:
    """Return which number of the trees would lead an agent astray, and its place: 1 node, 2 parent, 3 cost, 0 none.

    A tree begins with its goal, lies in the goal's connected component, and each parent comes before its children.
    """
    cells, nodes, parents, costs, offsets = made.cells, made.nodes, made.parents, made.costs, made.offsets
    for goal in range(cells.size):
        begin, part = offsets[goal], labels[cells[goal]]
        for k in range(begin, offsets[goal + 1]):
            node = int64(nodes[k])
            if node >= cells.size or (k == begin and node != goal) or labels[cells[node]] != part:
                return 1, k
            if int64(parents[k]) >= max(k - begin, 1):
                return 2, k
            if not 0 <= int64(costs[k]) <= longest:
                return 3, k
    return 0, 0


@jit
def first_broken(moves, geo, made: Trees) -> int:
    """Climb from every node to its parent; return the first that does not arrive at the stored cost, -1 if all do."""
    cells, nodes, parents, costs, offsets = made.cells, made.nodes, made.parents, made.costs, made.offsets
    for goal in range(cells.size):
        begin = offsets[goal]
        for k in range(begin, offsets[goal + 1]):
            above = begin + int64(parents[k])
            here, there = int64(cells[nodes[k]]), int64(cells[nodes[above]])
            if climb(moves, geo, here, there, ENDLESS) != int64(costs[k]) - int64(costs[above]):
                return k
    return -1
