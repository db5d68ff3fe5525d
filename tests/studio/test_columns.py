"""Columns of traces: what is written is read back bit for bit, here by an obvious reader and on the page by its own."""

import json

import numpy as np
import pytest

import waygrid as wg
from waygrid.studio.columns import COLUMNS, code_trace, to_bytes
from waygrid.studio.wire import pack


def numbers(data):
    """The whole numbers in a column, one by one."""
    found, value, shift = [], 0, 0
    for byte in data.tolist():
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(-(value >> 1) - 1 if value & 1 else value >> 1)
            value = shift = 0
    return found


def read(units, coded):
    """The arrays of a trace, event by event."""
    node, parent, g, h = (numbers(coded[name]) for name in ("node", "parent", "g", "h"))
    rows, last, expanded = [], {}, 0
    for kind, *told in zip(coded["kind"].tolist(), node, parent, g, h, strict=True):
        cell = told[0] + expanded
        before = last.get(cell)
        above = told[1] + (expanded if kind in (2, 4) else before[2] if before else -1)
        base = before or last.get(above) or (0, 0, 0, 0, 0)
        row = (kind, cell, above, told[2] + base[3], told[3] + base[4])
        rows.append(row)
        last[cell] = row
        expanded = cell if kind == 3 else expanded
    arrays = dict(zip(COLUMNS, np.array(rows, np.int64).reshape(-1, 5).T, strict=True))
    for name in ("g", "h"):
        unit = units[name]
        arrays[name] = (
            (arrays[name] / unit).astype(np.float32) if unit else arrays[name].astype(np.int32).view(np.float32)
        )
    return arrays


def as_sent(trace):
    events, unit = trace.events, float(trace.unit)
    arrays = {"kind": events["kind"].astype(np.uint8)}
    arrays |= {name: events[name].astype(np.int32) for name in ("node", "parent")}
    return arrays | {name: (events[name] / unit).astype(np.float32) for name in ("g", "h")}, unit


def random_events(count, cells, seed):
    rng = np.random.default_rng(seed)
    arrays = {"kind": rng.integers(0, 14, count).astype(np.uint8)}
    arrays |= {name: rng.integers(-1, cells, count).astype(np.int32) for name in ("node", "parent")}
    return arrays | {name: rng.normal(0, 1e3, count).astype(np.float32) for name in ("g", "h")}


def cases():
    grid = wg.generate("caves", width=40, height=30, seed=5)
    ys, xs = np.nonzero(grid.passable)
    ends = (int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1]))
    for name in ("astar", "bfs", "jps", "dijkstra"):
        yield name, *as_sent(wg.make_finder(name, grid).trace(*ends))
    yield "random", random_events(5000, 300, 1), 7.0
    odd = random_events(5, 4, 2)
    odd["g"][:] = [np.inf, -np.inf, np.nan, -0.0, 3e38]
    yield "odd values", odd, 3.0
    yield "nothing", random_events(0, 4, 2), 1.0


@pytest.mark.quick
def test_columns_are_read_back_bit_for_bit():
    for name, arrays, unit in cases():
        found = read(*code_trace(arrays, unit))
        for column in COLUMNS:
            read_back = found[column].astype(arrays[column].dtype)
            np.testing.assert_array_equal(read_back.view(np.uint8), arrays[column].view(np.uint8), (name, column))


@pytest.mark.quick
def test_whole_numbers_of_any_size():
    values = [0, 1, -1, 63, 64, -64, -65, 2**31, -(2**31), 2**52, -(2**52)]
    assert numbers(to_bytes(np.array(values))) == values


def test_page_reads_columns_as_they_were_written(studio):
    for name, arrays, unit in cases():
        units, coded = code_trace(arrays, unit)
        message = list(pack({"coded": units}, coded))
        found = studio.get(
            """async (bytes) => {
                const { decode } = await import("/static/wire.js");
                const { readTrace } = await import("/static/columns.js");
                const { header, arrays } = decode(Uint8Array.from(bytes).buffer);
                const trace = readTrace(arrays, header.coded);
                const bits = (values) => Array.from(new Int32Array(values.buffer));
                return JSON.stringify({ ...trace, kind: Array.from(trace.kind), node: bits(trace.node),
                    parent: bits(trace.parent), g: bits(trace.g), h: bits(trace.h) });
            }""",
            message,
        )
        for column, values in json.loads(found).items():
            written = arrays[column] if column == "kind" else arrays[column].view(np.int32)
            assert values == written.tolist(), (name, column)
