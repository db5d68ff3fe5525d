"""What Rabin and Sturtevant claim of goal bounding, and whether it holds here."""

from __future__ import annotations

from typing import Any

from waygrid.papers.claims import join_numbers, near, rows, spread
from waygrid.papers.goal_bounding.measure import PLAIN, Run
from waygrid.papers.intervals import estimate_ratio
from waygrid.papers.report import COMPUTED, INTERVAL, Report, show

FACTOR = 1.5  # how far speed-ups may be apart
FASTER = {"astar-gb": "A* with goal bounding", "jps+": "JPS+", "jps+gb": "JPS+ with goal bounding"}
ORDER = ("astar", "astar-gb", "jps+", "jps+gb")
SOONEST = 300.0  # seconds of the paper's fastest precomputation
PAPERS_GAIN = 7.2  # of goal bounding, for JPS+


def add_claims(report: Report, everywhere: str, means: dict[str, Run]) -> None:
    """Add the paper's claims.

    everywhere: what the rows over all maps are called; means: the runs behind them, by algorithm.
    """
    found = {row["algorithm"]: row for row in rows(report.tables["table-22-1"], maps=everywhere)}
    _add_factors(report, everywhere, means)
    _add_gain(report, everywhere, means)
    _add_searches(report, found)
    _add_sizes(report)
    _add_builds(report)


def _add_factors(report: Report, everywhere: str, means: dict[str, Run]) -> None:
    printed = {row["algorithm"]: row["A* factor (paper)"] for row in rows(report.tables["table-22-1"])}
    for name, words in FASTER.items():
        ours, holds, why = "", None, ""
        if name in means:
            factor = estimate_ratio(means["astar"].times, means[name].times)
            ours, holds = f"{factor} times on {everywhere}", near(factor.mean, printed[name], FACTOR)
            why = _explain_factor(name, means)
        report.claim(
            f"{words} is {show(printed[name])} times as fast as A*",
            f"{show(printed[name])} times",
            ours,
            holds,
            rule="within a factor of 1.5",
            why=why,
        )


def _explain_factor(name: str, means: dict[str, Run]) -> str:
    """Say what is known of a factor over A* that is not the paper's: it has two sides, and A* is one of them."""
    reason = "A factor depends on the A* that it is taken over, and on the maps; the paper's maps are not listed."
    if PLAIN not in means:
        return reason
    share = estimate_ratio(means["astar"].times, means[PLAIN].times)
    plain = estimate_ratio(means[PLAIN].times, means[name].times)
    return f"{reason} Our A* takes {share} of the time of a plain A* in C++; over that one the factor is {plain}."


def _add_gain(report: Report, everywhere: str, means: dict[str, Run]) -> None:
    ours, holds, why = "", None, ""
    if "jps+" in means and "jps+gb" in means:
        gain = estimate_ratio(means["jps+"].times, means["jps+gb"].times)
        ours, holds = f"{gain} times on {everywhere}", near(gain.mean, PAPERS_GAIN, FACTOR)
        why = _explain_gain(means["jps+"], means["jps+gb"], rows(report.tables["maps"]))
    report.claim(
        "Goal bounding makes JPS+ 7.2 times as fast", "7.2 times", ours, holds, rule="within a factor of 1.5", why=why
    )


def _explain_gain(plain: Run, bounded: Run, every: list[dict[str, Any]]) -> str:
    """Say where the gain of JPS+ comes from: from expansions that boxes save, and how many there are to be saved."""
    fewer = plain.expanded / max(bounded.expanded, 1.0)
    reason = (
        f"Boxes save expansions: {show(plain.expanded)} a path become {show(bounded.expanded)}, "
        f"{show(fewer)} times fewer. How many they can save depends on the map: JPS+ expands few nodes in the open and "
        "many among rooms and corridors. What a query costs beside its expansions is not saved. The paper's maps "
        "are not listed."
    )
    times = {name: {row["map"]: row["us"] for row in every if row["algorithm"] == name} for name in ("jps+", "jps+gb")}
    gains = {place: us / times["jps+gb"][place] for place, us in times["jps+"].items()}
    if len(gains) > 1:
        least, most = min(gains, key=gains.__getitem__), max(gains, key=gains.__getitem__)
        reason += f" On single maps it is {show(gains[least])} ({least}) to {show(gains[most])} ({most}) times as fast."
    return reason


def _add_searches(report: Report, found: dict[str, dict[str, Any]]) -> None:
    times = [found[name]["us"] for name in ORDER] if found else []
    report.claim(
        f"From the slowest to the fastest: {', '.join(ORDER)}",
        "15 492, 1 888, 72, 10 us",
        f"{join_numbers(times)} us" if times else "",
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
        f"A* is {show(bounded['A* factor'])} {bounded['A* factor' + INTERVAL] or ''} times as fast on a mesh; costs "
        f"agree: {bounded['costs agree']}",
        bounded["A* factor"] > 1 and bounded["costs agree"] == "yes",
        rule="faster than A*, with Dijkstra's costs",
    )


def _add_sizes(report: Report) -> None:
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


def _add_builds(report: Report) -> None:
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
