"""Sectors and regions against obvious versions."""

import numpy as np
import pytest
from cases import cases, grid_of
from hypothesis import given, settings
from hypothesis import strategies as st

import waygrid as wg
from waygrid.algorithms.regions.sectors import find_sectors
from waygrid.algorithms.regions.sectors_build import find_region, sector_of, way_back

SIZES = (1, 2, 3, 4, (2, 5), (5, 2), (1, 7), 64)


def sector_number(case, size, cell):
    """Equation 1 of the paper, for rectangles."""
    rows, columns = (size, size) if isinstance(size, int) else size
    height, width = case.passable.shape
    rows, columns = min(rows, height), min(columns, width)
    return cell[1] // rows * -(-width // columns) + cell[0] // columns


def regions_of(case, size):
    """Sets of cells that reach each other without leaving their sector."""
    left, regions = set(case.cells()), []
    for cell in sorted(left, key=lambda cell: (sector_number(case, size, cell), cell[1], cell[0])):
        if cell not in left:
            continue
        found, todo = {cell}, [cell]
        while todo:
            here = todo.pop()
            for x, y, _ in case.neighbours(*here):
                same = sector_number(case, size, (x, y)) == sector_number(case, size, cell)
                if same and (x, y) not in found:
                    found.add((x, y))
                    todo.append((x, y))
        left -= found
        regions.append(found)
    return regions


@settings(max_examples=300)
@given(cases(topologies=("tile", "octile"), one_way=False, weighted=False, largest=12), st.sampled_from(SIZES))
def test_regions_representatives_and_neighbours(case, size):
    grid = grid_of(case)
    cut, wanted = find_sectors(grid, size), regions_of(case, size)
    width = grid.width
    assert len(cut.centres) == len(wanted)
    for number, cells in enumerate(wanted):
        assert {(int(c % width), int(c // width)) for c in np.flatnonzero(cut.region == number)} == cells
        x, y = (sum(cell[axis] for cell in cells) // len(cells) for axis in (0, 1))
        centre = int(cut.centres[number] % width), int(cut.centres[number] // width)
        assert centre in cells
        if (x, y) in cells:
            assert centre == (x, y)
        touched = {int(cut.region[ny * width + nx]) for cell in cells for nx, ny, _ in case.neighbours(*cell)} - {
            number
        }
        assert cut.neighbours[cut.offsets[number] : cut.offsets[number + 1]].tolist() == sorted(touched)
        sector = sector_number(case, size, centre)
        assert sector == sector_of(cut.plan, *centre)
        assert cut.first[sector] <= number < cut.first[sector + 1]
    assert cut.compact_bytes == 4 * (len(cut.first) - 1) + 2 * len(wanted) + len(cut.neighbours)


@settings(max_examples=300)
@given(
    cases(topologies=("tile", "octile"), one_way=False, weighted=False, largest=12),
    st.sampled_from(SIZES),
    st.booleans(),
)
def test_the_region_of_a_cell_is_found_without_a_map_of_them(case, size, always):
    grid = grid_of(case)
    cut, table = find_sectors(grid, size), grid.table
    cells = int(cut.plan[0] * cut.plan[1])
    came, queue, way = np.zeros(cells, np.uint8), np.zeros(cells, np.int32), np.zeros(cells + 1, np.int64)
    for x, y in case.cells():
        cell = y * grid.width + x
        arrays = (table.moves, table.geo, cut.plan, cut.first, cut.centres, cell, came, queue)
        region = find_region(*arrays, always)
        assert region == cut.region[cell]
        if came[0] == 255:
            assert not always
            continue
        length = way_back(table.geo, cut.plan, came, int(cut.centres[region]), way, 0)
        back = [int(cut.centres[region]), *way[:length].tolist()]
        assert back[-1] == cell
        case.path_cost([(c % grid.width, c // grid.width) for c in back])
        assert {int(cut.region[c]) for c in back} == {region}


@pytest.mark.parametrize("sector", [0, -1, 1.5, "16", (16,), (4, 0), (1, 2, 3), True, None])
def test_bad_sizes_are_refused(sector):
    with pytest.raises(wg.WaygridError, match="allowed are the integers from 1, or"):
        wg.make_finder("pra", wg.Grid([[1, 1]]), sector=sector)
