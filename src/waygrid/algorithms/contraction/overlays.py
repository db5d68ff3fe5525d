"""What the studio shows of contraction hierarchies."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.contraction import hierarchy
from waygrid.algorithms.contraction.accesses import list_accesses
from waygrid.algorithms.contraction.neighbours import join_spots
from waygrid.algorithms.contraction.tiles import map_tiles
from waygrid.search.overlay import GREEN, ORANGE, VIOLET, Layer, OverlayRequest, link_cells, place_cells
from waygrid.search.registry import algorithms, refuse_unsupported

_HEIGHTS = (("#9ec5fe", "lowest half"), ("#1f6feb", "next quarter"), ("#bf6a02", "next eighth"), ("#d1242f", "top"))


def show_levels(wanted: OverlayRequest) -> list[Layer]:
    """Return the spots by their height in the hierarchy: the higher, the later they were taken out."""
    refuse_unsupported(algorithms()["ch"], wanted.grid)
    tiles = map_tiles(wanted.grid.table)
    wanted.check_time()
    made = hierarchy.contract(join_spots(wanted.grid, tiles), progress=lambda *now: wanted.check_time())
    cells = tiles.spots[:, 1].astype(np.int64) * wanted.grid.width + tiles.spots[:, 0]
    ordered, layers, begin = cells[np.argsort(-made.ranks)], [], 0
    for (colour, name), end in zip(_HEIGHTS, (0.5, 0.75, 0.875, 1.0), strict=True):
        last = round(end * len(ordered))
        text = f"{last - begin} spots, {name} of {int(made.levels.max(initial=0)) + 1} levels"
        layers.append(Layer("cells", ordered[begin:last].astype(np.int32), text, colour))
        begin = last
    return layers


def show_hubs(wanted: OverlayRequest) -> list[Layer]:
    """Return a line from a cell to each of its accesses, and from those to the hubs of their labels."""
    grid, cell = wanted.grid, wanted.cell
    assert cell is not None
    table = wanted.find_finder()._index_arrays_for(grid.table.moves)
    ends = np.zeros(4 * (grid.width + grid.height) + 16, np.int64)
    tiles = (table.places, table.masks, table.numbers, table.jumps, table.ranks)
    used = list_accesses(grid.table.geo, tiles, *cell, ends, 0)
    near = ends[:used:2]
    if not used:
        return []
    cells = table.spots[:, 1].astype(np.int64) * grid.width + table.spots[:, 0]
    labels = [np.arange(*table.labels[spot]) for spot in near]
    hubs = table.hubs[np.concatenate(labels)]
    climbs = link_cells(grid, cells[np.repeat(near, [len(label) for label in labels])], cells[hubs])
    here = np.full(len(near), cell[1] * grid.width + cell[0])
    top = place_cells(grid, cells[np.unique(hubs)])
    return [
        Layer("lines", climbs, f"{len(hubs)} distances to {len(top)} hubs", ORANGE, 0.5),
        Layer("lines", link_cells(grid, here, cells[near]), f"{len(near)} accesses", GREEN, 2.0),
        Layer("points", top, "", VIOLET, 4.0),
        Layer("points", np.array([cell], np.float32), "", "#000000", 4.0),
    ]
