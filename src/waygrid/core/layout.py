"""Where things lie in the small integer arrays that kernels take, and the records of search memory.

A kernel call costs about 70 ns per array, and 600 ns more for a named tuple of them, so tables travel packed in one
array; inside a kernel they are taken out once, by these names.
"""

import numpy as np

# --- Topologies, corner rules and price rules -----------------------------------------------------------------------
TILE, OCTILE, HEX, TEX = 0, 1, 2, 3
NEVER, ONE, ALWAYS = 0, 1, 2
# What a move costs: its length times the weight of the cell entered, or times the weights of both cells together.
ENTER, MEAN = 0, 1

# --- The geometry array of a grid: `geo`, int64 ----------------------------------------------------------------------
WIDTH = 0
HEIGHT = 1
TOPOLOGY = 2
CORNERS = 3
CARDINAL = 4
DIAGONAL = 5
MIN_WEIGHT = 6  # the least factor of a move, by the weights of passable cells: what a heuristic may count on
CLEARANCE = 7
STEP = 8  # 2 x 8: offset of the neighbour in direction d, for cells in even and in odd columns
DX = 24  # 8
DY = 32  # 2 x 8
COST = 48  # 8
OPPOSITE = 56  # 8
RULE = 64
GEO_SIZE = 65

# --- What a search is asked to do: `policy`, int64, fixed per finder --------------------------------------------------
HEURISTIC = 0  # one of the kinds below
H_MAX = 1  # h = (H_MAX * max(dx, dy) + H_MIN * min(dx, dy)) >> H_SHIFT for LINEAR
H_MIN = 2
KEY_G = 3  # -1: keys are g + h; 0: keys are h alone (best-first)
REOPEN = 4  # 1: a closed cell that is reached more cheaply is opened again
READING = 5  # astar-overestimate: 0 none, 1 to 4 = K1 to K4
OVER_MAX = 6  # the overestimate's factors, as H_MAX and H_MIN
OVER_MIN = 7
REVERSE = 8  # 1: moves are followed backwards (needs the reversed move table)
LIMIT_STEPS = 9  # walks: give up after so many moves
BOTH_ENDS = 10  # bibfs: 1
DEEPENING = 11  # iddfs: 1
PRUNING = 12  # ida
AVOID = 13  # step: the way round an obstacle
SEED = 14  # step: of random moves
ONE_WAY = 15  # step: the map has one-way tiles, so a circle proves nothing
BUCKET_SHIFT = 16  # jump point search, and the coarse level on large maps: a bucket holds 2 ** so many keys
TRIM = 17  # pra, dba, hcdps: how paths are trimmed
LOOKAHEAD = 18  # lrta and its guided kin: moves
LONGEST = 19  # lrta and its guided kin: no path costs more
NEAREST = 20  # knn-lrta: records that are tried
FALLBACK = 21  # knn-lrta: 1: a record that hill climbing does not reach will do
STEP_WORK = 22  # tba: expansions per move of `find`
SPLIT = 23  # tba: thousandths of the work that go into expanding
APART_BELOW = 24  # turntable: costs below this tell how many moves are straight and how many diagonal; 0: none do
INVERSE = 25  # turntable: of the diagonal price, modulo the straight one
RADIUS = 26  # dstar-lite: cells that an agent sees in each direction
LEAST_WEIGHT = 27  # dstar-lite: of all cells, walls too, since walls may turn out to be none
LINE_UNIT = 28  # jpsw: cost of a cell of mean weight, in which the next two count
LINE_CELLS = 29  # jpsw: after so many cells a line waits
LINE_SLACK = 30  # jpsw: and where the estimate of a whole path exceeds that of the open list by so many
LAZY = 31  # theta: 1: lines of sight are looked at when a cell is expanded
POLICY_SIZE = 32

H_SHIFT = 10  # fixed point of the heuristic's factors, so that weights such as 1.2 keep integers
LINEAR, EUCLIDEAN, VANCOUVER, VANCOUVER_PRINTED = 0, 1, 2, 3

# --- The state of a search: `ctl`, int64 -----------------------------------------------------------------------------
SEARCH = 0  # number of the search; stamps every record it touches; what lies between BUDGET and BEGAN begins at 0
BUDGET = 1  # expansions left in this call
EXPANDED = 2
GENERATED = 3
OPEN = 4  # cells in the open list now
PEAK = 5
KEY = 6  # key of the current bucket
START = 7
GOAL = 8
BEST = 9  # closest cell so far, by heuristic and then by cost (-1: not tracked)
BEST_H = 10
BEST_G = 11
LATCH = 12  # astar-overestimate: 1 once an obstacle was met
EVENTS = 13  # rows written to the event buffer
SEQUENCE = 14  # counts insertions: among equal keys the newest comes first
ESTIMATE = 15  # h(start)
END = 16  # where the returned path ends
PAUSE = 17  # why the kernel came back early
BOUND = 18  # depth-first family: the limit of this iteration
NEXT_BOUND = 19
DEPTH = 20
DEADLINE = 21
TOUCHED = 22  # records stamped: the nodes in memory
LIMIT = 23  # expansions allowed for this query, -1 = no limit
FLAGS = 24
CLOCK = 25  # 2: scratch of the clock
STATUS = 28
LISTED = 27  # cells of the path that lie in `queue`, in order; 0: follow the directions in the records
LISTED_AT = 29  # where the first waypoint of a path that is listed by its waypoints lies
USER = 30  # free for one algorithm's own state
BEGAN = 49  # ticks at which the current query began, which is when the one before it ended; 0: nobody wants to know
CTL_SIZE = 50
INFINITE = 2**63 - 1

RUNNING = -1
UNREACHABLE, FOUND, PARTIAL, CUTOFF = 0, 1, 2, 3
BAD_START, BAD_GOAL = 10, 11

# Reasons to come back early.
DONE, PAUSE_BUDGET, PAUSE_CELLS, PAUSE_EVENTS, PAUSE_STACK, PAUSE_STORE = 0, 1, 2, 3, 4, 5
PAUSE_DAMAGED = 6  # the index leads out of the map or round in a circle: the query cannot be answered

# Flags of a query.
WANT_PARTIAL = 1  # search on when the goal cannot be reached, and end at the closest cell (best-first kernel only)
TRACK_BEST = 2  # remember the closest cell, for the path that a limit leaves
CHECK_REACH = 16  # the goal may be cut off within its part of the map (one-way tiles, blocked cells): ida looks first
FORGET_PATHS = 8  # `cells` is overwritten by every path; rows are all that is wanted
KEEP_WAYPOINTS = 32  # paths are left as waypoints, where a kernel has them: `legs.expand` writes the cells later
KEEP_ENDS = 128  # turntable: paths are left as their first and last spots, in ROW_OFFSET
TIMED = 64  # write into each row how long the query took
WALL_GOAL = 4  # a goal in a wall is out of reach, not an error

# --- What is asked of a kernel: `ask`, int64 -------------------------------------------------------------------------
ASK_FIRST, ASK_LAST = 0, 1  # queries first to last - 1
ASK_RESUME = 2  # 1: the first of them is running already
ASK_FLAGS = 3
ASK_LIMIT = 4  # expansions a query may take, -1 = no limit
ASK_NS = 5  # nanoseconds a query may take, 0 = no limit
ASK_BUDGET = 6  # expansions of the whole call, after which the kernel comes back
ASK_SIZE = 7

# --- A row of results: int64 -----------------------------------------------------------------------------------------
ROW_STATUS = 0
ROW_LENGTH = 1
ROW_STRAIGHT = 2  # sum of the factors of straight moves: entered weights, or those of both cells (rule "mean")
ROW_DIAGONAL = 3
ROW_COST, ROW_DISTANCE = 2, 3  # of straight paths: what the legs cost, and their length, as the bits of floats
ROW_EXPANDED = 4
ROW_GENERATED = 5
ROW_PEAK = 6
ROW_ESTIMATE = 7
ROW_TOUCHED = 8
ROW_OFFSET = 9
ROW_TICKS = 10  # how long the query took, where TIMED was asked for; see `clock.ticks`
ROW_SIZE = 11

# --- Search memory ---------------------------------------------------------------------------------------------------
# state = search number << 4 | closed << 3 | direction by which the cell was entered. A record whose number is not that
# of the running search is unseen, so nothing is ever cleared between queries. `next` and `prev` link the cells of a
# bucket; in the heap they hold the place and the number of the insertion.
NODE = np.dtype([("g", "<i4"), ("state", "<u4"), ("next", "<i4"), ("prev", "<i4")])
NODE_WIDE = np.dtype([("g", "<i8"), ("state", "<u4"), ("next", "<i4"), ("prev", "<i4")])
TURN = np.dtype([("g", "<i4"), ("state", "<u4"), ("next", "<i4"), ("prev", "<i4"), ("parent", "<i4")])
TURN_WIDE = np.dtype([("g", "<i8"), ("state", "<u4"), ("next", "<i4"), ("prev", "<i4"), ("parent", "<i4")])
WORD, WORD_WIDE = np.dtype("<i4"), np.dtype("<i8")  # of searches on large maps: see `compact`
CLOSED = 8
LAST_SEARCH = 2**27 - 1  # then the stamps are cleared, and only then

EVENT = np.dtype([("kind", "u1"), ("node", "<i4"), ("parent", "<i4"), ("g", "<i8"), ("h", "<i8")])
E_SOURCE, E_DESTINATION, E_GENERATING, E_EXPANDING, E_UPDATING, E_CLOSING, E_END = 0, 1, 2, 3, 4, 5, 6
E_SUBGOAL, E_PRUNED, E_MOVE, E_BOUND = 8, 10, 12, 13
EVENT_ROOM = 40  # rows that one expansion may need: the search pauses when fewer are left
