"""Where compiled kernels are kept, whoever decorates them and when."""

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from concurrent.futures import ThreadPoolExecutor

sys.setswitchinterval(1e-6)
from waygrid.kernels._jit import CACHE_FOLDER, config, jit
from waygrid.kernels.queue import heap_up

plain = heap_up.py_func if hasattr(heap_up, "py_func") else heap_up
with ThreadPoolExecutor(8) as pool:
    made = list(pool.map(lambda _: jit(plain), range(400)))
folders = {kernel.stats.cache_path for kernel in made}
assert len(folders) == 1 and folders.pop().startswith(CACHE_FOLDER), folders
assert not config.CACHE_DIR, config.CACHE_DIR
"""


def test_threads_that_import_kernels_at_a_time_keep_them_in_one_folder(tmp_path):
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(Path(tmp_path).iterdir()) == []


def test_an_empty_name_of_the_cache_is_none(monkeypatch):
    from waygrid.folders import cache_home

    monkeypatch.setenv("WAYGRID_CACHE", "")
    assert cache_home() != Path()
