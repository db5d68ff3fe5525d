import json

import pytest
from PIL import Image

import waygrid as wg

pytestmark = pytest.mark.quick


def values(answer):
    """Return the printed rows as a dict."""
    return dict(line.split(maxsplit=1) for line in answer.out.replace("peak open", "peak_open").splitlines() if line)


def test_prints_what_the_search_did(cli, small):
    answer = cli("find", small, "0,0", "0,2")
    assert (answer.code, answer.err) == (0, "")
    shown = values(answer)
    assert shown["status"] == "FOUND"
    assert (shown["cost"], shown["moves"], shown["waypoints"]) == ("2.0000", "2", "2: 0,0 0,2")
    assert "warm" in shown["time"]
    assert {"expanded", "generated", "peak_open", "estimate"} <= set(shown)
    assert "\x1b" not in answer.out


def test_json(cli, small):
    answer = cli("find", small, "0,0", "4,4", "-a", "bfs", "--json")
    assert answer.code == 0
    found = json.loads(answer.out)
    assert list(found) == [
        "map",
        "algorithm",
        "options",
        "status",
        "cost",
        "cells",
        "waypoints",
        "model",
        "expanded",
        "generated",
        "peak_open",
        "estimate",
        "nodes",
        "bytes",
        "seconds",
    ]
    assert 0 < found["seconds"] < 60
    path = wg.make_finder("bfs", wg.Grid.from_file(small)).find((0, 0), (4, 4))
    assert found["cells"] == path.cells.tolist()
    assert found["waypoints"] == path.waypoints.tolist()
    assert (found["cost"], found["expanded"]) == (path.cost, path.stats.expanded)
    assert (found["map"], found["algorithm"], found["options"]) == (small, "bfs", {})


def test_straight_legs(cli, tmp_path):
    file, picture = tmp_path / "open.txt", tmp_path / "legs.png"
    file.write_text("......\n......\n......\n")
    for words in (("--straighten",), ("-a", "lazy-theta")):
        answer = cli("find", str(file), "0,0", "5,2", *words, "--png", str(picture))
        assert (answer.code, answer.err) == (0, "")
        shown = values(answer)
        assert (shown["cost"], shown["legs"], shown["waypoints"]) == ("5.3852", "1", "2: 0,0 5,2")
        found = json.loads(cli("find", str(file), "0,0", "5,2", *words, "--json").out)
        assert (found["model"], found["waypoints"]) == ("centres", [[0, 0], [5, 2]])
        assert picture.stat().st_size > 0


def test_fewest_turns(cli, tmp_path):
    file = tmp_path / "open.txt"
    file.write_text("........\n" * 4)
    facts = json.loads(cli("find", str(file), "0,0", "7,3", "-a", "jps", "--prefer", "straight", "--json").out)
    assert len(facts["waypoints"]) == 3
    words = ("--prefer", "straight", "--trace", str(tmp_path / "found.trace.json"))
    assert cli("find", str(file), "0,0", "7,3", *words).code == 0
    for words, message in (
        (("--prefer", "short"), "prefer is 'short'; allowed are"),
        (("--prefer", "straight", "-a", "lrta"), "needs cheapest paths of moves, which lrta does not promise"),
    ):
        answer = cli("find", str(file), "0,0", "7,3", *words)
        assert (answer.code, message in answer.err) == (2, True)


def test_no_path_is_code_1(cli, small):
    answer = cli("find", small, "0,0", "0,4")
    assert (answer.code, answer.err) == (1, "")
    assert values(answer)["status"] == "UNREACHABLE"
    answer = cli("find", small, "0,0", "0,4", "--json")
    assert answer.code == 1
    found = json.loads(answer.out)
    assert (found["status"], found["cost"], found["cells"]) == ("UNREACHABLE", None, [])


def test_partial_goes_close_but_there_is_no_path(cli, small):
    answer = cli("find", small, "0,0", "0,4", "--partial", "--json")
    assert answer.code == 1
    found = json.loads(answer.out)
    assert found["status"] == "PARTIAL"
    assert found["cells"][0] == [0, 0]


def test_limits(cli, small):
    answer = cli("find", small, "0,0", "4,4", "-a", "dijkstra", "--max-expansions", 2, "--json")
    assert answer.code == 0
    found = json.loads(answer.out)
    assert (found["status"], found["expanded"]) == ("CUTOFF", 2)
    assert cli("find", small, "0,0", "4,4", "--max-time", 10).code == 0


def test_rules_and_options(cli, small):
    cost = json.loads(cli("find", small, "0,0", "2,2", "--grid", "tile", "--json").out)["cost"]
    assert cost == 4
    cost = json.loads(cli("find", small, "1,2", "2,3", "--corners", "one", "--metric", "5,7", "--json").out)["cost"]
    assert cost == 1.4
    weighted = json.loads(cli("find", small, "0,0", "4,4", "--set", "weight=2", "--json").out)
    assert weighted["options"] == {"weight": 2}
    assert cli("find", small, "0,0", "0,2", "-a", "ida", "--set", "pruning=none").code == 0
    assert cli("find", small, "0,0", "0,2", "--set", "heuristic=none").code == 0


def test_blocked_cells(cli, small):
    for wall in ([4, 2], [2, 3]):
        answer = cli("find", small, "0,0", "4,4", "--blocked", "{},{}".format(*wall), "--json")
        assert answer.code == 0
        assert wall not in json.loads(answer.out)["cells"]
    assert cli("find", small, "0,0", "4,4", "--blocked", "4,2", "--blocked", "2,3").code == 1


def test_a_believed_map_from_a_file(cli, small, draw):
    believed = draw("\n".join(["....."] * 5), "believed.txt")
    words = ("find", small, "0,0", "4,4", "-a", "dstar-lite", "--set", "radius=1")
    known, unknown = cli(*words), cli(*words, "--set", f"known={believed}")
    assert int(values(known)["expanded"]) < int(values(unknown)["expanded"])
    answer = json.loads(cli(*words, "--set", f"known={believed}", "--json").out)
    assert (answer["status"], answer["options"]) == ("FOUND", {"radius": 1, "known": believed})
    assert values(cli(*words, "--set", "known=none"))["status"] == "FOUND"
    narrow = draw("....", "narrow.txt")
    answer = cli(*words, "--set", f"known={narrow}")
    assert (answer.code, answer.out) == (2, "")
    assert "known=narrow.txt has shape (1, 4), the map has (5, 5)" in answer.err


def test_cells_one_a_line(cli, small):
    lines = cli("find", small, "0,0", "0,2", "--cells").out.splitlines()
    assert lines[-3:] == ["0,0", "0,1", "0,2"]


@pytest.mark.parametrize(
    "more", [[], ["--blocked", "0,1"], ["--max-expansions", "1"], ["--grid", "hex"], ["--partial"]]
)
def test_picture(cli, small, tmp_path, more):
    answer = cli("find", small, "0,0", "4,4", "--png", "a.png", *more)
    assert answer.code == 0
    assert values(answer)["written"] == "a.png"
    with Image.open(tmp_path / "a.png") as picture:
        assert min(picture.size) > 100


def test_picture_without_path(cli, small, tmp_path):
    assert cli("find", small, "0,0", "0,4", "--png", "a.png").code == 1
    assert cli("find", small, "0,0", "1,1", "--partial", "--png", "b.png").code == 1
    assert (tmp_path / "a.png").exists()
    assert (tmp_path / "b.png").exists()


def test_trace(cli, small, tmp_path):
    assert cli("find", small, "0,0", "4,4", "--trace", "a.trace.yaml").code == 0
    assert "expanding" in (tmp_path / "a.trace.yaml").read_text()
    assert cli("find", small, "0,0", "4,4", "--trace", "b.trace.json", "--blocked", "0,1").code == 0
    answer = cli("find", small, "0,0", "4,4", "--trace", "c.trace.yaml", "--max-expansions", 1)
    assert answer.code == 0
    assert (tmp_path / "c.trace.yaml").read_text().count("expanding,") == 1


def test_film(cli, small, tmp_path):
    answer = cli("find", small, "0,0", "4,4", "--trace", "a.gif")
    assert answer.code == 0
    assert values(answer)["written"] == "a.gif"
    with Image.open(tmp_path / "a.gif") as film:
        assert film.n_frames > 5


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.map", "0,0", "1,1"], "nowhere.map: no such file"),
        (["small.bmp", "0,0", "1,1"], "'.bmp' is not a map format; allowed are .map"),
        (["{map}", "1,1", "0,0"], "start (1, 1) is in a wall"),
        (["{map}", "0,0", "9,0"], "goal (9, 0) is outside the map of 5 x 5 cells"),
        (["{map}", "-1,0", "0,0"], "start (-1, 0) is outside the map"),
        (["{map}", "0,0", "4"], "goal is '4'; a cell is X,Y"),
        (["{map}", "0,0", "4,x"], "goal is '4,x'; a cell is X,Y"),
        (["{map}", "0,0", "4,4", "-a", "a-star"], "there is no algorithm 'a-star'; did you mean 'astar'?"),
        (["{map}", "0,0", "4,4", "--set", "speed=9"], "astar has no option 'speed'; allowed are heuristic, weight"),
        (["{map}", "0,0", "4,4", "--set", "weight"], "--set 'weight'; allowed is OPTION=VALUE"),
        (["{map}", "0,0", "4,4", "--set", "weight=1", "--set", "weight=2"], "weight was already given as 1"),
        (["{map}", "0,0", "4,4", "--set", "weight=heavy"], "weight is 'heavy'; allowed are numbers from 0 to 100"),
        (["{map}", "0,0", "4,4", "--grid", "square"], "allowed are tile, octile, hex, tex"),
        (["{map}", "0,0", "4,4", "--corners", "some"], "allowed are never, one, always"),
        (["{map}", "0,0", "4,4", "--metric", "5,20"], "metric is (5, 20)"),
        (["{map}", "0,0", "4,4", "--metric", "miles"], "metric is 'miles'"),
        (["{map}", "0,0", "4,4", "--clearance", "3"], "leaves no room for an agent of 3 x 3"),
        (["{map}", "0,0", "4,4", "--blocked", "4,4"], "goal (4, 4) is a blocked= cell"),
        (["{map}", "0,0", "4,4", "--blocked", "7,7"], "blocked cell (7, 7) is outside"),
        (["{map}", "0,0", "4,4", "--max-expansions", "-1"], "max_expansions is -1"),
        (["{map}", "0,0", "4,4", "--png", "no/a.png"], "cannot write no/a.png"),
        (
            ["{map}", "0,0", "4,4", "--trace", "a.txt"],
            "a.txt: the name of a trace must end in .trace.yaml, .trace.yml, .trace.json, .gif",
        ),
        (["{map}", "0,0", "4,4", "--grid", "hex", "-a", "astar-overestimate"], "does not support topology 'hex'"),
    ],
)
def test_bad_input_is_one_line_and_code_2(cli, small, words, told):
    answer = cli("find", *(word.format(map=small) for word in words))
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith("waygrid: ")
    assert told in answer.err
    assert answer.err.count("\n") == 1


def test_ragged_map(cli, draw):
    answer = cli("find", draw("...\n.."), "0,0", "1,0")
    assert answer.code == 2
    assert "small.txt, line 2" in answer.err


@pytest.mark.parametrize("place", [3, 40, -1, -30])
def test_a_damaged_index_is_code_2_and_named_so(cli, small, place):
    assert cli("build", small, "-a", "jps+", "-o", "a.wgi").code == 0
    with open("a.wgi", "rb+") as file:
        data = bytearray(file.read())
        data[place] ^= 4
        file.seek(0)
        file.write(data)
    answer = cli("find", small, "0,0", "0,4", "--index", "a.wgi")
    assert (answer.code, answer.out) == (2, "")
    assert "the index is damaged" in answer.err
    assert "a.wgi" in answer.err


def test_no_answer_from_a_large_index_before_all_of_it_was_compared(cli, small, monkeypatch):
    from waygrid.build import loading

    monkeypatch.setattr(loading, "LARGE", 10)
    assert cli("build", small, "-a", "astar-gb", "-o", "a.wgi").code == 0
    with open("a.wgi", "rb+") as file:
        file.seek(-1, 2)
        file.write(b"\x07")
    answer = cli("find", small, "0,0", "0,2", "--index", "a.wgi")
    assert (answer.code, answer.out) == (2, "")
    assert "the index is damaged: the checksum of array 'map.passable' is wrong" in answer.err


@pytest.fixture
def index(cli, small):
    assert cli("build", small, "-a", "jps+", "-o", "small.wgi", "-q").code == 0
    return "small.wgi"


def test_an_index_of_another_algorithm_is_refused(cli, small, index):
    answer = cli("find", small, "0,0", "4,4", "--index", index, "-a", "astar")
    assert (answer.code, answer.out) == (2, "")
    assert "small.wgi is an index of jps+, not of astar; leave out -a, or give -a jps+" in answer.err
    answer = cli("find", small, "0,0", "4,4", "--index", index, "--set", "weight=2")
    assert (answer.code, answer.out) == (2, "")
    assert "--set weight=2, but small.wgi is an index of jps+; leave out --set" in answer.err
    for words in ([], ["-a", "jps+"]):
        answer = cli("find", small, "0,0", "4,4", "--index", index, *words)
        assert answer.code == 0
        assert values(answer)["algorithm"] == "jps+"


def test_the_output_names_the_algorithm(cli, small):
    assert values(cli("find", small, "0,0", "4,4"))["algorithm"] == "astar"
    assert values(cli("find", small, "0,0", "4,4", "-a", "bfs"))["algorithm"] == "bfs"


def test_json_to_standard_output(cli, small):
    for words in (("find", small, "0,0", "4,4"), ("info", small), ("algorithms", "astar")):
        answer = cli(*words, "--json", "-")
        assert answer.code == 0
        assert json.loads(answer.out)


def test_a_long_search_runs_once(cli, small, monkeypatch):
    from waygrid.measure import timing
    from waygrid.search.finder import Finder

    asked = []
    whole = Finder.find_many
    monkeypatch.setattr(Finder, "find_many", lambda self, *a, **o: asked.append(o) or whole(self, *a, **o))
    monkeypatch.setattr(Finder, "find", lambda self, *a, **o: asked.append(o))
    ticks = iter(range(0, 10**6, 20))
    monkeypatch.setattr(timing, "wall_clock", lambda: next(ticks))
    answer = cli("find", small, "0,0", "4,4", "--max-time", 20, "--json", "--png", "a.png")
    assert answer.code == 0
    assert json.loads(answer.out)["seconds"] == 20
    assert [limits["max_expansions"] for limits in asked] == [64, None]  # a taste that compiles, and the search
