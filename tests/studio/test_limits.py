"""What the studio takes on: limits that hold for every request, places that are given back, and a clean end."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from contextlib import suppress

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the studio's packages are not installed")

from studio_server import Client, studio

from waygrid.errors import WaygridError
from waygrid.formats import geotiff, tiled
from waygrid.search.declaration import BUILD_OPTIONS
from waygrid.studio import exports, opening, overlays, searches, walks
from waygrid.studio.jobs import CancelledJobError, Desk, Job, TooBusyError
from waygrid.studio.limits import StudioLimits
from waygrid.studio.model import Model, Terrain
from waygrid.studio.wire import pack, unpack

OPEN = np.ones((40, 40), np.bool_)
SECONDS = 120  # kernels may have to be compiled first


@pytest.fixture(scope="module")
def client():
    with studio() as running:
        yield running


def _model(passable: np.ndarray = OPEN, **limits) -> tuple[Model, str]:
    model = Model(StudioLimits()._replace(**limits))
    return model, model.add(Terrain(passable, None))


def _job() -> Job:
    return Job("token", ("page", "A"))


# --- Options and estimates -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(BUILD_OPTIONS))
@pytest.mark.parametrize("algorithm", ["astar", "dba"])
def test_no_option_of_a_build_is_taken_from_a_page(client, name, algorithm):
    status, body = client.ask("POST", "/api/generate", {"kind": "maze", "width": 9, "height": 9})
    assert status == 200
    asked = {"map": unpack(body)[0]["id"], "algorithm": algorithm, "start": [1, 1], "goal": [2, 2]}
    status, text = client.error("POST", "/api/search", asked | {"options": {name: "tcp://127.0.0.1:1"}})
    assert status == 400
    assert f"{name!r} is not available in the studio" in text


@pytest.mark.parametrize("overlay", ["paths", "sectors"])
def test_overlays_that_would_take_too_long_are_refused_before_they_begin(overlay):
    model, key = _model(np.ones((60, 60), np.bool_), build_s=0.5, sectors=1000)
    options = {"sector": 1} | ({"level": 16} if overlay == "paths" else {})
    with pytest.raises(WaygridError, match=r"sector 1 .*makes 3600 (regions|sectors)"):
        overlays.overlay(model, {"map": key, "overlay": overlay, "options": options}, _job())
    assert overlays.overlay(model, {"map": key, "overlay": overlay, "options": {"sector": 16}}, _job())


@pytest.mark.parametrize("overlay", list(overlays.list_overlays()))
def test_overlays_hear_that_they_are_late_or_not_wanted(overlay):
    asked = {"overlay": overlay, "cell": [2, 2], "token": "t"}
    model, key = _model(build_s=0.0)
    with pytest.raises(WaygridError, match="takes"):
        overlays.overlay(model, asked | {"map": key}, _job())
    ended = _job()
    ended.cancel()
    with pytest.raises(CancelledJobError):
        overlays.overlay(model, asked | {"map": key}, ended)


def test_stored_paths_are_those_of_the_finder_that_is_kept():
    model, key = _model()
    job = _job()
    overlays.overlay(model, {"map": key, "overlay": "paths"}, job)
    made = model.finder(key, {}, "dba", {"sector": 16, "level": 1}, job)
    assert model.finder(key, {}, "dba", {"level": 1, "sector": 16}, job) is made
    assert len(model._made) == 1


# --- Agents ----------------------------------------------------------------------------------------------------------


def _walk(model: Model, key: str, count: int, expansions: object) -> dict:
    asked = {"map": key, "algorithm": "lrta", "starts": [[0, 0]] * count, "goals": [[39, 39]] * count}
    return unpack(walks.walk(model, asked | {"expansions": expansions}, _job()))[0]


def test_agents_have_so_many_expansions_in_all():
    model, key = _model(step_expansions=100)
    assert _walk(model, key, 10, 10)["statuses"] == ["FOUND"] * 10
    for expansions in (11, 10**30, 0, True, "7", None):
        with pytest.raises(WaygridError, match="for 10 agents 1 to 10 are allowed"):
            _walk(model, key, 10, expansions)


def test_agents_that_learn_too_much_are_stopped():
    model, key = _model(agent_bytes=1000)
    with pytest.raises(WaygridError, match=r"take \d+ bytes of memory, at most 1000 are allowed"):
        _walk(model, key, 20, 10)


# --- Maps from outside -----------------------------------------------------------------------------------------------

CHUNK = '<chunk x="{0}" y="{0}" width="16" height="16">{1}</chunk>'
TILES = ",".join(["0"] * 256)
FAR_APART = (
    '<map infinite="1" width="1" height="1"><layer name="walls"><data encoding="csv">'
    + CHUNK.format(0, TILES)
    + CHUNK.format(8000, TILES)
    + "</data></layer></map>"
)
HEIGHT_FIRST = '<map height="8000" width="8000"><layer name="walls"><data encoding="csv">0</data></layer></map>'
DEEP = (
    '<map width="1000" height="1000">' + '<layer name="walls"><data encoding="csv">0</data></layer>' * 1000 + "</map>"
)


@pytest.mark.parametrize("bomb", [FAR_APART, HEIGHT_FIRST, DEEP])
def test_small_files_do_not_become_large_maps(bomb):
    limits = StudioLimits()
    tracemalloc.start()
    try:
        with pytest.raises(WaygridError, match=r"^a\.tmx: .*(at most 4000000 cells are allowed|are too many)"):
            opening.open_file("a.tmx", bomb.encode(), limits)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_small_tif_of_a_large_map_is_refused(tmp_path):
    geotiff.write_raster(tmp_path / "a.tif", np.ones((3000, 2000), np.uint8))
    data = (tmp_path / "a.tif").read_bytes()
    assert len(data) < 100_000
    with pytest.raises(WaygridError, match=r"3000"):
        opening.open_file("a.tif", data, StudioLimits())
    geotiff.write_raster(tmp_path / "a.tif", np.array([[1, 7]], np.uint8))
    terrain, topology = opening.open_file("a.tif", (tmp_path / "a.tif").read_bytes(), StudioLimits())
    assert (terrain.weights.tolist(), topology) == ([[1, 7]], None)


def test_chunks_on_top_of_each_other_count():
    text = FAR_APART.replace(CHUNK.format(8000, TILES), CHUNK.format(0, TILES) * 3)
    assert tiled.parse(text.encode(), max_cells=1024).passable.shape == (16, 16)
    with pytest.raises(WaygridError, match="more than 1023 tiles in all"):
        tiled.parse(text.encode(), max_cells=1023)


def test_rows_of_a_scenario_that_are_not_shown_are_counted():
    rows = b"version 1\n" + b"0\ta.map\t5\t4\t0\t0\t4\t3\t5.2\n" * 7
    read = opening.read_problems(rows, 5, 4, StudioLimits(problems=3))
    assert read == {"rows": 7, "problems": [[0, 0, 4, 3, 5.2]] * 3}


# --- Many at a time --------------------------------------------------------------------------------------------------


def test_json_is_short(client):
    long = json.dumps({"token": "x" * 1_000_000}).encode()
    for path in ("/api/search", "/api/cancel", "/api/generate"):
        assert client.error("POST", path, long, content_type="application/json")[0] == 413
        assert client.error("POST", path, long, content_type="Application/JSON ; charset=utf-8")[0] in (413, 415)
    assert (
        client.ask("POST", "/api/terrain", pack({"width": 1200, "height": 1000}, {"walls": np.ones(1_200_000, "u1")}))[
            0
        ]
        == 200
    )


def test_uploads_wait_for_each_other_and_too_many_are_refused(monkeypatch):
    going, most, ready = [0], [0], threading.Event()
    lock = threading.Lock()

    def slow(body: bytes, limits: StudioLimits) -> Terrain:
        with lock:
            going[0] += 1
            most[0] = max(most[0], going[0])
        ready.wait(SECONDS)
        with lock:
            going[0] -= 1
        return Terrain(OPEN, None)

    monkeypatch.setattr(opening, "receive_terrain", slow)
    with studio(StudioLimits(uploads=2, queued_uploads=3)) as narrow:
        answers: list[int] = []
        threads = [
            threading.Thread(target=lambda: answers.append(narrow.ask("POST", "/api/terrain", bytes(100_000))[0]))
            for _ in range(9)
        ]
        for thread in threads:
            thread.start()
        until = time.monotonic() + SECONDS
        while (len(answers) < 4 or most[0] < 2) and time.monotonic() < until:
            time.sleep(0.02)
        assert answers == [429] * 4
        ready.set()
        for thread in threads:
            thread.join(SECONDS)
    assert sorted(answers) == [200] * 5 + [429] * 4
    assert most[0] == 2


def test_a_small_drawing_waits_for_no_large_one(monkeypatch):
    ready, begun = threading.Event(), threading.Event()

    def slow(body: bytes, limits: StudioLimits) -> Terrain:
        if len(body) > 65_536:
            begun.set()
            ready.wait(SECONDS)
        return Terrain(OPEN, None)

    monkeypatch.setattr(opening, "receive_terrain", slow)
    with studio(StudioLimits(uploads=1, queued_uploads=0)) as narrow:
        large = threading.Thread(target=narrow.ask, args=("POST", "/api/terrain", bytes(100_000)))
        large.start()
        assert begun.wait(SECONDS)
        assert narrow.ask("POST", "/api/terrain", bytes(100_000))[0] == 429
        assert narrow.ask("POST", "/api/terrain", bytes(1000))[0] == 200
        ready.set()
        large.join(SECONDS)


def test_a_cancelled_job_gives_its_place_to_the_next():
    go, desk = threading.Event(), Desk(StudioLimits(running=1, waiting=2))
    _, first = desk.submit("first", ("page", "X"), lambda job: go.wait(SECONDS))
    waiting = [desk.submit(name, ("page", name), lambda job: job.token) for name in ("a", "b")]
    with pytest.raises(TooBusyError):
        desk.submit("c", ("page", "c"), lambda job: job.token)
    again = desk.submit("a2", ("page", "a"), lambda job: job.token)  # of the same pane as one that waits
    with pytest.raises(CancelledJobError):
        waiting[0][1].result(SECONDS)
    assert desk.cancel("b")
    assert not desk.cancel("b")
    with pytest.raises(CancelledJobError):
        waiting[1][1].result(SECONDS)
    other = desk.submit("c", ("page", "c"), lambda job: job.token)
    assert desk.cancel("first")  # at work: it is told at once, and ends later
    with pytest.raises(CancelledJobError):
        first.result(SECONDS)
    last = desk.submit("d", ("page", "d"), lambda job: job.token)  # the cancelled one does not count any more
    go.set()
    assert [future.result(SECONDS) for _, future in (again, other, last)] == ["a2", "c", "d"]
    assert desk.close(SECONDS)


def test_a_pane_that_searches_anew_is_never_refused():
    go, desk = threading.Event(), Desk(StudioLimits(running=1, waiting=1))
    futures = [desk.submit(str(k), ("page", "A"), lambda job: go.wait(SECONDS) and job.token)[1] for k in range(20)]
    go.set()
    assert futures[-1].result(SECONDS) == "19"
    assert all(isinstance(future.exception(SECONDS), CancelledJobError) for future in futures[:-1])
    assert desk.close(SECONDS)


def test_errors_of_any_kind_reach_the_one_who_waits():
    desk = Desk(StudioLimits(running=1))
    _, failed = desk.submit("a", ("", ""), lambda job: sys.exit(3))
    assert isinstance(failed.exception(SECONDS), SystemExit)
    assert desk.submit("b", ("", ""), lambda job: 7)[1].result(SECONDS) == 7


def test_who_waits_for_anothers_build_can_be_cancelled():
    model, _ = _model()
    began, go = threading.Event(), threading.Event()

    def make() -> tuple[str, int]:
        began.set()
        go.wait(SECONDS)
        return "made", 4

    maker = threading.Thread(target=lambda: model.structure("name", make, _job()))
    maker.start()
    began.wait(SECONDS)
    waiter = _job()
    waiter.cancel()
    with pytest.raises(CancelledJobError):
        model.structure("name", make, waiter)
    go.set()
    maker.join(SECONDS)
    assert model.structure("name", lambda: ("other", 1), _job()) == "made"


def test_what_is_kept_counts_with_its_grid_and_its_arrays():
    model, key = _model(np.ones((200, 200), np.bool_))
    for algorithm in ("astar", "dijkstra"):
        model.finder(key, {}, algorithm, {}, _job())
    assert all(size >= 24 * 200 * 200 for _, size in model._made._things.values())
    overlays.overlay(model, {"map": key, "overlay": "parts"}, _job())
    ((layers, size),) = model._structures._things.values()
    assert size >= sum(layer.array.nbytes for layer in layers) >= 4 * 200 * 200


# --- Time ------------------------------------------------------------------------------------------------------------


def test_exports_and_traces_look_at_the_clock(monkeypatch):
    model, key = _model(search_s=20.0)
    asked = {"map": key, "algorithm": "astar", "start": [0, 0], "goal": [39, 39], "frames": 5}
    assert exports.gif_file(model, asked, _job())
    late = Model(model.limits._replace(build_s=0.0))
    late.add(Terrain(OPEN, None))
    with pytest.raises(WaygridError, match="drawing the search takes longer than the 0 s"):
        exports.gif_file(late, asked, _job())
    finder = model.finder(key, {}, "astar", {}, _job()).finder
    path = finder.find((0, 0), (39, 39))
    model.limits = model.limits._replace(search_s=0.0)
    with pytest.raises(WaygridError, match="the trace of this search takes longer"):
        searches.trace_search(model, searches.StudioSearch(finder, path, 0.0, None), asked, _job())


# --- Visits ----------------------------------------------------------------------------------------------------------


def test_links_from_other_sites_lead_to_the_page_and_nowhere_else(client):
    visit = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert client.ask("GET", "/", **visit)[0] == 200
    assert client.ask("GET", "/static/main.js", **visit)[0] == 200
    assert client.error("GET", "/api/registry", **visit)[0] == 403
    assert client.error("GET", "/static/../api/registry", **visit)[0] in (403, 404)
    assert client.error("POST", "/", b"", **visit)[0] == 403
    assert client.error("GET", "/", **(visit | {"Sec_Fetch_Dest": "iframe"}))[0] == 403
    assert client.error("GET", "/", **(visit | {"Sec_Fetch_Mode": "no-cors"}))[0] == 403
    assert client.error("GET", "/", **visit, Origin="http://evil.example")[0] == 403


# --- The command -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("busy", [False, True])
def test_the_command_prints_its_address_and_ends_by_ctrl_c(busy):
    command = [sys.executable, "-m", "waygrid", "studio", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            line = server.stdout.readline()
            assert "http://127.0.0.1:" in line, line
            running = Client(int(line.split("http://127.0.0.1:")[1].split("/")[0]))
            _until_it_answers(running)
            asking = threading.Thread(target=_search_long, args=(running,), daemon=True)
            if busy:
                asking.start()
                until = time.monotonic() + SECONDS
                while running.get("/api/progress?token=long")["what"] != "" or not _searching(running):
                    assert time.monotonic() < until
            server.send_signal(signal.SIGINT)
            told, _ = server.communicate(timeout=SECONDS)
            assert server.returncode in (0, 130), told
            assert "Traceback" not in told
            assert "rror" not in told
        finally:
            server.kill()


def _until_it_answers(running: Client) -> None:
    until = time.monotonic() + SECONDS
    while True:
        try:
            assert running.ask("GET", "/")[0] == 200
            return
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.1)


def _searching(running: Client) -> bool:
    return running.get("/api/progress?token=long")["state"] == "searching"


def _search_long(running: Client) -> None:
    body = pack({"width": 40, "height": 40}, {"walls": OPEN.astype(np.uint8).ravel()})
    key = json.loads(running.ask("POST", "/api/terrain", body)[1])["id"]
    asked = {"map": key, "algorithm": "ida", "options": {"heuristic": "zero"}, "start": [0, 0], "goal": [39, 39]}
    with suppress(OSError):  # when the server has gone
        running.ask("POST", "/api/search", asked | {"token": "long"})


def test_work_that_does_not_end_does_not_hold_the_command_up(monkeypatch):
    """A compiled call hears nothing: the command ends the process instead of waiting for it."""
    from waygrid.cli import studio as command
    from waygrid.studio import serve

    ended = []
    monkeypatch.setattr(command.os, "_exit", ended.append)
    monkeypatch.setattr(serve, "serve", lambda *rest: True)
    command.studio(no_browser=True)
    assert ended == []
    monkeypatch.setattr(serve, "serve", lambda *rest: False)
    command.studio(no_browser=True)
    assert ended == [0]
    go, desk = threading.Event(), Desk(StudioLimits())
    desk.submit("a", ("", ""), lambda job: go.wait(SECONDS))
    assert not desk.close(0.05)
    assert all(thread.daemon for thread in desk._threads)
    go.set()


@pytest.mark.parametrize("browser", [True, False])
def test_a_browser_is_opened_where_it_is_wanted(monkeypatch, browser):
    from waygrid.studio import serve

    opened, told = [], []
    monkeypatch.setattr(serve.webbrowser, "open", opened.append)
    monkeypatch.setattr(serve._Server, "run", lambda self, sockets: time.sleep(0.2))
    assert serve.serve("127.0.0.1", None, browser, tell=told.append)
    assert len(told) == 1
    assert opened == ([told[0].split()[3]] if browser else [])


def test_the_command_opens_a_browser_unless_told_not_to(monkeypatch):
    from waygrid.cli import main
    from waygrid.studio import serve

    asked = []
    monkeypatch.setattr(serve, "serve", lambda host, port, browser, *rest: asked.append(browser) or True)
    for words in (["studio"], ["studio", "--no-browser"]):
        assert main(words) == 0
    assert asked == [True, False]
