import tempfile
from pathlib import Path

import numpy as np
import pytest
from formats.support import damaged, fuzzing, parses_or_refuses, quick, refused
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from waygrid.formats import dynamic, patches
from waygrid.formats.dynamic import DynamicData, is_dynamic, read_dynamic, write_dynamic
from waygrid.formats.patches import read_patches, write_patches

pytestmark = pytest.mark.quick

PATCHES = b"type patch\npatches 2\npatch 0\nheight 1\nwidth 2\nmap\n.@\npatch 1\nheight 2\nwidth 1\nmap\n@\n.\n"
HEAD = b"version 2\nheight 4\nwidth 5\ncost 1 octile\npatch a.patch\ncommands\n"
COMMANDS = b"Q 0 0 0 4 0 4\nP 1 0 3 1\nP 1 1 0 2\nQ 1 1 0 4 3 4.24264069\nQ 1 0 0 0 0 0\nP 2 1 4 0\n"


def assert_same(got: DynamicData, wanted: DynamicData) -> None:
    assert (got.width, got.height) == (wanted.width, wanted.height)
    for field in DynamicData._fields[2:]:
        a, b = getattr(got, field), getattr(wanted, field)
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def write(folder, scenario=HEAD + COMMANDS, patch=PATCHES):
    (folder / "a.patch").write_bytes(patch)
    (folder / "a.scen").write_bytes(scenario)
    return folder / "a.scen"


def test_patches():
    found = patches.parse(PATCHES)
    assert [patch.astype(int).tolist() for patch in found] == [[[1, 0]], [[0], [1]]]
    assert all(patch.dtype == np.bool_ for patch in found)
    assert patches.parse(b"type patch\npatches 0\n") == []


def test_all_cells_of_maps_are_cells_of_patches():
    one = b"type patch\npatches 1\npatch 0\nheight 1\nwidth 7\nmap\n.GS@OTW\n"
    assert patches.parse(one)[0].astype(int).tolist() == [[1, 1, 1, 0, 0, 0, 0]]


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.replace(b"\n", b"\r\n"),
        lambda d: d.rstrip(b"\n"),
        lambda d: b"\xef\xbb\xbf" + d + b"\n \n",
        lambda d: d.replace(b"patch ", b"\n  patch\t").replace(b"type \n  patch\t", b"type "),
        lambda d: d.replace(b"height 1\nwidth 2\n", b"width 2\nheight 1\n"),
    ],
)
def test_untidy_patches_are_the_same(change):
    for got, wanted in zip(patches.parse(change(PATCHES)), patches.parse(PATCHES), strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (PATCHES, b"", "a.patch, line 1: the file ends before the line 'type patch'"),
        (b"type patch", b"type octile", "a.patch, line 1: 'type octile'; the first line is 'type patch'"),
        (b"patches 2", b"patches x", "a.patch, line 2: patches 'x'; allowed are 0 to 1048576"),
        (b"patches 2", b"patches 2000000", "a.patch, line 2: patches '2000000'; allowed are 0 to 1048576"),
        (b"patches 2", b"patches", "a.patch, line 2: 'patches'; a line 'patches N' is needed"),
        (b"patches 2", b"patches 3", "a.patch, line 14: the file ends before the line 'patch N'"),
        (b"patches 2", b"patches 1", "a.patch, line 8: more than the 1 patches of the header"),
        (b"patch 1", b"patch 0", "a.patch, line 8: patch 0; the next patch is number 1"),
        (b"width 2\n", b"", "a.patch, line 5: patch 0 has no line 'width'"),
        (b"width 2", b"width 0", "a.patch, line 5: width '0'; allowed are 1 to 65535"),
        (b"width 2", b"height 2", "a.patch, line 5: 'height' was already given"),
        (b"width 2", b"depth 2", "a.patch, line 5: header line 'depth'; allowed are height, width, map"),
        (b"width 2", b"width 3", "a.patch, line 7: a row of 2 cells; the header says 3"),
        (b"width 2\n", b"width 65535\n", "a.patch, line 7: a row of 2 cells; the header says 65535"),
        (b"height 2", b"height 60000", "a.patch, line 14: the file ends within a patch of 60000 rows"),
        (b".@", b".x", "a.patch, line 7, column 2: 'x' is not a terrain; allowed are . G S @ O T W"),
    ],
)
def test_bad_patches_are_refused(old, new, words):
    assert old in PATCHES
    assert refused(lambda: patches.parse(PATCHES.replace(old, new, 1), "a.patch")) == words


def test_huge_patches_are_refused_before_memory_is_taken():
    wide = b"type patch\npatches 1\npatch 0\nheight 65535\nwidth 65535\nmap\n"
    assert "at most 268435456 cells are allowed" in refused(lambda: patches.parse(wide))


def test_commands(tmp_path):
    data, found = read_dynamic(write(tmp_path))
    assert (data.width, data.height, len(found)) == (5, 4, 2)
    assert data.edits.tolist() == [[0, 3, 1], [1, 0, 2], [1, 4, 0]]
    assert data.edit_buckets.tolist() == [1, 1, 2]
    assert data.starts.tolist() == [[0, 0], [1, 0], [0, 0]]
    assert data.goals.tolist() == [[4, 0], [4, 3], [0, 0]]
    assert data.costs.tolist() == [4, 4.24264069, 0]
    assert data.buckets.tolist() == [0, 1, 1]
    assert data.before.tolist() == [0, 2, 2]


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.replace(b"\n", b"\r\n"),
        lambda d: d.rstrip(b"\n"),
        lambda d: b"\xef\xbb\xbf" + d.replace(b" ", b"\t ") + b"\n\n",
        lambda d: d.replace(b"height 4\nwidth 5\n", b"\nwidth 5\nheight 4\n"),
        lambda d: (
            d.replace(b"cost 1 octile", b"cost 2 tile octile")
            .replace(b" 4\n", b" 9 4\n", 2)
            .replace(b"4.24", b"7 4.24")
            .replace(b"0 0 0 0 0\n", b"0 0 0 0 0 0\n")
            .replace(b"height 9 4", b"height 4")
        ),
    ],
)
def test_untidy_scenarios_are_the_same(change):
    assert_same(dynamic.parse(change(HEAD + COMMANDS)).data, dynamic.parse(HEAD + COMMANDS).data)


def test_names_of_patches_may_have_blanks():
    assert dynamic.parse(HEAD.replace(b"a.patch", b"my  own.patch ")).patch == "my  own.patch"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (HEAD + COMMANDS, b"", "line 1: the line 'commands' is missing from the header"),
        (b"version 2", b"version 1", "line 1: 'version 1'; a dynamic scenario begins with 'version 2'"),
        (b"width 5\n", b"", "line 5: the header has no line 'width'"),
        (b"width 5", b"width 0", "line 3: width '0'; a whole number 1 to 65535 is needed"),
        (b"width 5", b"height 5", "line 3: 'height' was already given in line 2"),
        (b"width 5", b"depth 5", "line 3: header line 'depth'; allowed are height, width, cost, patch, commands"),
        (
            b"cost 1 octile",
            b"cost 1 tile",
            "line 4: cost '1 tile'; a number of costs and as many names are needed, one of them 'octile', "
            "as in 'cost 1 octile'",
        ),
        (b"cost 1 octile", b"cost x", "line 4: cost 'x'; a whole number 1 to 16 is needed"),
        (b"patch a.patch", b"patch", "line 5: patch ''; the name of a file is needed"),
        (b"commands\n", b"", "line 6: header line 'Q'; allowed are height, width, cost, patch, commands"),
        (b"Q 0 0 0 4 0 4", b"R 0 0 0 4 0 4", "line 7: command 'R'; allowed are P and Q"),
        (
            b"Q 0 0 0 4 0 4",
            b"Q 0 0 0 4 0",
            "line 7: 5 fields behind Q; there are 6: bucket, start x, start y, goal x, goal y, length",
        ),
        (b"Q 0 0 0 4 0 4", b"Q 0 0 -1 4 0 4", "line 7: start y '-1'; a whole number 0 to 2147483647 is needed"),
        (b"Q 0 0 0 4 0 4", b"Q 0 0 0 5 0 4", "line 7: goal (5, 0) is outside the map of 5 x 4 cells"),
        (b"Q 0 0 0 4 0 4", b"Q 0 0 0 4 0 inf", "line 7: length 'inf'; a number of 0 or more is needed"),
        (b"P 1 0 3 1", b"P 1 0 3", "line 8: 3 fields behind P; there are 4: bucket, patch, x, y"),
        (b"P 1 0 3 1", b"P 1 2 3 1", "line 8: patch 2; allowed are 0 to 1"),
        (
            b"P 1 0 3 1",
            b"P 1 0 4 1",
            "line 8: patch 0 of 2 x 1 cells at (4, 1) does not lie inside the map of 5 x 4 cells",
        ),
    ],
)
def test_bad_scenarios_are_refused(tmp_path, old, new, words):
    assert old in HEAD + COMMANDS
    path = write(tmp_path, (HEAD + COMMANDS).replace(old, new, 1))
    assert refused(lambda: read_dynamic(path)) == f"{path}, {words}"


def test_patches_lie_beside_the_scenario(tmp_path):
    (tmp_path / "below").mkdir()
    path = write(tmp_path / "below", HEAD.replace(b"a.patch", b"../a.patch"))
    (tmp_path / "a.patch").write_bytes(PATCHES)
    assert "'../a.patch' is outside the folder of the scenario" in refused(lambda: read_dynamic(path))
    path.write_bytes(HEAD.replace(b"a.patch", str(tmp_path / "a.patch").encode()))
    assert "is outside the folder of the scenario" in refused(lambda: read_dynamic(path))
    path = tmp_path / "b.scen"
    path.write_bytes(HEAD.replace(b"a.patch", b"below/a.patch"))
    assert len(read_dynamic(path)[1]) == 2
    path.write_bytes(HEAD.replace(b"a.patch", b"missing.patch"))
    assert refused(lambda: read_dynamic(path)).startswith("cannot read ")


def test_which_files_are_dynamic(tmp_path):
    assert is_dynamic(write(tmp_path))
    assert not is_dynamic(tmp_path / "a.patch")
    assert not is_dynamic(tmp_path / "missing.scen")
    (tmp_path / "old.scen").write_bytes(b"version 1\n")
    assert not is_dynamic(tmp_path / "old.scen")


@st.composite
def scenarios(draw):
    width, height = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    sides = st.tuples(st.integers(1, height), st.integers(1, width))
    made = draw(st.lists(sides.flatmap(lambda shape: npst.arrays(np.bool_, shape)), max_size=4))
    edits, before = [], []
    if made:
        for number in draw(st.lists(st.integers(0, len(made) - 1), max_size=8)):
            tall, wide = made[number].shape
            edits.append((number, draw(st.integers(0, width - wide)), draw(st.integers(0, height - tall))))
    before = sorted(draw(st.lists(st.integers(0, len(edits)), max_size=8)))
    cells = npst.arrays(np.int32, (len(before), 2), elements=st.integers(0, min(width, height) - 1))
    buckets = st.integers(0, 2**31 - 1)
    data = DynamicData(
        width,
        height,
        np.array(edits, np.int32).reshape(-1, 3),
        draw(npst.arrays(np.int32, len(edits), elements=buckets)),
        draw(cells),
        draw(cells),
        draw(npst.arrays(np.float64, len(before), elements=st.floats(0, 1e9))),
        draw(npst.arrays(np.int32, len(before), elements=buckets)),
        np.array(before, np.int64),
    )
    return data, made


@quick
@given(scenarios())
def test_round_trip(scenario):
    data, made = scenario
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "some.scen")
        write_dynamic(path, data, made)
        assert sorted(file.name for file in Path(folder).iterdir()) == ["some.patch", "some.scen"]
        assert is_dynamic(path)
        got, found = read_dynamic(path)
    assert_same(got, data)
    assert len(found) == len(made)
    for ours, theirs in zip(found, made, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_what_is_written(tmp_path):
    data, found = read_dynamic(write(tmp_path))
    write_dynamic(tmp_path / "b.scen", data, found, "c.patch")
    assert (tmp_path / "c.patch").read_bytes() == PATCHES
    written = HEAD.replace(b"a.patch", b"c.patch") + COMMANDS.replace(b" 4\n", b" 4.0\n").replace(
        b"0 0 0 0 0\n", b"0 0 0 0 0.0\n"
    )
    assert (tmp_path / "b.scen").read_bytes() == written


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d._replace(width=0), "a map of 0 x 4 cells"),
        (lambda d: d._replace(goals=d.goals[:1]), r"goals of shape (1, 2); (3, 2) is needed"),
        (lambda d: d._replace(goals=d.goals - 1), "goals must be integers of 0 or more"),
        (lambda d: d._replace(goals=d.goals + 4), "query 0: goal (8, 4) is outside the map of 5 x 4 cells"),
        (lambda d: d._replace(costs=d.costs - 1), "query 2: length -1.0; a number of 0 or more is needed"),
        (lambda d: d._replace(before=d.before[::-1]), "before must not decrease, nor be more than the 3 edits"),
        (lambda d: d._replace(before=d.before + 2), "before must not decrease, nor be more than the 3 edits"),
        (lambda d: d._replace(edits=d.edits + 1), "edit 1: patch 2; allowed are 0 to 1"),
        (
            lambda d: d._replace(edits=d.edits + np.array([0, 0, 3])),
            "edit 0: patch 0 of 2 x 1 cells at (3, 4) does not lie",
        ),
    ],
)
def test_bad_data_is_not_written(tmp_path, change, words):
    data, found = read_dynamic(write(tmp_path))
    assert words in refused(lambda: write_dynamic(tmp_path / "b.scen", change(data), found))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.patch", "a.scen"]


@pytest.mark.parametrize("name", ["", "two words", "folder/a.patch", "b.scen"])
def test_bad_names_of_patches_are_not_written(tmp_path, name):
    data, found = read_dynamic(write(tmp_path))
    assert "a name is needed without white space" in refused(
        lambda: write_dynamic(tmp_path / "b.scen", data, found, name)
    )


def test_bad_patches_are_not_written(tmp_path):
    assert "patch 1: the map holds 7" in refused(lambda: write_patches(tmp_path / "a.patch", [[[1]], [[7]]]))
    assert "patch 0: " in refused(lambda: write_patches(tmp_path / "a.patch", [[1]]))
    assert "patch 0: " in refused(lambda: write_patches(tmp_path / "a.patch", [[[1], [1, 1]]]))
    assert not list(tmp_path.iterdir())
    write_patches(tmp_path / "a.patch", [np.ones((2, 3))])
    assert read_patches(tmp_path / "a.patch")[0].shape == (2, 3)


@fuzzing
@given(damaged([HEAD + COMMANDS]))
def test_damaged_scenarios(data):
    parses_or_refuses(dynamic.parse, data)


@fuzzing
@given(damaged([PATCHES]))
def test_damaged_patches(data):
    parses_or_refuses(patches.parse, data)
