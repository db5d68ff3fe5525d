"""`waygrid warmup`: compile kernels now, so that later calls start at once."""

from __future__ import annotations

from typing import Annotated

import typer


def warmup(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="ALGORITHM", help="What to compile.", show_default="all")
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="Also weights, one-way tiles, very large maps, traces, partial paths and all options."
        ),
    ] = False,
) -> None:
    """Compile kernels now, so that later calls start at once.

    By default for what most people use: building an index, finding paths, agents, on maps without weights. Kernels that
    came with the package need no compiling. Compiled ones are cached on disk; a second run has nothing to do.
    """
    from time import perf_counter

    from waygrid.cli.show import duration, progress
    from waygrid.core.jit import CACHE_FOLDER
    from waygrid.core.pack import describe_pack, find_pack
    from waygrid.search.registry import algorithms, find_class
    from waygrid.warm.workers import compile_kernels

    for name in names or ():
        find_class(name)  # refuses an unknown one
    began = perf_counter()
    with progress("compiling") as tell:
        compiled = compile_kernels(
            names, everything, report=lambda done, total, job: tell(done / total, f"{done} of {total}: {job}")
        )
    count = len(names or algorithms())
    took = duration(perf_counter() - began)
    what = f"{count} algorithm{'' if count == 1 else 's'} ready in {took}"
    if find_pack() is not None and not compiled:
        print(f"{what}; nothing to compile, kernels came with the package ({describe_pack()})")
    elif CACHE_FOLDER is None:
        print(f"{what}; nothing is cached")  # a warning has said why
    else:
        print(f"{what}, {compiled} kernels compiled; cache: {CACHE_FOLDER}")
