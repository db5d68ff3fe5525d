"""A first look: one map, several algorithms, a table and a picture of what each of them searched.

python examples/first_path.py --out out
"""

import argparse
from pathlib import Path
from time import perf_counter

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import waygrid as wg
from waygrid.draw.maps import draw_map, save_png, side_by_side


def main() -> None:
    parser = argparse.ArgumentParser(description="Find a path on a built-in map with several algorithms.")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture (default: out)")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    grid = wg.generate("indoor", width=120, height=80, seed=1)
    start, goal = far_apart(grid)
    finders = {
        "bfs": wg.make_finder("bfs", grid),
        "bibfs": wg.make_finder("bibfs", grid),
        "dijkstra": wg.make_finder("dijkstra", grid),
        "astar": wg.make_finder("astar", grid),
        "astar, weight=2": wg.make_finder("astar", grid, weight=2),
        "best-first": wg.make_finder("best-first", grid),
        "astar-overestimate": wg.make_finder("astar-overestimate", grid),
        "step": wg.make_finder("step", grid),
        "astar on hexes": wg.make_finder("astar", wg.Grid(grid.passable, topology="hex")),
    }

    console = Console()
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None)
    table.add_column("algorithm", no_wrap=True)
    for title in ("cost", "moves", "expanded", "peak open", "time us"):
        table.add_column(title, justify="right")
    pictures, labels = [], []
    with console.status("searching; the very first run compiles for a while") as status:
        for label, finder in finders.items():
            status.update(f"{label}; the very first run compiles for a while")
            path = finder.find(start, goal)
            stats = path.stats
            microseconds = 1e6 * quickest(finder, start, goal)
            numbers = (len(path) - 1, stats.expanded, stats.peak_open)
            table.add_row(label, f"{path.cost:.1f}", *map(str, numbers), f"{microseconds:.0f}")
            pictures.append(picture_of(finder, start, goal))
            labels.append(f"{label}: cost {path.cost:.1f}, {stats.expanded} expanded")

    console.print(f"From {start} to {goal} on an indoor map of {grid.width} x {grid.height} cells:\n")
    console.print(table)
    console.print("\nTimes are those of a warm call. Hexes have other moves: their costs are another measure.")
    file = out / "first_path.png"
    save_png(file, side_by_side(pictures, labels))
    console.print(f"What each one searched, from light to dark blue, is in {file}", soft_wrap=True)


def far_apart(grid: wg.Grid) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the cells nearest to the upper left and to the lower right corner, in the largest connected part."""
    parts = grid.components
    y, x = np.nonzero(parts == np.bincount(parts[parts >= 0]).argmax())
    first, last = (x + y).argmin(), (x + y).argmax()
    return (int(x[first]), int(y[first])), (int(x[last]), int(y[last]))


def quickest(finder, start, goal, calls=20):
    """Return the seconds of the quickest of some calls."""
    times = []
    for _ in range(calls):
        began = perf_counter()
        finder.find(start, goal)
        times.append(perf_counter() - began)
    return min(times)


def picture_of(finder, start, goal, scale=6):
    """Return a picture of the map, of the cells that the search opened and expanded, and of the path."""
    trace = finder.trace(start, goal)  # the same search, recorded
    return draw_map(
        finder.grid.passable,
        topology=finder.grid.topology,
        path=trace.path.cells,
        expanded=trace.expansion_order(),
        opened=trace.generated(),
        start=start,
        goal=goal,
        scale=scale,
    )


if __name__ == "__main__":
    main()
