"""Navigation meshes: polygons become nodes, shared edges become edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from waygrid.errors import WaygridError, show
from waygrid.graph.check import check_points


def build_navmesh(
    vertices: npt.ArrayLike, faces: npt.ArrayLike | Sequence[Sequence[int]]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the points, edges and costs of the graph of a navigation mesh."""
    corners = _vertices(vertices)
    numbers, starts = _faces(faces, len(corners))
    # Exporters often give every polygon its own vertices: those at the same place count as one.
    _, welded = np.unique(corners, axis=0, return_inverse=True)
    edges = _shared_edges(welded.reshape(-1)[numbers], starts)
    centres = _centroids(corners, numbers, starts)
    step = centres[edges[:, 0]] - centres[edges[:, 1]]
    lengths = np.sqrt((step**2).sum(axis=1))
    # Two polygons may share their centroid (folded or equal ones); a step between them still costs something.
    least = float(lengths[lengths > 0].min(initial=1.0)) * 1e-6
    return centres, edges, np.maximum(lengths, least)


def _vertices(vertices: npt.ArrayLike) -> npt.NDArray[np.float64]:
    try:
        return check_points(vertices)
    except WaygridError as error:
        text = str(error).replace("points have", "vertices have").replace("points cannot", "vertices cannot")
        raise WaygridError(text.replace("node ", "vertex ", 1)) from None


def _faces(faces: Any, vertices: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the vertex numbers of all faces, one after the other, and where each face begins."""
    allowed = "allowed are rows of three or more vertex numbers"
    try:
        rows = [np.asarray(face) for face in faces]
    except (TypeError, ValueError):
        raise WaygridError(f"faces cannot be read; {allowed}") from None
    for number, row in enumerate(rows):
        if row.ndim != 1 or row.dtype.kind not in "iu" or len(row) < 3:
            raise WaygridError(f"face {number} is {show(row.tolist())}; {allowed}")
    starts = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
    numbers = np.concatenate([np.zeros(0, np.int64), *rows]).astype(np.int64)
    owner = np.repeat(np.arange(len(rows)), np.diff(starts))
    bad = (numbers < 0) | (numbers >= vertices)
    if bad.any():
        k = int(np.argmax(bad))
        known = f"allowed are 0 to {vertices - 1}" if vertices else "there are no vertices"
        raise WaygridError(f"face {owner[k]} names vertex {numbers[k]}; {known}")
    order = np.lexsort((numbers, owner))
    twice = (np.diff(numbers[order]) == 0) & (np.diff(owner[order]) == 0)
    if twice.any():
        k = order[int(np.argmax(twice))]
        raise WaygridError(f"face {owner[k]} has vertex {numbers[k]} twice; {allowed}, each of them once")
    return numbers, starts


def _shared_edges(numbers: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the pairs of faces that share an edge; three faces at an edge give three pairs."""
    after = _after(starts)
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    low, high = np.minimum(numbers, numbers[after]), np.maximum(numbers, numbers[after])
    order = np.lexsort((owner, high, low))
    low, high, owner = low[order], high[order], owner[order]
    pairs = []
    for distance in range(1, len(order)):  # sides of one edge stand together: compare with the next, the one after, ...
        same = (low[distance:] == low[:-distance]) & (high[distance:] == high[:-distance])
        if not same.any():
            break
        pairs.append(np.stack([owner[:-distance][same], owner[distance:][same]], axis=1))
    if not pairs:
        return np.zeros((0, 2), np.int64)
    return np.unique(np.concatenate(pairs), axis=0)


def _centroids(
    corners: npt.NDArray[np.float64], numbers: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the centroid of every polygon; without area, the mean of its corners."""
    if len(starts) == 1:
        return np.zeros((0, corners.shape[1]))
    size = np.diff(starts)
    middle = np.add.reduceat(corners[numbers], starts[:-1]) / size[:, None]
    # Triangles from the middle of the corners to each side; signed areas make this right for hollow outlines too.
    around = np.zeros((len(numbers), 3))
    around[:, : corners.shape[1]] = corners[numbers] - np.repeat(middle, size, axis=0)
    with np.errstate(all="ignore"):  # of a polygon without area, which keeps its middle
        area = np.cross(around, around[_after(starts)])
        normal = np.add.reduceat(area, starts[:-1])
        share = (area * np.repeat(normal, size, axis=0)).sum(axis=1)
        pull = (around + around[_after(starts)]) / 3 * share[:, None]
        shift = np.add.reduceat(pull, starts[:-1]) / np.add.reduceat(share, starts[:-1])[:, None]
    far = np.maximum.reduceat(np.abs(around), starts[:-1])  # no centre lies farther off than the corners do
    sound: npt.NDArray[np.bool_] = np.all(np.abs(shift) <= far, axis=1)
    return middle + np.where(sound[:, None], shift, 0.0)[:, : corners.shape[1]]


def _after(starts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return where the next corner of the same face stands; the last one is followed by the first."""
    after = np.arange(1, starts[-1] + 1)
    after[starts[1:] - 1] = starts[:-1]
    return after
