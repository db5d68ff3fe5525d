"""A first look: one map, several algorithms, a table and a picture of what each of them searched.

python examples/first_path.py --out out
"""

import argparse
from pathlib import Path
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

import waygrid as wg
from waygrid.draw import draw_map, save_png, side_by_side

ALGORITHMS = ("bfs", "dijkstra", "astar", "best-first", "astar-overestimate", "step")


def main() -> None:
    parser = argparse.ArgumentParser(description="Find a path on a built-in map with several algorithms.")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture (default: out)")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    grid = wg.generate("indoor", width=120, height=80, seed=1)
    start, goal = far_apart(grid)
    runs = [(name, grid) for name in ALGORITHMS]
    runs.append(("astar", wg.Grid(grid.passable, topology="hex")))

    console = Console()
    table = Table(
        title=f"From {start} to {goal} on an indoor map of {grid.width} x {grid.height}", title_justify="left"
    )
    table.add_column("algorithm", no_wrap=True)
    for title in ("cost", "moves", "expanded", "peak open", "time us"):
        table.add_column(title, justify="right")

    pictures, labels = [], []
    for name, world in runs:
        shown = name if world is grid else f"{name} on hexes"
        finder = wg.make_finder(name, world)
        path = finder.find(start, goal)
        stats = path.stats
        microseconds = 1e6 * best_time(finder, start, goal)
        numbers = f"{path.cost:.1f}", len(path) - 1, stats.expanded, stats.peak_open, f"{microseconds:.0f}"
        table.add_row(shown, *map(str, numbers))

        trace = finder.trace(start, goal)  # the same search, recorded
        pictures.append(
            draw_map(
                world.passable,
                topology=world.topology,
                path=path.cells,
                expanded=trace.expansion_order(),
                opened=trace.generated(),
                start=start,
                goal=goal,
                scale=6,
            )
        )
        labels.append(f"{shown}: cost {path.cost:.1f}, {stats.expanded} cells expanded")

    console.print(table)
    console.print("Times are those of a warm call. Hexes have other moves, so their costs are not comparable.")
    picture = out / "first_path.png"
    save_png(picture, side_by_side(pictures, labels))
    console.print(f"Picture of what each one searched: {picture}", soft_wrap=True)


def far_apart(grid: wg.Grid) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the cells nearest to the upper left and to the lower right corner, in the largest connected part."""
    parts = grid.components
    y, x = np.nonzero(parts == np.bincount(parts[parts >= 0]).argmax())
    first, last = (x + y).argmin(), (x + y).argmax()
    return (int(x[first]), int(y[first])), (int(x[last]), int(y[last]))


def best_time(finder, start, goal, calls: int = 20) -> float:
    """Return the seconds of the quickest of some calls."""
    times = []
    for _ in range(calls):
        began = perf_counter()
        finder.find(start, goal)
        times.append(perf_counter() - began)
    return min(times)


if __name__ == "__main__":
    main()
