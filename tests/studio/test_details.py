"""The studio's server draws details of events; what it is asked may be anything."""

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the studio's packages are not installed")

import json

from studio_server import studio

import waygrid as wg
from waygrid.search.registry import algorithms
from waygrid.studio.wire import pack, unpack

SERVED = [(name, detail) for name, info in algorithms().items() for detail, one in info.details.items() if one.place]
WALLS = wg.generate("rooms", width=24, height=18, seed=2).passable


@pytest.fixture(scope="module")
def client():
    with studio() as running:
        yield running


@pytest.fixture(scope="module")
def key(client):
    status, body = client.ask(
        "POST", "/api/terrain", pack({"width": 24, "height": 18}, {"walls": WALLS.ravel().view(np.uint8)})
    )
    assert status == 200, body
    return json.loads(body)["id"]


def ask(key, algorithm, name, **more):
    cells = np.argwhere(WALLS)[:, ::-1].tolist()
    grid = {"corners": algorithms()[algorithm].corners[0]}
    asked = {"map": key, "grid": grid, "algorithm": algorithm, "detail": name, "start": cells[0], "goal": cells[-1]}
    return {**asked, "cell": cells[0], **more}


@pytest.mark.parametrize(("algorithm", "name"), SERVED)
def test_every_cell_has_an_answer(client, key, algorithm, name):
    """Walls, cells without a turn and impossible parents too."""
    rng = np.random.default_rng(3)
    cells = rng.integers(0, (24, 18), (25, 2)).tolist()
    parents = [None, *rng.integers(0, (24, 18), (23, 2)).tolist(), cells[-1]]
    for cell, parent in zip(cells, parents, strict=True):
        status, body = client.ask("POST", "/api/detail", ask(key, algorithm, name, cell=cell, parent=parent))
        assert status == 200, body
        header, arrays = unpack(body)
        assert header["legend"]
        assert len(header["layers"]) == len(arrays)


def test_what_is_wrong_is_refused(client, key):
    for more, text in (
        ({"detail": "nothing"}, "astar-gb has no detail 'nothing'; allowed are boxes"),
        ({"cell": [24, 0]}, "cell (24, 0) is outside the map of 24 x 18 cells"),
        ({"cell": [0, 0], "parent": [0, -1]}, "cell (0, -1) is outside"),
        ({"parent": "x"}, "parent is 'x'"),
        ({"goal": [99, 99]}, "outside"),
    ):
        status, error = client.error("POST", "/api/detail", ask(key, "astar-gb", "boxes") | more)
        assert status == 400
        assert text in error
    status, error = client.error("POST", "/api/detail", ask(key, "astar", "boxes"))
    assert status == 400
    assert "astar has no detail 'boxes'; it has none" in error


def test_scanned_lines_end_where_the_scans_do(client, key):
    """Each line that finds something leads to a cell of the trace."""
    grid = wg.Grid(WALLS, corners="never")
    cells = np.argwhere(WALLS)[:, ::-1].tolist()
    trace = wg.make_finder("jps", grid).trace(cells[0], cells[-1])
    made = set()
    lines = None
    for kind, node, parent, _, _ in trace.events.tolist():
        place = [node % 24, node // 24]
        if kind == 3:
            before = None if parent < 0 else [parent % 24, parent // 24]
            asked = ask(key, "jps", "scans", cell=place, parent=before)
            _, arrays = unpack(client.ask("POST", "/api/detail", asked)[1])
            lines = {tuple(line[2:]) for line in arrays["2"].astype(int).tolist()}
        elif kind in (2, 4) and parent >= 0:
            made.add(tuple(place))
            assert tuple(place) in lines
    assert made
