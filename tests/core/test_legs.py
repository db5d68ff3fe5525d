"""Paths given by waypoints."""

import numpy as np

from waygrid.core import legs


def test_nothing_is_read_of_a_path_without_waypoints():
    write_legs = getattr(legs.write_legs, "py_func", legs.write_legs)  # as plain Python, where indexes are checked
    whole = np.full(3, -1, np.int64)
    write_legs(np.zeros(0, np.int32), 0, 0, whole, 3)
    assert (whole == -1).all()
