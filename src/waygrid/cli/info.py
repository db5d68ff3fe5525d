"""`waygrid info`: properties of a map."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from waygrid.cli.options import Clearance, Corners, MetricName, PriceRule, Reading, Topology, load_grid


def info(
    map: Annotated[
        Path | None,
        typer.Argument(
            metavar="MAP",
            help="Map file: .map .png .npy .txt .tmx .tif .tiff .yaml .yml .ldtk or .json.",
            show_default=False,
        ),
    ] = None,
    grid: Topology = None,
    corners: Corners = "never",
    metric: MetricName = "octile",
    clearance: Clearance = 1,
    rule: PriceRule = "enter",
    reading: Reading = None,
    zones: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the zones of the map (PNG): gates blue, bridges red."),
    ] = None,
    decomposition: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Count zones and gates: repaired, or printed (the algorithm as in the paper).",
            show_default=False,
        ),
    ] = None,
    system: Annotated[
        bool, typer.Option("--system", help="Describe this installation instead: versions, compiled kernels, cache.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
) -> None:
    """Describe a map, or this installation.

    Prints size, passable cells, connected components, weights, moves, and the fingerprint that index files store. With
    --zones or --decomposition also the zones, the gates between them, the bridges and the blocks between bridges.
    """
    from waygrid.cli.show import TableColumn, print_json, print_table, progress

    columns = [TableColumn("what"), TableColumn("value", fold=True)]
    if system:
        from waygrid.cli.system import collect_system_facts, describe_system

        facts = collect_system_facts()
        if as_json:
            print_json(facts)
        else:
            print_table(columns, describe_system(facts), titles=False)
        return
    if map is None:
        raise typer.BadParameter("name a map file, or ask for --system", param_hint="MAP")
    with progress(f"reading {map.name}"):
        loaded = load_grid(map, grid, corners, metric, clearance, reading, rule)
        facts = _collect_facts(str(map), loaded)
        if zones is not None or decomposition is not None:
            facts |= _collect_zone_facts(loaded, decomposition or "repaired", zones)
    if as_json:
        print_json(facts)
        return
    rows = _describe(facts)
    if "zones" in facts:
        rows += _describe_zones(facts)
    if zones is not None:
        rows.append(("written", str(zones)))
    print_table(columns, rows, titles=False)


def _collect_facts(name: str, grid: Any) -> dict[str, Any]:
    import numpy as np

    from waygrid.formats.rules import row_spans

    labels, moves = grid.components, grid.moves
    sizes, bytes_of_moves = np.zeros(int(labels.max()) + 1, np.int64), np.zeros(256, np.int64)
    weights: list[int] | None = None
    for rows in row_spans(labels.shape):  # counted at once, a map of 2 ** 28 cells would take 5 GB
        standing = labels[rows] >= 0
        counts = np.bincount(labels[rows][standing])
        sizes[: counts.size] += counts
        bytes_of_moves += np.bincount(moves[rows].ravel(), minlength=256)
        if grid.weights is not None and standing.any():
            entered = grid.weights[rows][standing]
            least, most = int(entered.min()), int(entered.max())
            weights = [least, most] if weights is None else [min(least, weights[0]), max(most, weights[1])]
    count, largest = int(sizes.sum()), int(sizes.max(initial=0))
    moves_in_all = sum(number * byte.bit_count() for byte, number in enumerate(bytes_of_moves.tolist()))
    return {
        "map": name,
        "width": grid.width,
        "height": grid.height,
        "grid": grid.topology,
        "corners": grid.corners,
        "metric": grid.metric,
        "clearance": grid.clearance,
        "rule": grid.rule,
        "passable": count,
        "passable_share": count / (grid.width * grid.height),
        "components": len(sizes),
        "largest_component": largest,
        "largest_component_share": largest / count if count else 0.0,
        "parts": len(sizes),  # old names, kept for one version
        "largest_part": largest,
        "largest_part_share": largest / count if count else 0.0,
        "weights": weights,
        "scale": grid.scale,
        "rounding": grid.rounding,
        "transform": None if grid.transform is None else list(grid.transform),
        "crs": grid.crs,
        "moves_per_cell": moves_in_all / count if count else 0.0,
        "move_table_bytes": int(moves.nbytes),
        "fingerprint": grid.fingerprint(),
    }


def _collect_zone_facts(grid: Any, algorithm: str, picture: Path | None) -> dict[str, Any]:
    from waygrid.algorithms.zones.zones import decompose
    from waygrid.draw.maps import save_png
    from waygrid.draw.zones import draw_zones

    cut = decompose(grid, algorithm)
    if picture is not None:
        save_png(picture, draw_zones(grid, cut))
    return {
        "decomposition": algorithm,
        "zones": cut.count,
        "gates": len(cut.gates),
        "bridges": int(cut.gates["bridge"].sum()),
        "blocks": int(cut.blocks.max(initial=-1)) + 1,
        "marked_walls": cut.marked_walls,
    }


def _describe_zones(facts: dict[str, Any]) -> list[tuple[str, str]]:
    cut = f"{_count(facts['zones'], 'zone')} in {_count(facts['blocks'], 'block')}"
    if facts["decomposition"] == "printed":
        cut += f"; the printed algorithm also marks {_count(facts['marked_walls'], 'wall')}"
    return [
        ("zones", cut),
        ("gates", f"{_count(facts['gates'], 'gate')}, {_count(facts['bridges'], 'bridge')} among them"),
    ]


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _describe_place(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the coordinates of the map, if it has any."""
    if facts["transform"] is None:
        return []
    from waygrid.formats.georeference import IGNORE, Affine, Georeference

    transform = Affine(*facts["transform"])
    place = Georeference(transform, None, IGNORE)
    ends = place.to_world([(-0.5, -0.5), (facts["width"] - 0.5, facts["height"] - 0.5)]).tolist()
    corners = " to ".join(f"{x:.10g},{y:.10g}" for x, y in ends)
    return [
        ("coordinates", f"{corners}, cells of {place.cell_size:.10g}"),
        ("crs", facts["crs"] or "none"),
        ("transform", ", ".join(f"{number:.12g}" for number in transform)),
    ]


def _describe(facts: dict[str, Any]) -> list[tuple[str, str]]:
    weights = facts["weights"]
    if weights is None:
        priced = "none: every cell costs 1"
    else:
        priced = f"{weights[0]} to {weights[1]}"
    if facts["scale"] != 1:
        priced += f", times {facts['scale']:g}"
        priced += f" (costs rounded by at most {facts['rounding']:.3g})" if facts["rounding"] else ""
    metric = facts["metric"]
    rules = (
        f"{facts['grid']}, corners {facts['corners']}, metric "
        f"{metric if isinstance(metric, str) else ','.join(map(str, metric))}, clearance {facts['clearance']}"
    )
    components = _count(facts["components"], "component")
    if facts["components"]:
        share = f"{facts['largest_component']} cells ({facts['largest_component_share']:.1%})"
        components += f", the largest with {share}"
    return [
        ("map", facts["map"]),
        ("size", f"{facts['width']} x {facts['height']} = {facts['width'] * facts['height']} cells"),
        ("rules", rules),
        ("passable", f"{facts['passable']} cells ({facts['passable_share']:.1%})"),
        ("connected", components),
        ("weights", priced),
        *_describe_place(facts),
        ("moves", f"{facts['moves_per_cell']:.2f} per passable cell"),
        ("move table", f"{facts['move_table_bytes']} bytes"),
        ("fingerprint", facts["fingerprint"]),
    ]
