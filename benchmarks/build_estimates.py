"""How good are the advisor's estimates of builds? Estimate and build, one after the other.

    python benchmarks/build_estimates.py MAP... [-a jps+gb,astar-gb,cpd]

Both are by the wall clock, so a machine whose load changes between the two moves the ratio. The aim is a factor of 1.5.
"""

from pathlib import Path

from common import begin_run, make_parser

import waygrid as wg
from waygrid.advisor.builds import Parts, forecast
from waygrid.advisor.ways import Way
from waygrid.measure.timing import time_call, wall_clock

INDEXED = "jps+gb,astar-gb,dijkstra-gb,cpd,gateway,knn-lrta"


def main() -> None:
    parser = make_parser(__doc__, maps=False)
    parser.add_argument("maps", nargs="+", type=Path)
    parser.add_argument("-a", default=INDEXED)
    chosen = begin_run(parser)
    print("map           algorithm     estimate s  actual s  ratio  estimating s")
    for file in chosen.maps:
        grid = wg.Grid.from_file(file)
        parts = Parts(grid)
        small = parts[0] or grid
        for name in chosen.a.split(","):
            wg.make_finder(name, small)  # compiles
            estimating, expected = time_call(lambda name=name: forecast(Way(name), parts, 1.0), wall_clock)  # noqa: B023
            actual = wg.make_finder(name, grid).build_seconds
            if expected is None:
                print(f"{file.stem:13} {name:12} the map is too small for an estimate")
                continue
            ratio = expected.seconds / actual
            print(
                f"{file.stem:13} {name:12} {expected.seconds:11.2f} {actual:9.2f} {ratio:6.2f} {estimating:13.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
