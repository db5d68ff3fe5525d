"""The answers of every algorithm are those of the tree: on threads, in processes, without the compiler, by a GPU."""

import json
import os
import subprocess
import sys

import determinism as fixed
import pytest

import waygrid as wg

EXPECTED = json.loads(fixed.EXPECTED.read_text())


@pytest.mark.parametrize("threads", [1, 2])
def test_answers_do_not_depend_on_threads(threads):
    assert fixed.differences(fixed.answers(threads), EXPECTED) == []


def run_script(*words, **environment):
    command = [sys.executable, fixed.__file__, *words]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)


def test_answers_do_not_depend_on_the_process_or_the_order_of_hashes():
    done = run_script("--grids", "octile,hex", PYTHONHASHSEED="7")
    assert done.returncode == 0, done.stdout + done.stderr


def test_answers_do_not_depend_on_the_compiler():
    done = run_script(NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore")
    assert done.returncode == 0, done.stdout + done.stderr


def test_answers_do_not_depend_on_where_the_index_is_built():
    pytest.importorskip("numba.cuda")
    able = [name for name, info in wg.algorithms().items() if info.gpu]
    done = run_script("--device", "gpu", "--grids", "octile", NUMBA_ENABLE_CUDASIM="1", PYTHONWARNINGS="ignore")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"{len(able)} hashes")


def test_every_algorithm_has_its_hashes():
    for name in wg.algorithms():
        assert any(name in of_grid for of_grid in EXPECTED.values()), name


def test_a_difference_is_named():
    assert fixed.differences({"octile": {"astar": "0" * 16}}, EXPECTED) == ["octile, astar"]
