"""Bridges, blocks and the zones that matter between two, against slow, obvious versions."""

from collections import defaultdict

import numpy as np
from cases import grid_of
from hypothesis import given, settings
from hypothesis import strategies as st
from zone_worlds import LENGTHS, gates_of_moves, worlds

import waygrid as wg
from waygrid.algorithms.zones.bridges import mark_trails
from waygrid.algorithms.zones.dead_end import relevant_zones
from waygrid.algorithms.zones.zones import find_ports

# ---- bridges and blocks


def reached_zones(cut, source, closed=()):
    """Flood the graph of zones from one of them, without some gates."""
    pairs = [pair for gate, pair in enumerate(cut.gates["zones"].tolist()) if gate not in closed]
    reached, size = {source}, 0
    while size < len(reached):
        size = len(reached)
        for a, b in pairs:
            if a in reached or b in reached:
                reached |= {a, b}
    return reached


def reached_cells(case, source, closed):
    """Flood the cells from one of them, without some moves."""
    reached, stack = {source}, [source]
    while stack:
        cell = stack.pop()
        for x, y, _ in case.neighbours(*cell):
            if (cell, (x, y)) not in closed and (x, y) not in reached:
                reached.add((x, y))
                stack.append((x, y))
    return reached


@settings(max_examples=250)
@given(worlds(largest=10), st.sampled_from(LENGTHS), st.sampled_from(("repaired", "repaired", "printed")))
def test_bridges_part_the_zones_and_blocks_are_what_they_leave(case, gate_length, algorithm):
    grid = grid_of(case)
    cut = wg.decompose(grid, algorithm, gate_length)
    pairs = cut.gates["zones"].tolist()
    bridges = {gate for gate, (a, b) in enumerate(pairs) if b not in reached_zones(cut, a, {gate})}
    assert set(np.flatnonzero(cut.gates["bridge"]).tolist()) == bridges
    members = defaultdict(set)
    for zone, block in enumerate(cut.blocks.tolist()):
        members[block].add(zone)
    assert sorted(members) == list(range(len(members)))
    for zones in members.values():
        assert reached_zones(cut, min(zones), bridges) == zones
    last = find_ports(grid, algorithm, gate_length).last
    assert len(last) == len(members)
    inner = {max(pairs[gate], key=cut.blocks.__getitem__): gate for gate in bridges}
    roots = {min(reached_zones(cut, zone), key=cut.blocks.__getitem__): None for zone in range(cut.count)}
    for zone, bridge in (roots | inner).items():  # every block is entered by one bridge, or by none
        behind = {int(cut.blocks[other]) for other in reached_zones(cut, zone, {bridge})}
        assert behind == set(range(cut.blocks[zone], last[cut.blocks[zone]] + 1))
    assert len(roots) + len(inner) == len(members)


@settings(max_examples=200)
@given(worlds(one_way=False), st.sampled_from(LENGTHS), st.integers(0, 99))
def test_without_a_bridge_no_cell_beyond_it_is_reached(case, gate_length, seed):
    grid = grid_of(case)
    cut = wg.decompose(grid, gate_length=gate_length)
    gate_of = gates_of_moves(case, grid, find_ports(grid, gate_length=gate_length))
    for gate in np.random.Generator(np.random.PCG64(seed)).permutation(len(cut.gates))[:6].tolist():
        closed = {move for move, other in gate_of.items() if other == gate}
        one, other = min(closed)
        assert (other not in reached_cells(case, one, closed)) == cut.gates["bridge"][gate]


@settings(max_examples=100)
@given(worlds())
def test_neighbours_are_listed_once_for_each_gate(case):
    cut = wg.decompose(grid_of(case))
    for zone in range(cut.count):
        behind = [a + b - zone for a, b in cut.gates["zones"].tolist() if zone in (a, b)]
        assert sorted(cut.neighbours(zone)) == sorted(behind)
        assert all(type(other) is int for other in cut.neighbours(zone))


# ---- the zones that matter between two


def relevant(cut, start, goal):
    """Return the zones from which, whatever gate is closed, one of the two can still be reached.

    These are the zones with two ways to start and goal that share no gate (Menger): those on trails between the two.
    """
    if goal not in reached_zones(cut, start):
        return set()
    found = reached_zones(cut, start)
    for gate in range(len(cut.gates)):
        found &= reached_zones(cut, start, {gate}) | reached_zones(cut, goal, {gate})
    return found


def trails(ports, start, goal, limit, mark=7):
    """Run the enumeration; return whether it came to its end, the marked zones and the gates left in use."""
    gates = len(ports.sides)
    used, stack = np.zeros(gates, np.int64), np.zeros(gates + 1, np.int64)
    marks = np.zeros(ports.zones, np.int64)
    complete = mark_trails(ports.first, ports.enters, ports.gate, start, goal, used, stack, marks, mark, limit)
    assert set(marks.tolist()) <= {0, mark}
    return complete, set(np.flatnonzero(marks).tolist()), int(used.sum())


@settings(max_examples=150)
@given(worlds(kinds=("random", "sparse", "dense", "thin", "maze"), largest=7), st.integers(0, 99))
def test_trails_lead_through_the_blocks_on_the_way(case, seed):
    grid = grid_of(case)
    cut, ports = wg.decompose(grid), find_ports(grid)
    chance = np.random.Generator(np.random.PCG64(seed))
    for start, goal in chance.integers(0, max(1, cut.count), (5, 2)).tolist() if cut.count else ():
        expected = relevant(cut, start, goal)
        assert set(np.flatnonzero(relevant_zones(ports, start, goal)).tolist()) == expected
        complete, marked, left = trails(ports, start, goal, limit=300_000)
        assert left == 0
        if complete:
            assert marked == (expected or {start})  # where there is no way, only where it was looked for


def test_enough_trails_come_to_their_end():
    """The test above compares little if most enumerations give up: on maps of its size nearly none does."""
    chance = np.random.Generator(np.random.PCG64(3))
    ends = []
    for _ in range(40):
        ports = find_ports(wg.Grid(chance.random((6, 6)) >= 0.25))
        ends.append(trails(ports, 0, ports.zones - 1, limit=300_000)[0])
    assert sum(ends) >= 36


@settings(max_examples=150)
@given(worlds(kinds=("random", "sparse"), largest=9), st.integers(0, 200))
def test_trails_that_give_up_mark_all_zones_and_leave_no_gate_in_use(case, limit):
    grid = grid_of(case)
    cut, ports = wg.decompose(grid), find_ports(grid)
    if cut.count:
        complete, marked, left = trails(ports, 0, cut.count - 1, limit)
        assert left == 0
        assert complete or marked == set(range(cut.count))
        assert not complete or marked == (relevant(cut, 0, cut.count - 1) or {0})


def test_many_trails_are_too_many():
    pillars = np.ones((15, 15))
    pillars[1::2, 1::2] = 0
    ports = find_ports(wg.Grid(pillars))
    complete, marked, left = trails(ports, 0, ports.zones - 1, limit=100_000)
    assert (complete, marked, left) == (False, set(range(ports.zones)), 0)
