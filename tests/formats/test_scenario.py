import tempfile
from pathlib import Path

import numpy as np
import pytest
from formats.support import count_calls, damaged, fuzzing, parses_or_refuses, quick, real_files, refused
from hypothesis import given
from hypothesis import strategies as st

from waygrid.formats import scenario
from waygrid.formats.movingai import ScenarioData, read_scenario, write_scenario

pytestmark = pytest.mark.quick

ROWS = b"version 1\n0\ta.map\t9\t7\t1\t2\t8\t6\t8.65685\n3\tmaps/b c.map\t9\t7\t0\t0\t0\t0\t0\n"


def assert_same(got: ScenarioData, wanted: ScenarioData) -> None:
    assert got.maps == wanted.maps
    for field in ("buckets", "sizes", "starts", "goals", "costs"):
        a, b = getattr(got, field), getattr(wanted, field)
        assert a.dtype == (np.float64 if field == "costs" else np.int32)
        assert a.shape == b.shape
        np.testing.assert_array_equal(a, b)


def test_rows():
    data = scenario.parse(ROWS)
    assert data.buckets.tolist() == [0, 3]
    assert data.maps == ["a.map", "maps/b c.map"]
    assert data.sizes.tolist() == [[9, 7], [9, 7]]
    assert data.starts.tolist() == [[1, 2], [0, 0]]
    assert data.goals.tolist() == [[8, 6], [0, 0]]
    assert data.costs.tolist() == [8.65685, 0.0]


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.replace(b"\n", b"\r\n"),
        lambda d: d.rstrip(b"\n"),
        lambda d: d.replace(b"version 1\n", b""),
        lambda d: d.replace(b"version 1\n", b"version 1.0\n"),
        lambda d: d.replace(b"version 1\n", b"version\t1\n\n") + b"\n \n",
        lambda d: b"\xef\xbb\xbf" + d.replace(b"\t", b"\t "),
        lambda d: d.replace(b"0\n", b"0\t\n"),
    ],
)
def test_untidy_files_are_the_same(change):
    assert_same(scenario.parse(change(ROWS)), scenario.parse(ROWS))


def test_runs_of_spaces():
    plain = ROWS.replace(b"b c", b"b_c")
    assert_same(scenario.parse(plain.replace(b"\t", b"   ")), scenario.parse(plain))


def test_no_rows():
    assert scenario.parse(b"version 1\n").starts.shape == (0, 2)
    assert (
        refused(lambda: scenario.parse(b"\n", "a.scen")) == "a.scen: the file is empty; a scenario has at least one row"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"version 1", b"version 2", "a.scen, line 1: 'version 2'; allowed are version 1 and version 1.0"),
        (
            b"8.65685",
            b"",
            "a.scen, line 2: 8 fields; a row has 9: bucket, map, width, height, start x, start y, goal x, goal y, cost",
        ),
        (b"\t8\t6", b"\t-8\t6", "a.scen, line 2: goal x '-8'; a whole number 0 to 2147483647 is needed"),
        (b"\t8\t6", b"\t8\t6.0", "a.scen, line 2: goal y '6.0'; a whole number 0 to 2147483647 is needed"),
        (b"\t8\t6", b"\t1_0\t6", "a.scen, line 2: goal x '1_0'; a whole number 0 to 2147483647 is needed"),
        (
            b"0\ta.map",
            b"2147483648\ta.map",
            "a.scen, line 2: bucket '2147483648'; a whole number 0 to 2147483647 is needed",
        ),
        (b"\t8\t6", b"\t9\t6", "a.scen, line 2: goal (9, 6) is outside the map of 9 x 7 cells"),
        (b"\t0\t0\t0\t0", b"\t0\t7\t0\t0", "a.scen, line 3: start (0, 7) is outside the map of 9 x 7 cells"),
        (b"8.65685", b"nan", "a.scen, line 2: cost 'nan'; a number of 0 or more is needed"),
        (b"8.65685", b"-1", "a.scen, line 2: cost '-1'; a number of 0 or more is needed"),
        (b"8.65685", b"far", "a.scen, line 2: cost 'far'; a number of 0 or more is needed"),
        (b"\tmaps/b c.map\t", b"\t\t", "a.scen, line 3: the map name is empty"),
        (b"a.map", b"\xff.map", "a.scen, line 2: not UTF-8 text (byte 0xff)"),
    ],
)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_errors_name_file_and_line(old, new, message, ending):
    data = ROWS.replace(old, new, 1).replace(b"\n", ending)
    assert refused(lambda: scenario.parse(data, "a.scen")) == message


@st.composite
def scenarios(draw) -> ScenarioData:
    n = draw(st.integers(0, 5))
    names = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1, max_size=9).filter(
        lambda text: text == text.strip()
    )
    sizes = np.array(draw(st.lists(st.tuples(*[st.integers(1, 2**31 - 1)] * 2), min_size=n, max_size=n)), np.int32)
    sizes = sizes.reshape(n, 2)
    part = np.array(draw(st.lists(st.floats(0, 0.999), min_size=4 * n, max_size=4 * n))).reshape(2, n, 2)
    cells = (part * sizes).astype(np.int32)
    return ScenarioData(
        np.array(draw(st.lists(st.integers(0, 2**31 - 1), min_size=n, max_size=n)), np.int32),
        draw(st.lists(names, min_size=n, max_size=n)),
        sizes,
        cells[0],
        cells[1],
        np.array(draw(st.lists(st.floats(0, allow_infinity=False, allow_nan=False), min_size=n, max_size=n))),
    )


@quick
@given(scenarios())
def test_round_trip(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.scen")
        write_scenario(path, data)
        assert_same(read_scenario(path), data)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"maps": ["a\tb", "c"]}, "row 0: map name"),
        ({"maps": [" a", "c"]}, "row 0: map name"),
        ({"maps": ["a", "\udc80"]}, "UTF-8"),
        ({"maps": ["a"]}, "buckets of shape (2,); 1 map names need (1,)"),
        ({"starts": np.array([[0, 0], [9, 0]])}, "row 1: start (9, 0) is outside the map of 9 x 7 cells"),
        ({"costs": np.array([1, np.inf])}, "row 1: cost inf"),
        ({"buckets": np.array([0.5, 1])}, "buckets must be integers"),
        ({"buckets": np.array([-1, 1])}, "buckets must be integers of 0 or more"),
        ({"buckets": np.array([2**31, 1])}, "allowed is up to 2147483647"),
    ],
)
def test_bad_scenarios_are_not_written(tmp_path, change, words):
    path = tmp_path / "a.scen"
    message = refused(lambda: write_scenario(path, scenario.parse(ROWS)._replace(**change)))
    assert words in message
    assert str(path) in message
    assert not path.exists()


@pytest.mark.parametrize("path", real_files("*.scen"))
def test_real_scenarios(path, tmp_path):
    data = read_scenario(path)
    lines = path.read_text().splitlines()
    assert len(data.maps) == len(lines) - 1
    assert all(name.endswith(path.name.removesuffix(".scen")) for name in data.maps)
    last = lines[-1].split("\t")
    assert [*data.starts[-1], *data.goals[-1]] == [int(field) for field in last[4:8]]
    assert data.costs[-1] == float(last[8])
    again = tmp_path / "again.scen"
    write_scenario(again, data)
    assert_same(read_scenario(again), data)


def test_the_work_of_a_row_does_not_grow_with_their_number():
    few, many = (b"version 1\n" + b"12\ta.map\t512\t512\t1\t2\t300\t400\t512.25\n" * n for n in (500, 5000))
    assert len(scenario.parse(many).maps) == 5000
    assert count_calls(lambda: scenario.parse(many)) <= 11 * count_calls(lambda: scenario.parse(few))


@fuzzing
@given(st.binary(max_size=200), damaged([ROWS, ROWS.replace(b"\t", b" ")]))
def test_fuzz(noise, broken):
    parses_or_refuses(scenario.parse, noise)
    parses_or_refuses(scenario.parse, b"version 1\n" + noise)
    parses_or_refuses(scenario.parse, broken)
