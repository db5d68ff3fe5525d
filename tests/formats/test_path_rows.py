"""Paths as rows of a CSV file."""

import re

import numpy as np
import pytest

from waygrid.errors import WaygridError
from waygrid.formats.path_rows import parse, read_paths, write_paths

pytestmark = pytest.mark.quick


def test_written_paths_are_read_back(tmp_path):
    paths = {"astar": [[0, 0], [1, 1]], "7": [[5, 5]], "way back": [[1, 1], [0, 0]]}
    write_paths(tmp_path / "a.csv", [(name, np.array(cells)) for name, cells in paths.items()])
    assert {path.name: path.cells.tolist() for path in read_paths(tmp_path / "a.csv")} == paths


@pytest.mark.parametrize(
    "text", ["a,0,0\nb,2,2\na,1,0\n", "Path,X,Y\r\na,0,0\r\nb,2,2\r\n\r\na,1,0", "a;0;0\nb 2 2\na; 1; 0"]
)
def test_styles(text):
    assert [(path.name, path.cells.tolist()) for path in parse(text.encode())] == [
        ("a", [[0, 0], [1, 0]]),
        ("b", [[2, 2]]),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is no path; a row is path,x,y"),
        ("a,1\n", "paths.csv, line 1: 'a,1'; a row is path,x,y"),
        ("a,1,0.5\n", "line 1: '0.5'; a cell is two whole numbers"),
        ("a,1,99999999999\n", "a cell is two whole numbers"),
    ],
)
def test_refusals(text, said):
    with pytest.raises(WaygridError, match=re.escape(said)):
        parse(text.encode())


def test_names_that_would_break_rows_are_refused(tmp_path):
    with pytest.raises(WaygridError, match="commas, quotes and lines are not allowed"):
        write_paths(tmp_path / "a.csv", [("a,b", [[0, 0]])])
