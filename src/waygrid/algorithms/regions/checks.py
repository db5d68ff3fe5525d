"""Checks of what the indexes of path databases share: cells, regions of sectors, spans, stored paths, next hops.

Where a cell belongs to is checked for the whole map, in time proportional to it: kernels search a region for its
representative, and climb from there, without asking whether it can be found.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from waygrid.algorithms.regions.sectors import label_sectors
from waygrid.algorithms.regions.stored_paths import smallest_kind
from waygrid.build.checks import require, require_array, require_offsets, require_range
from waygrid.core.types import Array
from waygrid.errors import damage_error
from waygrid.grid.grid import Grid


def require_cells(grid: Grid, cells: Array, what: str, components: Array | None = None) -> Array:
    """Return the connected components of cells; refuse walls, what lies outside the map, and other components.

    >>> import waygrid as wg
    >>> require_cells(wg.Grid([[1, 0, 1]]), np.array([0, 1]), "array 'centres'")
    Traceback (most recent call last):
    waygrid.errors.WaygridError: the index is damaged: array 'centres' holds 1, which is a wall
    """
    labels = grid.table.labels
    require_range(cells, what, 0, labels.size - 1)
    found = labels[cells]
    if (found < 0).any():
        raise damage_error(f"{what} holds {cells.reshape(-1)[int(np.argmax(found < 0))]}, which is a wall")
    if components is not None and (found != components).any():
        cell = cells.reshape(-1)[int(np.argmax(found != components))]
        raise damage_error(f"{what} holds {cell}, which lies in another connected component")
    return np.asarray(found)


def list_owners(offsets: Array) -> Array:
    """Return, for each thing that offsets divide among owners, the number of its owner.

    >>> list_owners(np.array([0, 2, 2, 3], np.uint32)).tolist()
    [0, 0, 2]
    """
    lengths: Array = np.diff(offsets.astype(np.int64))
    return np.repeat(np.arange(len(lengths)), lengths)


def require_sectors(grid: Grid, index: Mapping[str, Array], sector: Any) -> Array:
    """Check the sectors of an index and the representatives of their regions; return the components of regions."""
    centres = require_array(index, "centres", np.int32, (None,))
    cut = label_sectors(grid, sector)
    plan = require_array(index, "plan", np.int64, (3,))
    require(np.array_equal(plan, cut.plan), f"array 'plan' is {plan.tolist()}; it must be {cut.plan.tolist()}")
    first = require_array(index, "first", smallest_kind(len(centres)), cut.first.shape)
    require(np.array_equal(first, cut.first), "array 'first' does not count the regions of this map")
    require_range(centres, "array 'centres'", 0, cut.region.size - 1)
    require_own_centres(centres, cut.region, int(cut.first[-1]))
    return require_cells(grid, centres, "array 'centres'")


def require_own_centres(centres: Array, region: Array, regions: int) -> None:
    """Refuse representatives that do not lie in their own region, given the region of each cell."""
    require(len(centres) == regions, f"array 'centres' has {len(centres)} numbers for {regions} regions")
    strange = region[centres] != np.arange(regions)
    if strange.any():
        number = int(np.argmax(strange))
        raise damage_error(f"array 'centres' holds {centres[number]}, which lies outside region {number}")


def require_spans(grid: Grid, index: Mapping[str, Array], regions: int) -> Array:
    """Check the spans of an index, and `bits` as far as they need it; return the region of each cell.

    Walls have one too, which means nothing.
    """
    bits, size = int(require_array(index, "bits", np.int64, (2,))[1]), grid.table.walk.size
    needed = max(1, (regions - 1).bit_length())
    require(bits == needed, f"array 'bits' holds {bits} for spans; it must be {needed}")
    spans = require_array(index, "spans", np.uint32 if size << bits <= 2**32 else np.uint64, (None,))
    if len(spans) == 0:
        require(not grid.table.walk.any(), "array 'spans' is empty")
        return np.zeros(size, np.int64)
    begins, numbers = spans >> bits, (spans & ((1 << bits) - 1)).astype(np.int64)
    require_range(numbers, "array 'spans'", 0, regions - 1)
    rising = begins[0] == 0 and begins[-1] < size and (begins[1:] > begins[:-1]).all()
    require(rising, f"array 'spans' does not rise from cell 0 to cells below {size}")
    return numbers[list_owners(np.append(begins.astype(np.int64), size))]


def require_homes(grid: Grid, region: Array, components: Array) -> None:
    """Refuse spans that give a cell a region of another connected component."""
    labels = grid.table.labels
    strange = (components[region] != labels) & (labels >= 0)
    if strange.any():
        cell = int(np.argmax(strange))
        raise damage_error(f"array 'spans' puts cell {cell} into region {region[cell]}, which it cannot reach")


def require_paths(grid: Grid, index: Mapping[str, Array], components: Array) -> None:
    """Check the stored paths between regions whose components are given: offsets, targets, counts, subgoals."""
    regions = len(components)
    targets = require_array(index, "targets", smallest_kind(regions), (None,))
    offsets = require_array(index, "offsets", np.uint32, (regions + 1,))
    require_offsets(offsets, "array 'offsets'", len(targets))
    require_range(targets, "array 'targets'", 0, regions - 1)
    sources = list_owners(offsets)
    if (targets == sources).any():  # an agent would arrive there without a move, again and again
        raise damage_error(f"array 'targets' leads from region {targets[int(np.argmax(targets == sources))]} to itself")
    require_joined(targets, sources, "array 'targets'", components)
    counts = require_array(index, "counts", np.uint8, targets.shape)
    begins = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))
    subgoals = require_array(index, "subgoals", np.int32, (int(begins[-1]),))
    require_cells(grid, subgoals, "array 'subgoals'", np.repeat(components[sources], counts))
    first = require_array(index, "sub_first", np.uint32, (regions,))
    require(np.array_equal(first, begins[offsets[:-1]]), "array 'sub_first' does not agree with 'counts'")


def require_joined(targets: Array, sources: Array, what: str, components: Array) -> None:
    """Refuse regions as neighbours of others that cannot reach them."""
    apart = components[targets] != components[sources]
    if apart.any():
        place = int(np.argmax(apart))
        raise damage_error(f"{what} leads from region {sources[place]} to {targets[place]}, which it cannot reach")


def require_next_hops(index: Mapping[str, Array], kind: Any, components: Array) -> None:
    """Check the rows of next hops, where `offsets` says how many choices each region has.

    Each region has a row, unless it is alone in its connected component.
    """
    regions, choices = len(components), np.diff(index["offsets"].astype(np.int64))
    bits, needed = int(index["bits"][0]), int(choices.max(initial=1)).bit_length()
    require(bits == needed, f"array 'bits' holds {bits} for next hops; it must be {needed}")
    require_range(require_array(index, "places", kind, (regions,)), "array 'places'", 0, regions - 1)
    runs = require_array(index, "runs", np.uint16 if regions << bits <= 2**16 else np.uint32, (None,))
    rows = require_array(index, "row_first", np.uint32, (regions + 1,))
    require_offsets(rows, "array 'row_first'", len(runs))
    lost = (rows[1:] == rows[:-1]) & (np.bincount(components)[components] > 1)
    require(not lost.any(), f"array 'row_first' has no row for region {int(np.argmax(lost)) if len(lost) else 0}")
    chosen = runs & runs.dtype.type((1 << bits) - 1)
    require_range(chosen, "array 'runs'", 0, (choices - 1)[list_owners(rows)])
