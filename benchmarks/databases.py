"""HCDPS beside DBA* and D LRTA*: suboptimality, time per move, builds and sizes, on the ten maps of the DBA* paper.

    python benchmarks/databases.py [--maps DIR] [--only hrt000d,orz100d] [--algorithms hcdps,dba] [--levels 1,2,3,4]
                                   [--sectors 16,32,64,128] [--trims True,paper,False] [--cutoffs 250]
                                   [--lookaheads 1,2] [--rounds 20]

For each map the 100 longest problems of its scenario, costs 10/14, corners never. Suboptimality is held against `astar`
on the same grid; times are those of one thread, paths written, of 25 problems at a time the best of some rounds,
divided by the moves made; builds use all cores, the best of three. First a table of means over the maps, then one of
hcdps map by map. `--algorithms dlrta` takes the levels of cliques, 3 to 5 for instance, and lookaheads.
"""

import argparse
import os
import time
from itertools import product
from pathlib import Path

import numpy as np

import waygrid as wg

ROOT = Path(__file__).resolve().parent.parent
PAPER = "hrt000d,orz100d,orz103d,orz300d,orz700d,orz702d,orz900d,ost000a,ost000t,ost100d"
TRIMS = {"True": True, "False": False, "paper": "paper"}
LONGEST = 100
PART = 25  # problems timed together: short enough to be left alone by other programs now and then
KEYS = ("over", "us", "build_s", "kb", "regions", "share", "fallbacks")


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def heading(*cells):
    row(*cells)
    row(*("---" for _ in cells))


def problems(file):
    """The map, and its longest problems with their least costs."""
    grid, scenario = wg.Grid.from_file(file, metric="dba"), wg.Scenario.from_file(f"{file}.scen")
    longest = np.argsort(-scenario.costs, kind="stable")[:LONGEST]
    starts, goals = scenario.starts[longest], scenario.goals[longest]
    return grid, starts, goals, wg.make_finder("astar", grid).find_many(starts, goals).costs


def ways(arguments):
    """Every algorithm with its options."""
    levels, trims = arguments.levels, arguments.trims
    for name in arguments.algorithms:
        if name == "dlrta":
            for level, lookahead in product(levels, arguments.lookaheads):
                yield name, {"level": level, "lookahead": lookahead}
            continue
        sizes = ("cutoff", arguments.cutoffs) if name == "hcdps" else ("sector", arguments.sectors)
        for trim, size, level in product(trims, sizes[1], levels):
            yield name, {sizes[0]: size, "level": level, "trim": TRIMS[trim]}


def measure(name, options, problem, rounds):
    """What one finder does on one map."""
    grid, starts, goals, best = problem
    build_s = np.inf
    for _ in range(3):
        begin = time.perf_counter()
        finder = wg.make_finder(name, grid, **options)
        build_s = min(build_s, time.perf_counter() - begin)
    batch = finder.find_many(starts, goals, threads=1)
    took = np.full(LONGEST // PART, np.inf)
    for _ in range(rounds):
        for part in range(len(took)):
            few = slice(part * PART, part * PART + PART)
            begin = time.perf_counter()
            finder.find_many(starts[few], goals[few], threads=1)
            took[part] = min(took[part], time.perf_counter() - begin)
    sizes = finder.subgoals()
    return {
        "over": float(np.mean(batch.costs / best - 1)),
        "worst": float(np.max(batch.costs / best - 1)),
        "us": took.sum() * 1e6 / float((batch.lengths - 1).sum()),
        "build_s": build_s,
        "kb": finder.memory.fixed_bytes / 1e3,
        "regions": sizes["regions"],
        "share": sizes.get("map_share", 0.0),
        "fallbacks": finder.fallbacks(batch) if name == "hcdps" else 0,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("WAYGRID_MAPS", ROOT.parent / "shared" / "maps"))

    def numbers(text):
        return [int(number) for number in text.split(",")]

    def names(text):
        return text.split(",")

    parser.add_argument("--maps", type=Path, default=default)
    parser.add_argument("--only", type=names, default=names(PAPER), help="maps of the set dao")
    parser.add_argument("--algorithms", type=names, default=["hcdps", "dba"])
    parser.add_argument("--levels", type=numbers, default=[1, 2, 3, 4])
    parser.add_argument("--sectors", type=numbers, default=[16], help="of dba")
    parser.add_argument("--cutoffs", type=numbers, default=[250], help="of hcdps")
    parser.add_argument("--lookaheads", type=numbers, default=[1], help="of dlrta")
    parser.add_argument("--trims", type=names, default=["True", "paper"], help="True, paper, False")
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    files = [arguments.maps / "dao" / f"{name}.map" for name in arguments.only]
    if missing := [str(file) for file in files if not file.is_file()]:
        parser.error(f"{', '.join(missing)}: not there")
    for name in arguments.algorithms:  # compiles
        made = wg.make_finder(name, wg.generate("rooms", width=60, height=60, seed=1, metric="dba"))
        made.find_many([(1, 1)], [(58, 58)], threads=1)
    every = {file.stem: problems(file) for file in files}
    kept = {}
    print(f"means over {len(files)} maps, the {LONGEST} longest problems of each\n")
    heading("", "options", "suboptimality %", "worst %", "us per move", "build s", "KB", "regions", "map index %", "A*")
    for name, options in ways(arguments):
        results = {stem: measure(name, options, problem, arguments.rounds) for stem, problem in every.items()}
        mean = {key: float(np.mean([result[key] for result in results.values()])) for key in KEYS}
        worst = max(result["worst"] for result in results.values())
        shown = f"{100 * mean['over']:.2f}", f"{100 * worst:.0f}", f"{mean['us']:.4f}", f"{mean['build_s']:.2f}"
        share = f"{100 * mean['share']:.1f}" if name == "hcdps" else ""
        row(
            name,
            ", ".join(f"{key}={value}" for key, value in options.items()),
            *shown,
            f"{mean['kb']:.0f}",
            f"{mean['regions']:.0f}",
            share,
            f"{mean['fallbacks']:.0f}",
        )
        if name == "hcdps" and options["trim"] is True and options["cutoff"] == arguments.cutoffs[0]:
            kept[options["level"]] = results
    if kept:
        print("\nhcdps, trim=True, map by map\n")
        heading("map", "regions", "map index %", *(f"level {level}: %, us, s, KB" for level in kept))
        for stem in every:
            first = next(iter(kept.values()))[stem]
            ours = [results[stem] for results in kept.values()]
            shown = (f"{100 * r['over']:.2f}, {r['us']:.3f}, {r['build_s']:.2f}, {r['kb']:.0f}" for r in ours)
            row(stem, first["regions"], f"{100 * first['share']:.1f}", *shown)


if __name__ == "__main__":
    main()
