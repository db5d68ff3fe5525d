"""Rewrite the lists in README and docs that come from the code: python docs/lists.py

A list stands between <!-- list: NAME --> and <!-- end -->. NAME is one of LISTS, `options` with names of algorithms, or
`interface` with names of the package.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import waygrid as wg
from waygrid.cli.codes import ExitCode, list_codes
from waygrid.formats import FORMATS
from waygrid.graph.declare import ALGORITHMS as GRAPH_ALGORITHMS
from waygrid.grid.generate import KINDS
from waygrid.options import Option
from waygrid.search.declaration import ALL_CORNERS, ALL_GRIDS, BUILD_OPTIONS, FOLLOWS, AlgorithmInfo

DOCS = Path(__file__).parent
PAGES = (DOCS.parent / "README.md", *sorted(DOCS.glob("*.md")))
BLOCK = re.compile(r"(<!-- list: ([^\n]+?) -->)(.*?)(<!-- end -->)", re.DOTALL)


def make_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def write_code(value: Any) -> str:
    """Return a value as Python writes it, in the type of code."""
    return f'`"{value}"`' if isinstance(value, str) else f"`{value!r}`"


def list_options(declared: Mapping[str, Option]) -> list[tuple[str, str, str, str]]:
    """Return a row for each option."""
    return [
        (
            f"`{name}`",
            write_code(option.default),
            option.allowed + (f" ({option.unit})" if option.unit and option.kind != "bytes" else ""),
            option.summary,
        )
        for name, option in declared.items()
    ]


def list_options_of(*names: str) -> str:
    """Return a table of the options of some algorithms; what several of them share is named once."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        for row in list_options(wg.algorithms()[name].options):
            rows.setdefault(row, []).append(f"`{name}`")
    if len(names) == 1:
        return make_table(("option", "default", "allowed", "what it does"), rows)
    titles = ("algorithm", "option", "default", "allowed", "what it does")
    return make_table(titles, [(", ".join(owners), *row) for row, owners in rows.items()])


def list_all_options() -> str:
    """Return a table of the options of all algorithms that have some."""
    return list_options_of(*wg.algorithms())


def list_algorithms() -> str:
    """Return what each algorithm does."""
    titles = ("name", "what it does", "memory per cell of the map", "paper")
    return make_table(
        titles, [(_link(one), one.summary, one.memory, _authors(one)) for one in wg.algorithms().values()]
    )


def list_support() -> str:
    """Return what each algorithm promises and supports."""
    titles = (
        "name",
        "cheapest path",
        "index",
        "real time",
        "grids",
        "corners",
        "weights",
        "mean",
        "one-way",
        "`blocked=`",
        "GPU",
    )
    rows = [
        (
            f"`{one.name}`",
            *map(_mark, (one.optimal, one.index, one.real_time)),
            "all" if one.topologies == ALL_GRIDS else ", ".join(one.topologies),
            "all" if one.corners == ALL_CORNERS else ", ".join(one.corners),
            *map(_mark, (one.weights, one.mean, one.one_way, one.blocked)),
            _mark(one.gpu) if one.index else "",
        )
        for one in wg.algorithms().values()
    ]
    return make_table(titles, rows)


def _mark(value: bool) -> str:
    return "yes" if value else "no"


def _link(info: AlgorithmInfo) -> str:
    return f"[`{info.name}`]({info.page})"


def _authors(info: AlgorithmInfo) -> str:
    """Return a paper by its authors, and the section where one is named."""
    return re.sub(r"^.*?\((.*?)\)", r"\1", info.paper, count=1)


def list_names() -> str:
    """Return the names of all algorithms, with the pages that describe them."""
    pages: dict[str, list[str]] = {}
    for info in wg.algorithms().values():
        pages.setdefault(info.page.split("#")[0], []).append(f"`{info.name}`")
    return "; ".join(f"{' '.join(names)}: see [{_title(page)}](docs/{page})" for page, names in pages.items())


def _title(page: str) -> str:
    title = (DOCS / page).read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    return title.partition(":")[0]


def list_graph_algorithms() -> str:
    """Return the algorithms that search graphs."""
    rows = [
        (f"`{name}`", info.summary, ", ".join(_setting(*option) for option in info.options.items()), _mark(info.index))
        for name, info in GRAPH_ALGORITHMS.items()
    ]
    return make_table(("name", "what it does", "options", "index"), rows)


def _setting(name: str, option: Option) -> str:
    return f"`{name}={write_code(option.default).strip('`')}`"


def list_generators() -> str:
    """Return the kinds of generated maps."""
    rows = [
        (f"`{name}`", kind.summary, "; ".join(f"{_setting(*one)}: {one[1].summary}" for one in kind.options.items()))
        for name, kind in KINDS.items()
    ]
    return make_table(("kind", "what", "options"), rows)


def list_formats() -> str:
    """Return the formats of maps."""
    rows = [
        (f"`{suffix}`", one.name, one.weights, " ".join(f"`{name}={value}`" for name, value in one.reading.items()))
        for suffix, one in FORMATS.items()
    ]
    return make_table(("suffix", "what", "weights", "reading takes"), rows)


def list_overlays() -> str:
    """Return what the studio can lay over a map."""
    titles = [overlay.title for info in wg.algorithms().values() for overlay in info.overlays.values()]
    own = ("Inflation", "Connected components")
    return ", ".join(title[0].lower() + title[1:] for title in (*titles, *own))


def list_interface(*names: str) -> str:
    """Return public names, each with the first sentence of its docstring."""
    return make_table(("name", "what it is"), [(f"`{name}`", _summarise(name)) for name in names])


def _summarise(name: str) -> str:
    if name == "__version__":
        return "The version of the package, a text."
    module, _, last = f"waygrid.{name}".rpartition(".")
    text = inspect.getdoc(getattr(import_module(module), last)) or ""
    return " ".join(re.split(r"(?<=[.;])\s|\n\n", text)[0].split()).rstrip(";.") + "."


def list_exit_codes() -> str:
    """Return the exit codes of the command line."""
    rows = [(str(int(code)), "; ".join(filter(None, (code.short, code.meaning)))) for code in ExitCode]
    return make_table(("code", "meaning"), rows)


def list_statuses() -> str:
    """Return how a search may end."""
    return make_table(
        ("status", "number", "cells and cost"),
        [(f"`{status.name}`", str(int(status)), status.meaning) for status in wg.Status],
    )


def list_follows() -> str:
    """Return how algorithms answer after edits of the map."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for name, info in wg.algorithms().items():
        backups = " or ".join(f"`{other}`" for other in info.falls_back)
        rows.setdefault((info.follows, FOLLOWS[info.follows], backups), []).append(f"`{name}`")
    cells = [(", ".join(names), f"**{word}**: {text}", backups or "-") for (word, text, backups), names in rows.items()]
    return make_table(("algorithm", "how it follows an edit", "what searches instead"), cells)


LISTS: dict[str, Callable[[], str]] = {
    "algorithms": list_algorithms,
    "follows": list_follows,
    "support": list_support,
    "names": list_names,
    "all options": list_all_options,
    "build options": lambda: make_table(("option", "default", "allowed", "what it does"), list_options(BUILD_OPTIONS)),
    "graph algorithms": list_graph_algorithms,
    "generators": list_generators,
    "formats": list_formats,
    "map suffixes": lambda: " ".join(f"`{suffix}`" for suffix in FORMATS),
    "overlays": list_overlays,
    "exit codes": list_exit_codes,
    "exit codes in short": list_codes,
    "statuses": list_statuses,
}


def make_list(name: str) -> str:
    """Return a list by its name."""
    if name.startswith("options "):
        return list_options_of(*name.split()[1:])
    if name.startswith("interface "):
        return list_interface(*name.split()[1:])
    return LISTS[name]()


def rewrite(text: str) -> str:
    """Return a page with the lists that the code gives now."""

    def replace(found: re.Match[str]) -> str:
        made = make_list(found[2])
        made = f"\n{made}\n" if "\n" in made else made
        return f"{found[1]}{made}{found[4]}"

    return BLOCK.sub(replace, text)


if __name__ == "__main__":
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if (new := rewrite(text)) != text:
            page.write_text(new, encoding="utf-8")
            print(page)
