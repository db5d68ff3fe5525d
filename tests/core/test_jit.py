"""Where compiled kernels are kept, and what happens where they cannot be."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from waygrid.core import cache as _cache
from waygrid.core import sources as _sources

SOURCE = Path(_cache.__file__).parent.parent

THREADS = """
import sys
from concurrent.futures import ThreadPoolExecutor

sys.setswitchinterval(1e-6)
from waygrid.core.jit import CACHE_FOLDER, config, jit
from waygrid.core.queue import heap_up

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
from waygrid.core.double import double
assert double(4) == 8
print(sum(double.stats.cache_hits.values()), sum(double.stats.cache_misses.values()))
"""


def copy_package(folder, factor=2):
    """Copy the package with one more kernel, which is soon compiled."""
    shutil.copytree(SOURCE, folder / "waygrid", ignore=shutil.ignore_patterns("__pycache__", "studio"))
    kernels = folder / "waygrid" / "core"
    (kernels / "factor.py").write_text(f"FACTOR = {factor}\n")
    (kernels / "double.py").write_text(
        "from waygrid.core.jit import jit\nfrom waygrid.core.factor import FACTOR\n\n\n"
        "@jit\ndef double(x):\n    return FACTOR * x\n"
    )
    return kernels


def test_a_kernel_is_compiled_once_for_all_copies_of_its_source(tmp_path):
    """The place and the time stamp of a checkout do not matter; the text does, of imported modules too."""
    results = []
    for copy, factor in (("first", 2), ("second", 2), ("third", "1 + 1")):
        copy_package(tmp_path / copy, factor)
        done = run(DOUBLE, tmp_path, PYTHONPATH=str(tmp_path / copy), WAYGRID_CACHE=str(tmp_path / "cache"))
        assert done.returncode == 0, done.stderr
        results.append(done.stdout.split())
    assert results == [["0", "1"], ["1", "0"], ["0", "1"]]


def test_imports_are_followed_in_all_spellings():
    source = (
        "from waygrid.core import layout as moves\n"
        "from waygrid.core.queue import (\n    heap_up,\n)\n"
        "def f():\n    import waygrid.errors\n"
    )
    names = {"/".join(file.parts[-2:]) for file in _sources._imports(source)}
    assert names == {"core/__init__.py", "core/layout.py", "core/queue.py", "waygrid/errors.py"}


FULL_DISK = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # as if only so many bytes were left
from waygrid.core.double import double
assert (double(4), double(4.5)) == (8, 9.0)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs limits of a process")
def test_a_full_disk_is_one_warning(tmp_path):
    copy_package(tmp_path)
    (tmp_path / "cache").mkdir()
    done = run(FULL_DISK, tmp_path, PYTHONPATH=str(tmp_path), WAYGRID_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 0, done.stderr
    warned, *rest = done.stderr.splitlines()
    assert warned.startswith("<string>:5: RuntimeWarning: compiled kernels cannot be kept (")  # the caller's line
    assert warned.endswith("every process compiles them again; set WAYGRID_CACHE to a folder with room")
    assert rest == []
    left = [file for file in (tmp_path / "cache").rglob("*") if file.is_file() and file.name != "locks"]
    assert left == []


def test_no_folder_for_the_cache_is_one_warning(tmp_path):
    copy_package(tmp_path)
    (tmp_path / "file").touch()
    done = run(
        "\nfrom waygrid.core.double import double\nassert (double(4), double(4.5)) == (8, 9.0)",
        tmp_path,
        PYTHONPATH=str(tmp_path),
        WAYGRID_CACHE=str(tmp_path / "file"),
    )
    assert done.returncode == 0, done.stderr
    warned, *rest = done.stderr.splitlines()
    assert warned.startswith("<string>:2: RuntimeWarning: no cache folder can be written (")
    assert "every process compiles its kernels again; set WAYGRID_CACHE to a folder that can be written" in warned
    assert rest == []


@pytest.mark.skipif(os.name == "nt", reason="needs permissions of files")
@pytest.mark.parametrize(("place", "mode", "who"), [("kernels", 0o777, "every user"), ("", 0o777, "every user")])
def test_a_cache_that_others_may_write_to_is_not_used(tmp_path, place, mode, who):
    copy_package(tmp_path)
    open_to_all = tmp_path / "cache" / place
    open_to_all.mkdir(parents=True)
    open_to_all.chmod(mode)
    done = run(DOUBLE, tmp_path, PYTHONPATH=str(tmp_path), WAYGRID_CACHE=str(tmp_path / "cache"))
    assert (done.returncode, done.stdout) == (0, "0 1\n")
    (warned,) = done.stderr.splitlines()
    assert f"is not used, since it is executed and {who} may write to {open_to_all}: every process" in warned
    assert [file for file in (tmp_path / "cache").rglob("*") if file.is_file()] == []


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="needs root, to give files away")
def test_a_cache_of_somebody_else_is_not_used(tmp_path):
    assert _cache.find_writers(tmp_path) == ""
    (tmp_path / "theirs" / "folder").mkdir(parents=True)
    os.chown(tmp_path / "theirs", 12345, 12345)
    assert _cache.find_writers(tmp_path / "theirs" / "folder") == f"{tmp_path / 'theirs'} belongs to another user"
    os.chown(tmp_path / "theirs", 0, 12345)
    (tmp_path / "theirs").chmod(0o775)
    assert _cache.find_writers(tmp_path / "theirs") == f"a group of users may write to {tmp_path / 'theirs'}"


@pytest.mark.skipif(os.name == "nt", reason="needs locks of files")
def test_processes_that_start_together_compile_once(tmp_path):
    copy_package(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "WAYGRID_CACHE": str(tmp_path / "cache")}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", DOUBLE], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    counts = [process.communicate()[0].split() for process in started]
    assert sorted(counts) == [["0", "1"], ["1", "0"], ["1", "0"]]


CALLED_BY_BOTH = """
from waygrid.core.double import double
from waygrid.core.jit import jit

@jit
def twice(x):
    return double(double(x))

assert (double(4), twice(4), double(5), twice(4.5)) == (8, 16, 10, 18.0)
"""


def test_python_and_kernels_call_the_same_function(tmp_path):
    """In any order, compiled now or loaded."""
    kernels = copy_package(tmp_path)
    (kernels / "twice.py").write_text(CALLED_BY_BOTH)
    orders = [
        "import waygrid.core.twice",
        "from waygrid.core.twice import twice, double; twice(3), double(3), twice(3)",
    ]
    for code in (*orders, *orders[::-1]):
        done = run(code, tmp_path, PYTHONPATH=str(tmp_path), WAYGRID_CACHE=str(tmp_path / "cache"))
        assert (done.returncode, done.stderr) == (0, "")
    assert list((tmp_path / "cache").rglob("double-*.callee"))
    assert list((tmp_path / "cache").rglob("double-*.kernel"))


def test_a_damaged_cache_is_made_anew(tmp_path):
    copy_package(tmp_path)
    results = []
    for _ in range(3):
        done = run(DOUBLE, tmp_path, PYTHONPATH=str(tmp_path), WAYGRID_CACHE=str(tmp_path / "cache"))
        assert (done.returncode, done.stderr) == (0, "")
        results.append(done.stdout.split())
        if len(results) == 1:
            (kept,) = (tmp_path / "cache").rglob("*.kernel")
            kept.write_bytes(kept.read_bytes()[:-20])
    assert results == [["0", "1"], ["0", "1"], ["1", "0"]]


def test_how_kernels_are_kept_does_not_change_them():
    """An edit of the cache's own module compiles nothing again."""
    names = {file.name for file in _sources.sources_of(SOURCE / "algorithms" / "classic" / "best_first_query.py")}
    assert {"best_first_query.py", "queue.py", "jit.py", "layout.py"} <= names
    assert "compiler.py" in names
    assert not {"announce.py", "cache.py", "code_time.py", "folders.py", "pack.py", "sources.py"} & names
