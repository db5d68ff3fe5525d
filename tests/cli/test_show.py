import io
import json
import sys
import threading

import pytest
from rich.console import Console

from waygrid.cli import show
from waygrid.cli.options import read_settings
from waygrid.errors import WaygridError

COLUMNS = [show.TableColumn("name"), show.TableColumn("mean\nus", right=True), show.TableColumn("what", fold=True)]
ROWS = [["astar", "1.50", "[bold]not markup[/]"], ["bfs", "12.0", "x" * 60]]


def test_plain_table(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    show.print_table(COLUMNS, ROWS)
    assert capsys.readouterr().out == (
        f"name   mean us  what\nastar     1.50  [bold]not markup[/]\nbfs       12.0  {'x' * 60}\n"
    )


def test_table_on_a_terminal():
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=40, markup=False, color_system="standard")
    show.print_table(COLUMNS, ROWS, target=terminal)
    assert "\x1b[" in screen.getvalue()
    assert "─" in screen.getvalue()


def test_json_is_json():
    value = {"a": 1, "b": [[1, 2], [3, 4]], "c": {}, "d": [{"e": None}, {"f": "ü"}], "g": {"h": {"i": {"j": []}}}}
    assert json.loads(show.json_text(value)) == value
    assert json.loads(show.json_text([])) == []


def test_progress_is_silent_without_a_terminal(capsys):
    with show.progress("working") as tell:
        tell(0.5, "half")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("-3", -3), ("1e3", 1000.0), (".5", 0.5), ("True", True), ("NONE", None), ("3x", "3x"), ("", ""),
     ("16,8", (16, 8)), ("a=b", "a=b"), ("nan", "nan"), ("1_000", "1_000")],
)  # fmt: skip
def test_values(text, value):
    read = read_settings([f"option={text}"])["option"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("setting", ["weight", "=3", "two words=3", "3=4"])
def test_bad_settings(setting):
    with pytest.raises(WaygridError, match="allowed is OPTION=VALUE"):
        read_settings([setting])


def test_progress_is_lines_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr(show, "LINES_S", 0.001)
    said = []

    class Errors:
        def write(self, text):
            said.append(text)
            if "half" in "".join(said):
                enough.set()

        def flush(self):
            pass

        def isatty(self):
            return False

    enough = threading.Event()
    monkeypatch.setattr(sys, "stderr", Errors())
    with show.progress("measuring") as tell:
        tell(0.5, "half of it")
        assert enough.wait(60)
    assert "measuring 50%  half of it  (0 s)\n" in "".join(said)
    told = len(said)
    with show.progress("quiet", hidden=True):
        pass
    assert len(said) == told
    assert capsys.readouterr().out == ""
