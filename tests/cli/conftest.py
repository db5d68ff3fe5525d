"""The command line as a function, and small maps to use it on."""

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from waygrid import folders
from waygrid.cli import bench, main, show


class Answer(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def cli(capsys, monkeypatch, tmp_path):
    """Run a command in an empty folder, as if its output went to a pipe: cli("find", ...) -> code, out, err."""
    for name in ("COLUMNS", "FORCE_COLOR", "PY_COLORS", "TTY_COMPATIBLE", "WAYGRID_MAPS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(folders, "maps_home", lambda: Path(os.environ.get("WAYGRID_MAPS", tmp_path / "no-maps")))
    monkeypatch.setattr(bench, "SPACING_S", 0.0)
    monkeypatch.setattr(show, "LINES_S", 1e6)  # lines of progress would depend on how busy the machine is
    monkeypatch.chdir(tmp_path)

    def run(*words):
        capsys.readouterr()
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    return run


@pytest.fixture
def draw(tmp_path):
    """Write a map drawn with . and # and return its name."""

    def write(text, name="small.txt"):
        (tmp_path / name).write_text("\n".join(line.strip() for line in text.strip().splitlines()) + "\n")
        return name

    return write


@pytest.fixture
def small(draw):
    return draw(
        """
        .....
        .###.
        ...#.
        ##.#.
        .#...
        """
    )
