"""waygrid: grid path finding at C++ speed, in Python.

>>> import waygrid as wg
>>> grid = wg.Grid([[1, 1, 1],
...                 [0, 0, 1],
...                 [1, 1, 1]])
>>> path = wg.make_finder("astar", grid).find((0, 0), (0, 2))
>>> path.status.name, path.cost, path.cells.tolist()
('FOUND', 6.0, [[0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [1, 2], [0, 2]])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import waygrid.algorithms  # noqa: F401 (see below)
from waygrid.version import __version__ as __version__

# `waygrid.algorithms` is the public function of that name, not the package. Python sets the attribute to the package
# once, when it is first imported: that is done here, and undone, so that it cannot happen later.
del globals()["algorithms"]

if TYPE_CHECKING:
    from waygrid.advisor.advice import Advice as Advice
    from waygrid.advisor.advise import advise as advise
    from waygrid.algorithms.classic.corridor import Corridor as Corridor
    from waygrid.algorithms.classic.corridor import corridor as corridor
    from waygrid.algorithms.classic.distances import Distances as Distances
    from waygrid.algorithms.classic.distances import distances as distances
    from waygrid.algorithms.levels import LevelPath as LevelPath
    from waygrid.algorithms.levels import Levels as Levels
    from waygrid.algorithms.make import load_finder as load_finder
    from waygrid.algorithms.make import make_finder as make_finder
    from waygrid.algorithms.zones.zones import Decomposition as Decomposition
    from waygrid.algorithms.zones.zones import decompose as decompose
    from waygrid.crowd.check import first_collision as first_collision
    from waygrid.crowd.crowd import Crowd as Crowd
    from waygrid.crowd.plan import CrowdPlan as CrowdPlan
    from waygrid.errors import WaygridError as WaygridError
    from waygrid.formats.georeference import Georeference as Georeference
    from waygrid.graph.finder import GraphFinder as GraphFinder
    from waygrid.graph.graph import Graph as Graph
    from waygrid.graph.path import GraphBatch as GraphBatch
    from waygrid.graph.path import GraphPath as GraphPath
    from waygrid.grid.grid import Grid as Grid
    from waygrid.grid.make import generate as generate
    from waygrid.measure.changes import generate_changes as generate_changes
    from waygrid.measure.dynamic import DynamicScenario as DynamicScenario
    from waygrid.measure.scenario import Scenario as Scenario
    from waygrid.search.agents import Agent as Agent
    from waygrid.search.agents import AgentPool as AgentPool
    from waygrid.search.curve import Curve as Curve
    from waygrid.search.declaration import AlgorithmInfo as AlgorithmInfo
    from waygrid.search.finder import Finder as Finder
    from waygrid.search.path import Batch as Batch
    from waygrid.search.path import Path as Path
    from waygrid.search.path import Stats as Stats
    from waygrid.search.path import Status as Status
    from waygrid.search.registry import algorithms as algorithms
    from waygrid.search.reservations import Reservations as Reservations
    from waygrid.search.reservations import TimedPath as TimedPath
    from waygrid.search.sliced import Search as Search
    from waygrid.search.straight_path import StraightBatch as StraightBatch
    from waygrid.search.straight_path import StraightPath as StraightPath
    from waygrid.search.trace import Trace as Trace

# Names are imported when first used: `import waygrid` loads neither NumPy nor Numba and compiles nothing.
_PLACES = {
    "Advice": "advisor.advice",
    "Agent": "search.agents",
    "AgentPool": "search.agents",
    "AlgorithmInfo": "search.declaration",
    "Batch": "search.path",
    "Corridor": "algorithms.classic.corridor",
    "Curve": "search.curve",
    "Crowd": "crowd.crowd",
    "CrowdPlan": "crowd.plan",
    "Decomposition": "algorithms.zones.zones",
    "Distances": "algorithms.classic.distances",
    "DynamicScenario": "measure.dynamic",
    "Finder": "search.finder",
    "Georeference": "formats.georeference",
    "Graph": "graph.graph",
    "GraphBatch": "graph.path",
    "GraphFinder": "graph.finder",
    "GraphPath": "graph.path",
    "Grid": "grid.grid",
    "LevelPath": "algorithms.levels",
    "Levels": "algorithms.levels",
    "Path": "search.path",
    "Reservations": "search.reservations",
    "Scenario": "measure.scenario",
    "Search": "search.sliced",
    "Stats": "search.path",
    "Status": "search.path",
    "StraightBatch": "search.straight_path",
    "StraightPath": "search.straight_path",
    "TimedPath": "search.reservations",
    "Trace": "search.trace",
    "WaygridError": "errors",
    "advise": "advisor.advise",
    "algorithms": "search.registry",
    "corridor": "algorithms.classic.corridor",
    "decompose": "algorithms.zones.zones",
    "distances": "algorithms.classic.distances",
    "first_collision": "crowd.check",
    "generate": "grid.make",
    "generate_changes": "measure.changes",
    "load_finder": "algorithms.make",
    "make_finder": "algorithms.make",
}

__all__ = [*sorted(_PLACES), "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'waygrid' has no attribute {name!r}")
    value = getattr(import_module(f"waygrid.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
