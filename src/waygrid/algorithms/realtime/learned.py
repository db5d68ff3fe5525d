"""What an agent has learned: a hash table of h, in its chunk of the store (see `agents`)."""

from waygrid.core import agents as agent
from waygrid.core.agents import give_chunk, has_chunk, larger, place_of, take_chunk
from waygrid.core.heuristics import natural
from waygrid.core.jit import int64, jit
from waygrid.core.layout import MIN_WEIGHT, WIDTH


@jit
def has_room(store, ctl, agents, i: int) -> bool:
    """Return whether an agent can remember one more value, if need be in a larger chunk."""
    room = agents[i, agent.ROOM]
    return bool((4 * (agents[i, agent.USED] + 1) <= 3 * room) | has_chunk(store, ctl, larger(room)))


@jit
def move_table(store, ctl, agents, i: int) -> None:
    """Take a larger chunk and put all values there."""
    old, room = agents[i, agent.BASE], agents[i, agent.ROOM]
    order = larger(room)
    base, wide = take_chunk(store, ctl, order), 1 << order
    for k in range(old, old + room):
        cell = int64(store[k]["cell"])
        if cell != agent.EMPTY:
            place = place_of(store, base, wide, cell)
            store[place]["cell"], store[place]["h"] = cell, store[k]["h"]
    give_chunk(store, ctl, old, room)
    agents[i, agent.BASE], agents[i, agent.ROOM] = base, wide


@jit
def learn(store, ctl, agents, i: int, cell: int, h: int) -> None:
    """Remember a value; `has_room` was asked before."""
    place = place_of(store, agents[i, agent.BASE], agents[i, agent.ROOM], cell)
    if store[place]["cell"] == agent.EMPTY:
        if 4 * (agents[i, agent.USED] + 1) > 3 * agents[i, agent.ROOM]:
            move_table(store, ctl, agents, i)
            place = place_of(store, agents[i, agent.BASE], agents[i, agent.ROOM], cell)
        store[place]["cell"] = cell
        agents[i, agent.USED] += 1
    store[place]["h"] = h


@jit
def recall(geo, store, agents, i: int, cell: int, target: int) -> int:
    """Return h of a cell: what was learned, or the distance on the empty map over the lightest ground."""
    width = geo[WIDTH]
    place = place_of(store, agents[i, agent.BASE], agents[i, agent.ROOM], cell)
    h = geo[MIN_WEIGHT] * natural(geo, cell % width, cell // width, target % width, target // width)
    return int64(store[place]["h"]) if store[place]["cell"] == cell else h
