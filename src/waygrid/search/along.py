"""Positions along a line of points."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show


def measure_marks(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return how far each point is along the line through all of them."""
    marks: npt.NDArray[np.float64] = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))))
    return marks


def follow_line(
    points: npt.NDArray[np.float64], marks: npt.NDArray[np.float64], distance: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """Return the points that lie so far along a line, whose own points lie at `marks`."""
    if len(points) == 0:
        raise WaygridError("there is no position along a path without cells")
    try:
        far = np.asarray(distance, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise WaygridError(f"distance is {show(distance)}; allowed are numbers of cells") from None
    if np.isnan(far).any():
        raise WaygridError("distance is nan; allowed are numbers of cells")
    position: npt.NDArray[np.float64] = np.stack([np.interp(far, marks, points[:, side]) for side in (0, 1)], axis=-1)
    return position
