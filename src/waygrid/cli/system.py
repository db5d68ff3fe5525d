"""What `waygrid info --system` prints: versions, the processor, and where compiled kernels come from."""

from __future__ import annotations

from typing import Any


def collect_system_facts() -> dict[str, Any]:
    """Return what decides how fast waygrid starts and runs here."""
    import platform

    import numba

    from waygrid.core import jit
    from waygrid.core.pack import describe_pack, find_pack, name_processor
    from waygrid.core.sources import list_versions
    from waygrid.search.cells import count_threads
    from waygrid.version import __version__

    settings: Any = numba.config
    if settings.DISABLE_JIT:
        cache, pack = "none: NUMBA_DISABLE_JIT turns the compiler off", "none: nothing is compiled"
    else:
        folder = jit.CACHE_FOLDER
        cache = "none: no folder can be used, a warning says why" if folder is None else str(folder)
        pack = describe_pack()
    found = find_pack()
    files = [] if jit.CACHE_FOLDER is None else [file for file in jit.CACHE_FOLDER.rglob("*.*") if file.is_file()]
    return {
        "waygrid": __version__,
        "python": platform.python_version(),
        **{name: version for name, version in list_versions().items() if name != "python"},
        "processor": f"{name_processor()[1]}, {count_threads()} cores",
        "compiled_kernels": pack,
        "compiled_kernels_level": None if found is None else found.level,
        "cache": cache,
        "cache_files": len(files),
        "cache_bytes": sum(file.stat().st_size for file in files),
    }


def describe_system(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the rows of a table of the facts."""
    versions = [(name, facts[name]) for name in ("waygrid", "python", "numba", "llvmlite", "numpy")]
    return [
        *versions,
        ("processor", facts["processor"]),
        ("kernels of the package", facts["compiled_kernels"]),
        ("cache of kernels", facts["cache"]),
        ("", f"{facts['cache_files']} files, {facts['cache_bytes'] / 1e6:.1f} MB"),
    ]
