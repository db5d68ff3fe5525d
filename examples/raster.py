"""From a raster of elevations to a footpath on a map: GeoTIFF in, least-cost path, corridor, GeoJSON and GeoTIFF out.

python examples/raster.py [--dem dem.tif --start X,Y --goal X,Y] [--out out]   (pip install 'waygrid[gis]')

Without --dem it makes up hills with a river that has one bridge. Points are in the coordinates of the raster.
"""

import argparse
import json
from pathlib import Path

import numpy as np

import waygrid as wg
from waygrid.draw.maps import save_png
from waygrid.formats.geotiff import read_raster, write_raster

CELL = 20.0  # metres
CORNER = (600_000.0, 5_200_000.0)  # the upper left one
START, GOAL = (600_210.0, 5_199_790.0), (605_790.0, 5_196_210.0)


def make_elevations(width: int = 300, height: int = 200) -> np.ndarray:
    """Return hills, and NaN in the river."""
    y, x = np.mgrid[:height, :width]
    elevations = 200 + 40 * np.sin(x / 31) * np.cos(y / 23) + 25 * np.sin((x + 2 * y) / 17)
    elevations += 260 * np.exp(-((x - 120) ** 2 + (y - 90) ** 2) / 1500)
    river = np.abs(x - 190 - 22 * np.sin(y / 28)) < 3
    elevations[river & (np.abs(y - 140) > 3)] = np.nan
    return elevations


def price(elevations: np.ndarray, cell: float) -> np.ndarray:
    """Return the seconds that a walker needs to cross each cell: Tobler's hiking function of the slope."""
    slope = np.hypot(*np.gradient(elevations, cell))
    return cell / (6000 / 3600 * np.exp(-3.5 * np.abs(slope + 0.05)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dem", type=Path, help="elevations in metres; default: made up")
    parser.add_argument("--start", default=",".join(map(str, START)))
    parser.add_argument("--goal", default=",".join(map(str, GOAL)))
    parser.add_argument("--out", type=Path, default=Path("out"))
    given = parser.parse_args()
    start, goal = (tuple(float(part) for part in end.split(",")) for end in (given.start, given.goal))
    given.out.mkdir(parents=True, exist_ok=True)

    if given.dem is None:
        given.dem = given.out / "dem.tif"
        place = wg.Georeference((CELL, 0, CORNER[0], 0, -CELL, CORNER[1]), "EPSG:32632")
        write_raster(given.dem, make_elevations(), place)
    dem = read_raster(given.dem)
    cell = dem.georeference.cell_size
    grid = wg.Grid.from_costs(price(dem.values.astype(float).filled(np.nan), cell), georeference=dem.georeference)
    print(f"{grid}; costs rounded by at most {grid.rounding:.2g} s")

    ends = grid.to_cell(start), grid.to_cell(goal)
    path = wg.make_finder("astar", grid).find(*ends)
    line = path.to_geojson()
    (given.out / "path.geojson").write_text(json.dumps(line))
    print(f"{path.cost / 60:.0f} minutes, {line['properties']['length'] / 1000:.1f} km")

    corridor = wg.corridor(grid, *ends)
    corridor.save(given.out / "corridor.tif")
    save_png(given.out / "corridor.png", corridor.draw(share=0.1, scale=2))
    print(f"{corridor.within(share=0.1).sum() * cell**2 / 1e6:.1f} km2 lie on ways that take at most 10 % longer")


if __name__ == "__main__":
    main()
