"""Where things lie in the arrays of a crowd."""

from waygrid.core.flood import FAR as FAR  # in `fields`: no way leads to the goal

# --- The row of an agent: int32; 16 of them are one cache line -------------------------------------------------------
CELL = 0
NEXT = 1  # where it goes in this step, -1: not decided
GOAL = 2
FIELD = 3  # the row of `fields` that ranks its moves, or one of the two below
TOP = 4  # moves left on its route, the next one last
BASE = 5  # where its route lies in `routes`
ROOM = 6  # and how many moves it may have
STILL = 7  # 1: it never moves
LEVEL = 8  # the priority that the user gave it
ASKS = 9  # 1: it needs another route
LONG = 10  # moves that were on the route at first
AGENT_SIZE = 16

ROUTE = -1  # in FIELD: it follows a route of its own
NOWHERE = -2  # in FIELD: no way leads to its goal; it waits, and makes room for others

# --- The board: int32, (cells, 2). Both numbers of a cell are in one cache line. --------------------------------------
NOW, TAKEN = 0, 1  # who stands there, and who will; -1: nobody

# --- The moves that an agent may try, best first: int64, one row for each agent that waits for another's decision -----
COUNT = 9  # behind the keys of eight moves and of waiting
WHOLE = 10  # 0: only the next move of its route is listed so far
WHO = 11
PARTNER = 12  # with whom it changes places: it tries its moves worst first, -1: nobody
TRIED = 13  # moves so far
TRY_SIZE = 14
STAY = 8  # in the place of a direction

# --- The state of the crowd: `state`, int64 --------------------------------------------------------------------------
SEED = 0
ASKED = 1  # agents that need another route
STEPS = 2
STATE_SIZE = 4

SLACK = 24  # moves that a route may grow by, when others push its agent aside
