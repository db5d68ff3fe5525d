"""Every field of every request with values of every wrong kind: refused in words, never an error of the server."""

import json

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the studio's packages are not installed")

from studio_server import studio

from waygrid.studio.wire import pack, unpack

ODD = (
    [],
    {},
    [[]],
    [{}],
    None,
    True,
    -1,
    0,
    2**70,
    10**400,  # no float is as large
    1e308,
    "",
    "\x00",
    "x" * 5000,
    "\ud800",  # half of a character, which no file and no answer can hold
    [None, None],
    {"a": {"b": []}},
    [[1e308, 1], [1, 1]],
)
CELLS = {"start": [0, 0], "goal": [3, 3]}
REQUESTS = {
    "search": CELLS | {"trace": True, "optimum": True, "anyway": False, "timed": False, "token": "t", "client": "c"},
    "agents": {
        "algorithm": "lrta",
        "starts": [[0, 0]],
        "goals": [[3, 3]],
        "expansions": 10,
        "max_steps": 50,
        "edits": [{"step": 1, "cells": [[2, 2]], "passable": False}],
    },
    "crowd": {"starts": [[0, 0]], "goals": [[3, 3]], "order": [0], "priorities": [1], "still": [0], "plan": None},
    "overlay": {"overlay": "parts", "cell": [1, 1]},
    "detail": CELLS | {"detail": "boxes", "cell": [1, 1], "time": 3, "event": 3},
    "import/paths": {"text": "path,x,y\na,0,0\n", "name": "ways.csv"},
    "export/lesson": CELLS | {"title": "Lesson", "text": "Look.", "boards": [{"algorithm": "bfs", "title": "B"}]},
    "export/map": {"format": ".map"},
    "export/trace": CELLS,
    "export/gif": CELLS | {"frames": 2},
    "generate": {"kind": "maze", "width": 9, "height": 9, "seed": 1, "corridor": 1},
    "cancel": {"token": "t"},
}


@pytest.fixture(scope="module")
def client():
    with studio() as running:
        yield running


@pytest.mark.parametrize("path", REQUESTS)
def test_fields_of_wrong_kinds_get_a_sentence(client, path):
    body = pack({"width": 4, "height": 4}, {"walls": np.ones(16, np.uint8)})
    key = json.loads(client.ask("POST", "/api/terrain", body)[1])["id"]
    asked = {"map": key, "algorithm": "astar", "grid": {}, "options": {}, "pane": "A"} | REQUESTS[path]
    changes = [{name: value} for name in asked for value in ODD]
    changes += [{"grid": {name: value}} for name in ("topology", "corners", "metric") for value in ODD]
    wrong = []
    for change in [{}, *changes]:
        status, answer = client.ask("POST", f"/api/{path}", asked | change)
        if status >= 500 or (status >= 400 and not json.loads(answer)["error"]):
            wrong.append((change, status, answer[:200]))
    assert not wrong
    assert unpack(client.ask("GET", f"/api/maps/{key}")[1])[0]["width"] == 4
