"""Where a robot stands and looks along a path."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def make_poses(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return points (n, 2) as poses (x, y, yaw), each looking at the next point; the last looks as the one before.

    Yaws are in radians, against the clock from the x axis, -pi to pi. A single point looks along the x axis.

    >>> make_poses(np.array([[0.0, 0.0], [0.0, 2.0], [1.0, 2.0]])).round(2).tolist()
    [[0.0, 0.0, 1.57], [0.0, 2.0, 0.0], [1.0, 2.0, 0.0]]
    """
    poses = np.zeros((len(points), 3))
    poses[:, :2] = points
    if len(points) > 1:
        along = np.diff(points, axis=0)
        poses[:-1, 2] = np.arctan2(along[:, 1], along[:, 0])
        poses[-1, 2] = poses[-2, 2]
    return poses
