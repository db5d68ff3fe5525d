"""Other Python packages on the same queries in the same run, each on its own ground (corner rule, diagonal price).

    pip install -r benchmarks/requirements-peers.txt
    python benchmarks/peers.py [--maps DIR] [--map dao/arena,...] [--rows 50] [--only NAME,...] [--json FILE]

Packages that are not installed are named and left out; how each one is asked is in peer_packages.py. Its costs are
compared with waygrid's under the same rules, and its paths move by move, outside the measured time. waygrid answers one
`find` per query, as the others do (`distances` beside scipy, which always makes the whole tree); `find_many`, on one
thread, is shown apart. Slow packages get fewer of the same queries: as many as fit into --seconds. Times are those of
the processor, so that other programs on the machine count little; all of this runs on one thread.
"""

import importlib
import importlib.metadata
import json
import math
import platform
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from common import begin_run, make_parser, print_heading
from peer_packages import PACKAGES

import waygrid as wg
from waygrid.grid.legal import path_cost
from waygrid.measure.machine import describe_run
from waygrid.measure.path_check import Walked, explain_fault
from waygrid.measure.timing import time_best, time_call

MAPS = ("dao/arena", "dao/brc202d", "dao/orz100d", "dao/ost100d")
ROUND_S = 0.5  # quick ones are asked again for so long, and the quickest round counts


@dataclass(frozen=True)
class Row:
    """One way to use a package, on one map; times are ms per query."""

    package: str
    corners: str
    metric: str
    map: str
    queries: int
    theirs_ms: float
    waygrid_ms: float
    find_many_ms: float | None
    same_cost: int
    illegal: int

    @property
    def ratio(self):
        return self.theirs_ms / self.waygrid_ms


def time_asks(ask, pairs, seconds):
    """Answers to as many queries as fit into the time, and ms per query of the quickest round."""
    answers = []

    def ask_all(until=math.inf):
        answers.clear()
        for start, goal in pairs:
            answers.append(ask(start, goal))
            if time.process_time() > until:
                break

    best, _ = time_call(lambda: ask_all(time.process_time() + seconds), time.process_time)
    pairs = pairs[: len(answers)]
    if best < ROUND_S:
        best = min(best, time_best(ask_all, fill_s=ROUND_S, clock=time.process_time))
    return answers, 1e3 * best / len(answers)


def measure(name, map_file, count, seconds):
    package = PACKAGES[name]
    grid = wg.Grid.from_file(map_file, corners=package.corners, metric=package.metric)
    scenario = wg.Scenario.from_file(f"{map_file}.scen")
    spread = np.unique(np.linspace(1, len(scenario) - 1, count).astype(int))
    rows = np.random.default_rng(1).permutation(spread)  # the first of them are spread over the scenario as well
    starts = [tuple(map(int, cell)) for cell in scenario.starts[rows]]
    goals = [tuple(map(int, cell)) for cell in scenario.goals[rows]]
    pairs = list(zip(starts, goals, strict=True))
    peer = package.maker(grid)
    short = min(pairs, key=lambda pair: math.dist(*pair))
    peer.ask(*short)  # some compile or prepare something at first
    answers, theirs = time_asks(peer.ask, pairs, seconds)
    pairs = pairs[: len(answers)]
    finder = wg.make_finder("astar", grid)

    def own(start, goal):
        return wg.distances(grid, start)[goal[1], goal[0]] if package.whole_tree else finder.find(start, goal)

    own(*short)
    found, ours = time_asks(own, pairs, math.inf)
    batch, exact = None, found
    if not package.whole_tree:
        exact = [path.cost for path in found]
        both = starts[: len(pairs)], goals[: len(pairs)]
        finder.find_many(*both, threads=1)
        _, batch = time_asks(lambda some, others: finder.find_many(some, others, threads=1), [both], math.inf)
        batch /= len(pairs)
    same, illegal = compare(peer, answers, pairs, exact, grid)
    return Row(
        name, package.corners, package.metric, map_name(map_file), len(pairs), theirs, ours, batch, same, illegal
    )


def compare(peer, answers, pairs, exact, grid):
    """How many answers cost the same as waygrid's, and how many are no legal path."""
    same = illegal = 0
    for answer, (start, goal), cost in zip(answers, pairs, exact, strict=True):
        if peer.cells is None:
            found = float(answer)
        else:
            cells = np.asarray(peer.cells(answer), np.int32).reshape(-1, 2)
            found = path_cost(grid, cells)
            illegal += explain_fault(grid, Walked(cells, wg.Status.FOUND, found), start, goal) is not None
        same += bool(abs(found - cost) <= 1e-5 * max(1.0, cost))
    return same, illegal


def map_name(file):
    return f"{file.parent.name}/{file.stem}"


def versions(names):
    """The versions of waygrid, of what it stands on, and of the packages that were measured."""
    used = {"python": platform.python_version(), "waygrid": wg.__version__}
    for name in ("numpy", "numba", *dict.fromkeys(PACKAGES[name].name for name in names)):
        used[name] = importlib.metadata.version(name)
    return used


def installed(names):
    """The names that can be measured, and why each of the others cannot."""
    there, missing = [], {}
    for name in names:
        try:
            importlib.import_module(PACKAGES[name].module)
            there.append(name)
        except ImportError as error:
            missing[name] = str(error)
    return there, missing


def show(row):
    batch = "-" if row.find_many_ms is None else f"{row.find_many_ms:.3f}"
    wrong = f", {row.illegal} illegal" if row.illegal else ""
    return (
        f"| {row.package} | {row.corners}, {row.metric} | {row.map} | {row.theirs_ms:.3f} | {row.waygrid_ms:.3f} | "
        f"{batch} | {row.ratio:.1f} | {row.same_cost}/{row.queries}{wrong} |"
    )


def summary(rows):
    """Lines that say for each way to use a package how many times as fast waygrid is: least, geometric mean, most."""
    yield "| package | waygrid is times as fast: least | mean | most | same cost |"
    yield "|---|--:|--:|--:|--:|"
    by_name = {}
    for row in rows:
        by_name.setdefault(row.package, []).append(row)
    means = {name: math.exp(np.mean([math.log(row.ratio) for row in some])) for name, some in by_name.items()}
    for name in sorted(means, key=means.get):
        ratios = [row.ratio for row in by_name[name]]
        same, all_of = (sum(getattr(row, field) for row in by_name[name]) for field in ("same_cost", "queries"))
        yield f"| {name} | {min(ratios):.1f} | {means[name]:.1f} | {max(ratios):.1f} | {same}/{all_of} |"


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--map", default=",".join(MAPS), help="maps with scenarios, in the folder of maps")
    parser.add_argument("--rows", type=int, default=50, help="queries per map")
    parser.add_argument("--seconds", type=float, default=10.0, help="time for a package on a map")
    parser.add_argument("--only", default=",".join(PACKAGES), help="ways to use packages, or packages")
    parser.add_argument("--json", type=Path, help="file for everything that was measured")
    arguments = begin_run(parser)
    words = [word.strip() for word in arguments.only.split(",")]
    names = [name for name, package in PACKAGES.items() if name in words or package.name in words]
    unknown = [word for word in words if not any(word in (name, PACKAGES[name].name) for name in names)]
    if unknown:
        parser.error(f"--only {unknown[0]!r}; allowed are {', '.join(PACKAGES)}")
    files = [arguments.maps / f"{name}.map" for name in arguments.map.split(",")]
    there, missing = installed(names)
    print_heading(
        "package", "corners, metric", "map", "package ms", "waygrid ms", "find_many ms", "times as fast", "same cost"
    )
    rows = []
    for name in there:
        for file in files:
            rows.append(measure(name, file, arguments.rows, arguments.seconds))
            print(show(rows[-1]), flush=True)
    print("", *summary(rows), "", sep="\n")
    for name, why in missing.items():
        print(f"not installed, left out: {name} ({why})")
    used = versions(there)
    print("versions:", ", ".join(f"{name} {version}" for name, version in used.items()))
    if arguments.json:
        measured = [asdict(row) | {"ratio": row.ratio} for row in rows]
        run = describe_run(" ".join(["python benchmarks/peers.py", *sys.argv[1:]]))
        facts = {"run": run, "versions": used, "missing": missing, "rows": measured}
        arguments.json.write_text(json.dumps(facts, indent=1) + "\n")
    return 1 if any(row.illegal or row.same_cost < row.queries for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
