"""What is compiled for an algorithm, and which variants of each kernel exist.

    python benchmarks/variants.py src
    git worktree add ../before 671ee51
    python benchmarks/variants.py ../before/src src
    python benchmarks/variants.py --pack out/packs/x86-64-v3.pack

For each algorithm and each source tree: the functions that became machine code, the seconds that the compiler took and
the bytes that it wrote, when a process with an empty cache makes a finder for a small map and finds one path. Seconds
are processor time: that of the first process less that of a second one, which finds everything in the cache. With two
trees, processes take turns. --pack lists the kernels of a pack that were compiled for the most combinations of types,
and the arguments in which these differ.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from common import begin_run, make_parser, print_heading, print_row

PROBE = r"""
import sys, time
import numpy as np
import waygrid as wg
name = sys.argv[1]
info = wg.algorithms()[name]
topology = "octile" if "octile" in info.topologies else info.topologies[0]
corners = "never" if "never" in info.corners else info.corners[0]
passable = np.ones((12, 12), np.uint8)
passable[1, :-1] = 0
began = time.process_time()
finder = wg.make_finder(name, wg.Grid(passable, topology=topology, corners=corners))
finder.find((0, 0), (2, 2), max_expansions=100)
print(time.process_time() - began)
"""
MACHINE_CODE = {".kernel", ".nbc"}  # ours, and those of Numba's own cache, which earlier versions used


class Cost(NamedTuple):
    """What the first path of an algorithm takes, where nothing is compiled yet."""

    functions: int  # that became machine code
    seconds: float
    bytes: int  # of machine code


def measure(tree: Path, name: str) -> Cost:
    with tempfile.TemporaryDirectory() as cache:
        settings = {"PYTHONPATH": str(tree.resolve()), "WAYGRID_CACHE": cache, "WAYGRID_PACK": "0"}
        command = [sys.executable, "-c", PROBE, name]
        first, second = (
            float(subprocess.run(command, env={**os.environ, **settings}, stdout=subprocess.PIPE, check=True).stdout)
            for _ in range(2)
        )
        files = [file.stat().st_size for file in Path(cache).rglob("*") if file.suffix in MACHINE_CODE]
    return Cost(len(files), first - second, sum(files))


def list_names(tree: Path) -> list[str]:
    command = [sys.executable, "-c", "import json, waygrid; print(json.dumps(list(waygrid.algorithms())))"]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(tree.resolve())}, stdout=subprocess.PIPE)
    return list(json.loads(done.stdout))


def compare(trees: list[Path], names: list[str]) -> None:
    """Print a row for each algorithm: functions, seconds and KB, each for all trees."""
    print_heading("", *("functions" for _ in trees), *("s" for _ in trees), *("KB" for _ in trees))
    total = [Cost(0, 0.0, 0) for _ in trees]
    for name in names:
        costs = [measure(tree, name) for tree in trees]
        total = [Cost(*map(sum, zip(one, two, strict=True))) for one, two in zip(total, costs, strict=True)]
        _print_costs(f"`{name}`", costs)
    _print_costs("sum", total)


def _print_costs(name: str, costs: list[Cost]) -> None:
    print_row(
        name,
        *(cost.functions for cost in costs),
        *(f"{cost.seconds:.1f}" for cost in costs),
        *(f"{cost.bytes / 1e3:,.0f}" for cost in costs),
    )


def list_variants(file: Path, least: int) -> None:
    """Print the kernels of a pack with the most variants: how many, their bytes, and the types that differ."""
    from waygrid.core.pack import Pack

    pack = Pack(file, file.stem)
    found: dict[tuple[str, str], list[tuple[Any, int]]] = defaultdict(list)
    for entry in pack._places:
        module, _, rest = entry.partition("/")
        code = pack.read(entry) or b""
        signature = pickle.loads(code)[3]
        found[module.rpartition("-")[0], rest.split("-")[0]].append((signature.args, len(code)))
    sizes = [size for variants in found.values() for _, size in variants]
    print(f"{len(found)} kernels, {len(sizes)} variants, {sum(sizes) / 1e6:.1f} MB\n")
    print_heading("kernel", "variants", "KB", "argument: types")
    for (module, name), variants in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(variants) < least:
            break
        print_row(
            f"{module}.{name}",
            len(variants),
            f"{sum(size for _, size in variants) / 1e3:,.0f}",
            "; ".join(_list_differences([arguments for arguments, _ in variants])),
        )


def _list_differences(variants: list[Any]) -> list[str]:
    """Return the arguments that differ, with the types that each has; tuples are taken apart."""
    flat = [_flatten(arguments) for arguments in variants]
    places = sorted({place for one in flat for place in one})
    kinds = {place: sorted({one.get(place, "absent") for one in flat}) for place in places}
    return [f"{place}: {' or '.join(types)}" for place, types in kinds.items() if len(types) > 1]


def _flatten(arguments: Any, prefix: str = "") -> dict[str, str]:
    """Return the types of arguments by their places: 2.3 is the fourth part of the third argument."""
    found = {}
    for number, one in enumerate(arguments):
        place = f"{prefix}{number}"
        if hasattr(one, "types"):
            found |= _flatten(one.types, f"{place}.")
        else:
            found[place] = _shorten(str(one))
    return found


def _shorten(name: str) -> str:
    name = re.sub(r"(?:unaligned )?array\(Record\((.*?);\d+;\w+\), (.*?), C\)", r"records \1", name)
    name = re.sub(r"\[type=(\w+);offset=\d+\]", r" \1", name)
    return re.sub(r"array\((\w+), (\d)d, C\)", r"\1 \2d", name)


def main() -> None:
    parser: argparse.ArgumentParser = make_parser(__doc__, maps=False)
    parser.add_argument("trees", type=Path, nargs="*", metavar="TREE", help="folders that hold the package")
    parser.add_argument("--only", default="", help="names of algorithms, with commas")
    parser.add_argument("--pack", type=Path, metavar="FILE", help="list the variants in a pack")
    parser.add_argument("--least", type=int, default=4, help="of variants, for a kernel to be listed")
    options = begin_run(parser)
    if options.trees:
        names = options.only.split(",") if options.only else list_names(options.trees[-1])
        compare(options.trees, names)
    if options.pack:
        list_variants(options.pack, options.least)


if __name__ == "__main__":
    main()
