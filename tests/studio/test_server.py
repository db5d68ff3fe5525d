"""The studio's server: what the page asks, and what nobody should get."""

import io
import json
import threading
import time

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("starlette", reason="the studio's packages are not installed")

from studio_server import Client, studio

import waygrid as wg
from waygrid.options import Integer, Sizes
from waygrid.studio.described import describe_option
from waygrid.studio.limits import StudioLimits
from waygrid.studio.wire import pack, unpack


@pytest.fixture(scope="module")
def client():
    with studio() as running:
        yield running


@pytest.fixture(scope="module")
def registry(client):
    return client.get("/api/registry")


def _map(client: Client, passable: np.ndarray, weights: np.ndarray | None = None) -> str:
    arrays = {"walls": passable.astype(np.uint8).ravel()}
    if weights is not None:
        arrays["weights"] = weights.astype(np.uint16).ravel()
    header = {"width": passable.shape[1], "height": passable.shape[0]}
    status, body = client.ask("POST", "/api/terrain", pack(header, arrays))
    assert status == 200, body
    return json.loads(body)["id"]


def _search(client: Client, key: str, algorithm: str, start, goal, **more):
    asked = {"map": key, "algorithm": algorithm, "start": list(start), "goal": list(goal), "trace": True, **more}
    status, body = client.ask("POST", "/api/search", asked)
    assert status == 200, body
    return unpack(body)


def test_registry_has_every_algorithm_with_its_options(registry):
    known = wg.algorithms()
    assert [entry["name"] for entry in registry["algorithms"]] == list(known)
    for entry in registry["algorithms"]:
        assert [option["name"] for option in entry["options"]] == list(known[entry["name"]].options)
        for option in entry["options"]:
            assert option["kind"] in ("choice", "flag", "integer", "number", "text")
            if option["kind"] == "choice":
                assert option["default"] in option["choices"]


def test_every_choice_of_every_option_is_accepted(registry):
    grid = wg.Grid(np.ones((6, 6)))
    for entry in registry["algorithms"]:
        for option in entry["options"]:
            values = option["choices"] or [option["default"]]
            values += [v for v in (option["least"], option["most"]) if v is not None and option["kind"] == "integer"]
            for value in values:
                if option["name"] != "max_cells" and "vancouver" not in str(value):  # one is for hex grids, one a guard
                    wg.make_finder(entry["name"], grid, **{option["name"]: value})


def test_unusual_options_become_text():
    assert describe_option("sector", Sizes(16, "", least=1))["kind"] == "text"
    assert describe_option("gate_length", Integer("auto", "", least=1, extra=("auto", None)))["kind"] == "text"


def test_examples_are_solved(client, registry):
    for entry in registry["examples"]:
        status, body = client.ask("GET", f"/api/examples/{entry['name']}")
        assert status == 200
        header, _ = unpack(body)
        for pane in (entry["compare"] or [entry])[:1]:
            found, _ = _search(
                client,
                header["id"],
                pane["algorithm"],
                entry["start"],
                entry["goal"],
                grid=entry["grid"],
                options=pane["options"],
            )
            assert found["status"] == "FOUND", entry["name"]


def test_figures_9_and_10_have_the_papers_cycles(client, registry):
    example = next(entry for entry in registry["examples"] if entry["name"] == "figures-9-10")
    header, _ = unpack(client.ask("GET", "/api/examples/figures-9-10")[1])
    cycles = []
    for pane in example["compare"]:
        asked = {"grid": example["grid"], "options": pane["options"]}
        found, arrays = _search(client, header["id"], pane["algorithm"], example["start"], example["goal"], **asked)
        cycles.append(int((arrays["kind"] == registry["events"].index("expanding")).sum()))
        assert found["stats"]["expanded"] == cycles[-1]
    assert cycles == [120, 60]


def test_search_is_that_of_the_library(client):
    passable = wg.generate("caves", width=40, height=30, seed=1).passable
    weights = np.where(passable, 1 + (np.arange(1200).reshape(30, 40) % 3), 1)
    labels = wg.Grid(passable).components
    ys, xs = np.nonzero(labels == np.bincount(labels[labels >= 0]).argmax())
    start, goal = (int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1]))
    key = _map(client, passable, weights)
    header, arrays = _search(client, key, "astar", start, goal, optimum=True)
    trace = wg.make_finder("astar", wg.Grid(passable, weights=weights)).trace(start, goal)
    assert header["cost"] == trace.path.cost == header["optimum"]
    assert arrays["path"].tolist() == trace.path.cells.tolist()
    assert arrays["node"].tolist() == trace.events["node"].tolist()
    assert np.allclose(arrays["g"], trace.events["g"] / trace.unit)
    assert header["stats"]["expanded"] == trace.path.stats.expanded


def test_unreachable_goal_is_an_answer(client):
    key = _map(client, np.array([[1, 0, 1]]))
    header, arrays = _search(client, key, "astar", (0, 0), (2, 0), optimum=True)
    assert (header["status"], header["cost"], header["optimum"], len(arrays["path"])) == ("UNREACHABLE", None, None, 0)


def test_traces_are_cut_but_the_path_is_whole():
    with studio(StudioLimits(events=500)) as small:
        key = _map(small, np.ones((60, 60)))
        header, arrays = _search(small, key, "dijkstra", (0, 0), (59, 59))
        assert header["truncated"]
        assert len(arrays["node"]) == 500
        assert len(arrays["path"]) == 60


def test_agents_walk(client):
    key = _map(client, np.ones((8, 12)))
    asked = {"map": key, "algorithm": "lrta", "starts": [[0, 0], [11, 7]], "goals": [[11, 7], [0, 0]], "expansions": 3}
    status, body = client.ask("POST", "/api/agents", asked)
    assert status == 200, body
    header, arrays = unpack(body)
    assert header["statuses"] == ["FOUND", "FOUND"]
    assert header["moves"] == [11, 11]
    assert arrays["positions"].shape == (header["steps"] + 1, 2, 2)
    assert arrays["positions"][-1].tolist() == [[11, 7], [0, 0]]
    assert arrays["work"].sum(axis=0).tolist() == [11, 11]


DRAWN = ("labels", "cells", "points", "lines", "boxes", "directions")


def test_overlays_have_layers(client, registry):
    key = _map(client, wg.generate("rooms", width=48, height=40, seed=1).passable)
    for entry in registry["overlays"]:
        asked = {"map": key, "overlay": entry["name"], "cell": [2, 2]}
        status, body = client.ask("POST", "/api/overlay", asked)
        assert status == 200, body
        header, arrays = unpack(body)
        assert header["layers"]
        assert header["legend"]
        for layer in header["layers"]:
            assert layer["type"] in (*DRAWN, "values", "walls", "weights")
            if layer["type"] == "labels":
                assert arrays[layer["array"]].size == 48 * 40


def test_goal_bounds_hold_every_goal(client):
    passable = wg.generate("random", width=20, height=15, seed=2, walls=0.2).passable
    grid = wg.Grid(passable)
    ys, xs = np.nonzero(grid.components == grid.components[passable].max(initial=0))
    key, cell = _map(client, passable), [int(xs[0]), int(ys[0])]
    header, arrays = unpack(client.ask("POST", "/api/overlay", {"map": key, "overlay": "goal-bounds", "cell": cell})[1])
    boxes = [arrays[layer["array"]][0] for layer in header["layers"] if layer["type"] == "boxes"]
    reached = grid.components == grid.components[cell[1], cell[0]]
    for y, x in zip(*np.nonzero(reached), strict=True):
        if [x, y] != cell:
            assert any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in boxes)


def test_exports(client):
    key = _map(client, np.ones((10, 14)))
    asked = {"map": key, "algorithm": "astar", "start": [0, 0], "goal": [13, 9], "frames": 5}
    status, body = client.ask("POST", "/api/export/map", {"map": key})
    assert status == 200
    assert body.startswith(b"type octile\nheight 10\nwidth 14\n")
    status, body = client.ask("POST", "/api/export/trace", asked)
    assert status == 200
    assert b"expanding" in body
    status, body = client.ask("POST", "/api/export/gif", asked)
    with Image.open(io.BytesIO(body)) as picture:
        assert status == 200
        assert picture.format == "GIF"
        assert picture.n_frames >= 2


def test_scenario_rows(client):
    key = _map(client, np.ones((4, 5)))
    rows = b"version 1\n0\ta.map\t5\t4\t0\t0\t4\t3\t5.2\n"
    status, body = client.ask("POST", f"/api/scenario?map={key}", rows)
    assert status == 200
    assert json.loads(body) == {"rows": 1, "problems": [[0, 0, 4, 3, 5.2]]}
    assert "5 x 5" in client.error("POST", f"/api/scenario?map={key}", rows.replace(b"\t4\t0\t0", b"\t5\t0\t0"))[1]


# --- What nobody should get ------------------------------------------------------------------------------------------


def test_other_hosts_and_origins_are_refused(client):
    assert client.error("GET", "/", Host="evil.example")[0] == 403
    assert client.error("GET", "/api/registry", Host=f"evil.example:{client.port}")[0] == 403
    assert client.error("POST", "/api/generate", {"kind": "maze"}, Origin="http://evil.example")[0] == 403
    assert client.error("POST", "/api/generate", {"kind": "maze"}, Origin="null")[0] == 403
    assert client.error("GET", "/api/registry", Sec_Fetch_Site="cross-site")[0] == 403
    own = f"http://127.0.0.1:{client.port}"
    asked = {"kind": "maze", "width": 9, "height": 9}
    assert client.ask("POST", "/api/generate", asked, Origin=own)[0] == 200


def test_json_must_say_so(client):
    assert client.error("POST", "/api/search", b"{}", content_type="text/plain")[0] == 415
    assert client.error("POST", "/api/search", b"[1", content_type="application/json")[0] == 400
    assert client.error("POST", "/api/search", b"[" * 100000, content_type="application/json")[0] == 400
    assert client.error("PUT", "/api/terrain", b"")[0] == 405


def test_large_requests_are_refused():
    with studio(StudioLimits(upload_bytes=1000, cells=100)) as small:
        assert small.error("POST", "/api/open?name=a.map", b"x" * 1001)[0] == 413
        assert "at most 100" in small.error("POST", "/api/generate", {"kind": "maze", "width": 50, "height": 50})[1]
        assert "at most 100" in small.error("POST", "/api/open?name=a.png", _bomb(20000))[1]
        key = _map(small, np.ones((5, 5)))
        assert _search(small, key, "astar", (0, 0), (4, 4))[0]["status"] == "FOUND"


def _bomb(side: int) -> bytes:
    stream = io.BytesIO()
    Image.new("1", (side // 100, side // 100)).save(stream, "PNG")
    data = bytearray(stream.getvalue())
    data[16:24] = side.to_bytes(4, "big") * 2
    return bytes(data[:900])


@pytest.mark.parametrize("name", ["../../etc/passwd", "a.exe", "", "a.tsx", "map", "..\\..\\x.bmp", "a" * 5000])
def test_names_are_never_places(client, name):
    from urllib.parse import quote

    status, text = client.error("POST", f"/api/open?name={quote(name)}", b"type octile\n")
    assert status == 400
    assert "allowed are .map" in text


def test_static_files_do_not_lead_elsewhere(client):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/app.py"):
        assert client.ask("GET", path)[0] == 404


def test_broken_files_get_a_sentence(client):
    for name, data in (("a.map", b"\x00\xff"), ("a.png", b"\x89PNG\r\n\x1a\n"), ("a.tmx", b"<map"), ("a.npy", b"junk")):
        status, text = client.error("POST", f"/api/open?name={name}", data)
        assert status == 400
        assert text.startswith(name)
        assert "/tmp" not in text


def test_strange_requests_get_a_sentence(client):
    key = _map(client, np.ones((5, 5)))
    good = {"map": key, "algorithm": "astar", "start": [0, 0], "goal": [4, 4]}
    for change in (
        {"map": "0" * 32},
        {"map": 7},
        {"algorithm": "a-star"},
        {"algorithm": None},
        {"algorithm": ["astar"]},
        {"start": [9, 9]},
        {"start": "0,0"},
        {"start": [1e300, 0]},
        {"goal": None},
        {"options": {"weight": "much"}},
        {"options": {"progress": True}},
        {"options": [1]},
        {"grid": {"topology": "cube"}},
        {"grid": {"metric": [1, {}]}},
        {"grid": "octile"},
    ):
        status, text = client.error("POST", "/api/search", good | change)
        assert status in (400, 404)
        assert text
    assert client.error("POST", "/api/search", good | {"map": "0" * 32})[0] == 404
    assert client.error("POST", "/api/overlay", {"map": key, "overlay": "nothing"})[0] == 400
    assert client.error("POST", "/api/agents", good | {"starts": [[0, 0]] * 99999, "goals": []})[0] == 400
    assert _search(client, key, "astar", (0, 0), (4, 4))[0]["status"] == "FOUND"


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\xff\xff\xff\xff",
        pack({"width": 3, "height": 3}, {"walls": np.ones(4, np.uint8)}),
        pack({"width": -3, "height": -3}, {"walls": np.ones(9, np.uint8)}),
        pack({"width": 3}, {}),
        pack({"width": 1, "height": 1}, {"walls": np.ones(1, np.uint8), "weights": np.zeros(1, np.uint16)}),
    ],
)
def test_damaged_terrain_is_refused(client, message):
    assert client.error("POST", "/api/terrain", message)[0] == 400


# --- Work that takes long --------------------------------------------------------------------------------------------


def _slow(client: Client, key: str, token: str, pane: str = "A", answers: list | None = None) -> threading.Thread:
    asked = {
        "map": key,
        "algorithm": "ida",
        "options": {"heuristic": "zero"},
        "start": [0, 0],
        "goal": [39, 39],
        "token": token,
        "client": "page",
        "pane": pane,
    }
    thread = threading.Thread(
        target=lambda: (answers if answers is not None else []).append(client.ask("POST", "/api/search", asked))
    )
    thread.start()
    return thread


def _wait_for(client: Client, token: str, state: str) -> None:
    until = time.monotonic() + 60
    while client.get(f"/api/progress?token={token}")["state"] != state:
        assert time.monotonic() < until


def test_a_search_is_cancelled_and_one_pane_has_one_search(client):
    key, answers = _map(client, np.ones((40, 40))), []
    threads = [_slow(client, key, "one", answers=answers)]
    _wait_for(client, "one", "searching")
    threads.append(_slow(client, key, "two", answers=answers))  # of the same pane: ends the first
    _wait_for(client, "two", "searching")
    threads[0].join(30)
    assert [status for status, _ in answers] == [409]
    assert json.loads(client.ask("POST", "/api/cancel", {"token": "two"})[1]) == {"cancelled": True}
    threads[1].join(30)
    assert [status for status, _ in answers] == [409, 409]
    assert client.get("/api/progress?token=two")["state"] == "unknown"


def test_long_searches_end_by_themselves():
    with studio(StudioLimits(search_s=0.2)) as hurried:
        key = _map(hurried, np.ones((40, 40)))
        asked = {"options": {"heuristic": "zero"}, "trace": False}
        header, _ = _search(hurried, key, "ida", (0, 0), (39, 39), **asked)
        assert header["status"] == "CUTOFF"


def test_a_flood_of_searches_is_refused_and_the_server_goes_on():
    with studio(StudioLimits(running=1, waiting=3)) as narrow:
        key, answers = _map(narrow, np.ones((40, 40))), []
        threads = [_slow(narrow, key, f"t{k}", pane=f"p{k}", answers=answers) for k in range(12)]
        until = time.monotonic() + 60
        while sum(status == 429 for status, _ in answers) < 8 and time.monotonic() < until:
            time.sleep(0.05)
        assert sum(status == 429 for status, _ in answers) == 8
        assert narrow.get("/api/registry")["version"]
        for _ in range(3):
            for k in range(12):
                narrow.ask("POST", "/api/cancel", {"token": f"t{k}"})
        for thread in threads:
            thread.join(60)
        assert _search(narrow, key, "astar", (0, 0), (39, 39))[0]["status"] == "FOUND"


def test_many_maps_are_forgotten_not_kept():
    with studio(StudioLimits(kept=3)) as forgetful:
        keys = [_map(forgetful, np.ones((5, 5 + k))) for k in range(6)]
        assert forgetful.ask("GET", f"/api/maps/{keys[-1]}")[0] == 200
        status, body = forgetful.ask("GET", f"/api/maps/{keys[0]}")
        assert status == 404
        assert json.loads(body)["code"] == "unknown-map"
