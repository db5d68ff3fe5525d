"""Distances to goals on ground of one weight, in 31 bits: what ranks the moves of a crowd."""

import numpy as np

from waygrid.core import layout as at
from waygrid.core.jit import int64, jit

FAR = 2**31 - 1  # no way leads to the goal


@jit
def _flood(into, geo, straight: int, diagonal: int, goal: int, field, cells, costs) -> bool:
    """Write the distance of every cell to the goal; return whether they fit into 31 bits.

    With two prices the open list is two queues, one for the cells that were reached by a straight move and one for
    those by a diagonal: in each, costs never fall. So a cell enters each of them at most once, and no heap or bucket is
    needed.
    """
    width, octile = geo[at.WIDTH], geo[at.TOPOLOGY] == at.OCTILE
    for cell in range(field.size):
        field[cell] = FAR
    field[goal] = 0
    cells[0, 0], costs[0, 0] = goal, 0
    first = second = second_end = 0
    first_end = 1
    while first < first_end or second < second_end:
        which = 0
        if first == first_end or (second < second_end and costs[1, second] < costs[0, first]):
            which = 1
            cell, cost = int64(cells[1, second]), int64(costs[1, second])
            second += 1
        else:
            cell, cost = int64(cells[0, first]), int64(costs[0, first])
            first += 1
        if field[cell] != cost:
            continue
        if cost + diagonal >= FAR:
            return False
        byte = int64(into[cell])
        row = at.STEP + 8 * (cell % width & 1)
        for d in range(8):
            if (byte >> d) & 1:
                n = cell + geo[row + d]
                which = 1 if octile and d >= 4 else 0
                price = cost + (diagonal if which else straight)
                if price < field[n]:
                    field[n] = price
                    if which:
                        cells[1, second_end], costs[1, second_end] = n, price
                        second_end += 1
                    else:
                        cells[0, first_end], costs[0, first_end] = n, price
                        first_end += 1
    return True


@jit
def flood_fields(into, geo, straight: int, diagonal: int, goals, places, fields) -> bool:
    """Write the fields of some goals into their places; return whether all distances fit into 31 bits."""
    cells = np.empty((2, into.size + 1), np.int32)
    costs = np.empty((2, into.size + 1), np.int32)
    fits = True
    for k in range(goals.size):
        fits &= _flood(into, geo, straight, diagonal, goals[k], fields[places[k]], cells, costs)
    return fits
