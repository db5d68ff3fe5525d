"""Random maps under the rules that zones know, as a hypothesis strategy."""

import numpy as np
from cases import CORNERS
from hypothesis import strategies as st
from oracle import SQUARE, Case

import waygrid as wg

KINDS = ("random", "sparse", "dense", "thin", "rooms", "maze", "caves")
LENGTHS = (None, None, 1, 2, 3)


@st.composite
def worlds(draw, kinds=KINDS, one_way=True, largest=16):
    """Draw a map of one of the kinds under one of the rules that zones know; its size and cells come from a seed."""
    kind, seed = draw(st.sampled_from(kinds)), draw(st.integers(0, 2**32 - 1))
    chance = np.random.Generator(np.random.PCG64(seed))
    width, height = chance.integers(1, largest, 2, endpoint=True).tolist()
    if kind == "thin":
        width, height = ((1, 2 * height), (2 * width, 1), (2, 2 * height), (2 * width, 2))[seed % 4]
    walls = {"random": 0.25, "sparse": 0.08, "dense": 0.45, "thin": 0.2}
    if kind in walls:
        passable = chance.random((height, width)) >= walls[kind]
    else:
        options = {"rooms": {"room": 3, "loops": 0.3}, "maze": {"loops": 0.2}, "caves": {}}[kind]
        passable = wg.generate(kind, width=width + 8, height=height + 6, seed=seed, **options).passable
    rules = draw(st.sampled_from(("tile", "octile", "octile", "octile"))), draw(st.sampled_from(CORNERS))
    case = Case(np.array(passable), *rules, clearance=draw(st.sampled_from((1, 1, 1, 2))))
    if one_way and draw(st.booleans()):
        for cell in case.cells():
            if chance.random() < 0.3:
                case.one_way[cell] = {name for name in case.steps(0) if chance.random() < 0.4}
    return case


def gates_of_moves(case, grid, ports):
    """Return the gate of every move between zones that the package lists, and check whose port it is."""
    width = case.passable.shape[1]
    gate_of = {}
    for cell, direction, port in ports.moves.tolist():
        x, y = cell % width, cell // width
        dx, dy = SQUARE[grid.directions[direction]]
        move = (x, y), (x + dx, y + dy)
        assert move not in gate_of
        gate_of[move] = int(ports.gate[port])
        zone, other = int(ports.zone[cell]), int(ports.zone[(y + dy) * width + x + dx])
        assert ports.first[zone] <= port < ports.first[zone + 1]
        assert ports.enters[port] == other
        assert ports.enters[ports.opposite[port]] == zone
        assert ports.gate[ports.opposite[port]] == ports.gate[port]
    return gate_of
