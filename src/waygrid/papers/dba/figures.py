"""The figures of the DBA* paper: one problem solved in three ways (3 to 5), and the trade-offs as plots (6 to 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from waygrid.algorithms.make import make_finder
from waygrid.algorithms.regions.sectors import find_sectors
from waygrid.draw import maps as draw
from waygrid.grid.make import generate
from waygrid.papers import figures
from waygrid.papers.dba.measure import METRIC, Way

if TYPE_CHECKING:
    from PIL.Image import Image

    from waygrid.grid.grid import Grid
    from waygrid.search.path import Path

# Six sectors and seven regions, as in the paper's Figure 1; chosen among generated maps because the same three steps
# gain about as much as the paper's do: 23 %, 11 %, 0 %.
EXAMPLE: dict[str, Any] = {"width": 48, "height": 32, "seed": 26}
START, GOAL = (42, 18), (5, 20)
SECTOR = 16
_INK = (60, 60, 60)
STEPS: dict[str, Way] = {
    "Figure 3: no trimming": Way("dba", SECTOR, 1, False),
    "Figure 4: path trimming": Way("dba", SECTOR, 1, "paper"),
    "Figure 5: trimming, level 2": Way("dba", SECTOR, 2, "paper"),
}

Series = Mapping[str, Sequence[tuple[float, float, str]]]  # points x, y and what is written beside them


class Step(NamedTuple):
    """One of the ways in which the example is solved."""

    title: str
    way: Way
    path: Path
    above: float  # percent


def example() -> Grid:
    """Return the small map of Figures 3 to 5."""
    return generate("caves", metric=METRIC, corners="never", **EXAMPLE)


def example_steps() -> list[Step]:
    """Solve the example without trimming, with it, and with paths to the neighbours' neighbours as well.

    >>> [round(step.above) for step in example_steps()]
    [22, 11, 0]
    """
    grid = example()
    least = make_finder("astar", grid).find(START, GOAL).cost
    paths = {title: make_finder(way.algorithm, grid, **way.options).find(START, GOAL) for title, way in STEPS.items()}
    return [Step(title, STEPS[title], path, 100 * (path.cost / least - 1)) for title, path in paths.items()]


def example_picture(scale: int = 10) -> Image:
    """Draw the three paths over the regions; a dark square is the cell that represents its region."""
    from PIL import ImageDraw

    grid = example()
    cut = find_sectors(grid, SECTOR)
    centres = np.stack((cut.centres % grid.width, cut.centres // grid.width), axis=1)
    images, labels = [], []
    for step in example_steps():
        regions = cut.region.reshape(grid.height, grid.width)
        image = draw.draw_map(grid.passable, zones=regions, path=step.path.cells, scale=scale, lines=False)
        for left, top in (scale * centres + scale // 4).tolist():
            ImageDraw.Draw(image).rectangle((left, top, left + scale // 2, top + scale // 2), fill=_INK)
        images.append(image)
        labels.append(f"{step.title}: cost {step.path.cost:.1f}, {step.above:.0f} % above the least")
    return draw.side_by_side(images, labels)


def _beside(places: NDArray[np.float64]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return where the names of a line's first and last points stand so that the line does not cross them."""
    right, up = np.log(places[-1] / places[0])
    above, below = (4, 4), (4, -9)
    if abs(right) < 0.5:  # upright
        return (above, below) if up <= 0 else (below, above)
    return (above, above) if right * up < 0 else (below, below)


def trade_off(panels: Mapping[str, Series], x: str, y: str) -> bytes:
    """Draw a panel for each source, in it a line for each series; both axes are logarithmic and shared."""
    from matplotlib.ticker import FuncFormatter

    figure, axes = figures.sheet(len(panels), width=max(8.0, 4.1 * len(panels)), height=4.6)
    names = list(dict.fromkeys(name for series in panels.values() for name in series))
    values = np.array([point[:2] for series in panels.values() for points in series.values() for point in points])
    low = np.array([values[values[:, k] > 0, k].min() / 1.7 for k in (0, 1)])  # what is 0 lies on the border
    high = 1.9 * values.max(axis=0)
    shown = {}
    for axis, (title, series) in zip(axes, panels.items(), strict=True):
        for name, points in series.items():
            k = names.index(name)
            places = np.maximum([point[:2] for point in points], low)
            style = {"color": figures.COLOURS[k], "marker": figures.MARKERS[k], "markersize": 5, "linewidth": 1.2}
            (shown[name],) = axis.plot(places[:, 0], places[:, 1], label=name, **style)
            for end, shift in zip((0, -1), _beside(places), strict=True):
                text = {"fontsize": 7, "color": figures.COLOURS[k], "xytext": shift, "textcoords": "offset points"}
                axis.annotate(points[end][2], places[end], **text)
        axis.set(xscale="log", yscale="log", xlabel=x, xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        axis.set_title(title, fontsize=10)
        axis.grid(axis="x", color="0.93", linewidth=0.6)
        for side in (axis.xaxis, axis.yaxis):
            side.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes[0].set_ylabel(y)
    handles = [shown[name] for name in names]
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False, fontsize=9)
    return figures.png(figure)
