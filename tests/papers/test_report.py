"""Reports: tables, files, and what they look like on a console."""

import csv
import io

import numpy as np
import pytest
from rich.console import Console

from waygrid.draw import maps as draw
from waygrid.errors import WaygridError
from waygrid.papers import figures
from waygrid.papers.report import Report, Table, show


def a_report():
    report = Report("A paper", "In short.")
    table = report.table("depth", "Average depth", ("grid", "ours", "paper"), notes=["of cells of equal area"])
    table.add("tex", np.float64(0.809017), 0.81)
    table.add("a | b", np.int64(7), None)
    report.claim("Texes are deep", "0.81", "0.809", True, rule="within 1 %", why="not told")
    report.claim("Texes are slow", "yes", "no", False, rule="slower", why="They are fast.")
    report.picture("map", draw.draw_map([[1, 0]], scale=4), "A map.")
    return report


def test_a_report_becomes_csv_png_and_markdown(tmp_path):
    paths = a_report().write(tmp_path / "new" / "folder")
    assert [path.name for path in paths] == ["depth.csv", "map.png", "summary.md"]
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == sorted(p.name for p in paths)
    rows = list(csv.reader(paths[0].read_text().splitlines()))
    assert rows == [["grid", "ours", "paper"], ["tex", "0.809017", "0.81"], ["a | b", "7", ""]]
    assert paths[1].read_bytes().startswith(b"\x89PNG")
    text = paths[2].read_text()
    assert "# A paper" in text
    assert r"| a \| b | 7 | - |" in text
    assert "| --- | ---: | ---: |" in text
    assert "* of cells of equal area" in text
    assert "| Texes are deep | 0.81 | 0.809 | agrees |" in text
    assert "* Texes are slow: They are fast." in text
    assert "not told" not in text
    assert "![A map.](map.png)" in text


def test_a_report_is_printed_with_its_notes_and_files(tmp_path):
    report, console = a_report(), Console(file=io.StringIO(), width=100)
    report.write(tmp_path)
    report.print(console)
    shown = console.file.getvalue()
    for piece in (
        "A paper",
        "Average depth",
        "tex",
        "0.809",
        "of cells of equal area",
        "depth.csv",
        "differs",
        "They are fast.",
    ):
        assert piece in shown


def test_rows_are_checked_and_found_by_their_first_cells():
    table = Table("t", "T", ("a", "b"))
    with pytest.raises(ValueError, match="a row of 1 cells"):
        table.add(1)
    table.add("x", 2)
    assert table.row("x") == {"a": "x", "b": 2}
    with pytest.raises(KeyError):
        table.row("y")


def test_a_folder_that_cannot_be_made_is_an_error_in_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WaygridError, match="cannot make the folder"):
        a_report().write(tmp_path / "file" / "out")


@pytest.mark.parametrize(
    ("cell", "text"),
    [(None, "-"), ("a", "a"), (1234567, "1 234 567"), (0.5, "0.5"), (29.0, "29"), (float("inf"), "inf"), (0.0, "0")],
)
def test_cells_are_shown_short(cell, text):
    assert show(cell) == text


def test_a_missing_matplotlib_is_an_error_in_one_sentence(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(WaygridError, match=r"pip install 'waygrid\[papers\]'"):
        figures.require()
