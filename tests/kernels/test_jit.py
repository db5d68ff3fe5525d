"""Where compiled kernels are kept, and what happens where they cannot be."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from waygrid.kernels import _cache

SOURCE = Path(_cache.__file__).parent.parent

THREADS = """
import sys
from concurrent.futures import ThreadPoolExecutor

sys.setswitchinterval(1e-6)
from waygrid.kernels._jit import CACHE_FOLDER, config, jit
from waygrid.kernels.queue import heap_up

plain = heap_up.py_func if hasattr(heap_up, "py_func") else heap_up
with ThreadPoolExecutor(8) as pool:
    made = list(pool.map(lambda _: jit(plain), range(400)))
folders = {kernel.stats.cache_path for kernel in made}
assert len(folders) == 1 and folders.pop().startswith(str(CACHE_FOLDER)), folders
assert not config.CACHE_DIR, config.CACHE_DIR
"""


def run(code, tmp_path, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_threads_that_import_kernels_at_a_time_keep_them_in_one_folder(tmp_path):
    done = run(THREADS, tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(Path(tmp_path).iterdir()) == []


def test_an_empty_name_of_the_cache_is_none(monkeypatch):
    from waygrid.folders import cache_home

    monkeypatch.setenv("WAYGRID_CACHE", "")
    assert cache_home() != Path()


DOUBLE = """
from waygrid.kernels.double import double
assert double(4) == 8
print(sum(double.stats.cache_hits.values()), sum(double.stats.cache_misses.values()))
"""


def test_a_kernel_is_compiled_once_for_all_copies_of_its_source(tmp_path):
    """The place and the time stamp of a checkout do not matter; the text does, of imported modules too."""
    results = []
    for copy, factor in (("first", 2), ("second", 2), ("third", "1 + 1")):
        shutil.copytree(SOURCE, tmp_path / copy / "waygrid", ignore=shutil.ignore_patterns("__pycache__", "studio"))
        kernels = tmp_path / copy / "waygrid" / "kernels"
        (kernels / "factor.py").write_text(f"FACTOR = {factor}\n")
        (kernels / "double.py").write_text(
            "from waygrid.kernels._jit import jit\nfrom waygrid.kernels.factor import FACTOR\n\n\n"
            "@jit\ndef double(x):\n    return FACTOR * x\n"
        )
        done = run(DOUBLE, tmp_path, PYTHONPATH=str(tmp_path / copy), WAYGRID_CACHE=str(tmp_path / "cache"))
        assert done.returncode == 0, done.stderr
        results.append(done.stdout.split())
    assert results == [["0", "1"], ["1", "0"], ["0", "1"]]


def test_imports_are_followed_in_all_spellings():
    source = (
        "from waygrid.kernels import layout\n"
        "from waygrid.kernels.queue import (\n    heap_up,\n)\n"
        "def f():\n    import waygrid.errors\n"
    )
    names = {"/".join(file.parts[-2:]) for file in _cache._imports(source)}
    assert names == {"kernels/__init__.py", "kernels/layout.py", "kernels/queue.py", "waygrid/errors.py"}
