"""The figures of the reproduction of Yap's paper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from waygrid.papers.figures import COLOURS, MARKERS, png, sheet
from waygrid.papers.grid_based import trials
from waygrid.papers.grid_based.cells import GRIDS
from waygrid.papers.grid_based.table2 import Outcome, Setting
from waygrid.papers.grid_based.theory import PAPER_BASE, Bases, Growth


def table_2(outcomes: Sequence[Outcome]) -> bytes:
    """Draw the ratios of Table 2 beside the paper's."""
    figure, panels = sheet(3, width=10.5, height=3.9)
    places = np.arange(len(outcomes))
    labels = [f"{row.setting.size}²\n{row.setting.obstacles:.0%}" for row in outcomes]
    parts: tuple[tuple[str, int], ...] = (("path", trials.PATH), ("nodes", trials.NODES), ("time", trials.NANOSECONDS))
    for panel, (name, place) in zip(panels, parts, strict=True):
        paper = [_paper(row.setting, name) for row in outcomes]
        ours = [np.nan if (ratio := row.ratio(place)) is None else ratio for row in outcomes]
        spread = [row.error(place) or 0.0 for row in outcomes]
        if name != "path":
            panel.set_yscale("log")
            # The part of a bar below zero cannot be drawn on this scale.
            low = [min(error, 0.95 * ratio) for error, ratio in zip(spread, ours, strict=True)]
        else:
            low = spread
        panel.errorbar(
            places - 0.12, ours, yerr=[low, spread], fmt=MARKERS[0], color=COLOURS[0], capsize=3, label="waygrid"
        )
        panel.plot(places + 0.12, paper, MARKERS[1], color=COLOURS[1], markerfacecolor="white", label="paper")
        panel.set_title(f"{name}, tex / tile")
        panel.set_xticks(places, labels, fontsize=8)
        panel.set_xlabel("cells of the grid, share of obstacles")
    panels[0].set_ylabel("ratio")
    panels[0].legend(frameon=False, loc="upper left")
    return png(figure)


def _paper(setting: Setting, name: str) -> float:
    return {"path": setting.path, "nodes": setting.nodes, "time": setting.time}[name]


def ida_growth(bases: Bases) -> bytes:
    """Draw the nodes of IDA* without a heuristic over the tile distance."""
    figure, (panel,) = sheet(width=6.4, height=4.2)
    panel.set_yscale("log")
    for k, grid in enumerate(GRIDS[::-1]):
        nodes = np.exp(bases.log_nodes[grid])
        label = f"{grid}: base {bases.base[grid]:.2f} (paper {PAPER_BASE[grid]:.2f})"
        panel.plot(bases.distances, nodes, MARKERS[k], color=COLOURS[k], markersize=4, label=label)
        slope, shift = np.polyfit(bases.distances, bases.log_nodes[grid], 1)
        panel.plot(bases.distances, np.exp(shift + slope * bases.distances), color=COLOURS[k], linewidth=1)
    panel.set_xlabel("D, mean distance of the goals in tile moves")
    panel.set_ylabel("nodes, geometric mean over directions")
    panel.legend(frameon=False)
    return png(figure)


def astar_growth(laws: Sequence[Growth]) -> bytes:
    """Draw expansions over distance, a panel for each kind of search."""
    names = list(dict.fromkeys(law.name for law in laws))
    figure, panels = sheet(len(names), width=10.5, height=3.9)
    for panel, name in zip(panels, names, strict=True):
        mine = [law for law in laws if law.name == name]
        panel.set_xscale("log")
        panel.set_yscale("log")
        away = np.array(mine[0].distances, np.float64)
        middle = np.exp(np.mean([np.log(law.expanded[-1]) for law in mine]))
        panel.plot(away, 0.4 * middle * (away / away[-1]) ** 2, "--", color="0.5", linewidth=1, label="D²")
        for k, grid in enumerate(GRIDS[::-1]):
            law = next(law for law in mine if law.topology == grid)
            label = f"{grid}: {law.exponent:.2f}"
            panel.plot(away, law.expanded, MARKERS[k] + "-", color=COLOURS[k], markersize=4, linewidth=1, label=label)
        panel.set_title(name)
        panel.set_xlabel("distance D of the goal")
        panel.set_xticks(away, [f"{distance:.0f}" for distance in away])
        panel.minorticks_off()
        panel.legend(frameon=False, title="exponent")
    panels[0].set_ylabel("mean expansions")
    return png(figure)
