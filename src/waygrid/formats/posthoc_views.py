"""How a search trace is drawn in Posthoc: views for the four grids, as plain dictionaries.

Expressions are JavaScript that Posthoc evaluates; its parser fails on empty texts, so there are none here.
"""

from typing import Any

_REGION_COLOURS = ["#1e88e5", "#43a047", "#fb8c00", "#8e24aa", "#00897b", "#e53935"]

# Odd columns of hex and tex grids sit half a cell higher (y grows downwards).
_LIFT = {"tile": "", "octile": "", "hex": " - ($.x % 2) / 2", "tex": " - ($.x % 2) / 2"}

# Flat-topped hexagons whose columns are one cell apart: the tips reach a third of a cell beyond the flat sides.
_HEXAGON = [(0.166667, 0), (0.833333, 0), (1.166667, 0.5), (0.833333, 1), (0.166667, 1), (-0.166667, 0.5)]
_SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]


def expression(code: str) -> str:
    """Mark a JavaScript expression as Posthoc expects it.

    >>> expression("$.x")
    '${{ $.x }}'
    """
    return f"${{{{ {code} }}}}"


def _plus(code: str, number: float, rest: str = "") -> str:
    if number:
        code += f" {'+' if number > 0 else '-'} {abs(number)}"
    return expression(code + rest)


def _cell(topology: str, **more: Any) -> dict[str, Any]:
    """One cell, in the shape it has on this grid."""
    if topology in ("tile", "octile"):
        return {"$": "rect", "x": expression("$.x"), "y": expression("$.y"), "width": 1, "height": 1, **more}
    corners = _HEXAGON if topology == "hex" else _SQUARE
    points = [{"x": _plus("$.x", dx), "y": _plus("$.y", dy, _LIFT[topology])} for dx, dy in corners]
    return {"$": "polygon", "points": points, **more}


def pivot(topology: str) -> dict[str, Any]:
    """The centre of an event's cell, where Posthoc puts labels and the path to the root.

    >>> pivot("hex")["y"]
    '${{ $.y + 0.5 - ($.x % 2) / 2 }}'
    """
    return {"x": _plus("$.x", 0.5), "y": _plus("$.y", 0.5, _LIFT[topology]), "scale": 1}


def _centre(topology: str) -> dict[str, Any]:
    return {key: value for key, value in pivot(topology).items() if key != "scale"}


def _parent_centre(topology: str) -> dict[str, Any]:
    # The parent's event may have been filtered out; the line then shrinks to a point instead of failing.
    lift = _LIFT[topology].replace("$.", "(parent || $).")
    return {"x": expression("(parent || $).x + 0.5"), "y": expression(f"(parent || $).y + 0.5{lift}")}


def _own_view(kind: str, topology: str) -> dict[str, Any]:
    """Return the view of an event that Posthoc has no colour for."""
    match kind:
        case "jump":
            line = [_parent_centre(topology), _centre(topology)]
            return {"$": "path", "points": line, "line-width": 0.2, "fill": "#3949ab"}
        case "subgoal":
            return {"$": "circle", **_centre(topology), "radius": 0.6, "fill": "#d81b60"}
        case "region":
            fill = expression(f"{_REGION_COLOURS} [$.region % {len(_REGION_COLOURS)}]".replace("'", '"'))
            if topology in ("tile", "octile"):
                return {**_cell(topology), "width": expression("$.width"), "fill": fill, "alpha": 0.2}
            return _cell(topology, fill=fill, alpha=0.2)
        case "pruned":
            return _cell(topology, fill="#e53935", alpha=0.3)
        case "refine":
            return _cell(topology, fill="#8e24aa", alpha=0.5)
        case _:
            return {"$": "circle", **_centre(topology), "radius": 0.35, "fill": "#fdd835"}


def views(topology: str, own_kinds: list[str]) -> dict[str, Any]:
    """The views of a trace; only kinds that occur get one, so that a plain search stays as quick to draw as it can be.

    >>> views("octile", [])["main"][0]["fill"]
    '${{ color[$.type] }}'
    """
    plain = _cell(topology, fill=expression("color[$.type]"))
    if not own_kinds:
        return {"main": [plain]}
    found: dict[str, Any] = {"main": []}
    for kind in own_kinds:
        found["main"].append({"$": kind, "$if": expression(f'$.type === "{kind}"')})
        found[kind] = [_own_view(kind, topology)]
    found["main"].insert(0, {"$": "cell", "$if": expression("!!color[$.type]")})
    found["cell"] = [plain]
    return found
