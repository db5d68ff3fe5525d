"""`waygrid algorithms`: the algorithms, what each guarantees and supports, and its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from waygrid.options import Option
    from waygrid.search.declaration import AlgorithmInfo


def algorithms(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Only these algorithms.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object, with the names as keys.")] = False,
) -> None:
    """List the algorithms and their options."""
    from waygrid.cli.show import print_json
    from waygrid.search.names import unknown_algorithm
    from waygrid.search.registry import algorithms as known_algorithms

    known = known_algorithms()
    for name in names or ():
        if name not in known:
            raise unknown_algorithm(name, known)
    chosen = {name: known[name] for name in names or known}
    if as_json:
        print_json({name: _as_json(entry) for name, entry in chosen.items()})
    else:
        _print(chosen)


def _as_json(entry: AlgorithmInfo) -> dict[str, Any]:
    from waygrid.search.declaration import BUILD_OPTIONS

    return {
        "summary": entry.summary,
        "paper": entry.paper,
        "optimal": entry.optimal,
        "index": entry.index,
        "real_time": entry.real_time,
        "topologies": list(entry.topologies),
        "corners": list(entry.corners),
        "weights": entry.weights,
        "mean": entry.mean,
        "one_way": entry.one_way,
        "blocked": entry.blocked,
        "model": entry.model,
        "gpu": entry.gpu,
        "follows": entry.follows,
        "falls_back": list(entry.falls_back),
        "options": _options_as_json(entry.options),
        "build_options": _options_as_json(BUILD_OPTIONS if entry.index else {}),
    }


def _options_as_json(options: Mapping[str, Option]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "default": option.default,
            "allowed": option.allowed,
            "summary": option.summary,
            "kind": option.kind,
            "choices": list(option.values),
            "least": option.least,
            "greatest": option.greatest,
            "unit": option.unit,
        }
        for name, option in options.items()
    }


def _print(chosen: dict[str, AlgorithmInfo]) -> None:
    """Print two tables that both fit 80 columns: properties, then what each algorithm does and its options."""
    from waygrid.cli.show import TableColumn, page, print_table
    from waygrid.search.declaration import ALL_GRIDS, BUILD_OPTIONS

    target = page()
    papers = list(dict.fromkeys(entry.paper for entry in chosen.values()))
    print_table(
        [TableColumn(title) for title in ("algorithm", "cheapest", "index", "real time", "weights", "grids", "paper")],
        [
            (
                name,
                _yes(entry.optimal),
                _yes(entry.index),
                _yes(entry.real_time),
                _yes(entry.weights),
                "all" if entry.topologies == ALL_GRIDS else " ".join(entry.topologies),
                f"[{papers.index(entry.paper) + 1}]",
            )
            for name, entry in chosen.items()
        ],
    )
    target.print()
    target.print("cheapest: paths are optimal with the default options. index: the map is preprocessed.")
    target.print("real time: bounded work per move. weights: cells may cost more than 1.")
    for line in _list_follows(chosen):
        target.print(line)
    for number, paper in enumerate(papers, 1):
        target.print(f"[{number}] {paper}")
    target.print()
    rows: list[tuple[str, str, str]] = []
    for name, entry in chosen.items():
        rows.append((name, "", entry.summary))
        for option, declared in entry.options.items():
            rows.append(_row(option, declared))
    if any(entry.index for entry in chosen.values()):
        rows.append(("every index", "", "options of the build; they do not change the index"))
        rows += [_row(option, declared) for option, declared in BUILD_OPTIONS.items()]
        on_gpu = ", ".join(name for name, entry in chosen.items() if entry.gpu)
        rows.append(("", "", f"device=gpu: {on_gpu or 'none of these'}"))
    titles = (
        TableColumn("algorithm"),
        TableColumn("option=default"),
        TableColumn("meaning (allowed values)", fold=True),
    )
    print_table(titles, rows, target=target)


def _list_follows(chosen: Mapping[str, AlgorithmInfo]) -> list[str]:
    """Return a line for each way in which some of the algorithms follow edits of the map."""
    from waygrid.search.declaration import FOLLOWS

    names = {word: [name for name, entry in chosen.items() if entry.follows == word] for word in FOLLOWS}
    return [f"after edits, {', '.join(names[word])}: {text}." for word, text in FOLLOWS.items() if names[word]]


def _row(name: str, option: Option) -> tuple[str, str, str]:
    return "", f"{name}={option.write(option.default)}", f"{option.summary} ({option.allowed})"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
