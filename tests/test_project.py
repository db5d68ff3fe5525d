"""The files around the package agree with each other and with the package."""

import re
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

import waygrid as wg

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_lowest_versions_are_those_that_the_package_allows():
    extras = PROJECT["optional-dependencies"]
    wanted = PROJECT["dependencies"] + [one for name in extras if name != "gpu" for one in extras[name]]
    bounds = dict(one.split(",")[0].split(">=") for one in wanted)
    pinned = dict(line.split("==") for line in read("requirements-lowest.txt").splitlines() if "==" in line)
    assert sorted(pinned) == sorted(bounds)
    for name, bound in bounds.items():
        assert re.fullmatch(rf"{re.escape(bound)}(\.0)*", pinned[name]), name


def test_the_citation_names_this_version_and_the_five_papers():
    citation = read("CITATION.cff")
    assert f"\nversion: {wg.__version__}\n" in citation
    assert citation.count("\n  - type: ") == len(list((ROOT / "docs").glob("paper-*.md"))) == 5


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^(\w+):", read("Makefile"), re.MULTILINE))
    for page in ("CONTRIBUTING.md", "README.md", "docs/architecture.md"):
        assert set(re.findall(r"(?:^|`)make (\w+)", read(page), re.MULTILINE)) <= targets, page


@pytest.mark.skipif(not (ROOT / ".github").is_dir(), reason="a source distribution has no workflow")
def test_the_workflow_runs_every_python_that_is_promised():
    promised = set(re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"])))
    assert set(re.findall(r'"(3\.\d+)"', read(".github/workflows/ci.yml"))) == promised


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a source distribution is no repository")
def test_no_file_of_the_project_is_ignored():
    """What .gitignore names, a new file of that name never gets into a commit, and no file of it into a wheel."""
    listed = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    assert subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout == ""


def test_every_folder_of_tests_and_sources_is_collected(pytestconfig):
    """Pytest leaves out folders named `build` unless told otherwise; waygrid and its tests have one.

    The programs in tests/torture are no tests: they are run by hand, for hours.
    """
    folders = {path.parent for top in ("src", "tests") for path in (ROOT / top).rglob("*.py")}
    parts = {part for folder in folders for part in folder.relative_to(ROOT).parts if not part.startswith("__")}
    assert "build" in parts
    for pattern in pytestconfig.getini("norecursedirs"):
        assert not [part for part in parts - {"torture"} if fnmatch(part, pattern)], pattern
