"""Kernels that come with the package: used where they fit, left aside with a reason where they do not."""

import json
import platform
import subprocess
import sys

import pytest
from core.test_jit import copy_package, run  # the one kernel that is soon compiled

from waygrid.core import pack as _pack
from waygrid.core import sources

DOUBLE = """
from waygrid.core.cache import count_compiled
from waygrid.core.double import double
from waygrid.core.pack import describe_pack
assert double(4) == 8
print(count_compiled(), describe_pack())
"""
COLLECT = """
import sys
from pathlib import Path
from waygrid.core.double import double
from waygrid.core.pack import FOLDER, write_pack
from waygrid.warm.packs import _collect
assert double(4) == 8
write_pack(FOLDER / f"{sys.argv[1]}.pack", _collect(Path(sys.argv[2])))
"""
LEVELS = list(_pack.list_levels())


@pytest.fixture
def packed(tmp_path):
    """A copy of the package with a pack of its one kernel, and how to run code in it."""
    if not LEVELS:
        pytest.skip(f"there are no packs for {platform.machine()}")
    copy_package(tmp_path)
    level, cache = LEVELS[0], tmp_path / "compiled"
    settings = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "WAYGRID_CACHE": str(cache)}
    code = f"import sys\nsys.argv = ['', {level!r}, {str(cache)!r}]\n{COLLECT}"
    made = run(code, tmp_path, PYTHONPATH=str(tmp_path), **settings)
    assert made.returncode == 0, made.stderr

    def call(code=DOUBLE, **environment):
        done = run(code, tmp_path, PYTHONPATH=str(tmp_path), WAYGRID_CACHE=str(tmp_path / "cache"), **environment)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.strip()

    call.file = tmp_path / "waygrid" / "packs" / f"{level}.pack"
    call.cache = tmp_path / "cache"
    return call


def kept(packed):
    return [file.name for file in packed.cache.rglob("*.kernel")]


def test_a_kernel_of_the_pack_is_not_compiled(packed):
    assert packed() == f"0 {LEVELS[0]}, 1 kernels"
    assert kept(packed) == []


def test_a_pack_is_for_its_sources_only(packed):
    source = packed.file.parent.parent / "core" / "factor.py"
    source.write_text("FACTOR = 1 + 1\n")
    assert packed() == f"1 {LEVELS[0]}, 1 kernels"
    assert len(kept(packed)) == 1


def test_packs_can_be_turned_off(packed):
    assert packed(WAYGRID_PACK="0") == "1 none: WAYGRID_PACK=0 turns packs off"
    assert packed(NUMBA_CPU_NAME="generic") == "1 none: NUMBA_CPU_NAME is set: kernels are compiled for what it says"
    assert packed(WAYGRID_BOUNDSCHECK="1").startswith("1 none: WAYGRID_BOUNDSCHECK=1")


def rewrite(file, change):
    begin, head = _pack._read_head(file.read_bytes())
    code = file.read_bytes()[begin:]
    change(head)
    text = json.dumps(head).encode()
    file.write_bytes(_pack.MAGIC + len(text).to_bytes(8, "little") + text + code)


def test_other_versions_are_a_reason(packed):
    rewrite(packed.file, lambda head: head["versions"].update(numba="0.1"))
    here = sources.list_versions()["numba"]
    assert packed() == f"1 none: the packs were made for numba 0.1, this is {here}"


def test_a_damaged_pack_is_left_aside(packed):
    packed.file.write_bytes(b"PK\3\4 something else")
    assert packed().startswith(f"1 none: {packed.file.name} cannot be read (")
    packed.file.write_bytes(_pack.MAGIC)
    assert packed().startswith(f"0 none: {packed.file.name} cannot be read (")


def test_code_that_is_cut_short_is_compiled_again(packed):
    packed.file.write_bytes(packed.file.read_bytes()[:-100])
    assert packed() == f"1 {LEVELS[0]}, 1 kernels"


def test_an_older_processor_takes_a_lower_level(monkeypatch, tmp_path):
    monkeypatch.setattr(_pack, "list_levels", lambda: {"new": ("teleport",), "old": ()})
    monkeypatch.setattr(_pack, "FOLDER", tmp_path)
    for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "WAYGRID_PACK", "WAYGRID_BOUNDSCHECK"):
        monkeypatch.delenv(name, raising=False)
    look = _pack._look.__wrapped__
    assert look() == (None, "this is a pure-Python installation, which brings no compiled kernels")
    _pack.write_pack(tmp_path / "new.pack", {})
    assert look() == (None, "this processor lacks teleport")
    _pack.write_pack(tmp_path / "old.pack", {"module/function-1": b"code"})
    pack, _ = look()
    assert (pack.level, len(pack), pack.read("module/function-1"), pack.read("other")) == ("old", 1, b"code", None)


def test_a_plain_install_says_so():
    done = subprocess.run([sys.executable, "-m", "waygrid", "info", "--system"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "kernels of the package" in done.stdout
    assert sources.list_versions()["numba"] in done.stdout
