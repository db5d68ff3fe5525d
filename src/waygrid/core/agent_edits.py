"""Real-time agents on a map that changes: moves that an edit has made illegal are taken back."""

from waygrid.core import agents as of
from waygrid.core import layout as at
from waygrid.core.agents import direction, give_chunk
from waygrid.core.jit import jit

KEPT = of.ACROSS + 1  # fields of a row that a move changes, from CELL on


@jit
def take_back(geo, moves, agents, before, positions, numbers) -> int:
    """Take illegal moves of the last step back; list who made them, and return how many.

    before: the first KEPT fields of all rows before the step.
    """
    count, width = 0, geo[at.WIDTH]
    for i in range(len(agents)):
        cell = before[i, of.CELL]
        if agents[i, of.CELL] == cell or before[i, of.STATE] != at.RUNNING:
            continue
        if (moves[cell] >> direction(geo, cell, agents[i, of.CELL])) & 1:
            continue
        for field in range(KEPT):
            agents[i, field] = before[i, field]
        positions[i, 0], positions[i, 1] = cell % width, cell // width
        numbers[count] = i
        count += 1
    return count


@jit
def forget(store, ctl, agents, numbers) -> None:
    """Let agents plan anew from where they stand, without what they remember."""
    for k in range(len(numbers)):
        i = numbers[k]
        give_chunk(store, ctl, agents[i, of.BASE], agents[i, of.ROOM])
        agents[i, of.BASE], agents[i, of.ROOM], agents[i, of.USED] = 0, 1, 0
        agents[i, of.AIM] = agents[i, of.TARGET]
        for field in range(of.OWN, of.AGENT_SIZE):
            agents[i, field] = 0
