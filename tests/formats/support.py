"""What the tests of all formats share."""

import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from waygrid.errors import WaygridError
from waygrid.formats import MapData, read_map, write_map

ROOT = Path(__file__).resolve().parents[2]
MAPS = Path(os.environ.get("WAYGRID_MAPS", ROOT.parent / "shared" / "maps"))

quick = settings(max_examples=40, deadline=None)
fuzzing = settings(max_examples=150, deadline=None)


def count_calls(work: Callable[[], object]) -> int:
    """Count the functions that a piece of work calls, those of C among them: its size, whatever the machine does."""
    calls = 0

    def look(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def real_files(pattern: str) -> list:
    """All real files of a kind as test parameters; one skipped parameter where there are none."""
    found = sorted(MAPS.rglob(pattern)) if MAPS.is_dir() else []
    if not found:
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"no {pattern} under {MAPS} (set WAYGRID_MAPS)"))]
    return [pytest.param(path, id=f"{path.parent.name}/{path.name}") for path in found]


@st.composite
def maps(draw, max_side: int = 12, weights: st.SearchStrategy | None = None) -> MapData:
    """Random maps; with a strategy for weights about half of them have some."""
    shape = draw(st.tuples(st.integers(1, max_side), st.integers(1, max_side)))
    passable = draw(npst.arrays(np.bool_, shape))
    if weights is None or draw(st.booleans()):
        return MapData(passable, None)
    drawn = draw(npst.arrays(np.uint16, shape, elements=weights))
    return MapData(passable, np.where(passable, drawn, 1).astype(np.uint16))


def weightless(data: MapData) -> MapData:
    """The same map without weights that say nothing; most formats do not store those."""
    if data.weights is not None and (data.weights == 1).all():
        return MapData(data.passable, None)
    return data


def assert_same(got: MapData, wanted: MapData) -> None:
    assert got.passable.dtype == np.bool_
    assert got.passable.flags.c_contiguous
    np.testing.assert_array_equal(got.passable, wanted.passable)
    assert (got.weights is None) == (wanted.weights is None)
    if wanted.weights is not None:
        assert got.weights.dtype == np.uint16
        assert got.weights.flags.c_contiguous
        np.testing.assert_array_equal(got.weights, wanted.weights)


def round_trip(data: MapData, suffix: str, **options) -> MapData:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a{suffix}")
        write_map(path, data, **options)
        assert [p.name for p in Path(folder).iterdir()] == [path.name]
        return read_map(path)


def parses_or_refuses(parse: Callable[[bytes], object], data: bytes) -> None:
    """Bad input may raise WaygridError in one line, and nothing else; warnings count as failures."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            parse(data)
        except WaygridError as error:
            message = str(error)
            assert message
            assert "\n" not in message
            assert len(message) < 600


@st.composite
def damaged(draw, samples: list[bytes]) -> bytes:
    """A valid file with a few bytes changed, put in, taken out, doubled or cut off."""
    data = bytearray(draw(st.sampled_from(samples)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 8))
        match draw(st.sampled_from(["set", "insert", "delete", "double", "cut"])):
            case "set":
                new = draw(st.binary(min_size=1, max_size=3))
                data[at : at + len(new)] = new
            case "insert":
                data[at:at] = draw(st.binary(max_size=4) | st.sampled_from([b"0", b"-1", b"99999999999", b"\n", b"\t"]))
            case "delete":
                del data[at : at + length]
            case "double":
                data[at:at] = data[at : at + 4 * length]
            case _:
                if draw(st.booleans()):
                    del data[at:]
    return bytes(data)


def refused(call: Callable[[], object]) -> str:
    """The message of the WaygridError that a call must raise."""
    with pytest.raises(WaygridError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    return message
