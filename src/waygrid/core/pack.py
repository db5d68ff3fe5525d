"""Kernels that were compiled before they were installed: the packs that come with a platform wheel.

A pack holds the machine code of one processor level, for one version of Python, Numba, llvmlite and NumPy. It is read,
never written. Where none fits, kernels are compiled into the user's cache; `describe_pack` says why.

The file: eight bytes that name the format, the length of the head, the head (JSON), then the code of all kernels. The
head lists where the code of a kernel lies, by the name of its module with a hash of its sources, its function and a
hash of the types that it takes.
"""

import json
import os
import platform
from functools import cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple

import numba
from numba.core.registry import cpu_target

from waygrid.core.sources import PACKAGE, list_versions

FOLDER = PACKAGE / "packs"
MAGIC = b"WGPACK1\n"
_cpu: Any = cpu_target
_config: Any = numba.config

_V3 = ("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "ssse3", "xsave")
LEVELS: dict[str, dict[str, tuple[str, ...]]] = {  # by machine, the best first; what each asks of the processor
    "x86_64": {"x86-64-v3": _V3, "x86-64": ()},
    "aarch64": {"generic": ()},
    "arm64": {"generic": ()},
}


def list_levels() -> dict[str, tuple[str, ...]]:
    """Return the levels of this kind of machine, with the features of the processor that each needs."""
    machine = platform.machine()
    return LEVELS.get("x86_64" if machine == "AMD64" else machine, {})


@cache
def name_processor() -> tuple[Any, ...]:
    """Return what Numba compiles for in this process: the system, the processor's name and its features."""
    return tuple(_cpu.target_context.codegen().magic_tuple())


class Pack:
    """A pack that fits this process."""

    def __init__(self, file: Path, level: str) -> None:
        self.file, self.level = file, level
        with open(file, "rb") as source:
            self._bytes = mmap(source.fileno(), 0, access=ACCESS_READ)
        self._begin, head = _read_head(self._bytes)
        self._places: dict[str, list[int]] = head["kernels"]

    def __contains__(self, entry: str) -> bool:
        return entry in self._places

    def __len__(self) -> int:
        return len(self._places)

    def read(self, entry: str) -> bytes | None:
        """Return the code of a kernel, None where the pack has none."""
        place = self._places.get(entry)
        if place is None:
            return None
        begin = self._begin + place[0]
        return self._bytes[begin : begin + place[1]]


def _read_head(content: Any) -> tuple[int, dict[str, Any]]:
    """Return where the code begins, and the head."""
    if content[:8] != MAGIC:
        raise ValueError("not a pack of kernels")
    length = int.from_bytes(content[8:16], "little")
    return 16 + length, json.loads(content[16 : 16 + length])


def write_pack(file: Path, kernels: dict[str, bytes]) -> None:
    """Write kernels, which were compiled by the versions that are running, as a pack."""
    places, begin = {}, 0
    for name, code in sorted(kernels.items()):
        places[name] = [begin, len(code)]
        begin += len(code)
    head = json.dumps({"versions": list_versions(), "kernels": places}, separators=(",", ":")).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft")
    try:
        draft.write_bytes(b"".join((MAGIC, len(head).to_bytes(8, "little"), head, *(kernels[name] for name in places))))
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)  # that of a full disk


class _Found(NamedTuple):
    pack: Pack | None
    reason: str


@cache
def _look() -> _Found:
    """Return the best pack that fits, and why it is the one, or why there is none."""
    if os.environ.get("WAYGRID_PACK", "1") == "0":
        return _Found(None, "WAYGRID_PACK=0 turns packs off")
    if os.environ.get("WAYGRID_BOUNDSCHECK", "0") == "1":
        return _Found(None, "WAYGRID_BOUNDSCHECK=1 asks for other kernels")
    for setting in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
        if os.environ.get(setting) is not None:
            return _Found(None, f"{setting} is set: kernels are compiled for what it says")
    if not any(FOLDER.glob("*.pack")):
        return _Found(None, "this is a pure-Python installation, which brings no compiled kernels")
    features = _config.CPU_FEATURES or _host_features()
    reason = f"no pack is for {platform.machine()}"
    for level, needed in list_levels().items():
        file = FOLDER / f"{level}.pack"
        if not file.is_file():
            continue
        if missing := [name for name in needed if name not in features]:
            reason = f"this processor lacks {', '.join(missing)}"
            continue
        found = _open(file, level)
        if found.pack is not None:
            return found
        reason = found.reason
    return _Found(None, reason)


def _open(file: Path, level: str) -> _Found:
    try:
        with open(file, "rb") as source:
            versions = _read_head(source.read(2**24))[1]["versions"]
        for name, version in list_versions().items():
            if versions[name] != version:
                return _Found(None, f"the packs were made for {name} {versions[name]}, this is {version}")
        return _Found(Pack(file, level), "")
    except (OSError, ValueError, KeyError) as error:
        return _Found(None, f"{file.name} cannot be read ({error})")


def _host_features() -> set[str]:
    import llvmlite.binding as llvm

    return {name for name, there in llvm.get_host_cpu_features().items() if there}


def find_pack() -> Pack | None:
    """Return the pack of this process, None where kernels have to be compiled."""
    return _look().pack


def describe_pack() -> str:
    """Return which pack is used, or why none is, in a few words."""
    pack, reason = _look()
    return f"{pack.level}, {len(pack)} kernels" if pack is not None else f"none: {reason}"
