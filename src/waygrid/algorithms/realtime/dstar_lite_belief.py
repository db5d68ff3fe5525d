"""What an agent of D* Lite believes about the map, and where it finds out that the map is another.

All agents of a pool begin with one map. What an agent saw since lies in its own nodes, which are in its chunk of the
store, in a hash table as those of `sparse`. A belief says whether the agent can stand at a cell. With a clearance
above 1 this is about the cell of its top left corner: an agent that sees so many cells around its body knows just these
places.
"""

from typing import NamedTuple

from waygrid.core import agents as agent
from waygrid.core import layout as at
from waygrid.core.jit import Array, int64, jit
from waygrid.core.moves import allow_moves
from waygrid.core.sparse import node_place

# The row of an agent, behind what all have.
OPEN = agent.OWN  # cells on the open list
MOST_OPEN = agent.OWN + 1
LEFT = agent.OWN + 2  # 1 + expansions left in this step, 0 between steps
HERE = agent.OWN + 3  # the node at which the agent is
LAST = agent.OWN + 4  # the cell at which it was when keys were last corrected [s_last in the paper]
RAISED = agent.OWN + 5  # by how much keys were raised since the start [k_m]
PLANNING = agent.OWN + 6  # 1: the plan may be out of date
LOOKED = agent.OWN + 7  # cells in sight that were compared, -1: all
LEAST = agent.OWN + 8  # the least weight of a cell, which estimates count on

STANDS = 256  # in `ways` of a node, beside the byte of its moves
NONE = -1  # in place of a cost that is infinite


class Beliefs(NamedTuple):
    """Where agents can stand, and where they believe so at first; one byte per cell each."""

    walk: Array
    known_walk: Array
    known_moves: Array


@jit
def find_or_make(known_walk, known_moves, nodes, agents, i: int, cell: int) -> int:
    """Return the number of a cell's node; there is room for a new one."""
    place = node_place(nodes, nodes.size, cell)
    k = int64(nodes[place]["hash"])
    if k < 0:
        k = agents[i, agent.USED]
        nodes[place]["hash"] = k
        nodes[k]["cell"], nodes[k]["g"], nodes[k]["rhs"], nodes[k]["next"] = cell, NONE, NONE, agent.EMPTY
        nodes[k]["ways"] = int64(known_moves[cell]) + (STANDS if known_walk[cell] else 0)
        agents[i, agent.USED] += 1
        agents[i, agent.SEEN] += 1
    return k


@jit
def believes(known_walk, nodes, cell: int) -> bool:
    """Return whether the agent believes that it can stand at a cell."""
    k = int64(nodes[node_place(nodes, nodes.size, cell)]["hash"])
    own = int64(nodes[max(k, 0)]["ways"]) & STANDS
    return bool(known_walk[cell] != 0) if k < 0 else own != 0


@jit
def recall_moves(known_moves, nodes, cell: int) -> int:
    """Return the moves of a cell by which the agent plans, as a bit set."""
    k = int64(nodes[node_place(nodes, nodes.size, cell)]["hash"])
    own = int64(nodes[max(k, 0)]["ways"]) & 255
    return int64(known_moves[cell]) if k < 0 else own


@jit
def believed_moves(known_walk, nodes, geo, x: int, y: int) -> int:
    """Return the moves of a cell that are legal if the agent's belief is true, as a bit set."""
    around, width = 0, geo[at.WIDTH]
    for place in range(9):
        near_x, near_y = x + place % 3 - 1, y + place // 3 - 1
        if 0 <= near_x < width and 0 <= near_y < geo[at.HEIGHT]:
            if believes(known_walk, nodes, near_y * width + near_x):
                around |= 1 << place
    return allow_moves(geo, x, around)


@jit
def next_surprise(moves, walk, known_walk, geo, policy, store, agents, i: int) -> int:
    """Return the next cell in sight of which the agent believes what is not so, -1 if there is none left.

    Its own cell is one that it can leave: a cell that is blocked for one query can be, one that was closed cannot.
    """
    base, room, cell = agents[i, agent.BASE], agents[i, agent.ROOM], agents[i, agent.CELL]
    nodes, width, radius = store[base : base + room], geo[at.WIDTH], policy[at.RADIUS]
    x, y = cell % width, cell // width
    left, top = max(x - radius, 0), max(y - radius, 0)
    columns = min(x + radius, width - 1) + 1 - left
    last = columns * (min(y + radius, geo[at.HEIGHT] - 1) + 1 - top)
    looked, found = agents[i, LOOKED], -1
    while looked < last and found < 0:
        n = (top + looked // columns) * width + left + looked % columns
        looked += 1
        stands = (walk[n] != 0) | ((n == cell) & (moves[n] != 0))
        if believes(known_walk, nodes, n) != stands:
            found = n
    agents[i, LOOKED] = looked if found >= 0 else -1
    return found
