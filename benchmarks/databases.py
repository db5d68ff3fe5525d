"""HCDPS beside DBA* and D LRTA*: suboptimality, time per move, builds and sizes, on the ten maps of the DBA* paper.

    python benchmarks/databases.py [--maps DIR] [--only hrt000d,orz100d] [--algorithms hcdps,dba] [--levels 1,2,3,4]
                                   [--sectors 16,32,64,128] [--trims True,paper,False] [--cutoffs 250]
                                   [--lookaheads 1,2] [--rounds 20]

For each map the 100 longest problems of its scenario, costs 10/14, corners never. Suboptimality is held against `astar`
on the same grid. Times are processor times of one thread, paths written, divided by the moves made; problems are asked
in calls of about a millisecond, and of each call the quickest round counts. Builds use all cores, the best of three.
First a table of means over the maps, then one of hcdps map by map. `--algorithms dlrta` takes the levels of cliques, 3
to 5 for instance, and lookaheads.
"""

from itertools import product

import numpy as np
from common import begin_run, make_parser, print_heading, print_row, split_numbers, split_words, time_finders

import waygrid as wg
from waygrid.measure.builds import build_finder

PAPER = "hrt000d,orz100d,orz103d,orz300d,orz700d,orz702d,orz900d,ost000a,ost000t,ost100d"
TRIMS = {"True": True, "False": False, "paper": "paper"}
LONGEST = 100
KEYS = ("over", "us", "build_s", "kb", "regions", "share", "fallbacks")


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
    finder, made = build_finder(grid, name, options, repeat=3)
    times = time_finders({name: finder}, starts, goals, rounds)[name]
    above = times.column("costs") / best - 1
    sizes = finder.subgoals()
    return {
        "over": float(above.mean()),
        "worst": float(above.max()),
        "us": 1e6 * times.seconds / float((times.column("lengths") - 1).sum()),
        "build_s": made.build_s,
        "kb": finder.memory.fixed_bytes / 1e3,
        "regions": sizes["regions"],
        "share": sizes.get("map_share", 0.0),
        "fallbacks": finder.fallbacks(finder.find_many(starts, goals)) if name == "hcdps" else 0,
    }


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--only", type=split_words, default=split_words(PAPER), help="maps of the set dao")
    parser.add_argument("--algorithms", type=split_words, default=["hcdps", "dba"])
    parser.add_argument("--levels", type=split_numbers, default=[1, 2, 3, 4])
    parser.add_argument("--sectors", type=split_numbers, default=[16], help="of dba")
    parser.add_argument("--cutoffs", type=split_numbers, default=[250], help="of hcdps")
    parser.add_argument("--lookaheads", type=split_numbers, default=[1], help="of dlrta")
    parser.add_argument("--trims", type=split_words, default=["True", "paper"], help="True, paper, False")
    parser.add_argument("--rounds", type=int, default=20)
    arguments = begin_run(parser)
    files = [arguments.maps / "dao" / f"{name}.map" for name in arguments.only]
    if missing := [str(file) for file in files if not file.is_file()]:
        parser.error(f"{', '.join(missing)}: not there")
    every = {file.stem: problems(file) for file in files}
    kept = {}
    print(f"means over {len(files)} maps, the {LONGEST} longest problems of each\n")
    print_heading(
        "", "options", "suboptimality %", "worst %", "us per move", "build s", "KB", "regions", "map index %", "A*"
    )
    for name, options in ways(arguments):
        results = {stem: measure(name, options, problem, arguments.rounds) for stem, problem in every.items()}
        mean = {key: float(np.mean([result[key] for result in results.values()])) for key in KEYS}
        worst = max(result["worst"] for result in results.values())
        shown = f"{100 * mean['over']:.2f}", f"{100 * worst:.0f}", f"{mean['us']:.4f}", f"{mean['build_s']:.2f}"
        share = f"{100 * mean['share']:.1f}" if name == "hcdps" else ""
        print_row(
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
        print_heading("map", "regions", "map index %", *(f"level {level}: %, us, s, KB" for level in kept))
        for stem in every:
            first = next(iter(kept.values()))[stem]
            ours = [results[stem] for results in kept.values()]
            shown = (f"{100 * r['over']:.2f}, {r['us']:.3f}, {r['build_s']:.2f}, {r['kb']:.0f}" for r in ours)
            print_row(stem, first["regions"], f"{100 * first['share']:.1f}", *shown)


if __name__ == "__main__":
    main()
