"""Details of an event: what an algorithm looks at there, drawn by the families and sent as layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from waygrid.errors import WaygridError, show
from waygrid.search.overlay import DetailRequest
from waygrid.search.registry import import_place
from waygrid.studio.jobs import Job
from waygrid.studio.model import Model
from waygrid.studio.overlays import check_inside, pack_layers
from waygrid.studio.searches import cell_of, find_made, read_ends


def detail(model: Model, asked: Mapping[str, Any], job: Job) -> bytes:
    """Return the layers of a detail that the page asks for."""
    finder = find_made(model, asked, job).finder
    known = {name: detail for name, detail in finder.info.details.items() if detail.place}
    name = asked.get("detail")
    if not isinstance(name, str) or name not in known:
        allowed = f"allowed are {', '.join(known)}" if known else "it has none"
        raise WaygridError(f"{finder.info.name} has no detail {show(name)}; {allowed}")
    start, goal = read_ends(asked)
    cell = cell_of(asked, "cell")
    parent = None if asked.get("parent") is None else cell_of(asked, "parent")
    for place in (start, goal, cell, parent):
        check_inside(finder.grid, place)
    job.begin("building", model.limits.build_s)
    layers = import_place(known[name].place)(DetailRequest(finder, start, goal, cell, parent))
    return pack_layers(known[name].title, layers)
