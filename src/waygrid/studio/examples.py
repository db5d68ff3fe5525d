"""Examples: each has a map, a query and one or more algorithms."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from waygrid.grid.generate import generate_passable
from waygrid.studio.hall import make_hall
from waygrid.studio.model import Terrain

Cell = tuple[int, int]
EXERCISES = Path(__file__).parent / "static" / "exercises"
_RULES = {"topology": "octile", "corners": "never", "metric": "octile"}


@dataclass(frozen=True)
class Example:
    """What is shown; `compare` are the boards side by side."""

    title: str
    summary: str
    make: Callable[[], Terrain]
    start: Cell
    goal: Cell
    compare: tuple[tuple[str, dict[str, Any], str], ...]  # algorithm, options, title
    rules: dict[str, str] = field(default_factory=dict)
    walk: dict[str, Any] | None = None  # agents or crowd, and steps per second; the page then opens where agents are
    overlay: str | None = None  # that is shown at first

    def described(self, name: str) -> dict[str, Any]:
        """Return everything but the map."""
        panes = [
            {"algorithm": algorithm, "options": options, "title": title} for algorithm, options, title in self.compare
        ]
        return {
            "name": name,
            "title": self.title,
            "summary": self.summary,
            "start": list(self.start),
            "goal": list(self.goal),
            "grid": _RULES | self.rules,
            "algorithm": panes[0]["algorithm"],
            "options": panes[0]["options"],
            "compare": panes if len(panes) > 1 else None,
            "walk": self.walk,
            "overlay": self.overlay,
        }


def _generated(kind: str, width: int, height: int, seed: int, **options: float) -> Callable[[], Terrain]:
    return lambda: Terrain(generate_passable(kind, width, height, seed, **options), None)


def _sample_test() -> Terrain:
    """One rectangle between start and goal: of those tried, the largest with 120 and 60 cycles."""
    passable = np.ones((25, 30), np.bool_)
    passable[8:17, 13:21] = False
    return Terrain(passable, None)


def _swamp() -> Terrain:
    """A round swamp in the middle of a field, with a ford."""
    y, x = np.mgrid[0:48, 0:72]
    away = np.hypot((x - 36) / 1.3, y - 24)
    weights = np.where(away < 12, 8, np.where(away < 16, 4, 1)).astype(np.uint16)
    weights[23:26, 30:42] = 2
    return Terrain(np.ones(weights.shape, np.bool_), weights)


def _doors() -> Terrain:
    """Four by three rooms, with a door in every wall between two of them; a few are closed."""
    across, down, wide, high = 4, 3, 7, 6
    passable = np.zeros((down * (high + 1) + 1, across * (wide + 1) + 1), np.bool_)
    for row in range(down):
        for column in range(across):
            x, y = column * (wide + 1) + 1, row * (high + 1) + 1
            passable[y : y + high, x : x + wide] = True
    doors = []
    for row in range(down):
        for column in range(across):
            x, y = column * (wide + 1), row * (high + 1)
            if column:
                doors.append((x, y + 2 + (row + column) % 3))
            if row:
                doors.append((x + 2 + (row + 2 * column) % 4, y))
    for number, (x, y) in enumerate(doors):
        passable[y, x] = number not in _CLOSED
    return Terrain(passable, None, tuple(doors))


_CLOSED = (2, 6, 11)
_PAPER = {"corners": "one", "metric": "kumar"}
_MANHATTAN = ("astar", {"heuristic": "manhattan"}, "Figure 9: Manhattan distance")
_SWITCHED = ("astar-overestimate", {"reading": "K1"}, "Figure 10: with the overestimate")
_ENDS: tuple[Cell, Cell] = ((2, 12), (27, 12))

EXAMPLES: dict[str, Example] = {
    "indoor": Example(
        "A building", "A* from room to room", _generated("indoor", 96, 60, 7), (3, 3), (92, 55), (("astar", {}, "A*"),)
    ),
    "figures-9-10": Example(
        "Figures 9 and 10 of the paper",
        "One obstacle head-on: 120 update cycles with Manhattan distance, 60 with the overestimate",
        _sample_test,
        *_ENDS,
        (_MANHATTAN, _SWITCHED),
        _PAPER,
    ),
    "figure-9": Example(
        "Figure 9 alone", "A* with Manhattan distance: 120 update cycles", _sample_test, *_ENDS, (_MANHATTAN,), _PAPER
    ),
    "figure-10": Example(
        "Figure 10 alone", "A* with the overestimate: 60 update cycles", _sample_test, *_ENDS, (_SWITCHED,), _PAPER
    ),
    "jumping": Example(
        "Jump points",
        "The same path by A*, by jump point search and with goal bounding",
        _generated("caves", 96, 60, 3),
        (4, 4),
        (90, 55),
        (("astar", {}, "A*"), ("jps", {}, "JPS"), ("jps+gb", {}, "JPS+ with goal bounding")),
    ),
    "databases": Example(
        "Path databases",
        "Regions of sectors and stored paths: PRA* and DBA* compared with A*",
        _generated("rooms", 97, 65, 5, room=12),
        (3, 3),
        (92, 60),
        (("astar", {}, "A*"), ("pra", {}, "PRA*"), ("dba", {}, "DBA*")),
    ),
    "zones": Example(
        "Zones and gates",
        "A* that avoids dead ends, and A* with a heuristic through gates",
        _generated("rooms", 97, 65, 2, room=16),
        (3, 3),
        (92, 60),
        (("astar", {}, "A*"), ("dead-end", {}, "Dead-end heuristic"), ("gateway", {}, "Gateway heuristic")),
    ),
    "real-time": Example(
        "Real-time search",
        "LRTA* learns while it moves, TBA* spreads one A* over its moves",
        _generated("caves", 64, 44, 11),
        (4, 6),
        (58, 38),
        (("lrta", {}, "LRTA*"), ("tba", {}, "TBA*")),
    ),
    "doors": Example(
        "Doors",
        "Press Walk, then click doors or draw walls",
        _doors,
        (2, 2),
        (30, 19),
        (("jps+", {}, "JPS+: repaired"), ("cpd", {}, "Path database: proved"), ("tba", {}, "TBA*: at once")),
        walk={"agents": 6, "speed": 6},
    ),
    "crowd": Example(
        "A crowd",
        "Two groups change places and never collide: press Walk the crowd",
        _generated("random", 54, 34, 5, walls=0.14),
        (4, 17),
        (49, 17),
        (("astar", {}, "A*"),),
        walk={"crowd": {"units": 60, "placing": "exchange", "leaders": 4}, "speed": 8},
    ),
    "robot": Example(
        "A robot's map",
        "Metres, walls grown by the radius of the robot, and costs near them",
        make_hall,
        (20, 30),
        (140, 80),
        (("astar", {}, "A*"),),
        overlay="inflation",
    ),
    "hex": Example(
        "Hexes",
        "Each cell has six neighbours",
        _generated("caves", 60, 40, 2),
        (3, 3),
        (55, 35),
        (("astar", {}, "A*"),),
        {"topology": "hex"},
    ),
    "tex": Example(
        "Texes",
        "Bricks: squares with the neighbours of hexes",
        _generated("random", 60, 40, 4, walls=0.2),
        (1, 1),
        (57, 37),
        (("astar", {}, "A*"),),
        {"topology": "tex"},
    ),
    "swamp": Example(
        "A swamp",
        "Entering a cell costs its weight",
        _swamp,
        (4, 24),
        (67, 24),
        (("dijkstra", {}, "Dijkstra"), ("astar", {}, "A*")),
    ),
    "maze": Example(
        "A maze",
        "A single route: no heuristic helps",
        _generated("maze", 61, 41, 9),
        (1, 1),
        (59, 39),
        (("astar", {}, "A*"), ("bibfs", {}, "From both ends"), ("dfs", {}, "Depth-first")),
    ),
}


def list_exercises() -> list[dict[str, str]]:
    """Return name, title and summary of the exercises that come with the studio; the page reads the files itself.

    >>> [exercise["name"] for exercise in list_exercises()]
    ['pocket']
    """
    found = []
    for file in sorted(EXERCISES.glob("*.json")):
        told = json.loads(file.read_text(encoding="utf-8"))
        found.append({"name": file.stem, "title": told["title"], "summary": told["text"]})
    return found
