"""MovingAI scenarios (``.scen``): problems of a map with the optimal costs that the file states.

A row holds bucket, map, map width, map height, start x, start y, goal x, goal y and cost, separated by tabs or spaces
(then the map name has none). The first line may be ``version 1`` or ``version 1.0``, or be missing.
"""

import math
import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waygrid.errors import WaygridError
from waygrid.formats.files import PathLike, decode, read_bytes, write_atomically

_COLUMNS = ("bucket", "map", "width", "height", "start x", "start y", "goal x", "goal y", "cost")
_LARGEST = 2**31 - 1


class ScenarioData(NamedTuple):
    """The rows of a scenario file as arrays; cells are (x, y), sizes are (width, height)."""

    buckets: NDArray[np.int32]
    maps: list[str]
    sizes: NDArray[np.int32]
    starts: NDArray[np.int32]
    goals: NDArray[np.int32]
    costs: NDArray[np.float64]


def _is_integer(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= _LARGEST


def _integers(column: list[str], title: str, lines: list[int], name: str) -> NDArray[np.int32]:
    for text, line in zip(column, lines, strict=True):
        if not _is_integer(text):
            raise WaygridError(f"{name}, line {line}: {title} {text[:40]!r}; a whole number 0 to {_LARGEST} is needed")
    return np.array([int(text) for text in column], np.int32)


def _costs(column: list[str], lines: list[int], name: str) -> NDArray[np.float64]:
    values = []
    for text, line in zip(column, lines, strict=True):
        try:
            value = float(text) if text.isascii() and "_" not in text else math.nan
        except ValueError:
            value = math.nan
        if not 0 <= value < math.inf:
            raise WaygridError(f"{name}, line {line}: cost {text[:40]!r}; a number of 0 or more is needed")
        values.append(value)
    return np.array(values, np.float64)


def _check_cells(data: ScenarioData, places: list[str]) -> None:
    """Refuse cells outside the map size of their own row."""
    for title, cells in (("start", data.starts), ("goal", data.goals)):
        outside = ((cells < 0) | (cells >= data.sizes)).any(axis=1)
        if outside.any():
            i = int(outside.argmax())
            (x, y), (width, height) = cells[i].tolist(), data.sizes[i].tolist()
            raise WaygridError(f"{places[i]}: {title} ({x}, {y}) is outside the map of {width} x {height} cells")


def parse(data: bytes, name: str = "scenario") -> ScenarioData:
    """Return the problems in the bytes of a ``.scen`` file; error messages begin with ``name``.

    >>> parse(b"version 1\\n0\\tmy cave.map\\t9\\t9\\t1\\t2\\t3\\t2\\t2.0\\n").goals
    array([[3, 2]], dtype=int32)
    """
    rows: list[list[str]] = []
    lines: list[int] = []
    version_seen = False
    for number, line in enumerate(decode(data, name).split("\n"), 1):
        line = line.strip()
        if not line:
            continue
        if not rows and not version_seen and line.startswith("version"):
            version_seen = True
            if line.split() not in (["version", "1"], ["version", "1.0"]):
                raise WaygridError(f"{name}, line {number}: {line[:40]!r}; allowed are version 1 and version 1.0")
            continue
        fields = line.split("\t")
        if len(fields) != len(_COLUMNS):
            fields = line.split()
        if len(fields) != len(_COLUMNS):
            raise WaygridError(
                f"{name}, line {number}: {len(fields)} fields; a row has {len(_COLUMNS)}: {', '.join(_COLUMNS)}"
            )
        rows.append([field.strip() for field in fields])
        lines.append(number)
    if not rows and not version_seen:
        raise WaygridError(f"{name}: the file is empty; a scenario has at least one row")
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in _COLUMNS]
    for map_name, line_number in zip(columns[1], lines, strict=True):
        if not map_name:
            raise WaygridError(f"{name}, line {line_number}: the map name is empty")
    numbers = {i: _integers(columns[i], _COLUMNS[i], lines, name) for i in (0, 2, 3, 4, 5, 6, 7)}
    scenario = ScenarioData(
        buckets=numbers[0],
        maps=columns[1],
        sizes=np.stack([numbers[2], numbers[3]], axis=1),
        starts=np.stack([numbers[4], numbers[5]], axis=1),
        goals=np.stack([numbers[6], numbers[7]], axis=1),
        costs=_costs(columns[8], lines, name),
    )
    _check_cells(scenario, [f"{name}, line {line}" for line in lines])
    return scenario


def read_scenario(path: PathLike) -> ScenarioData:
    """Read a ``.scen`` file."""
    return parse(read_bytes(path, 2**28), os.fspath(path))


def _check_rows(data: ScenarioData, name: str) -> ScenarioData:
    n = len(data.maps)
    for title, values, shape in (
        ("buckets", data.buckets, (n,)),
        ("sizes", data.sizes, (n, 2)),
        ("starts", data.starts, (n, 2)),
        ("goals", data.goals, (n, 2)),
        ("costs", data.costs, (n,)),
    ):
        found = np.asarray(values)
        if found.shape != shape:
            raise WaygridError(f"{name}: {title} of shape {found.shape}; {n} map names need {shape}")
        if title != "costs" and (found.dtype.kind not in "ui" or (found.size and not 0 <= found.min() <= _LARGEST)):
            raise WaygridError(f"{name}: {title} must be integers of 0 or more")
        if title != "costs" and found.size and found.max() > _LARGEST:
            raise WaygridError(f"{name}: {title} has {found.max()}; allowed is up to {_LARGEST}")
    for row, text in enumerate(data.maps):
        if not text or text != text.strip() or any(sign in text for sign in "\t\r\n"):
            raise WaygridError(
                f"{name}, row {row}: map name {text[:40]!r}; it may not be empty or hold tabs or line ends"
            )
    costs = np.asarray(data.costs, np.float64)
    wrong = ~(np.isfinite(costs) & (costs >= 0))
    if wrong.any():
        row = int(wrong.argmax())
        raise WaygridError(f"{name}, row {row}: cost {costs[row]}; a number of 0 or more is needed")
    whole = [np.asarray(part).astype(np.int32) for part in (data.buckets, data.sizes, data.starts, data.goals)]
    fixed = ScenarioData(whole[0], list(data.maps), whole[1], whole[2], whole[3], costs)
    _check_cells(fixed, [f"{name}, row {row}" for row in range(n)])
    return fixed


def write_scenario(path: PathLike, data: ScenarioData) -> None:
    """Write a ``.scen`` file (version 1, tabs); costs get as many digits as their exact value needs."""
    data = _check_rows(data, os.fspath(path))
    lines = ["version 1"]
    for bucket, name, size, start, goal, cost in zip(
        data.buckets.tolist(),
        data.maps,
        data.sizes.tolist(),
        data.starts.tolist(),
        data.goals.tolist(),
        data.costs.tolist(),
        strict=True,
    ):
        lines.append("\t".join([str(bucket), name, *map(str, (*size, *start, *goal)), repr(cost)]))
    try:
        written = ("\n".join(lines) + "\n").encode()
    except UnicodeEncodeError as error:
        raise WaygridError(f"{os.fspath(path)}: a map name cannot be written as UTF-8") from error
    write_atomically(path, written)
