"""Crowds of the studio: no collision, the same steps again from where they stand, plans, refusals."""

import json

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the studio's packages are not installed")

from crowd_rules import check_all
from oracle import Case
from studio_server import studio

from waygrid.errors import WaygridError
from waygrid.studio import crowds
from waygrid.studio.examples import EXAMPLES
from waygrid.studio.jobs import Job
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Model, Terrain
from waygrid.studio.walks import ARRIVED, WAITING, WALKING
from waygrid.studio.wire import pack, unpack


def model_of(passable, **limits):
    model = Model(StudioLimits()._replace(**limits))
    return model, model.add(Terrain(np.asarray(passable, np.bool_), None))


def walk(model, key, starts, goals, **more):
    asked = {"map": key, "starts": starts, "goals": goals, **more}
    return unpack(crowds.walk_crowd(model, asked, Job("t", ("", ""))))


def crowd_of(passable, count, seed=1):
    chance = np.random.default_rng(seed)
    free = np.argwhere(passable)[:, ::-1]
    starts, goals = (free[chance.permutation(len(free))[:count]].tolist() for _ in range(2))
    return starts, goals


@pytest.mark.quick
@pytest.mark.parametrize("topology", ["tile", "octile", "hex", "tex"])
@pytest.mark.parametrize("plan", [None, 0.2])
def test_no_collision(topology, plan):
    passable = np.random.default_rng(3).random((14, 18)) > 0.12
    passable &= EXAMPLES["crowd"].make().passable[:14, :18]
    model, key = model_of(passable)
    starts, goals = crowd_of(passable, 30)
    header, arrays = walk(model, key, starts, goals, plan=plan, grid={"topology": topology})
    positions = arrays["positions"].astype(int)
    assert (header["collisions"], header["collision"]) == (0, None)
    check_all(Case(passable, topology=topology), positions)
    assert positions[0].tolist() == starts
    assert len(positions) == header["steps"] + 1 == len(arrays["states"]) == len(arrays["costs"])
    there = (positions == np.array(goals)).all(axis=2)
    np.testing.assert_array_equal(arrays["states"] == ARRIVED, there)
    assert (arrays["costs"][0], bool((np.diff(arrays["costs"]) >= 0).all())) == (0, True)


def test_the_verdict_is_that_of_the_check(monkeypatch):
    model, key = model_of(np.ones((1, 4)))
    swap = np.array([[[0, 0], [1, 0]], [[1, 0], [0, 0]], [[1, 0], [0, 0]], [[1, 0], [1, 0]]], np.int32)
    facts = {"status": None, "lower_bound": None}
    monkeypatch.setattr(crowds, "_take_steps", lambda *_: crowds.CrowdWalk(swap, np.zeros((0, 0), np.int32), facts))
    header, _ = walk(model, key, [[0, 0], [1, 0]], [[1, 0], [3, 0]])
    assert header["collisions"] == 2
    assert header["collision"] == "step 1: agents 0 and 1 swap their cells (0, 0) and (1, 0)"


def test_who_stands_where_they_stood_goes_on_alike():
    """An edit asks anew from the step in which it happens: without one, all do what they would have done."""
    passable = np.ones((8, 14), np.bool_)
    model, key = model_of(passable)
    starts, goals = crowd_of(passable, 8)
    _, whole = walk(model, key, starts, goals, priorities=[0, 0, 1, 0, 2, 0, 0, 0])
    ranks = whole["ranks"].astype(int)
    assert sorted(ranks[0].tolist()) == list(range(8))
    assert (ranks[0].argsort()[:2]).tolist() == [4, 2]
    for step, row in enumerate(ranks):  # those on their way come first
        on_way = whole["states"][step] == WALKING
        if on_way.any() and not on_way.all():
            assert row[on_way].max() < row[~on_way].min()
    order = ranks[3].argsort().tolist()
    _, rest = walk(model, key, whole["positions"][3].tolist(), goals, order=order, priorities=[0, 0, 1, 0, 2, 0, 0, 0])
    assert rest["positions"][0].tolist() == whole["positions"][3].tolist()
    np.testing.assert_array_equal(rest["ranks"][0].argsort(), ranks[3].argsort())


def test_who_is_held_or_cut_off_waits():
    passable = np.ones((3, 7), np.bool_)
    passable[:, 3] = False
    model, key = model_of(passable)
    header, arrays = walk(model, key, [[0, 0], [0, 2], [6, 0]], [[2, 0], [6, 2], [4, 0]], still=[0, 0, 1])
    assert header["steps"] < 10
    assert arrays["states"][-1].tolist() == [ARRIVED, WAITING, WAITING]
    assert (arrays["positions"][:, 2] == [6, 0]).all()


def test_a_corridor_needs_a_plan():
    passable = np.array([[1, 1, 1, 1, 1], [0, 0, 1, 0, 0]], np.bool_)
    model, key = model_of(passable)
    starts, goals = [[0, 0], [4, 0]], [[4, 0], [0, 0]]
    header, arrays = walk(model, key, starts, goals, plan=0.2, grid={"topology": "tile"})
    assert header["status"] == "FOUND"
    assert (arrays["states"][-1] == ARRIVED).all()
    assert arrays["costs"][-1] >= header["lower_bound"] == 8
    assert "ranks" not in arrays
    cut, _ = walk(model, key, starts, [[4, 0], [1, 0]], plan=0.1, grid={"topology": "tile", "corners": "never"})
    assert cut["status"] in ("FOUND", "UNREACHABLE", "CUTOFF")
    model, key = model_of([[1, 1, 0, 1]])
    cut, arrays = walk(model, key, [[0, 0]], [[3, 0]], plan=0.1)
    assert (cut["status"], cut["steps"], cut["lower_bound"]) == ("UNREACHABLE", 0, None)
    assert arrays["states"].tolist() == [[WAITING]]


def test_weights_and_long_walks_end():
    model = Model(StudioLimits())
    terrain = EXAMPLES["swamp"].make()
    key = model.add(terrain)
    starts, goals = crowd_of(terrain.passable, 20)
    header, arrays = walk(model, key, starts, goals)
    assert (arrays["states"][-1] == ARRIVED).all()
    model, key = model_of(np.ones((1, 6)))  # nobody can pass: it ends all the same
    header, arrays = walk(model, key, [[0, 0], [5, 0]], [[5, 0], [0, 0]])
    assert header["steps"] <= crowds._STALLED + 10
    assert header["collisions"] == 0
    assert WALKING in arrays["states"][-1]


GOOD = {"starts": [[0, 0], [1, 0]], "goals": [[3, 0], [4, 0]]}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"starts": []}, "starts: a list of 1 to 1000 cells"),
        ({"starts": [[0, 0]] * 1001, "goals": [[0, 0]] * 1001}, "starts: a list of 1 to 1000 cells"),
        ({"goals": [[3, 0]]}, "there are 2 starts and 1 goals"),
        ({"starts": [[0, 0], [0, 0]]}, "agents 0 and 1 would both stand in \\(0, 0\\)"),
        ({"starts": [[0, 0], [2, 0]]}, "wall"),
        ({"goals": [[2, 0], [4, 0]]}, "wall"),
        ({"goals": [[3, 0], [9, 0]]}, "outside"),
        ({"goals": [[3, 0], [3, 0]], "plan": 0.1}, "a plan needs a goal of its own"),
        ({"order": [0, 0]}, "each number from 0 to 1 once"),
        ({"order": [0]}, "a list of 2 integers"),
        ({"priorities": [1.5, 0]}, "allowed are integers up to 1000000"),
        ({"priorities": [10**30, 0]}, "allowed are integers up to 1000000"),
        ({"priorities": "high"}, "a list of 2 integers"),
        ({"still": [True, False]}, "allowed are integers"),
        ({"plan": 0}, "seconds from 0.05 to 10"),
        ({"plan": 11}, "seconds from 0.05 to 10"),
        ({"plan": True}, "seconds from 0.05 to 10"),
        ({"plan": "1"}, "seconds from 0.05 to 10"),
        ({"plan": float("nan")}, "seconds from 0.05 to 10"),
    ],
)
def test_crowds_that_cannot_be_are_refused(more, why):
    model, key = model_of([[1, 1, 0, 1, 1], [1, 1, 1, 1, 1]])
    with pytest.raises(WaygridError, match=why) as refused:
        walk(model, key, **{**GOOD, **more})
    assert len(str(refused.value)) < 300


def test_large_crowds_are_bounded():
    model, key = model_of(np.ones((40, 40)), crowd_fields=4 * 1600 * 3, crowd_cells=1600 * 5)
    starts, goals = crowd_of(np.ones((40, 40)), 6)
    with pytest.raises(WaygridError, match="6 units on 1600 cells are too many"):
        walk(model, key, starts, goals)
    with pytest.raises(WaygridError, match="a plan for 4 units on 1600 cells needs 25600 bytes"):
        walk(model, key, starts[:4], goals[:4], plan=0.1)
    header, arrays = walk(model, key, starts[:5], goals[:5])  # by routes: there is no room for all distances
    assert header["collisions"] == 0
    assert (arrays["states"][-1] == ARRIVED).all()


def test_server_answers_and_refuses_with_a_sentence():
    with studio() as client:
        terrain = pack({"width": 5, "height": 1}, {"walls": np.ones(5, np.uint8)})
        key = json.loads(client.ask("POST", "/api/terrain", terrain)[1])["id"]
        status, body = client.ask("POST", "/api/crowd", {"map": key, **GOOD})
        assert (status, unpack(body)[0]["collisions"]) == (200, 0)
        assert client.error("POST", "/api/crowd", {"map": key, **GOOD, "plan": -1})[0] == 400
        assert client.error("POST", "/api/crowd", {"map": "none", **GOOD})[0] == 404
        assert client.error("POST", "/api/crowd", {"map": key, **GOOD}, origin="http://evil.example")[0] == 403
