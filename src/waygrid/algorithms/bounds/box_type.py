"""What boxes of goal bounds are made of, on the CPU and on the GPU."""

from typing import Any

import numpy as np

from waygrid.core import layout
from waygrid.core.types import Array


def box_type(geo: Array) -> Any:
    """Return the type of boxes: its largest value stands for "none" and is larger than any coordinate."""
    side = max(geo[layout.WIDTH], geo[layout.HEIGHT])
    return np.uint8 if side < 2**8 else np.uint16
