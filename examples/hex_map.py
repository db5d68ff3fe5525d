"""A hex map with terrain, drawn in text: a path, everything within reach of a walk, and a picture if one is wanted.

python examples/hex_map.py [--out FOLDER]
"""

import argparse
from pathlib import Path

import numpy as np

import waygrid as wg
from waygrid.draw.maps import draw_map, save_png
from waygrid.formats.text import parse

# . grass, # rock, a digit is the cost of entering that cell. Odd columns sit half a cell higher.
MAP = """
    ................
    ....33..........
    ...3333....##...
    ...333....##....
    ..........#..99.
    .....##..##.999.
    ......#.....99..
    ................
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="folder for hex_map.png")
    given = parser.parse_args()

    drawn = parse(MAP)
    grid = wg.Grid(drawn.passable, weights=drawn.weights, topology="hex")
    path = wg.make_finder("astar", grid).find((1, 4), (15, 5))
    print(f"cost {path.cost:g} over {len(path) - 1} moves, turning at {path.waypoints.tolist()}")

    cost = wg.distances(grid, (1, 4))
    print(f"{np.count_nonzero(cost <= 5)} cells can be reached with 5 points of movement")

    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        picture = draw_map(grid.passable, weights=grid.weights, topology="hex", path=path.cells, scale=40)
        save_png(given.out / "hex_map.png", picture)
        print(f"wrote {given.out / 'hex_map.png'}")


if __name__ == "__main__":
    main()
