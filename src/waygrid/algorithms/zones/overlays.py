"""What the studio shows of zones."""

from __future__ import annotations

import numpy as np

from waygrid.algorithms.zones.zones import decompose
from waygrid.search.overlay import BLUE, RED, Layer, OverlayRequest


def show_zones(wanted: OverlayRequest) -> list[Layer]:
    """Return zones, gates and bridges."""
    cut = decompose(wanted.grid, wanted.options["decomposition"])
    middle = (cut.gates["first"].astype(np.float32) + cut.gates["last"]) / 2  # of each side
    lines = np.concatenate((cut.gates["first"].mean(axis=1), cut.gates["last"].mean(axis=1)), axis=1).astype(np.float32)
    short = (cut.gates["first"] == cut.gates["last"]).all(axis=(1, 2))
    lines[short] = middle[short].reshape(-1, 4)  # a gate of one cell: the line leads through it
    bridge = cut.gates["bridge"]
    return [
        Layer("labels", cut.zones.ravel(), f"{cut.count} zones"),
        Layer("lines", lines[~bridge], f"{int((~bridge).sum())} gates", BLUE, 3.0),
        Layer("lines", lines[bridge], f"{int(bridge.sum())} bridges", RED, 3.0),
    ]
