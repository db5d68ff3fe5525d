"""Typed options: every declared one accepts what it says and refuses everything else in one sentence."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import waygrid as wg
from waygrid.options import Bytes, Choice, Flag, Function, Integer, Mask, Number, Sizes, Text, check_options
from waygrid.search.declaration import BUILD_OPTIONS

pytestmark = pytest.mark.quick

LEVEL = Integer(1, "", least=1, greatest=16)
SPLIT = Number(0.9, "", above=0, greatest=1)
LENGTH = Integer("auto", "", least=1, extra=("auto", None))
TRIM = Choice(True, "", choices=(True, False, "paper"))
DECLARED = [(info.name, name, option) for info in wg.algorithms().values() for name, option in info.options.items()]
DECLARED += [("a build", name, option) for name, option in BUILD_OPTIONS.items()]


@pytest.mark.parametrize(
    ("option", "value", "converted"),
    [
        (LEVEL, np.int64(16), 16),
        (LEVEL, np.array(3), 3),
        (SPLIT, 1, 1.0),
        (SPLIT, np.float32(0.5), 0.5),
        (LENGTH, "auto", "auto"),
        (LENGTH, None, None),
        (LENGTH, 7, 7),
        (TRIM, False, False),
        (TRIM, np.True_, True),
        (TRIM, "paper", "paper"),
        (Flag(False, ""), True, True),
        (Sizes(16, "", least=1), [8, np.int16(24)], (8, 24)),
        (Bytes(None, ""), "1.5 KiB", 1536),
        (Bytes(None, ""), None, None),
        (Function(None, ""), len, len),
        (Text(None, ""), "here", "here"),
    ],
)
def test_a_value_gets_the_type_of_its_option(option, value, converted):
    checked = option.check("it", value)
    assert checked == converted
    assert type(checked) is type(converted)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        (LEVEL, 0, "it is 0; allowed are the integers from 1 to 16"),
        (LEVEL, 17, "it is 17; allowed"),
        (LEVEL, True, "it is True; allowed"),
        (LEVEL, 2.0, "it is 2.0; allowed"),
        (LEVEL, None, "it is None; allowed"),
        (SPLIT, 0, "it is 0; allowed are numbers above 0, up to 1"),
        (SPLIT, float("nan"), "it is nan; allowed"),
        (SPLIT, "0.5", "it is '0.5'; allowed"),
        (LENGTH, "long", "it is 'long'; allowed are the integers from 1, auto, or None"),
        (TRIM, 1, "it is 1; allowed are True, False, paper"),
        (Flag(False, ""), "true", "it is 'true'; allowed are True, False"),
        (Sizes(16, "", least=1), (8, 0), "it is (8, 0); allowed are the integers from 1, or (rows, columns)"),
        (Sizes(16, "", least=1), (8,), "it is (8,); allowed"),
        (Bytes(None, ""), True, "it is True; allowed"),
        (Function(None, ""), "len", "it is 'len'; allowed are a function, or None"),
        (Mask(None, ""), "cave.map", "it is 'cave.map'; allowed are a (height, width) mask of bools, the path of a"),
        (Mask(None, ""), [[0, 2]], "it is [[0, 2]]; allowed"),
        (Mask(None, ""), [[0.0, 1.0]], "it is [[0.0, 1.0]]; allowed"),
        (Mask(None, ""), [[1], [1, 0]], "it is [[1], [1, 0]]; allowed"),
        (Text(None, "", what="an address"), 5, "it is 5; allowed are an address, or None"),
    ],
)
def test_what_an_option_refuses(option, value, words):
    with pytest.raises(wg.WaygridError) as caught:
        option.check("it", value)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(("owner", "name", "option"), DECLARED, ids=lambda part: part if isinstance(part, str) else "")
def test_every_declared_option_keeps_its_word(owner, name, option):
    for value in (option.default, *option.values, option.least, option.greatest):
        if value is not None or None in option.values:
            assert option.check(name, value) == value
            assert option.check(name, option.read(option.write(value))) == value
    for value in (object(), {}, (1, 2, 3), np.zeros(2)):
        with pytest.raises(wg.WaygridError) as caught:
            option.check(name, value)
        assert str(caught.value).startswith(f"{name} is ")
        assert str(caught.value).endswith(f"; allowed are {option.allowed}")


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (LENGTH, "none", None),
        (LENGTH, "AUTO", "auto"),
        (LENGTH, "12", 12),
        (TRIM, "false", False),
        (Choice("sound", "", choices=("sound", "none")), "none", "none"),
        (Sizes(16, ""), "8,24", (8, 24)),
        (SPLIT, "half", "half"),
    ],
)
def test_a_text_is_read_as_the_option_says(option, text, value):
    assert option.read(text) == value
    assert type(option.read(text)) is type(value)


def test_a_mask_is_an_array_or_the_path_of_a_file():
    for given in ([[1, 0]], np.array([[True, False]]), ((1, 0),), np.array([[1, 0]], np.uint8)):
        mask = Mask(None, "").check("known", given)
        assert (mask.dtype, mask.tolist(), mask.flags.writeable) == (np.bool_, [[True, False]], False)
    assert Mask(None, "").check("known", Path("cave.map")) == Mask(None, "").read(" cave.map ") == Path("cave.map")
    assert Mask(None, "").read("None") is None


def test_given_options_are_checked_and_others_are_the_defaults():
    declared = {"level": LEVEL, "trim": TRIM}
    assert check_options("dba", declared, {"level": np.int8(3)}) == {"level": 3, "trim": True}
    with pytest.raises(wg.WaygridError, match="dba has no option 'speed' here; allowed are level, trim"):
        check_options("dba", declared, {"speed": 1}, " here")


def test_declarations_are_light():
    """A process that only lists the algorithms loads neither NumPy nor Numba."""
    code = (
        "import sys, waygrid; waygrid.algorithms(); print([name for name in ('numpy', 'numba') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
