"""Agents that walk while the map is edited: legal moves, agents that wait, what became of their plans, and refusals."""

import json
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the studio's packages are not installed")

from studio_server import studio

import waygrid as wg
from waygrid.errors import WaygridError
from waygrid.grid.legal import first_fault
from waygrid.studio import walks
from waygrid.studio.examples import EXAMPLES
from waygrid.studio.jobs import Job
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Model, Terrain
from waygrid.studio.wire import pack, unpack

WALKING, ARRIVED, WAITING = walks.WALKING, walks.ARRIVED, walks.WAITING
TWO_ROOMS = ["....#....", "....#....", ".........", "....#....", "....#...."]  # a door in the middle: (4, 2)
DOOR = [4, 2]


def _model(passable, **limits) -> tuple[Model, str]:
    model = Model(StudioLimits()._replace(**limits))
    return model, model.add(Terrain(np.asarray(passable, np.bool_), None))


def _rooms() -> np.ndarray:
    return np.array([[cell == "." for cell in row] for row in TWO_ROOMS])


def _walk(model: Model, key: str, algorithm: str, starts, goals, edits=(), **more):
    asked = {"map": key, "algorithm": algorithm, "starts": starts, "goals": goals, "edits": list(edits), **more}
    return unpack(walks.walk(model, asked, Job("t", ("", ""))))


def _edit(step: int, passable: bool, *cells) -> dict:
    return {"step": step, "cells": [list(cell) for cell in cells], "passable": passable}


def _faults(grid: wg.Grid, positions: np.ndarray, edits) -> list[str]:
    """Return what is wrong with the moves of all agents, each judged by the map of its step."""
    faults, left = [], list(edits)
    for step, (before, after) in enumerate(pairwise(positions.astype(int))):
        while left and left[0]["step"] <= step:
            edit = left.pop(0)
            for x, y in edit["cells"]:
                grid.set_passable((x, y), edit["passable"])
        for here, there in zip(before, after, strict=True):
            if (here != there).any() and first_fault(grid, [here, there]) is not None:
                faults.append(f"step {step}: {here} to {there}")
    return faults


# Paths that bend at corners of walls pass cells that no single move connects.
ALGORITHMS = [name for name, info in wg.algorithms().items() if not info.exponential and info.model != "corners"]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_no_agent_makes_an_illegal_move_and_what_was_shown_stays(name):
    passable = EXAMPLES["doors"].make().passable
    doors = [list(door) for door in EXAMPLES["doors"].make().doors]
    model, key = _model(passable)
    rng = np.random.default_rng(7)
    free = np.argwhere(passable)[:, ::-1]
    starts = free[rng.integers(0, len(free), 12)].tolist()
    goals = [list(EXAMPLES["doors"].goal)] * 12
    plain, before = _walk(model, key, name, starts, goals)
    edits = []
    for step in range(0, 60, 4):
        here = before["positions"][min(step, plain["steps"])].tolist()
        cells = [door for door in doors if rng.random() < 0.4 and door not in here]
        if cells:
            edits.append(_edit(step, bool(rng.random() < 0.4), *cells))
    header, arrays = _walk(model, key, name, starts, goals, edits)
    grid = wg.Grid(passable)
    assert not _faults(grid, arrays["positions"], edits)
    assert header["edits"] == len(edits)
    first = min(edits[0]["step"], plain["steps"])
    np.testing.assert_array_equal(arrays["positions"][: first + 1], before["positions"][: first + 1])
    shorter, part = _walk(model, key, name, starts, goals, edits[:-1])  # one edit more changes nothing before it
    shown = min(edits[-1]["step"], shorter["steps"]) + 1
    np.testing.assert_array_equal(arrays["positions"][:shown], part["positions"][:shown])
    reach = grid.components
    for place, goal, state in zip(arrays["positions"][-1].tolist(), goals, arrays["states"][-1], strict=True):
        own = reach[place[1], place[0]]
        together = own >= 0 and own == reach[goal[1], goal[0]]
        assert state == (ARRIVED if place == goal else WALKING if together else WAITING), name


@pytest.mark.parametrize("name", ["astar", "dfs", "ida", "jps+", "cpd", "dba", "gateway", "lrta", "tba", "sglrta"])
def test_agents_that_are_cut_off_wait_and_go_on(name):
    model, key = _model(_rooms())
    edits = [_edit(1, False, DOOR), _edit(30, True, DOOR)]
    header, arrays = _walk(model, key, name, [[0, 2]], [[8, 2]], edits)
    places, states = arrays["positions"][:, 0].tolist(), arrays["states"][:, 0].tolist()
    assert DOOR not in places[:30]
    assert set(states[3:30]) == {WAITING}
    assert (places[-1], states[-1], header["statuses"]) == ([8, 2], ARRIVED, ["FOUND"])
    shut, _ = _walk(model, key, name, [[0, 2]], [[8, 2]], edits[:1])
    assert shut["statuses"] == ["UNREACHABLE"]
    assert shut["steps"] < 10  # nobody can move: the walk ends there, and the page shows who waits


def test_figures_say_what_became_of_plans():
    passable = np.ones((9, 20), np.bool_)
    starts, goals = [[0, 0], [0, 8]], [[19, 0], [19, 8]]
    edits = [_edit(2, False, [10, 0]), _edit(5, True, [10, 0])]

    def last(name, edits=edits, starts=starts, goals=goals):
        model, key = _model(passable)
        return _walk(model, key, name, starts, goals, edits)[1]["figures"][-1].tolist()

    stale, kept, looked_up, _, searched = last("cpd", edits[:1])
    assert (kept, looked_up, searched) == (1, 0, 1)  # the wall is on one way only; the other is proved
    assert stale > 0
    assert last("cpd")[0] == 0  # undone: the map is that of the index again
    assert last("jps+", edits[:1]) == [0, 1, 1, 0, 0]  # repaired: the index answers
    assert last("astar", edits[:1]) == [0, 1, 0, 0, 1]
    assert last("astar", []) == [0, 0, 0, 0, 0]
    stale, kept, _, _, searched = last("dba", edits[:1])
    assert stale > 0
    assert kept + searched == 2  # agents that go by the index, and without it
    assert last("lrta", edits[:1]) == [0, 0, 0, 0, 0]


def test_the_finder_that_others_share_is_not_touched():
    model, key = _model(_rooms())
    made = model.finder(key, {}, "jps+", {}, Job("t", ("", "")))
    arrays = {name: array.copy() for name, array in made.finder.index.items()}
    before = made.finder.find((0, 2), (8, 2)).cost
    _walk(model, key, "jps+", [[0, 2]], [[8, 2]], [_edit(1, False, DOOR), _edit(2, True, [4, 0])])
    assert model.finder(key, {}, "jps+", {}, Job("t", ("", ""))) is made
    assert (made.finder.find((0, 2), (8, 2)).cost, made.finder.grid.version) == (before, 0)
    for name, array in arrays.items():
        np.testing.assert_array_equal(made.finder.index[name], array)


def test_agents_on_a_cell_that_becomes_a_wall_wait_there():
    model, key = _model(_rooms())
    for name in ("astar", "cpd", "lrta", "dba"):
        edits = [_edit(2, False, [2, 2]), _edit(9, True, [2, 2])]
        header, arrays = _walk(model, key, name, [[0, 2]], [[8, 2]], edits)
        assert arrays["positions"][3:9, 0].tolist() == [[2, 2]] * 6, name
        assert header["statuses"] == ["FOUND"], name


# --- Refusals --------------------------------------------------------------------------------------------------------

GOOD = _edit(3, False, [4, 2])


@pytest.mark.parametrize(
    ("edits", "why"),
    [
        ("x", "a list of at most 1000 edits"),
        ({"step": 1}, "a list of at most 1000 edits"),
        ([GOOD] * 1001, "a list of at most 1000 edits"),
        (["x"], "edit 1 is 'x'"),
        ([{**GOOD, "more": 1}], "an edit has step, cells and passable"),
        ([{"step": 1, "cells": [[0, 0]]}], "an edit has step, cells and passable"),
        ([{**GOOD, "step": -1}], "edit 1 has step -1"),
        ([{**GOOD, "step": True}], "edit 1 has step True"),
        ([{**GOOD, "step": 10**30}], "has step"),
        ([{**GOOD, "step": 1.5}], "edit 1 has step 1.5"),
        ([GOOD, {**GOOD, "step": 2}], "edit 2 is before edit 1"),
        ([{**GOOD, "passable": 1}], "edit 1 has passable 1"),
        ([{**GOOD, "passable": None}], "edit 1 has passable None"),
        ([{**GOOD, "cells": []}], "a list of cells is needed"),
        ([{**GOOD, "cells": {}}], "a list of cells is needed"),
        ([{**GOOD, "cells": [[9, 0]]}], "not inside the map of 9 x 5 cells"),
        ([{**GOOD, "cells": [[0, -1]]}], "not inside the map of 9 x 5 cells"),
        ([{**GOOD, "cells": [[0, 10**40]]}], "not inside the map of 9 x 5 cells"),
        ([{**GOOD, "cells": [[0, 0, 0]]}], "a cell is \\[x, y\\]"),
        ([{**GOOD, "cells": [[True, 0]]}], "a cell is \\[x, y\\]"),
        ([{**GOOD, "cells": [["0", 0]]}], "a cell is \\[x, y\\]"),
        ([{**GOOD, "cells": [[0, 0]] * 20_001}], "more than 20000 cells"),
    ],
)
def test_edits_that_are_none_are_refused(edits, why):
    model, key = _model(_rooms())
    asked = {"map": key, "algorithm": "astar", "starts": [[0, 2]], "goals": [[8, 2]], "edits": edits}
    with pytest.raises(WaygridError, match=why) as refused:
        walks.walk(model, asked, Job("t", ("", "")))
    assert len(str(refused.value)) < 300
    assert "\n" not in str(refused.value)


def test_server_refuses_with_a_sentence():
    with studio() as client:
        terrain = pack({"width": 9, "height": 5}, {"walls": _rooms().astype(np.uint8).ravel()})
        key = json.loads(client.ask("POST", "/api/terrain", terrain)[1])["id"]
        good = {"map": key, "algorithm": "jps+", "starts": [[0, 2]], "goals": [[8, 2]]}
        assert client.ask("POST", "/api/agents", good | {"edits": [GOOD]})[0] == 200
        assert client.error("POST", "/api/agents", good | {"edits": [{**GOOD, "step": "1"}]})[0] == 400
        assert client.error("POST", "/api/agents", good | {"goals": [[8, 2], [8, 2]]})[0] == 400
        assert client.error("POST", "/api/agents", good | {"starts": [[4, 0]]})[0] == 400
        assert client.error("POST", "/api/agents", good | {"edits": [GOOD]}, origin="http://evil.example")[0] == 403


def test_paths_that_take_too_long_to_plan_end_where_they_are():
    model, key = _model(np.ones((40, 40)), search_s=0.0)
    header, _ = _walk(model, key, "ida", [[0, 0]], [[39, 39]])
    assert header["steps"] == 0
    made, job = model.finder(key, {}, "astar", {}, Job("t", ("", ""))), Job("t", ("", ""))
    agents = walks.PathAgents(made.finder, [(0, 0)], [(39, 39)], model.limits, job)
    with pytest.raises(WaygridError, match="longer than the 0 s that the studio allows"):
        agents.follow()
