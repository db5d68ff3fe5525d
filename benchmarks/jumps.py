"""Jump points and goal bounds against C++: queries, builds and sizes, as ratios that hold on other machines.

    python benchmarks/jumps.py [--maps DIR] [--yardstick plain_astar.cpp] [--only MAP,MAP] [--finders NAME,NAME]
                               [--rounds 5] [--all]

The C++ programs are not run. Their times were taken on one machine, together with a plain A*; the same plain A* is run
here, and their times are scaled by how long it takes now. Queries: find_many on one thread, whole scenarios, every path
written. Builds: all cores, beside CPU seconds of the C++ program on one core. --all adds orz900d.
"""

from pathlib import Path

import numpy as np
from common import ROOT, begin_run, load_map, make_parser, print_heading, print_row, time_finders

import waygrid as wg
from waygrid.measure.builds import build_finder
from waygrid.measure.path_check import check_answers
from waygrid.papers.goal_bounding.yardstick import SOURCE, Yardstick

MAPS = ("dao/arena2", "dao/brc202d", "dao/orz100d", "dao/orz900d")

# us per query of plain A*, by its source: the one in shared/tools, and the package's own in the same run.
SHARED = ROOT.parent / "shared" / "tools" / "plain_astar.cpp"
OWN = SOURCE
PLAIN = {SHARED: (575, 1617, 3660), OWN: (523, 1394, 3207)}

# What each finder is held against: program, us per query, build seconds on one core, index in MB, the ratio aimed at.
BARS = {
    "jps+": ("warthog JPS2+", (9.1, 48, 81, 99), (0.01, 0.01, 0.01, 0.03), (1.1, 4.5, 2.9, 16), 0.7),
    "jps+gb": ("Rabin's JPS+ with goal bounding", (0.9, 2.5, 3.4, 8.1), (21, 72, 357, 407), (1.9, 3.3, 7.7, 7.4), 0.7),
    "turntable": (
        "Rabin's JPS+ with goal bounding",
        (0.78, 2.7, 4.0, 7.8),
        (21, 72, 357, 407),
        (1.9, 3.3, 7.7, 7.4),
        0.45,
    ),
    "cpd": ("Topping+", (2.0, 4.3, 6.6, 11.9), (1.3, 11, 50, 45), (1.1, 3.3, 9.4, 5.2), None),
}
FACTOR = 8.2  # of A* with goal bounding over A*, in the paper


def scales(arguments, chosen):
    """How many times as long the plain A* takes here as where the C++ programs were measured, for each map."""
    source = arguments.yardstick or next((path for path in PLAIN if path.is_file()), OWN)
    reference = dict(zip(MAPS, PLAIN.get(source, PLAIN[SHARED]), strict=False))
    found = {}
    with Yardstick(source if source.is_file() else None) as yardstick:
        if yardstick.missing:
            print(f"no yardstick: {yardstick.missing}; the C++ times are not scaled\n")
            return dict.fromkeys(chosen, 1.0)
        for name in chosen:
            if name in reference:
                file = arguments.maps / f"{name}.map"
                scenario = wg.Scenario.from_file(f"{file}.scen")
                plain = min(yardstick.measure(file, scenario) for _ in range(3))
                found[name] = plain.us / reference[name]
                print(f"plain A* ({source.name}) on {name}: {plain.us:.0f} us, {found[name]:.2f} of {reference[name]}")
    print()
    mean = float(np.mean(list(found.values()) or [1.0]))
    return {name: found.get(name, mean) for name in chosen}


def compare(arguments, chosen, scale):
    names = [name for name in BARS if name in arguments.finders.split(",")]
    print_heading(
        "map", "finder", "us", "C++", "C++ us", "scaled", "ratio", "aim", "build s", "C++ s", "MB", "C++ MB", "wrong"
    )
    factors = []
    for map_name in chosen:
        place = MAPS.index(map_name)
        grid, scenario = load_map(arguments.maps, map_name)
        for name in names:
            program, their_us, seconds, sizes, aim = BARS[name]
            finder, made = build_finder(grid, name, {})
            times = time_finders({name: finder}, scenario.starts, scenario.goals, arguments.rounds)[name]
            us, (wrong, _) = times.us, check_answers(grid, scenario.costs, times, optimal=True)
            theirs = their_us[place] * scale[map_name]
            size = finder.memory.fixed_bytes / 1e6
            shown = f"{us / theirs:.2f}", "-" if aim is None else aim
            built_in = f"{made.build_s:.2f}", seconds[place]
            print_row(
                map_name,
                name,
                f"{us:.2f}",
                program,
                their_us[place],
                f"{theirs:.2f}",
                *shown,
                *built_in,
                f"{size:.1f}",
                sizes[place],
                wrong,
            )
            del finder
        if "jps+gb" in names:
            factors.append((map_name, *gain(grid, scenario, arguments.rounds)))
    return factors


def gain(grid, scenario, rounds):
    """A* and A* with goal bounds: us and expansions of each, build seconds and bytes."""
    bounded, made = build_finder(grid, "astar-gb", {})
    finders = {"astar": wg.make_finder("astar", grid), "astar-gb": bounded}
    times = time_finders(finders, scenario.starts, scenario.goals, rounds)
    figures = [figure for one in times.values() for figure in (one.us, one.column("expanded").mean())]
    return *figures, made.build_s, made.fixed_bytes


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--yardstick", type=Path, help="a .cpp file or a program; its figures are taken as SHARED's")
    parser.add_argument("--only", default=None, help="maps, such as arena2,brc202d")
    parser.add_argument("--finders", default=",".join(BARS), help="what is compared, such as turntable,cpd")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--all", action="store_true", help="orz900d as well")
    arguments = begin_run(parser)
    chosen = MAPS if arguments.all else MAPS[:3]
    if arguments.only:
        chosen = [name for name in MAPS if name.split("/")[1] in arguments.only.split(",")]
    if not chosen or not all((arguments.maps / f"{name}.map").is_file() for name in chosen):
        parser.error(f"{arguments.maps} has not all of {', '.join(chosen or MAPS)}")
    factors = compare(arguments, chosen, scales(arguments, chosen))
    print()
    print_heading(
        "map", "astar us", "expanded", "astar-gb us", "expanded", f"factor (paper {FACTOR})", "build s", "bytes"
    )
    for name, plain, before, bounded, after, build_s, size in factors:
        shown = f"{plain:.0f}", f"{before:.0f}", f"{bounded:.1f}", f"{after:.0f}"
        print_row(name, *shown, f"{plain / bounded:.1f}", f"{build_s:.2f}", f"{size:,}")


if __name__ == "__main__":
    main()
