"""The registry as the page reads it: what can be chosen, with which values; nothing of it is written twice."""

from __future__ import annotations

import re
from typing import Any

from waygrid.grid.generate import KINDS
from waygrid.grid.generate import Option as MapOption
from waygrid.grid.metric import METRICS
from waygrid.grid.topology import CORNERS, TOPOLOGIES
from waygrid.search.registry import AlgorithmInfo, Option, algorithms
from waygrid.studio.examples import EXAMPLES
from waygrid.studio.limits import StudioLimits
from waygrid.studio.overlays import OVERLAYS
from waygrid.version import __version__

EVENTS = (
    "source",
    "destination",
    "generating",
    "expanding",
    "updating",
    "closing",
    "end",
    "",
    "subgoal",
    "",
    "pruned",
    "",
    "move",
    "bound",
)
_RANGE = re.compile(r"(-?\d+(?:\.\d+)?) to (-?\d+(?:\.\d+)?)")
_FROM = re.compile(r"integers from (-?\d+)")
_ABOVE = re.compile(r"above (-?\d+(?:\.\d+)?), up to (-?\d+(?:\.\d+)?)")
_WORDS = re.compile(r"[A-Za-z0-9_-]+(?: [A-Za-z0-9_-]+)+")
_SAID = {"true": True, "false": False}


def describe_option(name: str, option: Option) -> dict[str, Any]:
    """Return an option of an algorithm, with the control that it needs.

    >>> described = describe_option("level", Option(1, "1 to 16", "hops"))
    >>> described["kind"], described["least"], described["most"]
    ('integer', 1, 16)
    >>> described = describe_option("trim", Option(True, "true false paper", "shorten"))
    >>> described["kind"], described["choices"]
    ('choice', [True, False, 'paper'])
    """
    kind, least, most, choices = _control(option)
    default = list(option.default) if isinstance(option.default, tuple) else option.default
    return {
        "name": name,
        "default": default,
        "allowed": option.allowed,
        "summary": option.summary,
        "kind": kind,
        "choices": choices,
        "least": least,
        "most": most,
    }


def _control(option: Option) -> tuple[str, float | None, float | None, list[Any] | None]:
    allowed = option.allowed
    if allowed in ("true false", "false true"):
        return "boolean", None, None, None
    if (found := _RANGE.fullmatch(allowed)) is not None:
        whole = isinstance(option.default, int) or (option.default is None and "." not in allowed)
        return "integer" if whole else "number", *_numbers(found[1], found[2]), None
    if (found := _ABOVE.fullmatch(allowed)) is not None:
        return "number", *_numbers(found[1], found[2]), None
    if allowed == "integers":
        return "integer", None, None, None
    if (found := _FROM.fullmatch(allowed)) is not None:
        return "integer", int(found[1]), None, None
    if _WORDS.fullmatch(allowed) is not None and "integers" not in allowed:
        values: list[Any] = [_SAID.get(word, word) for word in allowed.split()]
        return "choice", None, None, ([None] if option.default is None else []) + values
    return "text", None, None, None


def _numbers(low: str, high: str) -> tuple[float, float]:
    return (float(low), float(high)) if "." in low + high else (int(low), int(high))


def describe_algorithm(info: AlgorithmInfo) -> dict[str, Any]:
    """Return an algorithm as the page shows it."""
    names = ("name", "summary", "paper", "optimal", "index", "real_time", "weights", "blocked")
    return {
        **{name: getattr(info, name) for name in names},
        "topologies": list(info.topologies),
        "corners": list(info.corners),
        "options": [describe_option(name, option) for name, option in info.options.items()],
    }


def _describe_map_option(name: str, option: MapOption) -> dict[str, Any]:
    return {
        "name": name,
        "default": option.default,
        "allowed": f"{option.low} to {option.high}",
        "summary": option.summary,
        "kind": "integer" if isinstance(option.default, int) else "number",
        "choices": None,
        "least": option.low,
        "most": option.high,
    }


def describe(limits: StudioLimits) -> dict[str, Any]:
    """Return everything that the page needs to know before it shows anything."""
    return {
        "version": __version__,
        "algorithms": [describe_algorithm(info) for info in algorithms().values()],
        "topologies": list(TOPOLOGIES),
        "corners": list(CORNERS),
        "metrics": list(METRICS),
        "generators": [
            {
                "kind": name,
                "summary": kind.summary,
                "options": [_describe_map_option(option, value) for option, value in kind.options.items()],
            }
            for name, kind in KINDS.items()
        ],
        "overlays": [
            {
                "name": name,
                "title": overlay.title,
                "summary": overlay.summary,
                "cursor": overlay.cursor,
                "needs": [describe_option(option, value) for option, value in overlay.options.items()],
            }
            for name, overlay in OVERLAYS.items()
        ],
        "events": list(EVENTS),
        "examples": [example.described(name) for name, example in EXAMPLES.items()],
        "limits": {
            name: getattr(limits, name)
            for name in ("cells", "events", "upload_bytes", "agents", "search_s", "build_s", "frames")
        },
    }
