"""A* and Dijkstra with goal bounding: the best-first loop, with a box of goals for every move."""

from waygrid.algorithms.classic.best_first_query import NO_INDEX, advance, begin, clear_open
from waygrid.core.driver import make_query_loop

# `index` holds the boxes, (cells, 8, 4).
run = make_query_loop(__name__, begin, advance, clear_open, names=NO_INDEX | {"boxes": "index"})
