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

if TYPE_CHECKING:
    from waygrid.advisor.advice import Advice as Advice
    from waygrid.advisor.advise import advise as advise
    from waygrid.bench.scenario import Scenario as Scenario
    from waygrid.errors import WaygridError as WaygridError
    from waygrid.finders.agents import Agent as Agent
    from waygrid.finders.agents import AgentPool as AgentPool
    from waygrid.finders.base import Finder as Finder
    from waygrid.finders.flood import Distances as Distances
    from waygrid.finders.flood import distances as distances
    from waygrid.finders.graph import GraphFinder as GraphFinder
    from waygrid.finders.graph_path import GraphBatch as GraphBatch
    from waygrid.finders.graph_path import GraphPath as GraphPath
    from waygrid.finders.path import Batch as Batch
    from waygrid.finders.path import Path as Path
    from waygrid.finders.path import Stats as Stats
    from waygrid.finders.path import Status as Status
    from waygrid.finders.registry import AlgorithmInfo as AlgorithmInfo
    from waygrid.finders.registry import algorithms as algorithms
    from waygrid.finders.registry import load_finder as load_finder
    from waygrid.finders.registry import make_finder as make_finder
    from waygrid.finders.search import Search as Search
    from waygrid.finders.trace import Trace as Trace
    from waygrid.graph.graph import Graph as Graph
    from waygrid.grid.grid import Grid as Grid
    from waygrid.grid.make import generate as generate
    from waygrid.structures.zones import Decomposition as Decomposition
    from waygrid.structures.zones import decompose as decompose

# Names are imported when first used: `import waygrid` loads neither NumPy nor Numba and compiles nothing.
_PLACES = {
    "Advice": "advisor.advice",
    "Agent": "finders.agents",
    "AgentPool": "finders.agents",
    "AlgorithmInfo": "finders.registry",
    "Batch": "finders.path",
    "Decomposition": "structures.zones",
    "Distances": "finders.flood",
    "Finder": "finders.base",
    "Graph": "graph.graph",
    "GraphBatch": "finders.graph_path",
    "GraphFinder": "finders.graph",
    "GraphPath": "finders.graph_path",
    "Grid": "grid.grid",
    "Path": "finders.path",
    "Scenario": "bench.scenario",
    "Search": "finders.search",
    "Stats": "finders.path",
    "Status": "finders.path",
    "Trace": "finders.trace",
    "WaygridError": "errors",
    "advise": "advisor.advise",
    "algorithms": "finders.registry",
    "decompose": "structures.zones",
    "distances": "finders.flood",
    "generate": "grid.make",
    "load_finder": "finders.registry",
    "make_finder": "finders.registry",
}

__version__ = "0.1.0"
__all__ = [*sorted(_PLACES), "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'waygrid' has no attribute {name!r}")
    value = getattr(import_module(f"waygrid.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
