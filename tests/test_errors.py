"""Errors show values in short: never a whole array, whatever is handed over."""

import contextlib

import numpy as np
import pytest

import waygrid as wg
from waygrid.draw.maps import draw_map
from waygrid.errors import show
from waygrid.search.names import suggest

pytestmark = pytest.mark.quick

LONGEST = 700  # the list of algorithms and a hint are in some of them

BIG = {
    "array": np.full((300, 200), 0.5),
    "list": [[70_000] * 300 for _ in range(200)],
    "numbers": np.arange(90_000) + 5,
    "masked": np.ma.masked_less(np.full((300, 200), 0.5), 0),
    "text": "wall " * 5000,
    "dict": {(x, 0): np.zeros((50, 50)) for x in range(2000)},
}

GRID = wg.Grid(np.ones((4, 5)))
FINDER = wg.make_finder("astar", GRID)
LRTA = wg.make_finder("lrta", GRID)
GRAPH = wg.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)])
ON_GRAPH = wg.make_finder("astar", GRAPH)
PLACED = wg.Grid([[1, 1]], georeference=wg.Georeference((1, 0, 0, 0, 1, 0), "EPSG:32632"))
FIELD = wg.distances(GRID, (0, 0))
PATH = FINDER.find((0, 0), (4, 3))
STRAIGHT = PATH.straighten()
CROWD = wg.Crowd(GRID, [(0, 0)], [(1, 1)])
POSE = (1.0, (0, 0, 0))
PORTAL = ((0, 0, 0), (0, 1, 1))

CALLS = {
    "Grid": wg.Grid,
    "Grid topology": lambda value: wg.Grid([[1]], topology=value),
    "Grid corners": lambda value: wg.Grid([[1]], corners=value),
    "Grid metric": lambda value: wg.Grid([[1]], metric=value),
    "Grid weights": lambda value: wg.Grid([[1]], weights=value),
    "Grid clearance": lambda value: wg.Grid([[1]], clearance=value),
    "from_costs": lambda value: wg.Grid.from_costs(value, scale=1),
    "from_costs scale": lambda value: wg.Grid.from_costs([[1]], scale=value),
    "from_costs nodata": lambda value: wg.Grid.from_costs([[1]], nodata=value),
    "from_xarray": wg.Grid.from_xarray,
    "Georeference": wg.Georeference,
    "Georeference crs": lambda value: wg.Georeference((1, 0, 0, 0, 1, 0), value),
    "Georeference distortion": lambda value: wg.Georeference((1, 0, 0, 0, 1, 0), distortion=value),
    "Grid georeference": lambda value: wg.Grid([[1]], georeference=value),
    "from_resolution": wg.Georeference.from_resolution,
    "to_world": PLACED.to_world,
    "to_cell": PLACED.to_cell,
    "corridor": lambda value: wg.corridor(GRID, (0, 0), value),
    "within": lambda value: wg.corridor(GRID, (0, 0), (3, 3)).within(value),
    "to_geojson": lambda value: wg.make_finder("astar", PLACED).find((0, 0), (1, 0)).to_geojson(value),
    "from_file": wg.Grid.from_file,
    "save": GRID.save,
    "set_passable where": lambda value: GRID.set_passable(value, True),
    "set_passable value": lambda value: GRID.set_passable((0, 0), value),
    "set_weight where": lambda value: GRID.set_weight(value, 1),
    "set_weight weight": lambda value: GRID.set_weight((0, 0), value),
    "set_one_way where": lambda value: GRID.set_one_way(value, None),
    "set_one_way allowed": lambda value: GRID.set_one_way((0, 0), value),
    "generate kind": lambda value: wg.generate(value, width=4, height=4),
    "generate width": lambda value: wg.generate("maze", width=value, height=4),
    "generate seed": lambda value: wg.generate("maze", width=4, height=4, seed=value),
    "generate option": lambda value: wg.generate("maze", width=4, height=4, loops=value),
    "make_finder": lambda value: wg.make_finder(value, GRID),
    "make_finder grid": lambda value: wg.make_finder("astar", value),
    "make_finder option": lambda value: wg.make_finder("astar", GRID, weight=value),
    "make_finder heuristic": lambda value: wg.make_finder("astar", GRID, heuristic=value),
    "make_finder device": lambda value: wg.make_finder("jps+", GRID, device=value),
    "make_finder memory": lambda value: wg.make_finder("jps+", GRID, memory=value),
    "load_finder": lambda value: wg.load_finder(value, GRID),
    "find start": lambda value: FINDER.find(value, (0, 0)),
    "find goal": lambda value: FINDER.find((0, 0), value),
    "find max_expansions": lambda value: FINDER.find((0, 0), (1, 1), max_expansions=value),
    "find max_time": lambda value: FINDER.find((0, 0), (1, 1), max_time=value),
    "find blocked": lambda value: FINDER.find((0, 0), (1, 1), blocked=value),
    "find_many starts": lambda value: FINDER.find_many(value, [(0, 0)]),
    "find_many threads": lambda value: FINDER.find_many([(0, 0)], [(0, 0)], threads=value),
    "find_nearest": lambda value: FINDER.find_nearest((0, 0), value),
    "start": lambda value: FINDER.start(value, (0, 0)),
    "advance": lambda value: FINDER.start((0, 0), (3, 3)).advance(value),
    "trace": lambda value: FINDER.trace((0, 0), value),
    "agent": lambda value: LRTA.agent((0, 0), value),
    "agent expansions": lambda value: LRTA.agent((0, 0), (1, 1), value),
    "distances": lambda value: wg.distances(GRID, value),
    "distances max_cost": lambda value: wg.distances(GRID, (0, 0), max_cost=value),
    "distances blocked": lambda value: wg.distances(GRID, (0, 0), blocked=value),
    "step": FIELD.step,
    "graph finder": lambda value: wg.make_finder(value, GRAPH),
    "graph find": lambda value: ON_GRAPH.find(0, value),
    "graph find_many": lambda value: ON_GRAPH.find_many([0], value),
    "graph weight": lambda value: wg.make_finder("astar", GRAPH, weight=value),
    "node_at": GRAPH.node_at,
    "Graph points": lambda value: wg.Graph(value, []),
    "Graph edges": lambda value: wg.Graph([(0, 0), (1, 0)], value),
    "decompose": lambda value: wg.decompose(GRID, value),
    "draw_map": draw_map,
    "draw_map path": lambda value: draw_map(GRID, path=value),
    "draw_map topology": lambda value: draw_map(GRID, topology=value),
    "draw_map scale": lambda value: draw_map(GRID, scale=value),
    "inflate": GRID.inflate,
    "inflate falloff": lambda value: GRID.inflate(1, falloff=value, reach=3),
    "inflate reach": lambda value: GRID.inflate(1, falloff="linear", reach=value),
    "inflate cost": lambda value: GRID.inflate(1, falloff="linear", reach=3, cost=value),
    "inflate steepness": lambda value: GRID.inflate(1, falloff="exponential", reach=3, steepness=value),
    "from_occupancy": lambda value: wg.Grid.from_occupancy(value, 3, 2, *POSE),
    "from_occupancy width": lambda value: wg.Grid.from_occupancy([0], value, 1, *POSE),
    "from_occupancy resolution": lambda value: wg.Grid.from_occupancy([0], 1, 1, value, (0, 0)),
    "from_occupancy origin": lambda value: wg.Grid.from_occupancy([0], 1, 1, 1.0, (value, 0)),
    "from_costmap": lambda value: wg.Grid.from_costmap(value, 3, 2, *POSE),
    "transform": lambda value: wg.Georeference((value, 0, 0, 0, 1, 0)),
    "straighten": PATH.straighten,
    "straighten rounds": lambda value: PATH.straighten(rounds=value),
    "prefer": lambda value: FINDER.find((0, 0), (1, 1), prefer=value),
    "curve": STRAIGHT.curve,
    "Crowd": lambda value: wg.Crowd(GRID, value, value),
    "Crowd finder": lambda value: wg.Crowd(GRID, [(0, 0)], [(1, 1)], finder=value),
    "set_goals": lambda value: CROWD.set_goals([0], value),
    "set_goals indices": lambda value: CROWD.set_goals(value, (1, 1)),
    "add": lambda value: CROWD.add(value, [(0, 0)]),
    "remove": CROWD.remove,
    "set_priorities": lambda value: CROWD.set_priorities([0], value),
    "set_stationary": lambda value: CROWD.set_stationary([0], value),
    "plan": lambda value: CROWD.plan(max_time=value),
    "reservations": lambda value: FINDER.find((0, 0), (1, 1), reservations=value),
    "reserve": wg.Reservations(GRID).add,
    "teams": lambda value: FINDER.find_many([(0, 0)], [(1, 1)], blocked=[[(2, 2)]], teams=value),
    "Levels": lambda value: wg.Levels([value], []),
    "Levels portals": lambda value: wg.Levels([GRID], [value]),
    "Levels portal": lambda value: wg.Levels([GRID], [(*PORTAL, value)]),
    "Levels find": lambda value: wg.Levels([GRID], []).find(value, (0, 1, 1)),
    "auto memory": lambda value: wg.make_finder("auto", GRID, memory=value),
    "auto seconds": lambda value: wg.make_finder("auto", GRID, build_seconds=value),
    "advise budget": lambda value: wg.advise(GRID, budget=value),
    "advise algorithms": lambda value: wg.advise(GRID, algorithms=[value]),
}


NAMES_OF_FILES = ("from_file", "save", "load_finder")  # texts are shown as they are
CASES = [
    pytest.param(call, value, id=f"{name}, {kind}")
    for name, call in CALLS.items()
    for kind, value in BIG.items()
    if not (kind == "text" and name in NAMES_OF_FILES)
]


@pytest.mark.parametrize(("call", "value"), CASES)
def test_no_error_prints_a_whole_value(call, value):
    with pytest.raises(wg.WaygridError) as caught:
        call(value)
    message = str(caught.value)
    assert len(message) < LONGEST, message[:1000]
    assert "\n" not in message


@pytest.mark.parametrize("value", [10**400, -(10**400)], ids=["huge", "far below zero"])
@pytest.mark.parametrize("call", [*CALLS.values(), STRAIGHT.along], ids=[*CALLS, "along"])
def test_integers_may_have_any_size(call, value):
    """What is larger than any float is large, and refused or used as such."""
    with contextlib.suppress(wg.WaygridError):
        call(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("A*", "'A*'"),
        ((3, 4), "(3, 4)"),
        (1.5, "1.5"),
        (None, "None"),
        (np.zeros((2, 3), np.int8), "<ndarray of shape (2, 3) and type int8>"),
        (np.ma.zeros(9), "<MaskedArray of shape (9,) and type float64>"),
        ([np.zeros(9)] * 3, "[" + ", ".join(["<ndarray of shape (9,) and type float64>"] * 3) + "]"),
        (list(range(99)), "[0, 1, 2, 3, 4, 5, ...]"),
        (slice(1, 2), "slice(1, 2, None)"),
    ],
)
def test_how_values_are_shown(value, text):
    assert show(value) == text


def test_long_texts_are_cut():
    assert len(show("x" * 10_000)) < 200
    assert len(show([["y" * 10_000] * 99] * 99)) < 200


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("A*", "astar"),
        ("a*", "astar"),
        ("a_star", "astar"),
        ("A star", "astar"),
        ("AStar", "astar"),
        ("A* search", "astar"),
        ("Dijkstra", "dijkstra"),
        ("dijkstra's algorithm", "dijkstra"),
        ("dijkstras", "dijkstra"),
        ("JPS", "jps"),
        ("JPS+", "jps+"),
        ("jps_plus", "jps+"),
        ("JPS+GB", "jps+gb"),
        ("jps-plus-gb", "jps+gb"),
        ("jump point search", "jps"),
        ("bfs ", "bfs"),
        ("Breadth-first search", "bfs"),
        ("DFS", "dfs"),
        ("greedy", "best-first"),
        ("best_first", "best-first"),
        ("IDA*", "ida"),
        ("LRTA*", "lrta"),
        ("TBA*", "tba"),
        ("DBA*", "dba"),
        ("PRA*", "pra"),
        ("kNN LRTA*", "knn-lrta"),
        ("jsp", "jps"),
    ],
)
def test_usual_spellings_of_algorithms_are_understood(said, meant):
    with pytest.raises(wg.WaygridError, match="there is no algorithm") as caught:
        wg.make_finder(said, GRID)
    assert f"did you mean '{meant}'?" in str(caught.value)
    assert suggest(said, wg.algorithms()) == meant


def test_nothing_is_suggested_where_nothing_is_close():
    assert suggest("quick-sort", wg.algorithms()) is None
    with pytest.raises(wg.WaygridError, match="'quick-sort'; allowed are bfs, "):
        wg.make_finder("quick-sort", GRID)
    with pytest.raises(wg.WaygridError, match=r"'A\*' for a Graph; did you mean 'astar'"):
        wg.make_finder("A*", GRAPH)
