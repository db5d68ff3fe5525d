"""Verdicts come from the numbers: other numbers, other verdicts."""

from dataclasses import replace

import pytest

from waygrid.papers.dba import claims as dba_claims
from waygrid.papers.dba.figures import Step
from waygrid.papers.dba.measure import Found, Run, Way
from waygrid.papers.goal_bounding import claims as goal_claims
from waygrid.papers.goal_bounding import measure as goal_measures
from waygrid.papers.grid_based import claims as grid_claims
from waygrid.papers.improved_heuristics import claims as zones_claims
from waygrid.papers.improved_heuristics.measure import ALL, TOP
from waygrid.papers.path_finder_tool import claims as tool_claims
from waygrid.papers.path_finder_tool.one_obstacle import Averages
from waygrid.papers.report import AGREES, COMPUTED, DIFFERS, EXAMPLE, NOT_MEASURED, Report


def told(report):
    """Verdicts by the beginning of the claim."""
    verdicts = {claim.text: claim.verdict for claim in report.claims}

    def look(start):
        (found,) = [verdict for text, verdict in verdicts.items() if text.startswith(start)]
        return found

    return look


def fill(report, name, columns, *rows):
    table = report.table(name, name, columns)
    for row in rows:
        table.add(*row)


# --- Path finder tool ------------------------------------------------------------------------------------------------


def tool(median=0.5, cost=1.002, k1=50.0, excess=0.0, used=900, steps=500):
    report = Report("t")
    fill(report, "sweep", ("corners", "cases", "median", "mean cost"), ("one", 10, median, cost))
    fill(report, "sample-test", ("source", "Manhattan", "then overestimate"), ("waygrid", 120, 60))
    memory = ("map", "search", "scheme", "used or bought")
    fill(report, "memory", memory, ("m", "Manhattan", "waygrid", 1000), ("m", "K1", "waygrid", used))
    rows = (("astar, Manhattan", 120, 400), ("step, trace", steps, 10 * steps))
    fill(report, "algorithms", ("algorithm", "cycles", "bytes"), *rows)
    averages = Averages({"Manhattan": 100.0, "K1": k1}, {"Manhattan": excess}, {})
    tool_claims.add_claims(report, {"any": averages})
    return told(report)


def test_claims_of_the_tool():
    look = tool()
    for start in ("With one", "The path", "Other starts", "Manhattan", "The overestimate saves", "Taking steps"):
        assert look(start) == AGREES
    look = tool(median=0.7, cost=1.05, k1=130.0, excess=0.001, used=1100, steps=30)
    for start in ("With one", "The path", "Other starts", "Manhattan", "The overestimate saves", "Taking steps"):
        assert look(start) == DIFFERS


# --- Grids -----------------------------------------------------------------------------------------------------------


def grids(scale=1.0, power=2.0, nodes=1.0, wrong=0, empty=1.0, more=(), pruned=True):
    report = Report("t")
    columns = ("grid", "branching", "branching (paper)", "depth / D", "depth / D (paper)", "A*: D to the")
    row = ("hex", 3 * scale, 3, 0.8 * scale, 0.8, power, 2.4 * scale, 2.4)
    fill(report, "table-1", (*columns, "IDA* base, measured", "IDA* base (paper)"), row)
    names = [name for part in ("path", "nodes", "time") for name in (part, f"{part} (paper)")]
    rows = [("10²", "0%", 0.8 * scale, 0.8, 0.7 * empty if empty else None, 0.7, 1.0, 1.1)]
    rows.append(("10²", "10%", 0.8, 0.8, 0.05 * nodes if nodes else None, 0.05, 0.1 * nodes if nodes else None, 0.1))
    fill(report, "table-2", ("size", "obstacles", *names), *rows, *more)
    fill(report, "table-2-details", ("size", "cut: tile", "cut: tex"), ("10²", 12, 3))
    fill(report, "vancouver", ("formula", "pairs", "wrong"), ("printed", 100, wrong))
    maps = [("never", "as printed", wrong)] if pruned else []
    fill(report, "pruning", ("corners", "pruning", "maps wrong"), *maps, ("one", "sound", 9))
    grid_claims.add_claims(report)
    return report


def test_claims_of_grids():
    look = told(grids())
    starts = ("Pruned branching", "Average depth", "Base of", "A* expands", "Paths on", "On empty", "The Vancouver")
    more = ("Among obstacles IDA* expands", "Among obstacles IDA* takes", "Pruned octile")
    for start in (*starts, *more):
        assert look(start) == AGREES
    report = grids(scale=1.04, power=1.8, nodes=11.0, wrong=2, empty=1.3)
    look = told(report)
    for start in (*starts, *more):
        assert look(start) == DIFFERS
    assert any("12 on tiles, 3 on texes" in claim.why for claim in report.claims)


def test_searches_that_were_never_finished_are_not_measured():
    look = told(grids(nodes=0, empty=0))
    for start in ("Among obstacles IDA* expands", "Among obstacles IDA* takes", "On empty"):
        assert look(start) == NOT_MEASURED


@pytest.mark.parametrize(("nodes", "verdict"), [(1.0, NOT_MEASURED), (11.0, DIFFERS)])
def test_rows_that_are_missing_are_told_and_leave_no_agreement(nodes, verdict):
    report = grids(nodes=nodes, more=[("20²", "10%", None, 0.8, None, 0.05, None, 0.1)])
    look = told(report)
    for start in ("Among obstacles IDA* expands", "Among obstacles IDA* takes"):
        assert look(start) == verdict
    assert look("Paths on") == NOT_MEASURED
    ours = {claim.text[:8]: claim.ours for claim in report.claims}
    assert ours["Paths on"].endswith("; 2 of 3 rows were judged")
    assert ours["Among ob"].endswith("; 1 of 2 rows were judged")


def test_no_maps_prove_nothing():
    assert told(grids(pruned=False))("Pruned octile") == NOT_MEASURED


# --- Goal bounding ---------------------------------------------------------------------------------------------------


def goals(us=(15492, 1888, 72, 10), wrong=0, boxes=85_000, build=400.0, measured=True):
    report = Report("t")
    columns = ("maps", "problems", "algorithm", "us", "A* factor", "over plain A*", "A* factor (paper)", "wrong costs")
    paper = {"astar": 1.0, "astar-gb": 8.2, "jps+": 215.2, "jps+gb": 1549.2}
    rows = [("everywhere", 10, name, t, us[0] / t, None, paper[name], wrong) for name, t in zip(paper, us, strict=True)]
    bare = [("paper", None, name, None, None, None, factor, None) for name, factor in paper.items()]
    fill(report, "table-22-1", columns, *(rows if measured else bare))
    mesh = ("algorithm", "A* factor", "A* factor, 95 %", "index bytes", "of them boxes", "costs agree")
    fill(report, "mesh", mesh, ("astar-gb", 5.0, "[4.9, 5.1]", boxes + 16_000, boxes, "no" if wrong else "yes"))
    fill(report, "sizes", ("map", "all pairs", "astar-gb"), ("1000 x 1000, empty", 4e6, boxes * 64 / 85_000))
    if measured:
        each = [("a", name, t, build) for name, t in zip(paper, us, strict=True)]
        fill(report, "maps", ("map", "algorithm", "us", "build s"), *each)
    runs = {
        name: goal_measures.Run("a", "a", 9, name, 10, (t, t), 5.0, 0.0, 0, wrong, 0.0)
        for name, t in zip(paper, us, strict=True)
    }
    goal_claims.add_claims(report, "everywhere", runs if measured else {})
    return told(report)


def test_claims_of_goal_bounding():
    starts = ("A* with goal", "JPS+ is", "JPS+ with", "Goal bounding makes", "From the slowest", "Pruned searches")
    more = ("It serves", "Goal bounds of a nav", "The boxes of a map")
    look = goals()
    for start in (*starts, *more):
        assert look(start) == AGREES
    look = goals(us=(1000, 10, 20, 15), wrong=1, boxes=110_000, build=3.0)
    for start in (*starts, *more):
        assert look(start) == DIFFERS
    for start in ("A table", "Goal bounds of 1000"):  # these are arithmetic
        assert look(start) == COMPUTED
    look = goals(measured=False)
    for start in (*starts, "The boxes of a map"):
        assert look(start) == NOT_MEASURED


# --- Improved heuristics ---------------------------------------------------------------------------------------------


def zones(scale=1.0, estimate=1.0, time=0.8, wrong=0, walls=0):
    report = Report("t")
    names = ("nodes / octile", "estimate / cost", "time / octile")
    rows = []
    for searches, dead, gate in ((ALL, 0.606, 0.230), (TOP, 0.564, 0.203)):
        nodes = {"dead-end": dead, "gateway, whole gates": gate * (scale if searches == ALL else scale**2)}
        for label, ratio in nodes.items():
            rows.append(("demo map", searches, label, ratio * scale, ratio, 0.97 * estimate, 0.97, time, 0.7))
    columns = [column for name in names for column in (name, f"{name} (paper)")]
    fill(report, "ratios", ("maps", "searches", "algorithm", *columns), *rows)
    fill(report, "maps", ("map", "wrong costs"), ("a", wrong))
    fill(report, "blocked", ("map", "wrong costs"), ("a", wrong))
    fill(report, "decomposition", ("map", "walls that it marks"), ("a", walls))
    zones_claims.add_claims(report)
    return told(report)


def test_claims_of_zones():
    changing = (
        "Gateway expands",
        "Dead-end, demo",
        "Gateway, demo",
        "Gateway's estimate",
        "Both save",
        "Gateway saves",
    )
    more = ("Both heuristics", "Obstacles", "Algorithm 1")
    look = zones()
    for start in (*changing, *more):
        assert look(start) == AGREES
    for start in ("Dead-end, game", "Gateway, large"):
        assert look(start) == NOT_MEASURED
    look = zones(scale=1.8, estimate=0.9, time=1.1, wrong=1, walls=5)
    for start in (*changing, *more):
        assert look(start) == DIFFERS


def test_empty_tables_prove_nothing():
    report = Report("t")
    columns = [
        column
        for name in ("nodes / octile", "estimate / cost", "time / octile")
        for column in (name, f"{name} (paper)")
    ]
    fill(report, "ratios", ("maps", "searches", "algorithm", *columns))
    for name, column in (("maps", "wrong costs"), ("blocked", "wrong costs"), ("decomposition", "walls that it marks")):
        fill(report, name, ("map", column))
    zones_claims.add_claims(report)
    assert {claim.verdict for claim in report.claims} == {NOT_MEASURED}
    assert {claim.ours for claim in report.claims} == {"-"}


# --- DBA* ------------------------------------------------------------------------------------------------------------

ONE = Run("a", Way("dba", 16, 1, "paper"), 100, 100, 1.0, 5.0, 0.5, 80.0, 0.08, 1000.0, 999.0, 5e4, 2e6, 0.1, 0.1)


def dba(above=1.0, us=0.01, fixed=5e4, pra_us=20.0):
    def run(algorithm, sector, level, trim, **change):
        return replace(ONE, way=Way(algorithm, sector, level, trim), **change)

    runs = [run("dba", 16, 1, "paper", above=above, us_move=us, fixed_bytes=fixed, build_s=fixed / 1e6)]
    runs += [run("dba", 128, 1, "paper", above=above, us_move=0.5, fixed_bytes=fixed, build_s=fixed / 1e6)]
    runs += [run("pra", 128, None, True, above=6.0 * above, us_move=pra_us, fixed_bytes=1e3)]
    runs += [run("hcdps", None, 1, "paper", above=3.0, us_move=0.05, fixed_bytes=6e4, build_s=0.06)]
    report = Report("t")
    dba_claims.add_claims(report, Found(runs=runs), [])
    return told(report)


@pytest.mark.parametrize(
    ("change", "starts"),
    [
        ({"above": 4.0}, ("DBA* is under 3 %", "PRA* is about 6 %", "DBA* dominates")),
        ({"us": 0.06}, ("DBA* (not 128) is faster than HCDPS",)),
        ({"us": 30.0}, ("DBA* (not 128) is faster than PRA*", "DBA* (not 128) is faster than HCDPS")),
        ({"fixed": 3e5}, ("DBA* takes less", "DBA* dominates", "Most DBA* are made")),
        ({"pra_us": 2.0}, ("PRA* 128",)),
    ],
)
def test_claims_of_dba(change, starts):
    usual, other = dba(), dba(**change)
    for start in starts:
        assert (usual(start), other(start)) == (AGREES, DIFFERS)
    assert usual("DBA* 128 is faster than HCDPS") == AGREES  # the paper says it is not
    assert usual("Trimming and level 2") == NOT_MEASURED


def test_an_example_has_no_verdict():
    report = Report("t")
    dba_claims.add_claims(report, Found(runs=[]), [Step("one", ONE.way, None, above) for above in (90.0, 80.0, 70.0)])
    assert told(report)("Trimming and level 2") == EXAMPLE  # though it is nothing like the paper's


@pytest.mark.parametrize(
    ("build", "slowest", "verdict"), [(2.0, 9.0, AGREES), (0.1, 0.5, DIFFERS), (2.0, 11.0, DIFFERS)]
)
def test_both_ends_of_a_range_are_judged(build, slowest, verdict):
    report = Report("t")
    runs = [replace(ONE, build_s=build, slowest_s=slowest)]
    dba_claims.add_claims(report, Found(runs=runs), [])
    assert told(report)("DBA* is made") == verdict
