"""Shortest paths of a point among square walls, by brute force: a visibility graph of all corners, in whole numbers.

It shares nothing with the package but the rules: a point may touch walls, not enter them nor run between two that share
a side; between two that touch at a corner it passes only under the corner rule "always".

Points are in halves of a cell, counted from the map's corner: the centre of cell (x, y) is (2x + 1, 2y + 1).
"""

import numpy as np


def stand(passable, clearance):
    """Return where the agent's top-left cell can be, [y, x]."""
    height, width = passable.shape
    walk = np.zeros((height, width), bool)
    for y in range(height - clearance + 1):
        for x in range(width - clearance + 1):
            walk[y, x] = passable[y : y + clearance, x : x + clearance].all()
    return walk


def list_obstacles(walk):
    """Return open rectangles (x0, x1, y0, y1) that no leg may enter: walls, and two walls that share a side as one."""
    height, width = walk.shape
    wall = np.pad(~walk, 1, constant_values=True)
    boxes = []
    for y in range(-1, height + 1):
        for x in range(-1, width + 1):
            if not wall[y + 1, x + 1]:
                continue
            boxes.append((2 * x, 2 * x + 2, 2 * y, 2 * y + 2))
            if x < width and wall[y + 1, x + 2]:
                boxes.append((2 * x, 2 * x + 4, 2 * y, 2 * y + 2))
            if y < height and wall[y + 2, x + 1]:
                boxes.append((2 * x, 2 * x + 2, 2 * y, 2 * y + 4))
    return np.array(boxes, np.int64)


def list_corners(walk):
    """Return the points where exactly one of four cells is a wall, and those where two walls touch."""
    wall = np.pad(~walk, 1, constant_values=True)
    corners, pinches = [], []
    for j in range(walk.shape[0] + 1):
        for i in range(walk.shape[1] + 1):
            around = wall[j : j + 2, i : i + 2]
            if around.sum() == 1:
                corners.append((2 * i, 2 * j))
            if around.sum() == 2 and around[0, 0] == around[1, 1]:
                pinches.append((2 * i, 2 * j))
    return np.array(corners, np.int64).reshape(-1, 2), np.array(pinches, np.int64).reshape(-1, 2)


def see(points, others, boxes, pinches):
    """Return which points see which others, by separating lines: exact, since all are whole numbers."""
    px, py = points[:, 0][:, None], points[:, 1][:, None]
    qx, qy = others[:, 0][None, :], others[:, 1][None, :]
    dx, dy = qx - px, qy - py
    free = np.ones((len(points), len(others)), bool)
    for x0, x1, y0, y1 in boxes:
        apart = (np.maximum(px, qx) <= x0) | (np.minimum(px, qx) >= x1)
        apart |= (np.maximum(py, qy) <= y0) | (np.minimum(py, qy) >= y1)
        sides = [dx * (y - py) - dy * (x - px) for x in (x0, x1) for y in (y0, y1)]
        apart |= np.minimum.reduce(sides) >= 0
        apart |= np.maximum.reduce(sides) <= 0
        free &= apart
    for x, y in pinches:
        on = (dx * (y - py) - dy * (x - px) == 0) & ((x - px) * (x - qx) + (y - py) * (y - qy) < 0)
        free &= ~on
    return free


def measure(points, others, seen):
    """Return the distances between points that see each other, inf for the rest."""
    delta = (points[:, None, :] - others[None, :, :]).astype(float)
    return np.where(seen, 0.5 * np.sqrt((delta**2).sum(axis=2)), np.inf)


def all_lengths(passable, corners="never", clearance=1):
    """Return the free cells (x, y), and the length of the shortest path between each two."""
    walk = stand(np.asarray(passable, bool), clearance)
    boxes, (bends, pinches) = list_obstacles(walk), list_corners(walk)
    if corners == "always":
        bends, pinches = np.concatenate((bends, pinches)), pinches[:0]
    ys, xs = np.nonzero(walk)
    cells = np.stack((xs, ys), axis=1)
    centres = 2 * cells.astype(np.int64) + 1
    between = measure(bends, bends, see(bends, bends, boxes, pinches))
    for k in range(len(bends)):
        between = np.minimum(between, between[:, k : k + 1] + between[k : k + 1, :])
    ways = measure(centres, bends, see(centres, bends, boxes, pinches))
    lengths = measure(centres, centres, see(centres, centres, boxes, pinches))
    for k in range(len(bends)):
        through = (ways + between[k][None, :]).min(axis=1)
        lengths = np.minimum(lengths, ways[:, k : k + 1] + through[None, :])
    return cells, lengths
