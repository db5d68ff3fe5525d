"""Compile all kernels for processors of a level, and write them as the packs of a platform wheel.

    python -m waygrid.warm.packs FOLDER

Each level is compiled by processes whose Numba is told to compile for that level, into a cache of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from waygrid.core.cache import KERNEL
from waygrid.core.pack import list_levels, write_pack
from waygrid.warm.workers import compile_kernels

# How long a loop LLVM unrolls depends on the processor; for processor levels the limit is low. With that limit, jps+gb
# on an AMD EPYC ran at 0.92 of the speed of kernels compiled for that processor, with this one at 0.97 to 0.98.
_UNROLL = "-unroll-partial-threshold=150"


def write_packs(folder: Path) -> list[Path]:
    """Write a pack for each level of this kind of machine into a folder; return the files."""
    written = []
    for level in list_levels():
        with tempfile.TemporaryDirectory() as cache:
            settings = {
                "NUMBA_CPU_NAME": level,
                "NUMBA_CPU_FEATURES": "",
                "WAYGRID_CACHE": cache,
                "WAYGRID_PACK": "0",
            }
            subprocess.run(
                [sys.executable, "-m", "waygrid.warm.packs", "--compile"], env={**os.environ, **settings}, check=True
            )
            file = folder / f"{level}.pack"
            write_pack(file, _collect(Path(cache)))
        written.append(file)
    return written


def _collect(cache: Path) -> dict[str, bytes]:
    """Return the kernels of a cache that Python calls, by their names in a pack."""
    return {
        f"{file.parent.name}/{file.name.rpartition('-')[0]}": file.read_bytes() for file in cache.rglob(f"*{KERNEL}")
    }


def _compile() -> None:
    began = time.monotonic()

    def report(done: int, total: int, job: str) -> None:
        if done % 20 == 0 or done == total:
            print(
                f"{os.environ['NUMBA_CPU_NAME']}: {done} of {total} jobs, {time.monotonic() - began:.0f} s", flush=True
            )

    options = (_UNROLL,) if os.environ["NUMBA_CPU_NAME"].startswith("x86-64") else ()
    compile_kernels(everything=True, report=report, options=options)


def main(arguments: list[str]) -> None:
    """Write packs into the folder that is named, or compile for one level."""
    if arguments == ["--compile"]:
        _compile()
        return
    (folder,) = arguments
    for file in write_packs(Path(folder)):
        print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
