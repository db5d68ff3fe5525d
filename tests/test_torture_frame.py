"""The frame of the long-running attacks in tests/torture: crashes, hangs and faults are found and laid to a seed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from torture import all as all_programs
from torture import frame

HERE = Path(__file__).parent

PROGRAM = """
import os, sys, time
sys.path.insert(0, {tests!r})
from torture import frame

def attack(seed, tally):
    tally.note(f"thing {{seed}}")
    tally.count("things", 2)
    if seed == 3:
        tally.fault("thing 3 is odd")
    if seed == 4:
        raise KeyError("lost")
    if seed == 5:
        os.abort()
    if seed == 6:
        time.sleep(60)
    time.sleep(0.01)

frame.FIRST_LIMIT_S = 1.0
if __name__ == "__main__":
    sys.exit(frame.main(__doc__, attack, limit_s=1.0))
"""


@pytest.fixture
def program(tmp_path):
    """Return a function that runs a small program with faults; its result is (exit code, output, state)."""
    file = tmp_path / "toy.py"
    file.write_text(PROGRAM.format(tests=str(HERE)), encoding="utf-8")

    def call(*words):
        command = [sys.executable, file, "--out", tmp_path, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        state = tmp_path / "toy.json"
        return done.returncode, done.stdout, json.loads(state.read_text("utf-8")) if state.exists() else None

    return call


@pytest.mark.skipif(sys.platform == "win32", reason="signals have other names")
def test_faults_are_found_and_laid_to_a_seed(program):
    code, text, state = program("--minutes", "0.1")
    assert code == 1, text
    assert state["next"] > 7, "the run goes on after a crash and a hang"
    assert state["pending"] == []
    found = {fault["seed"]: fault["text"] for fault in state["faults"]}
    assert sorted(found) == [3, 4, 5, 6], found
    assert found[3] == "thing 3 is odd"
    assert found[4].startswith("KeyError: 'lost' (toy.py, line ")
    assert found[5] == "crash (signal SIGABRT): thing 5"
    assert found[6].startswith("hang")
    assert found[6].endswith(": thing 6")


def test_a_run_resumes_unless_a_seed_is_given(program):
    first = program("--minutes", "0.01", "--seed", "100", "--workers", "0")[2]
    assert first["first"] == 100
    assert first["tried"]["things"] == 2 * first["tried"]["seeds"] == 2 * (first["next"] - 100)
    code, text, second = program("--minutes", "0.01", "--workers", "0")
    assert (code, second["first"]) == (0, 100)
    assert f"resuming at seed {first['next']}" in text
    assert second["tried"]["seeds"] == second["next"] - 100
    assert program("--minutes", "0.001", "--seed", "7", "--workers", "0")[2]["first"] == 7


def test_one_seed_can_be_repeated(program):
    code, text, state = program("--only", "3")
    assert (code, state) == (1, None)
    assert "FAULT, seed 3: thing 3 is odd" in text
    assert program("--only", "2")[:2] == (0, "seed 2: 2 things tried, 0 faults\n")


def test_faults_of_a_kind_are_counted(tmp_path):
    state = frame.State(tmp_path / "a.json")
    for seed in range(5):
        state.finish(state.take(), {"things": 1}, [frame.Fault(seed, f"thing {seed} has a cost of {seed / 3}")])
    state.store()
    again = frame.State(tmp_path / "a.json")
    assert (again.faults, again.next, again.tried["things"]) == (5, 5, 5)
    assert "5 times, first with --only 0: thing 0 has a cost of 0.0" in again.describe()


def test_processor_time_is_limited():
    def hang():
        while True:
            pass

    with pytest.raises(frame.TooSlowError), frame.limited(0.05):
        hang()


def test_programs_are_found_by_listing_the_folder():
    names = {file.name for file in all_programs.list_programs()}
    assert {"edits.py", "straight.py"} <= names
    assert not names & {"all.py", "frame.py"}
