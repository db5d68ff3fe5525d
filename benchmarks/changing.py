"""Maps that change: dynamic scenarios replayed, edits and queries timed, every length and path checked.

    python benchmarks/changing.py [-a astar,jps] [--size 1024] [--edits 7000] [--queries 2000]
                                  [--map caves] [--changes mixed] [--seed 1] [--repeat 1]

`replay` generates a scenario, once: it is kept in out/ under a name that says how it was made. Edit seconds are those
of grid.paste, query seconds those of find, with all that the finder does to catch up with the edits.
"""

from common import ROOT, begin_run, make_parser, print_heading, print_row, split_words

import waygrid as wg
from waygrid.measure.builds import build_finder
from waygrid.measure.path_check import same_cost
from waygrid.measure.replay import time_replay
from waygrid.measure.timing import time_call, wall_clock


def load_scenario(arguments):
    """Return the scenario of the arguments; one that is not there yet is generated."""
    size, seed = arguments.size, arguments.seed
    words = (arguments.map, size, arguments.changes, arguments.edits, arguments.queries, seed)
    file = ROOT / "out" / "changing" / f"{'-'.join(map(str, words))}.scen"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        grid = wg.generate(arguments.map, width=size, height=size, seed=seed)
        counts = {"edits": arguments.edits, "queries": arguments.queries}
        seconds, made = time_call(lambda: wg.generate_changes(grid, arguments.changes, seed=seed, **counts), wall_clock)
        made.save(file)
        print(f"{file.name}: generated in {seconds:.0f} s\n", flush=True)
    return wg.DynamicScenario.from_file(file)


def replay(arguments):
    """Replay a generated scenario with each algorithm."""
    scenario = load_scenario(arguments)
    sizes = f"{scenario.width} x {scenario.height}, {len(scenario.edits):,} edits, {len(scenario):,} queries"
    print(f"{arguments.map}, {arguments.changes}, seed {arguments.seed}: {sizes}\n")
    print_heading("finder", "build s", "edits s", "queries s", "total s", "edit us", "query us", "wrong", "illegal")
    for name in arguments.algorithms:
        finder, made = build_finder(scenario.start_grid(), name, {})
        try:
            found = time_replay(finder, scenario, repeat=arguments.repeat)
        except wg.WaygridError as error:  # one that does not follow edits
            print_row(name, str(error))
            continue
        costs = found.answers.costs
        right = same_cost(costs, scenario.costs)
        if not finder.optimal:  # a longer path is no mistake, a shorter one or none is
            right |= (costs > scenario.costs) & (costs < float("inf"))
        seconds = [made.build_s, found.edit_s, found.query_s, found.edit_s + found.query_s]
        each = [f"{values.mean():.1f}" if len(values) else "-" for values in (found.edit_us, found.query_us)]
        faults = int((~right).sum()), int((~found.valid).sum())
        print_row(name, *(f"{value:.2f}" for value in seconds), *each, *faults)
    print()


PARTS = {"replay": replay}


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--only", type=split_words, default=list(PARTS), help="parts, with commas")
    parser.add_argument("-a", "--algorithms", type=split_words, default=["astar", "jps"])
    parser.add_argument("--size", type=int, default=1024, help="cells of a side")
    parser.add_argument("--edits", type=int, default=7000)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--map", default="caves", help="kind of the start map")
    parser.add_argument("--changes", default="mixed", help="doors, walls, bases or mixed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--repeat", type=int, default=1, help="replays; the quickest time of each edit and query counts"
    )
    arguments = begin_run(parser)
    for part in arguments.only:
        PARTS[part](arguments)


if __name__ == "__main__":
    main()
