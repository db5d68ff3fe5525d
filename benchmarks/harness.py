"""What the benchmark itself costs: the runner, the store, the cluster, and a whole set of maps.

    python benchmarks/harness.py [--maps DIR] [--only runner,store,cluster,dao] [--queries N] [--rows N] [--map NAME]

Ratios are of one run, taken in turns; times need a quiet machine.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from common import begin_run, load_map, make_parser

import waygrid as wg
from waygrid.algorithms.bounds.boxes import box_work
from waygrid.bench.engine import measure_units
from waygrid.bench.runner import Kept, units_of
from waygrid.bench.store import Plan, open_store
from waygrid.build.dask import connected
from waygrid.measure.builds import Made
from waygrid.measure.rows import COLUMNS
from waygrid.measure.slices import MOST_QUERIES
from waygrid.measure.timing import time_best, time_call, wall_clock
from waygrid.measure.work import Settings, Slice

SET = ("astar", "jps+", "dba", "gateway")


def runner(folder: Path, chosen: argparse.Namespace) -> None:
    """What the runner adds to a batch of short queries, and what checking and storing take beside it."""
    grid, scenario = load_map(folder, "dao/arena2")
    times = -(-chosen.queries // len(scenario))
    ends = (np.tile(array, (times, 1)) for array in (scenario.starts, scenario.goals))
    many = wg.Scenario(*ends, np.tile(scenario.costs, times))
    finder = wg.make_finder("jps+gb", grid)
    units = units_of(grid, many, ["jps+gb"], name="arena2")
    plain, ours = [], []

    def ask_all() -> None:
        for first in range(0, len(many), MOST_QUERIES):
            rows = slice(first, first + MOST_QUERIES)
            finder.find_many(many.starts[rows], many.goals[rows], 1)

    with tempfile.TemporaryDirectory() as place, open_store(Path(place) / "a.duckdb") as store:
        for _ in range(chosen.rounds):
            plain.append(time_call(ask_all, wall_clock)[0] / len(many) * 1e6)
            recording = store.begin(Plan(units, Settings()))
            whole, _ = time_call(partial(measure_units, units, Settings(), recording), wall_clock)
            (result,) = recording.finish()
            ours.append(result.mean_us)
        single = float(result.times_us.mean(dtype=np.float64))
    print(f"runner: {len(many):,} queries of jps+gb on arena2, best of {chosen.rounds} rounds in turns")
    print(f"  find_many alone           {min(plain):.4f} us a query")
    print(f"  as the runner reports it  {min(ours):.4f} us, {min(ours) / min(plain) - 1:+.2%} (bar: under 2 %)")
    print(f"  mean of the single times  {single:.4f} us (last round)")
    checked, stored = result.check_s, recording.store_s
    print(f"  beside: checking {checked:.2f} s, storing {stored:.2f} s; the whole run {whole:.2f} s, building included")


def store(folder: Path, chosen: argparse.Namespace) -> None:
    """Storing many rows, and asking for the mean time per algorithm and map."""
    grid, scenario = load_map(folder, "dao/arena")
    units = [unit for k in range(25) for unit in units_of(grid, scenario, SET, limit=1, name=f"map{k:02}.map")]
    each = chosen.rows // len(units)
    chance = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as place, open_store(Path(place) / "a.duckdb") as made:
        recording = made.begin(Plan(units, Settings()))
        for number in range(len(units)):
            recording.begin(number, Made(0.0, 0, True))
            for first in range(0, each, MOST_QUERIES):
                count = min(MOST_QUERIES, each - first)
                rows = {name: (1000 * chance.random(count)).astype(column.kind) for name, column in COLUMNS.items()}
                recording.add(number, Slice(first, first + count, rows, 1.0, 0.0, 0, None))
        total = made.connection.execute("SELECT count(*) FROM queries").fetchone()[0]
        made.connection.execute("CHECKPOINT")
        size = os.path.getsize(Path(place) / "a.duckdb")
        speed = total / recording.store_s
        print(f"store: {total:,} rows in {recording.store_s:.1f} s, {speed:,.0f} a second, {size:,} bytes")
        joined = "queries JOIN measurements USING (measurement)"
        question = f"SELECT algorithm, map, avg(time_us) FROM {joined} GROUP BY ALL ORDER BY ALL"
        for text in (question, question.replace(joined, "whole")):
            count = len(made.connection.execute(text).fetchall())
            seconds = time_best(lambda text=text: made.connection.execute(text).fetchall(), least=3, clock=wall_clock)
            print(f"  mean time per algorithm and map: {count} rows in {seconds:.3f} s (bar: under 1 s)")


def load_all(folder: Path, name: str) -> None:
    """Compile and load on a worker what is measured there."""
    grid, scenario = load_map(folder, f"dao/{name}")
    few = units_of(grid, scenario, ["astar", "dijkstra"], limit=8)
    measure_units(few, Settings(), Kept(few))
    work = box_work(grid, "canonical", "cpu", None)
    work.run(work.scratch(), 0, 1)


def cluster(folder: Path, chosen: argparse.Namespace) -> None:
    """The same work on one worker and on two, each a process with one thread."""
    from distributed import LocalCluster

    grid, scenario = load_map(folder, f"dao/{chosen.map}")
    units = units_of(grid, scenario, ["astar", "dijkstra"], name=chosen.map)
    taken: dict[str, list[float]] = {"queries": [], "a build": []}
    for workers in (1, 2):
        with LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as made:
            address = made.scheduler_address
            with connected(address) as client:
                client.run(load_all, chosen.maps, chosen.map)
            works = {
                "queries": lambda at=address: measure_units(units, Settings(), Kept(units), cluster=at),
                "a build": partial(wg.make_finder, "jps+gb", grid, cluster=address),
            }
            for what, work in works.items():
                taken[what].append(time_best(work, fill_s=0.0, least=chosen.rounds, clock=wall_clock))
    print(f"cluster: {chosen.map} on one worker and on two")
    for what, (one, two) in taken.items():
        print(f"  {what}: {one:.2f} s and {two:.2f} s, {one / two:.2f} times as fast (bar: 1.7)")


def dao(folder: Path, chosen: argparse.Namespace) -> None:
    """All of dao with four algorithms, as one command."""
    maps = sorted(str(file) for file in (folder / "dao").glob("*.map"))
    with tempfile.TemporaryDirectory() as place:
        words = ["bench", *maps, "-a", ",".join(SET), "--threads", "2", "--store", f"{place}/dao.duckdb"]
        command = [sys.executable, "-m", "waygrid.cli", *words]
        took, ran = time_call(partial(subprocess.run, command, capture_output=True, text=True), wall_clock)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e9
    print(ran.stdout, ran.stderr, sep="\n")
    print(f"dao: {len(maps)} maps, {', '.join(SET)}: {took / 60:.1f} minutes (bar: 15), {peak:.2f} GB (bar: 4)")


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--only", default="runner,store,cluster,dao")
    parser.add_argument("--queries", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--map", default="brc202d", help="of dao, for the cluster")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = begin_run(parser)
    parts = {"runner": runner, "store": store, "cluster": cluster, "dao": dao}
    for name in chosen.only.split(","):
        parts[name](chosen.maps, chosen)


if __name__ == "__main__":
    main()
