"""The registry as the page reads it: what can be chosen, with which values; nothing of it is written twice."""

from __future__ import annotations

from typing import Any

from waygrid.grid.generate import KINDS
from waygrid.grid.metric import METRICS
from waygrid.grid.topology import CORNERS, TOPOLOGIES
from waygrid.options import Choice, Flag, Integer, Number, Option
from waygrid.search.declaration import FOLLOWS, OPEN_LISTS, AlgorithmInfo
from waygrid.search.registry import algorithms
from waygrid.studio.examples import EXAMPLES, list_exercises
from waygrid.studio.limits import StudioLimits
from waygrid.studio.overlays import list_overlays
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
CONTROLS = {kind.kind for kind in (Choice, Flag, Integer, Number)}  # kinds of options with a control of their own


def describe_option(name: str, option: Option) -> dict[str, Any]:
    """Return an option as the page shows it, with the control that it needs.

    >>> described = describe_option("level", Integer(1, "hops", least=1, greatest=16))
    >>> described["kind"], described["least"], described["most"]
    ('integer', 1, 16)
    >>> described = describe_option("trim", Choice(True, "shorten", choices=(True, False, "paper")))
    >>> described["kind"], described["choices"]
    ('choice', [True, False, 'paper'])
    """
    words = [value for value in option.extra if value is not None]  # beside numbers: they need a field for text
    default = list(option.default) if isinstance(option.default, tuple) else option.default
    return {
        "name": name,
        "default": default,
        "allowed": option.allowed,
        "summary": option.summary,
        "unit": option.unit,
        "kind": "text" if words or option.kind not in CONTROLS else option.kind,
        "choices": list(option.values) if option.kind == "choice" else None,
        "least": option.least,
        "most": option.greatest,
    }


def describe_algorithm(info: AlgorithmInfo) -> dict[str, Any]:
    """Return an algorithm as the page shows it."""
    names = ("name", "summary", "paper", "model", "optimal", "index", "real_time", "weights", "blocked", "follows")
    return {
        **{name: getattr(info, name) for name in names},
        "after_edits": FOLLOWS[info.follows],
        "topologies": list(info.topologies),
        "corners": list(info.corners),
        "options": [describe_option(name, option) for name, option in info.options.items()],
        "pseudo_code": [{"text": step.text, "events": list(step.events)} for step in info.pseudo_code],
        "open_list": info.open_list,
        "details": [
            {"name": name, "title": detail.title, "summary": detail.summary, "served": bool(detail.place)}
            for name, detail in info.details.items()
        ],
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
                "options": [describe_option(option, value) for option, value in kind.options.items()],
            }
            for name, kind in KINDS.items()
        ],
        "overlays": [
            {
                "name": name,
                "title": shown.overlay.title,
                "summary": shown.overlay.summary,
                "cursor": shown.overlay.cursor,
                "needs": [describe_option(option, value) for option, value in shown.options.items()],
            }
            for name, shown in list_overlays().items()
        ],
        "events": list(EVENTS),
        "open_lists": OPEN_LISTS,
        "examples": [example.described(name) for name, example in EXAMPLES.items()],
        "exercises": list_exercises(),
        "limits": {
            name: getattr(limits, name)
            for name in (
                "cells",
                "events",
                "upload_bytes",
                "agents",
                "crowd",
                "plan_s",
                "edits",
                "edited_cells",
                "search_s",
                "build_s",
                "frames",
            )
        },
    }
