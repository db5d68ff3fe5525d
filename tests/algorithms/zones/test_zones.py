"""Zones and gates against slow, obvious versions that share nothing with the package."""

from collections import defaultdict
from itertools import groupby

import numpy as np
import pytest
from cases import grid_of
from hypothesis import given, settings
from hypothesis import strategies as st
from zone_worlds import LENGTHS, gates_of_moves, worlds

import waygrid as wg
from waygrid.algorithms.zones.zones import ORIENTATIONS, find_ports

HORIZONTAL, VERTICAL, CORNER = range(3)


# ---- zones


def algorithm_1(case, printed):
    """Follow the paper's listing word by word; the repair stops where nothing is free below and moves xLeft."""
    height, _ = case.passable.shape
    zone, k = dict.fromkeys(case.cells(), "free"), 0

    def is_free(x, y):
        return zone.get((x, y)) == "free"

    while "free" in zone.values():
        x_left, y = min((c for c in zone if is_free(*c)), key=lambda c: (c[1], c[0]))
        shrunk_right = shrunk_left = False
        while y < height:
            x = x_left
            zone[x, y] = k
            while is_free(x + 1, y) and not is_free(x + 1, y - 1):
                x += 1
                zone[x, y] = k
            if zone.get((x + 1, y - 1)) == k:
                shrunk_right = True
            elif zone.get((x, y - 1)) != k and shrunk_right:
                while zone.get((x, y)) == k:
                    zone[x, y] = "free"
                    x -= 1
                break
            x, y = x_left, y + 1
            while not is_free(x, y) and zone.get((x, y - 1)) == k:
                x += 1
            if not printed and (not is_free(x, y) or zone.get((x, y - 1)) != k):
                break
            while is_free(x - 1, y) and not is_free(x - 1, y - 1):
                x -= 1
            if zone.get((x - 1, y - 1)) == k:
                shrunk_left = True
            elif zone.get((x, y - 1)) != k and shrunk_left:
                break
            if not printed:
                x_left = x
        k += 1
    return zone, k


def is_one_run(numbers):
    return sorted(numbers) == list(range(min(numbers), max(numbers) + 1))


def is_connected(cells):
    reached, layer = set(), {min(cells)}
    while layer:
        reached |= layer
        layer = {(x + dx, y + dy) for x, y in layer for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))} & cells - reached
    return reached == cells


@settings(max_examples=500)
@given(worlds())
def test_every_cell_is_in_one_zone_whose_rows_and_columns_are_single_runs(case):
    cut = wg.decompose(grid_of(case))
    height, width = case.passable.shape
    assert cut.zones.shape == (height, width)
    assert cut.marked_walls == 0
    zones = defaultdict(set)
    for y in range(height):
        for x in range(width):
            assert (cut.zones[y, x] >= 0) == case.fits(x, y)
            if cut.zones[y, x] >= 0:
                zones[int(cut.zones[y, x])].add((x, y))
    assert list(zones) == list(range(cut.count))  # numbered by their first cells
    for cells in zones.values():
        assert is_connected(cells)
        for axis in (0, 1):
            lines = defaultdict(list)
            for cell in cells:
                lines[cell[axis]].append(cell[1 - axis])
            assert all(map(is_one_run, lines.values()))


@pytest.mark.quick
@settings(max_examples=400)
@given(worlds(one_way=False), st.sampled_from(("repaired", "printed")))
def test_zones_are_those_of_the_listing(case, algorithm):
    zone, count = algorithm_1(case, algorithm == "printed")
    cut = wg.decompose(grid_of(case), algorithm)
    assert cut.count == count
    assert {(x, y): cut.zones[y, x] for x, y in case.cells()} == {cell: zone[cell] for cell in case.cells()}
    assert (cut.zones >= 0).sum() == len(case.cells())
    assert cut.marked_walls == len(zone) - len(case.cells())


def test_the_printed_listing_marks_walls_on_nearly_every_random_map():
    chance = np.random.Generator(np.random.PCG64(7))
    maps = [chance.random((12, 12)) >= 0.25 for _ in range(2000)]
    marked = [wg.decompose(wg.Grid(passable), "printed").marked_walls for passable in maps]
    assert sum(walls > 0 for walls in marked) >= 1990


@settings(max_examples=300)
@given(worlds(largest=30), st.sampled_from(LENGTHS))
def test_the_printed_listing_always_ends(case, gate_length):
    cut = wg.decompose(grid_of(case), "printed", gate_length)
    assert ((cut.zones >= 0) == [[case.fits(x, y) for x in range(len(row))] for y, row in enumerate(cut.zones)]).all()
    assert cut.zones.max(initial=-1) < cut.count == len(cut.blocks)


DRAWN = {
    "an empty room": "aaa aaa",
    "a line stops where the area opens upwards": "aaa#bb aaa#bb aaaabb aaa##b",
    "and so does the search for the left border": "##aa b#aa baaa",
    "a right border that grows again is undone": "aaaaa aaa## bbbbb",
    "a left border that grows again stops the zone": "aaaaa ##aaa bbbbb",
    "borders that have not shrunk may grow": "##a## #aaa# aaaaa",
    "both may shrink": "aaaaa #aaa# ##a##",
    "nothing is free below": "aaa ### bbb",
    "only what touches the line above is filled": "aaaa a##b",
    "the left border of the last line counts": "##aaa aaaaa a###b",
    "a way round a pillar": "aaa a#b bbb",
    "Figure 4": "aaaa###bbb aaaa###bbb aaaa###bbb aaaaaaabbb aaaa#bbbbb aa###bbbbb bbbbbb####",
}


@pytest.mark.parametrize("name", DRAWN)
def test_zones_drawn_by_hand(name):
    rows = DRAWN[name].split()
    cut = wg.decompose(wg.Grid([[sign != "#" for sign in row] for row in rows]))
    drawn = ["".join("#" if zone < 0 else "abcdef"[zone] for zone in row) for row in cut.zones]
    assert drawn == rows


def test_a_map_without_ground_has_no_zones():
    cut = wg.decompose(wg.Grid(np.zeros((3, 4))))
    assert (cut.count, len(cut.gates), len(cut.blocks), cut.marked_walls) == (0, 0, 0, 0)
    assert (cut.zones == -1).all()


def test_zones_follow_the_grid():
    grid = wg.Grid(np.ones((4, 5)))
    assert wg.decompose(grid).count == 1
    grid.set_passable((slice(2, 3), slice(0, 4)), False)
    assert wg.decompose(grid).zones.tolist() == [[0, 0, -1, 1, 1]] * 4


# ---- gates


def legal_crossings(case, zones):
    """Return all legal moves from one zone to another, as pairs of cells."""
    found = []
    for x, y in case.cells():
        found += [((x, y), (i, j)) for i, j, _ in case.neighbours(x, y) if zones[j, i] != zones[y, x]]
    return found


@settings(max_examples=500)
@given(worlds(), st.sampled_from(LENGTHS), st.sampled_from(("repaired", "repaired", "printed")))
def test_every_move_between_zones_belongs_to_one_gate(case, gate_length, algorithm):
    grid = grid_of(case)
    cut = wg.decompose(grid, algorithm, gate_length)
    gate_of = gates_of_moves(case, grid, find_ports(grid, algorithm, gate_length))
    assert sorted(gate_of) == sorted(legal_crossings(case, cut.zones))
    assert sorted(set(gate_of.values())) == list(range(len(cut.gates)))
    for (one, other), gate in gate_of.items():
        zones = sorted((int(cut.zones[one[::-1]]), int(cut.zones[other[::-1]])))
        assert cut.gates["zones"][gate].tolist() == zones
        assert gate_of.get((other, one), gate) == gate  # the way back belongs to the same one


@settings(max_examples=500)
@given(worlds(), st.sampled_from(LENGTHS))
def test_the_cells_of_a_gate_form_a_straight_line_on_each_side(case, gate_length):
    grid = grid_of(case)
    cut = wg.decompose(grid, gate_length=gate_length)
    touched = defaultdict(set)
    for move, gate in gates_of_moves(case, grid, find_ports(grid, gate_length=gate_length)).items():
        for cell in move:
            touched[gate, int(cut.zones[cell[::-1]])].add(cell)
    for gate, row in enumerate(cut.gates):
        for side, zone in enumerate(row["zones"].tolist()):
            cells = touched[gate, zone]
            (x0, y0), (x1, y1) = row["first"][side].tolist(), row["last"][side].tolist()
            line = {(x, y) for x in range(x0, x1 + 1) for y in range(y0, y1 + 1)}
            assert (x0, y0) in cells
            assert (x1, y1) in cells
            assert cells <= line if case.one_way else cells == line  # one-way tiles may close a part of a gate
            assert {int(cut.zones[y, x]) for x, y in line} == {zone}
            assert y0 == y1 if row["orientation"] == HORIZONTAL else x0 == x1
            assert len(line) == 1 or row["orientation"] != CORNER
            assert gate_length is None or len(line) <= gate_length + 2
        apart = np.abs(row["first"][0] - row["first"][1])
        assert apart[{HORIZONTAL: 1, VERTICAL: 0}.get(int(row["orientation"]), 0)] == 1


def straight_runs(zones):
    """Return the longest straight runs of facing pairs of cells between the same two zones."""
    height, width = zones.shape
    runs = []
    for dx, dy in ((0, 1), (1, 0)):
        for line in range(height - 1 if dy else width - 1):
            cells = [(i, line) for i in range(width)] if dy else [(line, i) for i in range(height)]
            facing = [(cell, (cell[0] + dx, cell[1] + dy)) for cell in cells]
            pairs = [(int(zones[one[::-1]]), int(zones[other[::-1]])) for one, other in facing]
            for (a, b), group in groupby(zip(pairs, facing, strict=True), key=lambda item: item[0]):
                if a != b and min(a, b) >= 0:
                    runs.append([pair for _, pair in group])
    return runs


def both_ways(gate_of):
    """Return the gate of each pair of cells between which a move leads, whichever way."""
    return gate_of | {(other, one): gate for (one, other), gate in gate_of.items()}


@settings(max_examples=500)
@given(worlds(), st.sampled_from(LENGTHS))
def test_runs_are_gates_and_long_ones_are_cut_evenly(case, gate_length):
    grid = grid_of(case)
    cut = wg.decompose(grid, gate_length=gate_length)
    gate_of = both_ways(gates_of_moves(case, grid, find_ports(grid, gate_length=gate_length)))
    seen = set()
    for run in straight_runs(cut.zones):
        gates = [gate_of.get(pair) for pair in run]
        assert case.one_way or None not in gates
        pieces = [(gate, len(list(group))) for gate, group in groupby(gate for gate in gates if gate is not None)]
        names, sizes = [gate for gate, _ in pieces], [size for _, size in pieces]
        assert len(set(names)) == len(names)
        assert not seen & set(names)  # another run is another gate
        seen |= set(names)
        (_, y), (_, v) = run[0]
        assert {int(cut.gates["orientation"][gate]) for gate in names} <= {HORIZONTAL if y != v else VERTICAL}
        if gate_length is None:
            assert len(pieces) <= 1
        else:
            assert all(size <= gate_length for size in sizes)
        if gate_length is not None and not case.one_way:
            assert len(pieces) == -(-len(run) // gate_length)
            assert max(sizes) - min(sizes) <= 1


@settings(max_examples=500)
@given(worlds(), st.sampled_from(LENGTHS))
def test_diagonals_belong_to_a_run_beside_them_or_are_gates_by_themselves(case, gate_length):
    grid = grid_of(case)
    cut = wg.decompose(grid, gate_length=gate_length)
    gate_of = gates_of_moves(case, grid, find_ports(grid, gate_length=gate_length))
    beside = both_ways(gate_of)
    for ((x, y), (i, j)), gate in gate_of.items():
        if x == i or y == j:
            continue
        pairs = [(one, corner) for one in ((x, y), (i, j)) for corner in ((i, y), (x, j))]
        zones = {int(cut.zones[y, x]), int(cut.zones[j, i])}
        runs = [pair for pair in pairs if {int(cut.zones[cell[::-1]]) for cell in pair} == zones]
        known = {beside[pair] for pair in runs if pair in beside}
        if not runs:
            assert cut.gates["orientation"][gate] == CORNER
            assert {frozenset(move) for move, other in gate_of.items() if other == gate} == {
                frozenset(((x, y), (i, j)))
            }
        else:
            assert gate in known or (case.one_way and len(known) < len(runs))
            assert cut.gates["orientation"][gate] != CORNER


def gates_drawn(passable, corners, gate_length=None):
    rows = wg.decompose(wg.Grid(passable, corners=corners), gate_length=gate_length).gates
    return [
        (ORIENTATIONS[row["orientation"]], row["first"].tolist(), row["last"].tolist(), bool(row["bridge"]))
        for row in rows
    ]


def test_gates_drawn_by_hand():
    ring = [[1, 1, 1], [1, 0, 1], [1, 1, 1]]  # aaa a#b bbb: a and b meet twice
    left, right = [[0, 1], [0, 2]], [[2, 0], [2, 1]]
    assert sorted(gates_drawn(ring, "never")) == [("horizontal", line, line, False) for line in (left, right)]
    assert sorted(gates_drawn(ring, "one")) == [  # diagonals lengthen the lines by one cell
        ("horizontal", [[0, 1], [0, 2]], [[0, 1], [1, 2]], False),
        ("horizontal", [[1, 0], [2, 1]], [[2, 0], [2, 1]], False),
    ]
    corner = [[1, 0], [0, 1]]
    assert gates_drawn(corner, "always") == [("corner", [[0, 0], [1, 1]], [[0, 0], [1, 1]], True)]
    assert gates_drawn(corner, "one") == []
    notch = [[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]]  # aaaa aaa# bbbb
    assert gates_drawn(notch, "never") == [("horizontal", [[0, 1], [0, 2]], [[2, 1], [2, 2]], True)]
    assert [gate[3] for gate in gates_drawn(notch, "never", 2)] == [False, False]
    assert len(gates_drawn(notch, "never", 1)) == 3


def test_one_way_tiles_that_close_a_gate_part_the_zones():
    grid = wg.Grid([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]], topology="tile")
    assert len(wg.decompose(grid).gates) == 1
    for x in range(3):
        grid.set_one_way((x, 1), allowed=["N"])
    assert len(wg.decompose(grid).gates) == 1  # back is still open
    for x in range(3):
        grid.set_one_way((x, 2), allowed=["E", "W"])
    cut = wg.decompose(grid)
    assert (cut.count, len(cut.gates), cut.blocks.tolist()) == (2, 0, [0, 1])


# ---- what is refused


@pytest.mark.parametrize("value", [0, -3, 1.5, 2.0, "3", True, [4]])
def test_bad_gate_lengths_are_refused(value):
    with pytest.raises(wg.WaygridError, match=r"gate_length is .*; allowed are the integers from 1"):
        wg.decompose(wg.Grid(np.ones((2, 2))), gate_length=value)


def test_numpy_numbers_are_lengths():
    grid = wg.Grid([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
    assert (wg.decompose(grid, gate_length=np.int16(2)).gates == wg.decompose(grid, gate_length=2).gates).all()
    assert (wg.decompose(grid, gate_length=10**30).gates == wg.decompose(grid).gates).all()


@pytest.mark.parametrize("value", ["best", "Printed", "", None, 3])
def test_unknown_algorithms_are_refused(value):
    with pytest.raises(wg.WaygridError, match=r"algorithm is .*; allowed are repaired, printed"):
        wg.decompose(wg.Grid(np.ones((2, 2))), algorithm=value)


@pytest.mark.parametrize("topology", ["hex", "tex"])
def test_grids_without_rows_are_refused(topology):
    with pytest.raises(wg.WaygridError, match=f"'{topology}'.* take tile or octile"):
        wg.decompose(wg.Grid(np.ones((2, 2)), topology=topology))


@pytest.mark.parametrize("zone", [-1, 2])
def test_unknown_zones_are_refused(zone):
    cut = wg.decompose(wg.Grid([[1, 0, 1]]))
    with pytest.raises(wg.WaygridError, match=f"no zone {zone}; the map has 2"):
        cut.neighbours(zone)
