"""`waygrid info`: what a map is like."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from waygrid.cli.options import Clearance, Corners, MapFile, MetricName, Reading, Topology, load_grid


def info(
    map: MapFile,
    grid: Topology = None,
    corners: Corners = "never",
    metric: MetricName = "octile",
    clearance: Clearance = 1,
    reading: Reading = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
) -> None:
    """Describe a map.

    Its size, passable cells, connected parts, weights, moves, and the fingerprint that index files carry.
    """
    from waygrid.cli.show import Column, print_json, print_table, progress

    with progress(f"reading {map.name}"):
        facts = _facts(str(map), load_grid(map, grid, corners, metric, clearance, reading))
    if as_json:
        print_json(facts)
    else:
        print_table([Column("what"), Column("value", fold=True)], _in_words(facts), titles=False)


def _facts(name: str, grid: Any) -> dict[str, Any]:
    import numpy as np

    labels, moves = grid.components, grid.moves
    standing = labels >= 0
    count = int(standing.sum())
    sizes = np.bincount(labels[standing]) if count else np.zeros(0, np.int64)
    weights = None
    if grid.weights is not None and count:
        entered = grid.weights[standing]
        weights = [int(entered.min()), int(entered.max())]
    return {
        "map": name,
        "width": grid.width,
        "height": grid.height,
        "grid": grid.topology,
        "corners": grid.corners,
        "metric": grid.metric,
        "clearance": grid.clearance,
        "passable": count,
        "passable_share": count / (grid.width * grid.height),
        "parts": len(sizes),
        "largest_part": int(sizes.max(initial=0)),
        "largest_part_share": int(sizes.max(initial=0)) / count if count else 0.0,
        "weights": weights,
        "moves_per_cell": float(np.unpackbits(moves[standing]).sum()) / count if count else 0.0,
        "move_table_bytes": int(moves.nbytes),
        "fingerprint": grid.fingerprint(),
    }


def _in_words(facts: dict[str, Any]) -> list[tuple[str, str]]:
    weights = facts["weights"]
    if weights is None:
        priced = "none: every cell costs 1"
    else:
        priced = f"{weights[0]} to {weights[1]}"
    metric = facts["metric"]
    rules = (
        f"{facts['grid']}, corners {facts['corners']}, metric "
        f"{metric if isinstance(metric, str) else ','.join(map(str, metric))}, clearance {facts['clearance']}"
    )
    noun = "part" if facts["parts"] == 1 else "parts"
    parts = f"{facts['parts']} {noun}"
    if facts["parts"]:
        parts += f", the largest with {facts['largest_part']} cells ({facts['largest_part_share']:.1%})"
    return [
        ("map", facts["map"]),
        ("size", f"{facts['width']} x {facts['height']} = {facts['width'] * facts['height']} cells"),
        ("rules", rules),
        ("passable", f"{facts['passable']} cells ({facts['passable_share']:.1%})"),
        ("connected", parts),
        ("weights", priced),
        ("moves", f"{facts['moves_per_cell']:.2f} per passable cell"),
        ("move table", f"{facts['move_table_bytes']} bytes"),
        ("fingerprint", facts["fingerprint"]),
    ]
