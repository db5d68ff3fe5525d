"""Who hears that something is compiled, and what."""

import io
import logging

import pytest

import waygrid as wg
from waygrid.core import announce
from waygrid.core.components import components
from waygrid.core.moves import compile_window, move_byte


@pytest.fixture
def line(monkeypatch):
    """A line of its own, which speaks at once."""
    monkeypatch.setattr(announce, "QUIET_S", 0.0)
    monkeypatch.setattr(announce, "_line", announce._Line())
    monkeypatch.setattr(announce, "show", None)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def compile_two():
    """Pretend to compile a kernel and one that it calls."""
    with announce.announce(compile_window, False), announce.announce(move_byte, True):
        pass


def test_callees_are_found_through_names_and_modules():
    assert move_byte in announce.list_callees(compile_window)
    assert compile_window not in announce.list_callees(components)


@pytest.mark.usefixtures("line")
def test_a_terminal_sees_one_line_that_goes_away(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    compile_two()
    count = len(announce.list_callees(compile_window))
    first, second, *rest = screen.getvalue().split("\r")[1:]
    assert first == f"compiling moves, once: 1 of {count} kernels"
    assert second == first  # none is done before the other
    assert [text.strip() for text in rest] == ["", ""]
    assert "\n" not in screen.getvalue()


@pytest.mark.usefixtures("line")
def test_pipes_see_nothing_and_loggers_do(monkeypatch, caplog):
    screen = io.StringIO()
    monkeypatch.setattr("sys.stderr", screen)
    with caplog.at_level(logging.INFO, "waygrid"):
        compile_two()
    assert screen.getvalue() == ""
    (message,) = caplog.messages
    assert message.startswith("compiled waygrid.core.moves.compile_window for moves in ")


@pytest.mark.usefixtures("line")
def test_what_takes_little_time_is_not_announced(monkeypatch, caplog):
    monkeypatch.setattr(announce, "QUIET_S", 60.0)
    monkeypatch.setattr("sys.stderr", Terminal())
    with caplog.at_level(logging.INFO, "waygrid"):
        compile_two()
    assert announce.sys.stderr.getvalue() == ""
    assert caplog.messages == []


@pytest.mark.usefixtures("line")
def test_a_program_with_a_display_of_its_own_shows_it_there(monkeypatch):
    shown = []
    monkeypatch.setattr(announce, "show", shown.append)
    compile_two()
    assert shown[0].startswith("compiling moves, once: 1 of ")
    assert shown[-1] == ""


@pytest.mark.usefixtures("line")
def test_the_algorithm_is_named(monkeypatch):
    shown = []
    monkeypatch.setattr(announce, "show", shown.append)
    finder = wg.make_finder("astar", wg.Grid([[1, 1]]))
    monkeypatch.setattr(type(finder), "_refresh", lambda self: compile_two())
    with pytest.raises(AttributeError):  # what `_refresh` makes is not there
        finder.find((0, 0), (1, 0))
    assert shown[0].startswith("compiling astar, once: ")


@pytest.mark.usefixtures("line")
def test_notebooks_see_it_too(monkeypatch):
    class ZMQInteractiveShell:
        pass

    class IPython:
        get_ipython = staticmethod(ZMQInteractiveShell)

    monkeypatch.setitem(announce.sys.modules, "IPython", IPython)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert announce.find_screen() is announce.sys.stdout
