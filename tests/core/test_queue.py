"""The two open lists against a sorted list."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waygrid.core import layout
from waygrid.core.queue import (
    bucket_clear,
    bucket_next,
    bucket_push,
    bucket_remove,
    heap_pop,
    heap_up,
    lowest_bit,
)

pytestmark = pytest.mark.quick


def test_lowest_bit():
    for place in range(64):
        assert lowest_bit(np.uint64(1 << place)) == place
        assert lowest_bit(np.uint64((2**64 - 1) ^ ((1 << place) - 1))) == place


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 49), st.integers(0, 4095)), max_size=120))
def test_buckets_give_the_least_key_and_the_newest_of_equals(script):
    nodes = np.zeros(50, layout.NODE)
    heads, bits = np.full(4096, -1, np.int32), np.zeros(65, np.uint64)
    open_cells, now, base = {}, 0, 0
    for turn, (action, cell, rise) in enumerate(script):
        if action == 0 and open_cells:
            key = bucket_next(heads, bits, base)
            expected = min(open_cells.items(), key=lambda item: (item[1][0], -item[1][1]))
            assert (heads[key & 4095], key) == (expected[0], expected[1][0])
            bucket_remove(nodes, heads, bits, expected[0])
            del open_cells[expected[0]]
            base = now = key
        elif cell not in open_cells:
            open_cells[cell] = (now + rise, turn)
            bucket_push(nodes, heads, bits, now + rise, cell)
        elif open_cells[cell][0] > now:
            bucket_remove(nodes, heads, bits, cell)
            key = now + min(rise, open_cells[cell][0] - now)
            open_cells[cell] = (key, turn)
            bucket_push(nodes, heads, bits, key, cell)
    bucket_clear(heads, bits)
    assert (heads == -1).all()
    assert (bits == 0).all()


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 49), st.integers(0, 30)), max_size=120))
def test_heap_gives_the_least_key_and_the_newest_of_equals(script):
    nodes = np.zeros(50, layout.NODE)
    heap, keys = np.zeros(50, np.int32), np.zeros(50, np.int32)
    open_cells = {}
    for turn, (action, cell, key) in enumerate(script):
        if action == 0 and open_cells:
            expected = min(open_cells.items(), key=lambda item: (item[1][0], -item[1][1]))[0]
            assert heap_pop(nodes, heap, keys, len(open_cells)) == expected
            del open_cells[expected]
        elif cell not in open_cells or key <= open_cells[cell][0]:
            place = nodes[cell]["next"] if cell in open_cells else len(open_cells)
            nodes[cell]["prev"] = turn
            heap_up(nodes, heap, keys, place, key, cell)
            open_cells[cell] = (key, turn)
