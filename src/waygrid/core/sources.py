"""What machine code is made from: the sources of a kernel, and the versions that compile them, each as a hash.

Numba's own cache compares the path and the time stamp of the one file that a function stands in. A change in an
imported kernel would go unnoticed by its cached callers, and a second checkout of the same sources would compile
everything again. Here the content counts: of the module and of all modules of the package that it imports. So an edit
compiles what depends on it again, and nothing else.
"""

import hashlib
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

PACKAGE = Path(__file__).parent.parent
# These say where machine code is kept and who hears of it, not what it is. With them goes what only they import.
_KEEPERS = frozenset(Path(__file__).parent / f"{name}.py" for name in ("announce", "cache", "pack", "sources"))
_IMPORT = re.compile(r"^\s*(?:from\s+(waygrid[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)|import\s+(waygrid[\w.]*))", re.M)


def _file_of(module: str) -> Path | None:
    """Return the file of a module of the package, None where the name is none."""
    place = PACKAGE.parent.joinpath(*module.split("."))
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file
    return None


def _imports(source: str) -> set[Path]:
    """Return the files of the package that a source imports, in functions too."""
    found = set()
    for module, names, plain in _IMPORT.findall(source):
        names = re.sub(r"\bas\s+\w+", "", names)  # another name for it here may be the name of another module
        listed = [f"{module}.{name}" for name in re.findall(r"\w+", names)] if module else []
        found |= {file for name in (module or plain, *listed) if (file := _file_of(name)) is not None}
    return found


@cache
def _resolve(file: str) -> Path:
    return Path(file).resolve()


@cache
def _read(file: Path) -> tuple[bytes, frozenset[Path]]:
    source = file.read_bytes()
    return hashlib.sha256(source).digest(), frozenset(_imports(source.decode()))


def sources_of(file: Path) -> set[Path]:
    """Return a source file and all files of the package that its machine code depends on."""
    found, waiting = {file}, [file]
    while waiting:
        new = _read(waiting.pop())[1] - found - _KEEPERS
        found |= new
        waiting += new
    return found


@cache
def source_hash(*files: Path) -> str:
    """Return a hash of all sources of the machine code of files."""
    digest = hashlib.sha256()
    for digests in sorted(_read(one)[0] for one in set().union(*map(sources_of, files))):
        digest.update(digests)
    return digest.hexdigest()


def name_module(function: Callable[..., Any], sources: Sequence[Path] = ()) -> str:
    """Return a name for the module of a function, which changes with everything that its machine code is from.

    sources: the files that the function was written from by a template, besides the one of its module.
    """
    files = {_resolve(str(sys.modules[function.__module__].__file__)), *(_resolve(str(file)) for file in sources)}
    return f"{function.__module__.partition('.')[2]}-{source_hash(*sorted(files))[:16]}"


def list_versions() -> dict[str, str]:
    """Return the versions that decide what machine code is and what can load it.

    Micro versions of Python and NumPy do not: machine code uses neither but through interfaces that stay the same.
    """
    return {
        "python": f"{sys.implementation.name}-{sys.version_info.major}.{sys.version_info.minor}",
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "numpy": ".".join(np.__version__.split(".")[:2]),
    }


def versions_hash(*settings: object) -> str:
    """Return a hash of the versions that turn sources into machine code, and of settings."""
    return hashlib.sha256(repr((list_versions(), *settings)).encode()).hexdigest()[:16]
