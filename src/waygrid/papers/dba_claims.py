"""What the DBA* paper claims, and whether it holds here: in sum, and for each configuration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from waygrid.papers.dba_authors import DBA, PRA, Java
from waygrid.papers.dba_measures import Found, Run
from waygrid.papers.dba_pictures import Step
from waygrid.papers.dba_tables import AS_PRINTED, AUTHORS, DEFAULT
from waygrid.papers.report import Report, show

ABOVE, KB, SLOWEST = 3.0, 200.0, 10.0  # percent, KB, seconds: what the paper promises of DBA*
SLOW_SECTOR = 128  # of this one the paper does not say that it is faster
Some = Sequence[Run | Java]


def claims(report: Report, found: Found, steps: Sequence[Step]) -> None:
    """Add the paper's claims with ours and the authors' Java beside them."""
    table = report.table(
        "claims",
        "What the paper claims",
        ("claim", "paper", AS_PRINTED, DEFAULT, AUTHORS),
        notes=(
            "x of y: configurations of DBA* for which it holds. faster: per move, than the quickest configuration of "
            "the other algorithm that is trimmed in the same way.",
            "Figures 6 to 8 have no numbers in the text; these are the statements around them.",
        ),
    )
    ours: list[dict[str, list[Any]]] = [_ours(found, trim) for trim in ("paper", True)]
    java: dict[str, list[Any]] = {"dba": list(DBA.values()), "pra": list(PRA.values()), "hcdps": []}
    java["large"] = [PRA[SLOW_SECTOR]]
    java["fast"] = [value for (sector, _), value in DBA.items() if sector != SLOW_SECTOR]
    java["slow"] = [value for (sector, _), value in DBA.items() if sector == SLOW_SECTOR]
    columns = [*ours, java]

    def add(claim: str, paper: str, tell: Callable[[dict[str, list[Any]]], str | None]) -> None:
        table.add(claim, paper, *(tell(column) if column["dba"] else None for column in columns))

    add("DBA* is under 3 % above the optimum", "< 3 %", lambda c: _share(c["dba"], "above", ABOVE))
    add("PRA* is about 6 % above it", "6 %", lambda c: _range(c["pra"], "above", "%"))
    add("DBA* takes less than 200 KB", "< 200 KB", lambda c: _share(c["dba"], "kb", KB))
    add("DBA* is made in 1 to 10 s", "1 to 10 s", lambda c: _made(c["dba"]))
    add("DBA* (not 128) is faster than PRA*", "all 12", lambda c: _faster(c["fast"], c["pra"]))
    add("DBA* (not 128) is faster than HCDPS", "all 12", lambda c: _faster(c["fast"], c["hcdps"]))
    add("DBA* 128 is faster than PRA*", "not said", lambda c: _faster(c["slow"], c["pra"]))
    add("DBA* 128 is faster than HCDPS", "no", lambda c: _faster(c["slow"], c["hcdps"]))
    add("PRA* 128 takes 20 us per move", "20 us", lambda c: f"{show(c['large'][0].us_move)} us" if c["large"] else None)
    add("DBA* dominates HCDPS in Figure 7", "yes", lambda c: _dominates(c["dba"], c["hcdps"]))
    add("most DBA* are made faster and smaller than HCDPS", "most", lambda c: _smaller(c["dba"], c["hcdps"]))
    falls = " to ".join(f"{step.above:.0f} %" for step in steps)
    table.add("trimming and level 2 help in one example", "23 % to 11 % to 0 %", falls, None, None)


def _ours(found: Found, trim: Any) -> dict[str, list[Any]]:
    made: dict[str, list[Any]] = {name: found.means(name, trim) for name in ("dba", "hcdps")}
    made["pra"] = found.means("pra", True)
    made["large"] = [run for run in made["pra"] if run.way.sector == SLOW_SECTOR]
    made["fast"] = [run for run in made["dba"] if run.way.sector != SLOW_SECTOR]
    made["slow"] = [run for run in made["dba"] if run.way.sector == SLOW_SECTOR]
    return made


def _mean(runs: Some, name: str) -> float:
    return sum(float(getattr(run, name)) for run in runs) / len(runs)


def _share(runs: Some, name: str, limit: float) -> str:
    """Return of how many something is below a limit, and the mean of all."""
    below = sum(getattr(run, name) < limit for run in runs)
    return f"{below} of {len(runs)}, mean {show(_mean(runs, name))}"


def _range(runs: Some, name: str, unit: str) -> str | None:
    values = [float(getattr(run, name)) for run in runs]
    return f"{show(min(values))} to {show(max(values))} {unit}" if values else None


def _made(runs: Some) -> str:
    slowest = [run.slowest_s for run in runs if run.slowest_s is not None]
    return f"{_range(runs, 'build_s', 's')}, slowest map {show(max(slowest))} s"


def _faster(runs: Some, others: Some) -> str | None:
    if not runs or not others:
        return None
    quickest = min(other.us_move for other in others)
    return f"{sum(run.us_move < quickest for run in runs)} of {len(runs)}"


def _dominates(runs: Some, others: Some) -> str | None:
    """Return how many points of the other algorithm have one of ours that is both smaller and nearer to the optimum."""
    if not others:
        return None
    beaten = sum(any(run.kb <= other.kb and run.above <= other.above for run in runs) for other in others)
    return f"{beaten} of {len(others)} points of HCDPS are dominated"


def _smaller(runs: Sequence[Any], others: Sequence[Any]) -> str | None:
    """Return how many are made faster than the other algorithm of the same level, and are smaller."""
    by_level = {other.way.level: other for other in others}
    if not by_level:
        return None
    pairs = [(run, by_level[run.way.level]) for run in runs]
    both = sum(run.build_s < other.build_s and run.kb < other.kb for run, other in pairs)
    faster, smaller = (sum(getattr(a, name) < getattr(b, name) for a, b in pairs) for name in ("build_s", "kb"))
    return f"faster {faster}, smaller {smaller}, both {both} of {len(pairs)}"


def each(report: Report, found: Found) -> None:
    """Add for every configuration of DBA* whether the claims hold."""
    table = report.table(
        "claims-each",
        "The claims, configuration by configuration",
        (
            "sector",
            "level",
            "trim",
            "above %",
            "under 3 %",
            "index KB",
            "under 200 KB",
            "slowest s",
            "within 10 s",
            "us per move",
            "faster than PRA*",
            "faster than HCDPS",
            "Java: under 3 %",
            "Java: under 200 KB",
            "Java: faster than PRA*",
        ),
        notes=("faster: per move, than the quickest of all configurations of PRA* or HCDPS (trimmed alike).",),
    )
    java_pra = min(java.us_move for java in PRA.values())
    for trim in ("paper", True):
        quickest = {
            name: min((run.us_move for run in found.means(name, kind)), default=None)
            for name, kind in (("pra", True), ("hcdps", trim))
        }
        for run in found.means("dba", trim):
            way = run.way
            than = [_yes(other is not None and run.us_move < other) if other else None for other in quickest.values()]
            java = DBA.get((way.sector or 0, way.level or 0))
            theirs = (java.above < ABOVE, java.kb < KB, java.us_move < java_pra) if java else ()
            table.add(
                *way.cells[1:],
                run.above,
                _yes(run.above < ABOVE),
                run.kb,
                _yes(run.kb < KB),
                run.slowest_s,
                _yes(run.slowest_s <= SLOWEST),
                run.us_move,
                *than,
                *([_yes(value) for value in theirs] or (None,) * 3),
            )


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"
