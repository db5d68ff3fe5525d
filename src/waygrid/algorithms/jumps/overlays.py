"""What the studio shows of jump points."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.jumps.turns import list_turns
from waygrid.search.overlay import VIOLET, Layer, OverlayRequest
from waygrid.search.registry import algorithms, refuse_unsupported


def show_jump_points(wanted: OverlayRequest) -> list[Layer]:
    """Return the cells where JPS+ stops."""
    refuse_unsupported(algorithms()["jps+"], wanted.grid)
    _, tags, _ = list_turns(wanted.grid.table)
    cells = np.flatnonzero(tags & 255)
    return [Layer("cells", cells.astype(np.int32), f"{len(cells)} jump points", VIOLET)]
