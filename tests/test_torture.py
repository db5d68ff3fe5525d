"""The long-running attacks in tests/torture, each for a moment: they run, and find nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from torture import edits, files, frame, indexes, queries, straight

PROGRAMS = Path(__file__).parent / "torture"


def try_seeds(attack, seeds):
    tallies = [frame.try_seed(attack, seed) for seed in seeds]
    assert [fault for tally in tallies for fault in tally.faults] == []
    assert all(tally.counts for tally in tallies)


def test_files_of_every_kind(monkeypatch):
    monkeypatch.setattr(files, "LIMIT_S", 20.0)  # a busy machine is no hang
    try_seeds(files.attack, range(len(files.readers())))


def test_a_seed_that_follows_new_lines(monkeypatch):
    monkeypatch.setattr(files, "LIMIT_S", 20.0)
    try_seeds(files.attack, [(files.GUIDED - 1) * len(files.order())])


def test_queries():
    try_seeds(queries.attack, [3])


def test_edits():
    try_seeds(edits.attack, [1])


def test_straight_paths():
    try_seeds(straight.attack, [1])


def test_indexes():
    try_seeds(indexes.attack, [list(indexes.damage.CASES).index("jps+")])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the parts to be cut run in forked processes")
@pytest.mark.parametrize("seed", [0, 5, 18, 19], ids=["map", "tif", "build file", "store"])
def test_power_cuts(seed):
    """In a process of its own: some of what is cut may not be forked after it was used."""
    done = subprocess.run(
        [sys.executable, PROGRAMS / "cuts.py", "--only", str(seed)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "24 cuts" in done.stdout
