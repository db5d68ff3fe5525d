"""What Rabin and Sturtevant claim of goal bounding, and whether it holds here."""

from __future__ import annotations

from typing import Any

from waygrid.papers.claims import listed, near, rows, spread
from waygrid.papers.report import COMPUTED, Report, show

FACTOR = 1.5  # how far speed-ups may be apart
FASTER = {"astar-gb": "A* with goal bounding", "jps+": "JPS+", "jps+gb": "JPS+ with goal bounding"}
ORDER = ("astar", "astar-gb", "jps+", "jps+gb")
SOONEST = 300.0  # seconds of the paper's fastest precomputation
_WHY_FACTORS = (
    "A factor depends on the A* that it is taken over, and on the maps. Ours is fast itself (see the column over "
    "plain A*), and the paper's maps are not listed."
)


def claims(report: Report, everywhere: str) -> None:
    """Add the paper's claims; `everywhere` is what the rows over all maps are called."""
    found = {row["algorithm"]: row for row in rows(report.tables["table-22-1"], maps=everywhere)}
    _factors(report, found)
    _searches(report, found)
    _sizes(report)
    _builds(report)


def _factors(report: Report, found: dict[str, dict[str, Any]]) -> None:
    printed = {row["algorithm"]: row["A* factor (paper)"] for row in rows(report.tables["table-22-1"])}
    for name, words in FASTER.items():
        row = found.get(name)
        paper = printed[name] if row is None else row["A* factor (paper)"]
        ours = "" if row is None else f"{show(row['A* factor'])} times"
        if row and row["over plain A*"]:
            ours += f"; {show(row['over plain A*'])} times a plain A* in C++"
        report.claim(
            f"{words} is {show(paper)} times as fast as A*",
            f"{show(paper)} times",
            ours,
            None if row is None else near(row["A* factor"], paper, FACTOR),
            rule="within a factor of 1.5",
            why=_WHY_FACTORS,
        )
    both = "jps+" in found and "jps+gb" in found
    gain = found["jps+"]["us"] / found["jps+gb"]["us"] if both else 0.0
    report.claim(
        "Goal bounding makes JPS+ 7.2 times as fast",
        "7.2 times",
        f"{show(gain)} times" if both else "",
        near(gain, 7.2, FACTOR) if both else None,
        rule="within a factor of 1.5",
        why=_WHY_FACTORS,
    )


def _searches(report: Report, found: dict[str, dict[str, Any]]) -> None:
    times = [found[name]["us"] for name in ORDER] if found else []
    report.claim(
        f"From the slowest to the fastest: {', '.join(ORDER)}",
        "15 492, 1 888, 72, 10 us",
        f"{listed(times)} us" if times else "",
        times == sorted(times, reverse=True) if times else None,
        rule="in this order",
    )
    wrong = [row["wrong costs"] for row in found.values() if row["wrong costs"] is not None]
    problems = next(iter(found.values()))["problems"] if found else 0
    report.claim(
        "Pruned searches still find a cheapest path",
        "optimal",
        f"{show(sum(wrong))} wrong costs, {len(wrong)} algorithms on {show(problems)} problems" if found else "",
        not sum(wrong) if found else None,
        rule="no cost differs from the scenario's",
    )
    bounded = report.tables["mesh"].row("astar-gb")
    report.claim(
        "It serves navigation meshes as well",
        "any graph",
        f"A* is {show(bounded['A* factor'])} times as fast on a mesh; costs agree: {bounded['costs agree']}",
        bounded["A* factor"] > 1 and bounded["costs agree"] == "yes",
        rule="faster than A*, with Dijkstra's costs",
    )


def _sizes(report: Report) -> None:
    grid = report.tables["sizes"].row("1000 x 1000, empty")
    counted = "no verdict: the bytes are counted by a formula, and nothing measured could change them"
    report.aside(
        "A table of all pairs of 1000 x 1000 cells takes about four terabytes",
        "4 TB",
        f"{show(grid['all pairs'] / 1e6)} TB",
        COMPUTED,
        rule=counted,
    )
    report.aside(
        "Goal bounds of 1000 x 1000 cells take about 60 MB",
        "60 MB",
        f"{show(grid['astar-gb'])} MB",
        COMPUTED,
        rule=counted,
    )
    mesh = report.tables["mesh"].row("astar-gb")
    report.claim(
        "Goal bounds of a navigation mesh of 4000 polygons take less than 100 KB",
        "< 100 KB",
        f"{show(mesh['of them boxes'] / 1e3)} KB of boxes, {show(mesh['index bytes'] / 1e3)} KB with what finds them",
        mesh["of them boxes"] < 1e5,
        rule="the boxes are below 100 KB",
    )


def _builds(report: Report) -> None:
    table = report.tables.get("maps")
    seconds = [row["build s"] for row in rows(table, algorithm="astar-gb")] if table else []
    report.claim(
        "The boxes of a map take 5 minutes to several hours to make",
        "5 min to hours",
        f"{spread(seconds, ' s')} a map" if seconds else "",
        max(seconds) >= SOONEST if seconds else None,
        rule="at least one map takes 5 minutes",
        why="It is quicker here: compiled floods on all cores, on smaller maps than the paper's largest, and a "
        "machine of today.",
    )
