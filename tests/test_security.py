"""SECURITY.md states the limits of the code, and the dependencies have bounds that the tests run within."""

import re
import tomllib
from importlib import import_module, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
LIMITS = re.findall(r"^\| `(waygrid\.[\w.]+)` \| ([\d,]+) \|", PAGE, re.MULTILINE)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WANTED = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]


def value_of(place):
    """Return what module.name, or module.Class.field with its default, stands for."""
    parts = place.split(".")
    if parts[-2][0].isupper():
        if parts[1] == "studio":
            pytest.importorskip("starlette", reason="the studio's packages are not installed")
        return getattr(getattr(import_module(".".join(parts[:-2])), parts[-2])(), parts[-1])
    if parts[-2] == "serve":
        pytest.importorskip("uvicorn", reason="the studio's packages are not installed")
    return getattr(import_module(".".join(parts[:-1])), parts[-1])


@pytest.mark.parametrize(("place", "stated"), LIMITS)
def test_stated_limits_are_those_of_the_code(place, stated):
    assert value_of(place) == int(stated.replace(",", ""))


def test_every_limit_of_the_studio_is_stated():
    from waygrid.studio.limits import StudioLimits

    stated = {place.rsplit(".", 1)[1] for place, _ in LIMITS if ".StudioLimits." in place}
    assert stated == set(StudioLimits._fields)


@pytest.mark.parametrize("wanted", WANTED)
def test_dependencies_have_a_lowest_and_a_first_untested_version(wanted):
    operators = {specifier.operator for specifier in Requirement(wanted).specifier}
    assert operators == {">=", "<"}


@pytest.mark.parametrize("wanted", WANTED)
def test_the_versions_here_are_within_the_bounds(wanted):
    needed = Requirement(wanted)
    try:
        installed = metadata.version(needed.name)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{needed.name} is not installed")
    assert needed.specifier.contains(installed, prereleases=True)
