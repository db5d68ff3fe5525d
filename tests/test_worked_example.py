"""The algorithm that docs/architecture.md adds: its files work in a copy of the package, as the page says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import waygrid
from waygrid.algorithms import FAMILIES

PAGE = Path(__file__).parent.parent / "docs" / "architecture.md"
NAME = re.compile(r"^`((?:src|tests)/[\w/]+\.py)`", re.MULTILINE)
BLOCK = re.compile(r"^```python no-run\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIST = "src/waygrid/algorithms/__init__.py"


def read_files():
    """Return the files of the page: a name in front of a paragraph, and the block of code below it."""
    _, *parts = NAME.split(PAGE.read_text(encoding="utf-8").split("## How to add an algorithm")[1])
    return {name: BLOCK.search(text)[1] for name, text in zip(parts[::2], parts[1::2], strict=True)}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """Return a copy of the package with the files of the page."""
    folder = tmp_path_factory.mktemp("example")
    source = Path(waygrid.__file__).parent
    shutil.copytree(source, folder / "src" / "waygrid", ignore=shutil.ignore_patterns("__pycache__", "static"))
    files = read_files()
    assert len(files) == 6
    line, count = re.subn(r"^FAMILIES = .*\n", files.pop(LIST), (folder / LIST).read_text(), flags=re.M)
    assert count == 1
    (folder / LIST).write_text(line)
    for name, text in files.items():
        assert not (folder / name).exists(), f"{name}: the example changes a file that is there"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def run(folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_own_tests_pass(checkout):
    assert "passed" in run(checkout, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", "tests")


def test_it_is_listed_after_the_others(checkout):
    code = "import waygrid; print(*waygrid.algorithms())"
    assert run(checkout, "-c", code).split() == [*waygrid.algorithms(), "greedy-walk"]
    assert "give up after so many" in run(checkout, "-m", "waygrid", "algorithms", "greedy-walk")


def test_the_page_changes_one_line_of_the_list_of_families():
    assert f"FAMILIES = {(*FAMILIES, 'walks')}".replace("'", '"') in PAGE.read_text(encoding="utf-8")
