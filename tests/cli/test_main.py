import os
import re
import subprocess
import sys

import pytest

import waygrid
from waygrid.cli import app
from waygrid.core import cache as _cache

pytestmark = pytest.mark.quick

COMMANDS = ("find", "algorithms", "info", "generate", "convert", "corridor", "crowd", "bench", "reproduce", "warmup")


def test_help_lists_every_command(cli):
    answer = cli("--help")
    assert answer.code == 0
    assert all(re.search(rf"^  {command} ", answer.out, re.MULTILINE) for command in COMMANDS)
    assert "..." not in answer.out.split("Commands:")[1]  # no summary is cut short


def test_no_command_shows_help(cli):
    assert cli() == cli("--help")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_commands_is_plain_when_piped(cli, command):
    answer = cli(command, "--help")
    assert answer.code == 0
    assert f"Usage: waygrid {command}" in answer.out
    assert answer.out.isascii()


def test_version(cli):
    assert cli("--version") == (0, f"waygrid {waygrid.__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["fnid"], "no such command 'fnid'"),
        (["find"], "missing argument 'MAP'; see waygrid find --help"),
        (["algorithms", "--jsn"], "no such option: --jsn"),
        (["bench", "a.map", "--limit", "0"], "--limit"),
        (["bench", "a.map", "--repeat", "many"], "--repeat"),
    ],
)
def test_usage_errors_are_one_line(cli, words, told):
    answer = cli(*words)
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith("waygrid: ")
    assert told in answer.err
    assert answer.err.count("\n") == 1


def interrupt():
    raise KeyboardInterrupt


def test_interrupt(cli, monkeypatch):
    monkeypatch.setattr(app, "warmup", interrupt)
    assert cli("interrupt") == (130, "", "waygrid: interrupted\n")


def exhaust():
    raise MemoryError


def test_out_of_memory(cli, monkeypatch):
    monkeypatch.setattr(app, "warmup", exhaust)
    answer = cli("exhaust")
    assert answer.code == 2
    assert answer.err == "waygrid: there is not enough memory for this\n"


def break_down():
    raise ZeroDivisionError("division\nby zero")


def test_a_bug_is_not_taken_for_a_missing_path(cli, monkeypatch):
    monkeypatch.setattr(app, "warmup", break_down)
    monkeypatch.delenv("WAYGRID_DEBUG", raising=False)
    answer = cli("break-down")
    line = "waygrid: internal error: ZeroDivisionError: division by zero (WAYGRID_DEBUG=1 shows where)\n"
    assert answer == (70, "", line)
    monkeypatch.setenv("WAYGRID_DEBUG", "1")
    answer = cli("break-down")
    assert answer.code == 70
    assert answer.err.startswith("Traceback (most recent call last):")
    assert answer.err.endswith(line)


def warn_twice():
    for _ in range(2):
        _cache.warn_caller("the cache is full:\nset WAYGRID_CACHE")


@pytest.mark.filterwarnings("default")
def test_a_warning_is_one_line(cli, monkeypatch):
    monkeypatch.setattr(app, "warmup", warn_twice)
    assert cli("warn-twice") == (0, "", "waygrid: warning: the cache is full: set WAYGRID_CACHE\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_standard_output_that_cannot_be_written():
    command = [sys.executable, "-m", "waygrid", "algorithms"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 70
    assert "No space left on device" in done.stderr
    assert done.stderr.count("\n") == 1


def test_as_a_module_and_without_the_compiler():
    script = (
        "import runpy, sys; sys.argv = ['waygrid', '--help']\n"
        "try: runpy.run_module('waygrid.cli', run_name='__main__')\n"
        "except SystemExit as stop: print('code', stop.code)\n"
        "print('loaded', sorted({'numba', 'numpy', 'PIL'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert "Usage: waygrid" in done.stdout
    assert "code 0" in done.stdout
    assert "loaded []" in done.stdout


def test_reader_that_leaves_is_no_error():
    command = f"{sys.executable} -m waygrid.cli algorithms | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("algorithm")
    assert done.stderr == ""
