"""Exports: the map, the trace for Posthoc, and the search as an animated GIF."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from waygrid.core import layout
from waygrid.draw.maps import draw_map
from waygrid.errors import WaygridError, show
from waygrid.formats import SUFFIXES, MapData, stores_coordinates, write_map
from waygrid.grid.grid import Grid
from waygrid.search.trace import Trace
from waygrid.studio.jobs import Job
from waygrid.studio.model import Made, Model
from waygrid.studio.searches import cell_of, search_pair, trace_search

if TYPE_CHECKING:
    from PIL.Image import Image

_LONGER_SIDE = 640  # pixels of a GIF
_FRAME_MS = 60
_LAST_MS = 2500


def map_file(model: Model, asked: Mapping[str, Any], job: Job) -> bytes:
    """Return the map as a file in the requested format; a robot's map, which is two files, as an archive of both."""
    suffix = asked.get("format", ".map")
    if suffix not in SUFFIXES:
        raise WaygridError(f"format is {show(suffix)}; allowed are {', '.join(SUFFIXES)}")
    terrain, topology = model.terrain(asked.get("map")), model.grid(asked.get("map"), asked.get("grid", {})).topology
    with TemporaryDirectory(prefix="waygrid-studio-") as folder:
        path = Path(folder) / f"map{suffix}"
        try:
            place = terrain.place if stores_coordinates(path) else None
            write_map(path, MapData(terrain.passable, terrain.weights, topology, place))
        except WaygridError as error:
            raise WaygridError(str(error).replace(str(path), f"the map as {suffix}")) from None
        files = sorted(Path(folder).iterdir())
        return path.read_bytes() if len(files) == 1 else _archive(files)


def _archive(files: Sequence[Path]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.name)
    return stream.getvalue()


def _record(model: Model, asked: Mapping[str, Any], job: Job) -> tuple[Made, Trace]:
    made = model.finder(asked.get("map"), asked.get("grid", {}), asked.get("algorithm"), asked.get("options", {}), job)
    return made, trace_search(model, search_pair(model, made.finder, asked, job), asked, job)


def trace_file(model: Model, asked: Mapping[str, Any], job: Job) -> bytes:
    """Return the search as a Posthoc trace."""
    _, trace = _record(model, asked, job)
    job.check_time("the trace of this search")
    with TemporaryDirectory(prefix="waygrid-studio-") as folder:
        path = Path(folder) / "search.trace.yaml"
        trace.save(path)
        return path.read_bytes()


def gif_file(model: Model, asked: Mapping[str, Any], job: Job) -> bytes:
    """Return the search as an animated GIF: evenly spaced moments, then the path for a while."""
    frames = asked.get("frames", 60)
    if type(frames) is not int or not 1 <= frames <= model.limits.frames:
        raise WaygridError(f"frames is {show(frames)}; allowed are 1 to {model.limits.frames}")
    made, trace = _record(model, asked, job)
    grid = made.finder.grid
    ends = {"start": cell_of(asked, "start"), "goal": cell_of(asked, "goal")}
    scale = max(1, _LONGER_SIDE // max(grid.width, grid.height))
    moments = np.unique(np.linspace(0, len(trace.events), frames + 1).astype(np.int64)[1:])
    pictures = []
    job.begin("searching", model.limits.build_s)
    for number, moment in enumerate(moments.tolist(), 1):
        job.check_time("drawing the search")
        job.tell(number / len(moments), "drawing")
        pictures.append(_frame(grid, trace.events[:moment], scale, ends, None))
    pictures.append(_frame(grid, trace.events, scale, ends, trace.path.cells if len(trace.path) else None))
    job.check_time("drawing the search")
    stream = io.BytesIO()
    times = [_FRAME_MS] * (len(pictures) - 1) + [_LAST_MS]
    pictures[0].save(stream, "GIF", save_all=True, append_images=pictures[1:], duration=times, loop=0)
    return stream.getvalue()


def _frame(grid: Grid, events: Any, scale: int, ends: dict[str, Any], path: Any) -> Image:
    """Draw the search after some of its events."""
    shape = (grid.height, grid.width)
    opened, closed = np.zeros(shape, np.bool_).ravel(), np.zeros(shape, np.bool_).ravel()
    opened[events["node"][events["kind"] == layout.E_GENERATING]] = True
    closed[events["node"][events["kind"] == layout.E_EXPANDING]] = True
    picture = draw_map(
        grid.passable,
        weights=grid.weights,
        topology=grid.topology,
        opened=opened.reshape(shape),
        expanded=closed.reshape(shape),
        path=path,
        scale=scale if grid.topology != "hex" else max(scale, 2),
        **ends,
    )
    picture.thumbnail((_LONGER_SIDE, _LONGER_SIDE))
    return picture.quantize(64)
