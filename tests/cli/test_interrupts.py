"""Ctrl-C ends every command with exit code 130, also while the compiler works."""

import importlib.util
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from waygrid import interrupts

pytestmark = pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to one process there")

BENCHMARK = Path(__file__).parent.parent.parent / "benchmarks" / "interrupts.py"
spec = importlib.util.spec_from_file_location("interrupts_benchmark", BENCHMARK)
benchmark = importlib.util.module_from_spec(spec)
spec.loader.exec_module(benchmark)


# Early: while modules are imported. Later: inside the compiler, or in what calls it back.
@pytest.mark.parametrize(
    ("command", "delay"),
    [("find", 0.0), ("find", 1.7), ("build", 1.1), ("build", 2.3), ("bench", 2.0), ("reproduce", 2.6), ("warmup", 1.4)],
)
def test_with_an_empty_cache(command, delay, tmp_path):
    done = interrupt_in_time(command, delay, tmp_path)
    assert done.good, done
    assert done.said.count("\n") == 1
    assert done.said.startswith("waygrid: ")
    assert "interrupted" in done.said


def interrupt_in_time(command, delay, folder):
    """Interrupt a command with an empty cache; sooner, where it was through before the signal came."""
    while True:
        folder /= "again"
        folder.mkdir()
        done = benchmark.interrupt(benchmark.COMMANDS[command], folder, delay)
        if done.code != 0 or delay < 0.1:
            return done
        delay /= 2


def run(code, *, signals=1, gap=0.0):
    """Run code until it says "ready", send signals and return exit code and standard error."""
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr.readline() == "ready\n"
        for _ in range(signals):
            process.send_signal(signal.SIGINT)
            time.sleep(gap)
        said = process.communicate(timeout=60)[1]
    return process.returncode, said


WATCHED = """
import sys, time
from waygrid import interrupts
interrupts.watch()
def wait():
    print("ready", file=sys.stderr, flush=True)
    time.sleep(60)
"""
STUCK = """
while True:
    try:
        wait()
    except KeyboardInterrupt:
        print("swallowed", file=sys.stderr, flush=True)
        wait = lambda: time.sleep(60)
"""


def test_an_interrupt_that_is_swallowed_ends_the_process():
    assert run(WATCHED + STUCK) == (130, "swallowed\nwaygrid: interrupted\n")


def test_what_a_command_explains_is_said():
    code = WATCHED + "with interrupts.explaining('run 7 is kept'):" + STUCK.replace("\n", "\n    ")
    assert run(code) == (130, "swallowed\nwaygrid: run 7 is kept\n")


SAVING = """
interrupts.LEAVE_S = 0.05
try:
    wait()
except KeyboardInterrupt:
    with interrupts.saving():
        time.sleep(0.5)
        print("saved", file=sys.stderr, flush=True)
time.sleep(60)
"""


def test_what_is_being_saved_is_waited_for():
    assert run(WATCHED + SAVING) == (130, "saved\nwaygrid: interrupted\n")


def test_a_second_ctrl_c_does_not_wait():
    hanging = SAVING.replace("time.sleep(0.5)", "time.sleep(60)")
    assert run(WATCHED + hanging, signals=2, gap=interrupts.AGAIN_S + 0.2) == (130, "waygrid: interrupted\n")


def test_a_compiler_is_not_left_halfway():
    """An exception between two of its steps made it free memory twice: `double free detected`."""
    code = """
try:
    with interrupts.postponing():
        print("ready", file=sys.stderr, flush=True)
        for _ in range(20):
            time.sleep(0.01)
        print("compiled", file=sys.stderr, flush=True)
    print("not reached", file=sys.stderr, flush=True)
except KeyboardInterrupt:
    print("raised", file=sys.stderr, flush=True)
    raise SystemExit(3) from None
"""
    assert run(WATCHED + code) == (3, "compiled\nraised\n")
    assert run(WATCHED + code.replace("0.01", "3")) == (130, "waygrid: interrupted\n")


def test_ctrl_c_can_be_left_to_a_block():
    code = """
with interrupts.unwatched():
    try:
        wait()
    except KeyboardInterrupt:
        pass
time.sleep(interrupts.LEAVE_S + 0.3)
print(interrupts.interrupted(), file=sys.stderr)
"""
    assert run(WATCHED + code) == (0, "False\n")


def test_a_process_that_ignores_ctrl_c_goes_on_doing_so():
    code = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)" + WATCHED
    code += "print('ready', file=sys.stderr, flush=True)\ntime.sleep(interrupts.LEAVE_S + 0.3)\nraise SystemExit(3)"
    assert run(code) == (3, "")


def test_worker_processes_end_too():
    child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    child.start()
    interrupts.end_children()
    child.join(30)
    assert child.exitcode == -signal.SIGKILL
