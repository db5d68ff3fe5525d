"""The figures of Improved Heuristics: searches on the demo map (1 to 3), zones of maps (5, 6), Table 1 as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from waygrid.algorithms.make import make_finder
from waygrid.algorithms.zones.zones import decompose
from waygrid.draw import maps as draw
from waygrid.draw.zones import draw_zones
from waygrid.papers import figures
from waygrid.papers.improved_heuristics.measure import METHODS, UNIT, demo

if TYPE_CHECKING:
    from PIL.Image import Image

    from waygrid.grid.grid import Grid

START, GOAL = (4, 4), (80, 58)  # far apart on the demo map
_SHOWN = ("octile", "dead-end", "gateway, whole gates", "gateway")

Bars = Mapping[str, Sequence[float | None]]  # for each series, a height for each group of bars


def search_pictures(scale: int = 6) -> Image:
    """Draw Figures 1 to 3 on our own floor: the zones, what is relevant to one query, and what searches expand."""
    grid = demo()
    cut = decompose(grid)
    finder = make_finder("dead-end", grid)
    relevant = finder.relevant(START, GOAL)  # type: ignore[attr-defined]
    images = [
        draw.draw_map(grid.passable, zones=cut.zones, start=START, goal=GOAL, scale=scale, lines=False),
        draw.draw_map(
            grid.passable,
            zones=np.where(relevant, cut.zones, -1),
            start=START,
            goal=GOAL,
            scale=scale,
            lines=False,
        ),
    ]
    labels = [
        f"{cut.count} zones, {len(cut.gates)} gates",
        f"{len(np.unique(cut.zones[relevant]))} zones are relevant to this query",
    ]
    for label in _SHOWN:
        name, options = METHODS[label]
        trace = make_finder(name, grid, **options).trace(START, GOAL)
        stats = trace.path.stats
        images.append(
            draw.draw_map(
                grid.passable, expanded=trace.expansion_order(), path=trace.path.cells, scale=scale, lines=False
            )
        )
        labels.append(
            f"{label}: estimate {UNIT * stats.estimate:,.0f} of {UNIT * trace.path.cost:,.0f}, {stats.expanded:,} nodes"
        )
    return draw.side_by_side(images, labels)


def zones_picture(grid: Grid, scale: int = 4) -> Image:
    """Draw the zones of a map with their gates, as Figures 5 and 6 do."""
    return draw_zones(grid, decompose(grid), scale)


def ratio_chart(groups: Sequence[str], panels: Mapping[str, Bars]) -> bytes:
    """Draw bars for each group of searches, a panel for each ratio; the paper's are the last of the series."""
    figure, axes = figures.sheet(len(panels), width=4.2 * len(panels), height=4.4)
    for axis, (title, series) in zip(axes, panels.items(), strict=True):
        width = 0.84 / len(series)
        for k, (label, heights) in enumerate(series.items()):
            places = np.arange(len(groups)) + width * (k - (len(series) - 1) / 2)
            values = [np.nan if height is None else height for height in heights]
            paper = "paper" in label
            colour = figures.COLOURS[list(series).index(label.removesuffix(", paper"))]
            fill = {"color": "white", "edgecolor": colour, "hatch": "///"} if paper else {"color": colour}
            axis.bar(places, values, 0.9 * width, label=label, **fill)
        axis.set_title(title, fontsize=10)
        axis.set_xticks(np.arange(len(groups)), groups, rotation=30, ha="right", fontsize=8)
    labels = axes[0].get_legend_handles_labels()
    figure.legend(*labels, loc="outside upper center", ncols=len(labels[0]), frameon=False, fontsize=9)
    return figures.png(figure)


def blocked_chart(shares: Sequence[str], panels: Mapping[str, Bars]) -> bytes:
    """Draw how ratios change with the share of blocked cells, a panel for each group of maps."""
    figure, axes = figures.sheet(len(panels), width=3.6 * len(panels), height=3.6)
    for axis, (title, series) in zip(axes, panels.items(), strict=True):
        for k, (label, heights) in enumerate(series.items()):
            axis.plot(shares, heights, figures.MARKERS[k] + "-", color=figures.COLOURS[k], label=label)
        axis.set_ylim(0, 1.05)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("cells blocked for the query")
    axes[0].set_ylabel("nodes / octile")
    labels = axes[0].get_legend_handles_labels()
    figure.legend(*labels, loc="outside upper center", ncols=len(labels[0]), frameon=False, fontsize=9)
    return figures.png(figure)
