"""Draw the pictures of the documentation: python examples/pictures.py [--out docs/pictures] [NAME ...]."""

import argparse
import math
import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import waygrid as wg
from waygrid.algorithms.jumps.spots import map_spots
from waygrid.algorithms.pathdb.overlays import show_accesses
from waygrid.draw.maps import draw_map, save_png, side_by_side
from waygrid.draw.zones import draw_zones
from waygrid.formats.text import parse
from waygrid.papers.dba.figures import example_picture
from waygrid.papers.goal_bounding.figures import box_picture
from waygrid.papers.improved_heuristics.figures import search_pictures
from waygrid.search.overlay import OverlayRequest

# One floor of a building, one start and one goal: all searches are shown on these.
FLOOR = {"kind": "indoor", "width": 48, "height": 30, "seed": 5, "room": 8}
START, GOAL = (5, 7), (27, 19)
INK = (40, 40, 40)

Picture = Image.Image
PICTURES: dict[str, Callable[[], Picture]] = {}


def picture(function: Callable[[], Picture]) -> Callable[[], Picture]:
    PICTURES[function.__name__.replace("_", "-")] = function
    return function


def in_two_rows(images: list[Picture], labels: list[str]) -> Picture:
    """Put five pictures in rows of three and two, the second in the middle."""
    above, below = side_by_side(images[:3], labels[:3]), side_by_side(images[3:], labels[3:])
    sheet = Image.new("RGB", (above.width, above.height + below.height), (255, 255, 255))
    sheet.paste(above, (0, 0))
    sheet.paste(below, ((above.width - below.width) // 2, above.height))
    return sheet


# --- Grids ------------------------------------------------------------------------------------------------------------


def centre(topology: str, x: int, y: int, scale: int) -> tuple[float, float]:
    """Where the middle of a cell lies in a picture; even columns of hex and tex lie half a cell lower."""
    if topology in ("tile", "octile"):
        return (x + 0.5) * scale, (y + 0.5) * scale
    pitch = round(scale * math.sqrt(3) / 2) if topology == "hex" else scale
    point = round(pitch / 3) if topology == "hex" else 0
    return x * pitch + (pitch + point) / 2, (y + 0.5 + 0.5 * (x % 2 == 0)) * scale


def neighbours(topology: str, width: int, height: int, middles: list[tuple[int, int]], scale: int = 64) -> Picture:
    """Draw cells with their coordinates, and the moves from the middle ones by name."""
    grid = wg.Grid(np.ones((height, width)), topology=topology)
    names = {}
    for x, y in middles:
        up, down = (-1, 0) if x % 2 else (0, 1)  # of the side neighbours on hex and tex
        for bit, name in enumerate(grid.directions):
            dx, dy = ("E" in name) - ("W" in name), ("S" in name) - ("N" in name)
            if dx and topology in ("hex", "tex"):
                dy = up if "N" in name else down
            assert grid.moves[y, x] >> bit & 1
            names[x + dx, y + dy] = name
    drawing = draw_map(grid.passable, topology=topology, expanded=middles, opened=list(names), scale=scale)
    pen = ImageDraw.Draw(drawing)
    for y in range(height):
        for x in range(width):
            at = centre(topology, x, y, scale)
            shift = 10 if (x, y) in names else 0
            pen.text((at[0], at[1] + shift), f"{x}, {y}", fill=INK, anchor="mm", font=ImageFont.load_default(15))
            if shift:
                pen.text(
                    (at[0], at[1] - 10), names[x, y], fill=(0, 90, 30), anchor="mm", font=ImageFont.load_default(18)
                )
    return drawing


@picture
def neighbours_square() -> Picture:
    panels = [neighbours("tile", 3, 3, [(1, 1)]), neighbours("octile", 3, 3, [(1, 1)])]
    return side_by_side(panels, ["tile: 4 moves", "octile: 8 moves"])


@picture
def neighbours_shifted() -> Picture:
    middles = [(1, 2), (4, 1)]
    panels = [neighbours("hex", 6, 4, middles), neighbours("tex", 6, 4, middles)]
    return side_by_side(panels, ["hex: 6 moves", "tex: the same 6 moves on bricks"])


@picture
def corners() -> Picture:
    passable = parse(
        """
        ...#....
        ...#....
        ...#....
        ....#...
        ....#...
        ........
        """
    ).passable
    panels, labels = [], []
    for rule in ("never", "one", "always"):
        path = wg.make_finder("astar", wg.Grid(passable, corners=rule)).find((1, 2), (6, 2))
        panels.append(draw_map(passable, path=path.cells, scale=34))
        labels.append(f'corners="{rule}": cost {path.cost:.2f}')
    return side_by_side(panels, labels)


@picture
def weights() -> Picture:
    y, x = np.mgrid[:24, :40]
    cost = np.full((24, 40), 3)
    cost[(x - 20) ** 2 / 110 + (y - 13) ** 2 / 60 < 1] = 9  # a swamp
    cost[3:5, 4:37] = cost[3:20, 4:6] = 1  # a road
    panels, labels = [], []
    for label, given in (("weights=None", None), ("road 1, grass 3, swamp 9", cost)):
        path = wg.make_finder("astar", wg.Grid(np.ones((24, 40)), weights=given)).find((5, 19), (36, 9))
        panels.append(draw_map(np.ones((24, 40)), weights=cost, path=path.cells, scale=10, lines=False))
        labels.append(label)
    return side_by_side(panels, labels)


@picture
def clearance() -> Picture:
    passable = parse(
        """
        ##############
        #.....#......#
        #............#
        #.....#......#
        #.....#......#
        #.....#......#
        #............#
        #............#
        #.....#......#
        ##############
        """
    ).passable
    panels, labels = [], []
    for side in (1, 2):
        grid = wg.Grid(passable, clearance=side)
        path = wg.make_finder("astar", grid).find((2, 2), (10, 2))
        swept = {(int(x) + a, int(y) + b) for x, y in path.cells for a in range(side) for b in range(side)}
        panels.append(draw_map(passable, path=path.cells, expanded=sorted(swept), scale=24))
        labels.append(f"clearance={side}: cost {path.cost:.2f}")
    return side_by_side(panels, labels)


@picture
def parts() -> Picture:
    grid = wg.generate("random", width=60, height=34, seed=2, walls=0.4, topology="tile")
    return draw_map(grid.passable, zones=grid.components, scale=10)


def generated(rows: list[tuple[str, dict[str, float]]]) -> tuple[list[Picture], list[str]]:
    panels, labels = [], []
    for kind, options in rows:
        grid = wg.generate(kind, width=73, height=49, seed=4, **options)
        panels.append(draw_map(grid.passable, scale=4))
        labels.append(kind + "".join(f" {name}={value}" for name, value in options.items()))
    return panels, labels


@picture
def generators() -> Picture:
    return in_two_rows(*generated([(kind, {}) for kind in ("random", "rooms", "maze", "caves", "indoor")]))


@picture
def generator_options() -> Picture:
    rows = [
        ("random", {"walls": 0.4}),
        ("rooms", {"room": 16, "loops": 0}),
        ("maze", {"corridor": 3, "loops": 0.2}),
        ("caves", {"walls": 0.52}),
        ("caves", {"rounds": 1}),
        ("indoor", {"room": 6, "furniture": 0}),
    ]
    return side_by_side(*generated(rows))


# --- Searches ---------------------------------------------------------------------------------------------------------


def floor() -> wg.Grid:
    size = {key: value for key, value in FLOOR.items() if key != "kind"}
    return wg.generate(FLOOR["kind"], **size)


def searched(
    grid: wg.Grid, start: tuple[int, int], goal: tuple[int, int], name: str, scale: int, **options: object
) -> tuple[Picture, wg.Path]:
    """Draw what a search did: light to dark blue in the order of expansion, green where it only generated."""
    trace = wg.make_finder(name, grid, **options).trace(start, goal)
    order = trace.expansion_order()
    cells = trace.path.cells[:3000]  # a walk in circles need not be drawn to its end
    seen = {"expanded": order, "opened": trace.generated() & (order < 0), "path": cells}
    drawing = draw_map(grid.passable, topology=grid.topology, start=start, goal=goal, scale=scale, **seen)
    return drawing, trace.path


def add_search(file: str, name: str, **options: object) -> None:
    PICTURES[f"search-{file}"] = lambda: searched(floor(), START, GOAL, name, 12, **options)[0]


for _name in ("bfs", "bibfs", "dfs", "iddfs", "dijkstra", "best-first", "astar", "astar-overestimate", "ida"):
    add_search(_name, _name)


def panels(
    grid: wg.Grid, start: tuple[int, int], goal: tuple[int, int], scale: int, rows: list[tuple]
) -> tuple[list[Picture], list[str]]:
    drawings, labels = [], []
    for label, name, options in rows:
        drawing, path = searched(grid, start, goal, name, scale, **options)
        drawings.append(drawing)
        labels.append(f"{label}: {path.stats.expanded:,} expanded, cost {path.cost:.2f}")
    return drawings, labels


@picture
def comparison() -> Picture:
    rows = [(name, name, {}) for name in ("bfs", "dijkstra", "astar", "best-first", "dfs")]
    return in_two_rows(*panels(floor(), START, GOAL, 8, rows))


@picture
def heuristics() -> Picture:
    rows = [(name, "astar", {"heuristic": name}) for name in ("zero", "chebyshev", "euclidean", "octile", "manhattan")]
    rows.append(("weight=2", "astar", {"weight": 2.0}))
    return side_by_side(*panels(floor(), START, GOAL, 8, rows))


@picture
def jps() -> Picture:
    grid = wg.generate("rooms", width=48, height=36, seed=3)
    return side_by_side(*panels(grid, (1, 1), (46, 34), 10, [(name, name, {}) for name in ("astar", "jps+")]))


@picture
def jpsw() -> Picture:
    weights = np.kron(np.random.default_rng(4).choice([1, 2, 5], (5, 7)), np.ones((9, 9), int))
    grid = wg.Grid(np.random.default_rng(1).random(weights.shape) >= 0.04, weights=weights)
    drawings, labels = panels(grid, (2, 2), (60, 42), 6, [(name, name, {}) for name in ("astar", "jpsw")])
    ground = draw_map(grid.passable, weights=grid.weights, scale=6)
    return side_by_side([ground, *drawings], ["terrain of 1, 2 and 5", *labels])


@picture
def goal_bounds_searches() -> Picture:
    rows = [(name, name, {}) for name in ("astar", "astar-gb", "jps+gb")]
    return side_by_side(*panels(floor(), START, GOAL, 9, rows))


@picture
def zones() -> Picture:
    grid = wg.generate("indoor", width=56, height=40, seed=9)
    return draw_zones(grid, wg.decompose(grid), scale=12)


@picture
def zones_searches() -> Picture:
    grid, start, goal = wg.generate("indoor", width=56, height=40, seed=9), (1, 22), (52, 2)
    rows = [("astar", "astar", {}), ("dead-end", "dead-end", {}), ("gateway", "gateway", {})]
    return side_by_side(*panels(grid, start, goal, 8, rows))


@picture
def first_moves() -> Picture:
    """Every goal in the colour of the first move to it, and the corners that a look-up leads to."""
    grid, source = floor(), (30, 13)
    colours = ((214, 96, 77), (244, 165, 130), (67, 147, 195), (146, 197, 222))
    colours += ((127, 191, 123), (27, 120, 55), (175, 141, 195), (118, 42, 131))
    finder, size = wg.make_finder("cpd", grid), 9
    image = draw_map(grid.passable, start=source, scale=size, lines=False).convert("RGB")
    pen = ImageDraw.Draw(image)
    for y, x in np.argwhere(grid.passable).tolist():
        cells = finder.find(source, (x, y)).cells
        if len(cells) > 1:
            step = tuple((cells[1] - cells[0]).tolist())
            move = ((0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1)).index(step)
            left, top = (round(v - size / 2) for v in centre("octile", x, y, size))
            pen.rectangle([left, top, left + size - 1, top + size - 1], fill=colours[move])
    path = finder.find(source, START)
    drawn = draw_map(grid.passable, path=path.cells, expanded=path.waypoints, scale=size)
    return side_by_side([image, drawn], ["the row of one cell", f"{path.stats.expanded} corners looked up"])


@picture
def turn_table() -> Picture:
    """The spots of a map, the accesses of both ends of a query, and the path that the table leads."""
    grid, size = floor(), 9
    finder = wg.make_finder("turntable", grid)
    cells = map_spots(grid.table).cells
    marked = np.stack((cells % grid.width, cells // grid.width), axis=1)
    path = finder.find(START, GOAL)
    drawn = [draw_map(grid.passable, expanded=marked, scale=size, lines=False)]
    for way in (None, path.cells):
        drawn.append(draw_map(grid.passable, path=way, start=START, goal=GOAL, scale=size, lines=False).convert("RGB"))
    request = OverlayRequest(grid, {}, None, 0, lambda: finder, lambda: None)
    pen = ImageDraw.Draw(drawn[1])
    for end, colour in ((START, (27, 120, 55)), (GOAL, (214, 96, 77))):
        lines = show_accesses(request._replace(cell=end))[0].array
        for x, y, to_x, to_y in ((lines + 0.5) * size).tolist():
            pen.line([x, y, to_x, to_y], fill=colour, width=2)
            pen.ellipse([to_x - 4, to_y - 4, to_x + 4, to_y + 4], fill=colour)
    pen = ImageDraw.Draw(drawn[2])
    for x, y in ((path.waypoints + 0.5) * size).tolist():
        pen.ellipse([x - 3, y - 3, x + 3, y + 3], fill=INK)
    pairs = f"{len(cells)} spots, {len(cells) * (len(cells) + 1) // 2:,} distances"
    return side_by_side(drawn, [pairs, "accesses of start and goal", f"{len(path.waypoints)} waypoints"])


PICTURES["goal-bounds"] = lambda: box_picture(floor(), (20, 8), "W", 9)
PICTURES["improved-heuristics"] = search_pictures
PICTURES["dba-example"] = example_picture


@picture
def search_step() -> Picture:
    drawings, labels = [], []
    for avoid in ("random", "trace", "robust"):
        drawing, path = searched(floor(), START, GOAL, "step", 8, avoid=avoid)
        drawings.append(drawing)
        steps = len(path) - 1
        labels.append(f"{avoid}: {path.status.name}, {steps:,} steps")
    return side_by_side(drawings, labels)


@picture
def real_time() -> Picture:
    rows = [("lrta", "lrta", {}), ("lrta, lookahead=4", "lrta", {"lookahead": 4}), ("tba", "tba", {})]
    return side_by_side(*panels(floor(), START, GOAL, 8, rows))


@picture
def readings() -> Picture:
    passable = np.ones((25, 30), bool)
    passable[5:20, 13:17] = False
    grid = wg.Grid(passable, metric="kumar", corners="always")
    rows = [("Manhattan alone", "astar", {"heuristic": "manhattan"})]
    rows += [(name, "astar-overestimate", {"reading": name}) for name in ("K1", "K2", "K3", "K4")]
    rows.append(("octile alone", "astar", {}))
    return side_by_side(*panels(grid, (4, 12), (25, 12), 10, rows))


# --- Graphs -----------------------------------------------------------------------------------------------------------


def squares(grid: wg.Grid, graph: wg.Graph, nodes: np.ndarray, route: wg.GraphPath | None, scale: int) -> Picture:
    """Draw a quadtree, some of its squares in the order given and the middles of a path."""
    order = np.full(len(graph), -1)
    order[nodes[::-1]] = np.arange(len(nodes))[::-1]
    shown = np.where(graph.cells < 0, -1, order[graph.cells])
    drawing = draw_map(grid.passable, expanded=shown, scale=scale, lines=False)
    pen = ImageDraw.Draw(drawing)
    for x, y, side in (graph.squares * scale).tolist():
        pen.rectangle((x, y, x + side, y + side), outline=(170, 170, 170))
    if route is not None:
        pen.line([tuple(point) for point in ((route.points + 0.5) * scale).tolist()], fill=(214, 40, 40), width=3)
    return drawing


@picture
def graph_boxes() -> Picture:
    scale, grid = 9, floor()
    graph = wg.Graph.quadtree(grid)
    start, goal = graph.node_at(START), graph.node_at(GOAL)
    drawings, labels = [], []
    # What one edge leads to: the first step of the cheapest path to each goal.
    finder = wg.make_finder("astar-gb", graph)
    here = graph.node_at((20, 8))
    batch = finder.find_many(np.full(len(graph), here), np.arange(len(graph)))
    ahead = np.array([path.nodes[1] if len(path) > 1 else -1 for path in batch])
    values, counts = np.unique(ahead[ahead >= 0], return_counts=True)
    reached = np.flatnonzero(ahead == values[np.argsort(counts)[-2]])
    drawing = squares(grid, graph, reached, None, scale)
    pen = ImageDraw.Draw(drawing)
    low, high = graph.points[reached].min(axis=0), graph.points[reached].max(axis=0)
    pen.rectangle([*((low + 0.5) * scale), *((high + 0.5) * scale)], outline=(214, 40, 40), width=3)
    x, y = (graph.points[here] + 0.5) * scale
    pen.ellipse((x - 7, y - 7, x + 7, y + 7), fill=(30, 150, 60), outline=INK)
    drawings.append(drawing)
    labels.append(f"from the green node, one edge leads to {len(reached)} squares: its box")
    for name in ("astar", "astar-gb"):
        finder = wg.make_finder(name, graph)
        path = finder.find(start, goal)
        drawings.append(squares(grid, graph, finder.expansion_order(start, goal), path, scale))
        labels.append(f"{name}: {path.stats.expanded} expanded, cost {path.cost:.2f}")
    return side_by_side(drawings, labels)


# --- Queries ----------------------------------------------------------------------------------------------------------


@picture
def flow() -> Picture:
    scale = 26
    grid = wg.Grid(
        parse(
            """
            ........................
            ...####........#........
            ......#........#...##...
            ......#........#...##...
            ......#....#####........
            ......#.................
            ..#####......######.....
            ..................#.....
            .........###......#.....
            .........###......#.....
            ..................#.....
            ........................
            """
        ).passable
    )
    goal = (20, 8)
    field = wg.distances(grid, goal, reverse=True)
    reach = np.where(np.isinf(field), -1, np.rint(field * 10)).astype(int)
    drawing = draw_map(grid.passable, expanded=reach, goal=goal, scale=scale, lines=False)
    pen = ImageDraw.Draw(drawing)
    for y, x in np.argwhere(field.flow >= 0).tolist():
        name = grid.directions[field.flow[y, x]]
        step = np.array([("E" in name) - ("W" in name), ("S" in name) - ("N" in name)], float)
        step *= 0.3 * scale / np.hypot(*step)
        middle, side = np.array(centre("octile", x, y, scale)), 0.45 * np.array([-step[1], step[0]])
        tip = middle + step
        pen.line([*(middle - step), *(middle + 0.5 * step)], fill=INK, width=2)
        pen.polygon([*tip, *(middle + 0.2 * step + side), *(middle + 0.2 * step - side)], fill=INK)
    return drawing


@picture
def options() -> Picture:
    start, goal, shut = (20, 3), (27, 19), (26, 9)
    grid, shut_in = floor(), floor()
    finder = wg.make_finder("astar", grid)
    plain = finder.find(start, goal)
    crowd = [cell for cell in plain.cells.tolist() if cell[1] == 11]  # they stand in the door
    shut_in.set_passable((28, 9), False)
    partial = wg.make_finder("astar", shut_in).find(start, shut, partial=True)
    drawings = [
        draw_map(grid.passable, path=plain.cells, scale=8),
        draw_map(grid.passable, path=finder.find(start, goal, blocked=crowd).cells, expanded=crowd, scale=8),
        draw_map(shut_in.passable, path=partial.cells, goal=shut, scale=8),
    ]
    return side_by_side(drawings, ["find", "blocked: the door (blue)", "partial=True: the goal is shut in"])


@picture
def hex_path() -> Picture:
    grid = wg.generate("random", width=36, height=20, seed=8, walls=0.3, topology="hex")
    drawing, _ = searched(grid, (1, 17), (34, 2), "astar", 20)
    return drawing


PICTURES |= runpy.run_path(str(Path(__file__).with_name("pictures_site.py")))["PICTURES"]
PICTURES |= runpy.run_path(str(Path(__file__).with_name("pictures_taut.py")))["PICTURES"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these; there are {', '.join(PICTURES)}")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "docs" / "pictures")
    given = parser.parse_args()
    for name in given.names:
        if name not in PICTURES:
            parser.error(f"there is no picture {name!r}; there are {', '.join(PICTURES)}")
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.names or PICTURES:
        file = given.out / f"{name}.png"
        save_png(file, PICTURES[name]())
        print(f"{file.name}  {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
