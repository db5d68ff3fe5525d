"""The classic searches."""

from waygrid.options import Choice, Integer, Number
from waygrid.search.declaration import AlgorithmInfo

_TOOL = "Efficient Path Finding for 2D Games (Kumar et al.)"

HEURISTIC = Choice(
    None,
    "estimate; default: exact on the empty map",
    choices=("manhattan", "octile", "chebyshev", "euclidean", "vancouver", "vancouver-printed", "zero"),
)
WEIGHT = Number(1.0, "factor of the estimate; above 1, admissible ones bound the cost by it", least=0, greatest=100)

ALGORITHMS = (
    AlgorithmInfo(
        "bfs",
        "breadth-first search: fewest moves, whatever they cost",
        _TOOL,
        mean=True,
        place="classic.breadth:Bfs",
        aliases=("breadth first",),
        page="searches.md#bfs",
        memory="20 bytes",
    ),
    AlgorithmInfo(
        "bibfs",
        "breadth-first search from both ends: fewest moves",
        _TOOL,
        mean=True,
        place="classic.breadth:BiBfs",
        aliases=("bidirectional", "bidirectional bfs", "bidirectional breadth first"),
        page="searches.md#bibfs",
        memory="20 bytes",
    ),
    AlgorithmInfo(
        "dfs",
        "depth-first search: some path",
        _TOOL,
        mean=True,
        place="classic.depth:Dfs",
        aliases=("depth first",),
        page="searches.md#dfs",
        memory="16 bytes",
    ),
    AlgorithmInfo(
        "iddfs",
        "depth-first search with a growing limit: fewest moves",
        _TOOL,
        exponential=True,
        mean=True,
        place="classic.depth:Iddfs",
        aliases=("iterative deepening", "iterative deepening dfs", "iterative deepening depth first", "ids"),
        page="searches.md#iddfs",
        memory="16 bytes",
    ),
    AlgorithmInfo(
        "dijkstra",
        "cheapest path by cost so far alone",
        _TOOL,
        optimal=True,
        mean=True,
        large=True,
        place="classic.best_first:Dijkstra",
        aliases=("uniform cost", "ucs", "dijkstras"),
        page="searches.md#dijkstra",
        memory="16 bytes and the buckets; 4 on large maps",
    ),
    AlgorithmInfo(
        "best-first",
        "always the cell that looks closest to the goal: quick, not optimal",
        _TOOL,
        options={"heuristic": HEURISTIC},
        mean=True,
        place="classic.best_first:BestFirst",
        aliases=("greedy", "greedy best first", "gbfs"),
        page="searches.md#best-first",
        memory="24 bytes",
    ),
    AlgorithmInfo(
        "astar",
        "A*: cheapest path by cost so far plus estimate",
        _TOOL,
        optimal=True,
        options={"heuristic": HEURISTIC, "weight": WEIGHT},
        # A weighted estimate trades quality for time, at no memory.
        settings=({}, {"weight": 1.2}, {"weight": 1.5}, {"weight": 2.0}),
        mean=True,
        large=True,
        place="classic.best_first:AStar",
        aliases=("weighted astar", "wastar"),
        page="searches.md#astar",
        memory="16 bytes and the buckets; 4 on large maps",
    ),
    AlgorithmInfo(
        "step",
        "walk towards the goal, avoid obstacles when met",
        _TOOL,
        options={
            "avoid": Choice("robust", "way round an obstacle", choices=("random", "trace", "robust")),
            "seed": Integer(0, "of the random steps"),
            "max_steps": Integer(None, "give up after so many; default: 16 per cell of the map", least=1, unit="steps"),
        },
        mean=True,
        place="classic.step:Step",
        page="searches.md#step",
        memory="16 bytes and the walk",
    ),
    AlgorithmInfo(
        "astar-overestimate",
        "A* on Manhattan distance until an obstacle is met, then on the overestimate",
        _TOOL,
        topologies=("tile", "octile"),
        options={
            "reading": Choice("K1", "what meeting an obstacle means and changes", choices=("K1", "K2", "K3", "K4"))
        },
        mean=True,
        place="classic.best_first:AStarOverestimate",
        page="searches.md#astar-overestimate",
        memory="24 bytes",
    ),
    AlgorithmInfo(
        "ida",
        "IDA*: cheapest path with the memory of one path",
        "Grid-Based Path-Finding (Yap)",
        optimal=True,
        exponential=True,
        options={
            "heuristic": HEURISTIC,
            "pruning": Choice(
                "sound",
                "moves left out; paper = as printed, misses paths under corners never",
                choices=("sound", "paper", "reverse", "none"),
            ),
        },
        place="classic.ida:Ida",
        aliases=("iterative deepening astar",),
        page="searches.md#ida",
        memory="16 bytes and the stack",
    ),
)
