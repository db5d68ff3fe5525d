"""The front as plots: quality against response, memory against quality, response against memory."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from waygrid.advisor.candidate import Candidate
from waygrid.advisor.limits import share_words, size_words, time_words
from waygrid.papers.figures import COLOURS, MARKERS, require
from waygrid.search.registry import algorithms

if TYPE_CHECKING:
    from waygrid.advisor.advice import Advice


class Theme(NamedTuple):
    """Colours of a plot."""

    ground: str
    ink: str
    faint: str
    forbidden: str
    colours: tuple[str, ...]


LIGHT = Theme("#ffffff", "#1c1f24", "#d9dce1", "#b3261e", COLOURS)
DARK = Theme(
    "#15181c",
    "#e6e8eb",
    "#383d45",
    "#ff8a80",
    ("#4aa8e8", "#ff9a4d", "#3fc79a", "#e79cc6", "#f2bf4b", "#9fd4f5", "#b9bec6"),  # the same, brighter
)


class Axis(NamedTuple):
    """One of the three measures."""

    title: str
    value: Callable[[Candidate], float]
    limit: Callable[[Advice], float | None]
    words: Callable[[float], str]
    least: float  # below that the scale is linear, so that 0 has a place
    ticks: tuple[float, ...]


QUALITY = Axis(
    "longer than optimal (mean)",
    lambda one: one.suboptimality or 0.0,
    lambda advice: advice.limits.suboptimality,
    share_words,
    1e-3,
    (0, 0.001, 0.01, 0.1, 1, 10, 100, 1000),
)
RESPONSE = Axis(
    "first move after (mean)",
    lambda one: (one.response_us or 0.0) / 1e6,
    lambda advice: advice.limits.response,
    time_words,
    1e-8,
    tuple(10.0**power for power in range(-8, 3)),
)
MEMORY = Axis(
    "size of the index",
    lambda one: float(one.fixed_bytes or 0),
    lambda advice: None if advice.limits.memory is None else float(advice.limits.memory),
    lambda size: "none" if size == 0 else size_words(size),
    300,
    (0, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10),
)
PAIRS = ((RESPONSE, QUALITY), (MEMORY, QUALITY), (RESPONSE, MEMORY))
CAPTIONS = (
    "Quality against response",
    "Quality against memory",
    "Memory against response",
)
_MOST_LABELS = 9
_POINT = 0.72  # of a pixel at 100 to the inch
_WORST = 1.0  # paths more than twice as long as the optimum are left out of the plots, unless the limit allows them


def plots(advice: Advice, theme: Theme) -> list[bytes]:
    """Return the three plots as SVG; nothing is drawn where nothing was measured."""
    require()
    shown = shown_in(advice)
    return [_plot(advice, shown, x, y, theme) for x, y in PAIRS] if shown else []


def shown_in(advice: Advice) -> list[Candidate]:
    """Return the candidates that plots show: measured, and not far longer than optimal."""
    worst = max(_WORST, 2 * (advice.limits.suboptimality or 0.0))
    return [one for one in advice.candidates if one.measured and (one.suboptimality or 0.0) <= worst]


def styles(candidates: Sequence[Candidate], theme: Theme) -> dict[str, tuple[str, str]]:
    """Return a colour and a marker for each algorithm; those with the most candidates get the clearest."""
    count: dict[str, int] = {}
    for one in candidates:
        count[one.algorithm] = count.get(one.algorithm, 0) + 1
    names = sorted(count, key=lambda name: (-count[name], name))
    colours = theme.colours
    return {
        name: (colours[k % len(colours)], MARKERS[(k + k // len(colours)) % len(MARKERS)])
        for k, name in enumerate(names)
    }


def _plot(advice: Advice, shown: list[Candidate], x: Axis, y: Axis, theme: Theme) -> bytes:
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "waygrid", "font.family": "sans-serif", "font.size": 10}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(9.6, 5.4), dpi=100, layout="constrained", facecolor=theme.ground)
        FigureCanvasSVG(figure)
        panel = figure.add_subplot(1, 1, 1, facecolor=theme.ground)
        _frame(panel, shown, x, y, theme)
        _shade_forbidden(panel, advice, x, y, theme)
        _front_line(panel, shown, x, y, theme)
        _points(panel, advice, shown, x, y, theme)
        figure.legend(
            loc="outside right upper", frameon=False, labelcolor=theme.ink, fontsize=8.5, handletextpad=0.2, borderpad=0
        )
        figure.draw_without_rendering()  # places are known from now on
        _labels(panel, advice, shown, x, y, theme)
        data = io.BytesIO()
        figure.savefig(data, format="svg", facecolor=theme.ground, metadata={"Date": None, "Creator": None})
    return data.getvalue()


def _frame(panel: Any, shown: list[Candidate], x: Axis, y: Axis, theme: Theme) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    for axis, which, scale, bound in (
        (x, panel.xaxis, panel.set_xscale, panel.set_xlim),
        (y, panel.yaxis, panel.set_yscale, panel.set_ylim),
    ):
        scale("symlog", linthresh=axis.least, linscale=0.5)
        values = [axis.value(one) for one in shown]
        low = min(values)
        bound(-0.3 * axis.least if low <= axis.least else low / 2.2, max(max(values), 2 * axis.least) * 2.2)
        which.set_major_locator(FixedLocator(axis.ticks))
        which.set_minor_locator(NullLocator())
        which.set_major_formatter(FuncFormatter(lambda value, _, axis=axis: axis.words(value)))
        which.label.set_color(theme.ink)
    panel.set_xlabel(x.title)
    panel.set_ylabel(y.title)
    panel.grid(color=theme.faint, linewidth=0.7)
    panel.set_axisbelow(True)
    panel.tick_params(colors=theme.ink, length=0)
    panel.spines[["top", "right"]].set_visible(False)
    for side in ("left", "bottom"):
        panel.spines[side].set_color(theme.faint)


def _shade_forbidden(panel: Any, advice: Advice, x: Axis, y: Axis, theme: Theme) -> None:
    """Shade what the limits forbid, and name them at the edge."""
    line = {"color": theme.forbidden, "linewidth": 1, "linestyle": (0, (4, 3))}
    for axis, (low, high), span, rule, across in (
        (x, panel.get_xlim(), panel.axvspan, panel.axvline, True),
        (y, panel.get_ylim(), panel.axhspan, panel.axhline, False),
    ):
        limit = axis.limit(advice)
        if limit is None or limit >= high:
            continue
        place = max(limit, low)  # a limit that nothing comes near lies outside
        span(place, high, color=theme.forbidden, alpha=0.07, linewidth=0)
        rule(place, **line)
        label = panel.annotate(
            f"limit {axis.words(limit)}",
            (place, 1) if across else (1, place),
            xycoords=("data", "axes fraction") if across else ("axes fraction", "data"),
            xytext=(3, -3) if across else (-3, 3),
            textcoords="offset points",
            color=theme.forbidden,
            va="top" if across else "bottom",
            ha="left" if across else "right",
            fontsize=8.5,
        )
        label.set_in_layout(False)


def _steps(shown: Sequence[Candidate], x: Axis, y: Axis) -> list[Candidate]:
    """Return the front of two of the measures, from left to right."""
    best: list[Candidate] = []
    for one in sorted(shown, key=lambda each: (x.value(each), y.value(each), each.name)):
        if not best or y.value(one) < y.value(best[-1]):
            best.append(one)
    return best


def _front_line(panel: Any, shown: list[Candidate], x: Axis, y: Axis, theme: Theme) -> None:
    corners = _steps(shown, x, y)
    right, top = panel.get_xlim()[1], panel.get_ylim()[1]
    across = [x.value(corners[0]), *(x.value(one) for one in corners), right]
    down = [top, *(y.value(one) for one in corners), y.value(corners[-1])]
    panel.step(across, down, where="post", color=theme.ink, alpha=0.45, linewidth=1.2, zorder=1.5)


def _points(panel: Any, advice: Advice, shown: list[Candidate], x: Axis, y: Axis, theme: Theme) -> None:
    best, front = advice.recommendation, {one.name for one in _steps(shown, x, y)}
    for name, (colour, marker) in styles(shown, theme).items():
        panel.scatter([], [], s=34, c=colour, marker=marker, linewidths=0, label=name)
        for bold in (False, True):
            some = [one for one in shown if one.algorithm == name and (one.name in front or one is best) == bold]
            if some:
                panel.scatter(
                    [x.value(one) for one in some],
                    [y.value(one) for one in some],
                    s=50 if bold else 28,
                    c=colour,
                    marker=marker,
                    alpha=1.0 if bold else 0.6,
                    linewidths=0,
                    zorder=3 if bold else 2,
                    clip_on=False,
                )
    if best is not None:
        place = (x.value(best), y.value(best))
        panel.scatter(*place, s=190, facecolors="none", edgecolors=theme.ink, linewidths=1.6, zorder=4, clip_on=False)


def _labels(panel: Any, advice: Advice, shown: list[Candidate], x: Axis, y: Axis, theme: Theme) -> None:
    """Name the recommended one, the front, and then the best of each further algorithm, wherever there is room."""
    best = advice.recommendation
    first = ([best] if best is not None else []) + _thin(_steps(shown, x, y))
    named = {one.algorithm for one in first}
    rest = [one for one in shown if one.algorithm not in named]
    rest.sort(key=lambda one: (x.value(one) * y.value(one), one.name))
    others = [one for k, one in enumerate(rest) if one.algorithm not in {other.algorithm for other in rest[:k]}]
    points = [panel.transData.transform((x.value(one), y.value(one))) for one in shown]
    taken = [(px - 5, py - 5, px + 5, py + 5) for px, py in points]
    frame = panel.bbox
    done: set[str] = set()
    for one in [*first, *others]:
        if one.name in done:
            continue
        done.add(one.name)
        px, py = panel.transData.transform((x.value(one), y.value(one)))
        text, bold = _short(one), one is best
        wide, high = (6.4 if bold else 5.7) * len(text) * 1.12, 13.0
        gap = 14 if bold else 8
        for dx, dy in (
            (gap, -4),
            (gap, 8),
            (gap, -16),
            (-gap - wide, -4),
            (-gap - wide, 8),
            (-gap - wide, -16),
            (-wide / 2, 16),
        ):
            box = (px + dx, py + dy, px + dx + wide, py + dy + high)
            inside = box[0] > frame.x0 and box[2] < frame.x1 and box[1] > frame.y0 - 2 and box[3] < frame.y1 + 10
            free = inside and not any(_meet(box, other) for other in taken)
            if free or (bold and (dx, dy) == (-wide / 2, 16)):  # the recommended one is named in any case
                taken.append(box)
                label = panel.annotate(
                    text,
                    (x.value(one), y.value(one)),
                    xytext=(dx * _POINT, dy * _POINT),
                    textcoords="offset points",
                    color=theme.ink,
                    fontsize=8.5,
                    fontweight="bold" if bold else "normal",
                    zorder=5,
                    bbox={"facecolor": theme.ground, "edgecolor": "none", "alpha": 0.75, "pad": 0.6},
                )
                label.set_in_layout(False)
                break


def _thin(front: list[Candidate]) -> list[Candidate]:
    """Return at most so many of a front, spread over it."""
    if len(front) <= _MOST_LABELS:
        return front
    return [front[round(k * (len(front) - 1) / (_MOST_LABELS - 1))] for k in range(_MOST_LABELS)]


def _meet(box: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def _short(one: Candidate) -> str:
    """Name a candidate in few letters: dba 32/2 for sector 32, level 2."""
    options = [str(value) for value in one.options.values()]
    agents = " agents" if one.use == "agent" and not algorithms()[one.algorithm].find_walks else ""
    return f"{one.algorithm}{agents} {'/'.join(options)}".strip()
