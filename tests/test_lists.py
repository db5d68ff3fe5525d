"""Lists in README, docs and help are those of the code."""

import re
import runpy
from pathlib import Path

import pytest
import typer

import waygrid as wg
from waygrid.cli import main
from waygrid.cli.app import make_app
from waygrid.cli.codes import list_codes
from waygrid.formats import FORMATS
from waygrid.grid.generate import KINDS
from waygrid.grid.metric import METRICS
from waygrid.grid.topology import CORNERS, TOPOLOGIES

pytestmark = pytest.mark.quick

DOCS = Path(__file__).parent.parent / "docs"
LISTS = runpy.run_path(str(DOCS / "lists.py"))
PAGES = [page for page in LISTS["PAGES"] if "<!-- list: " in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lists_are_those_of_the_code(page):
    text = page.read_text(encoding="utf-8")
    assert text.count("<!-- list: ") == text.count("<!-- end -->") == len(LISTS["BLOCK"].findall(text))
    assert LISTS["rewrite"](text) == text, f"{page.name} differs from the code: run `make lists`"


def test_a_list_that_differs_is_noticed():
    text = "# Page\n<!-- list: exit codes in short -->0 done<!-- end -->.\n"
    assert LISTS["rewrite"](text) == f"# Page\n<!-- list: exit codes in short -->{list_codes()}<!-- end -->.\n"


def test_every_list_is_on_a_page():
    texts = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in LISTS["LISTS"] if f"<!-- list: {name} -->" not in texts] == []


def test_every_algorithm_has_a_page_that_names_it():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    for name, info in wg.algorithms().items():
        page, _, _ = info.page.partition("#")
        assert re.search(f'["`]{re.escape(name)}["`]', (DOCS / page).read_text(encoding="utf-8"))
        assert f"]({page})" in index


def list_commands(command, *words):
    """Yield every command with its words."""
    for word, inner in getattr(command, "commands", {}).items():
        yield from list_commands(inner, *words, word)
    if not hasattr(command, "commands"):
        yield words, command


OF_MANY = {"--grid", "--corners", "--metric", "--clearance", "--rule", "--read", "--set"}  # named below the table


def test_the_table_of_commands_names_every_option():
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    missing = []
    for words, command in list_commands(typer.main.get_command(make_app())):
        rows = " ".join(re.findall(rf"^\| `waygrid {words[0]}\b.*$", page, re.MULTILINE))
        missing += [words] if not rows else []
        for one in command.params:
            names = [name for name in one.opts if name.startswith("-")]
            if names and not OF_MANY & set(names):
                there = any(re.search(rf"`[^`]*{name}\b(?!-)", rows) for name in names)
                missing += [] if there else [(*words, *names)]
    assert missing == []


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ((), [list_codes()]),
        (("find",), [*FORMATS, *TOPOLOGIES, *CORNERS, *METRICS]),
        (("convert",), [*FORMATS, *(option for one in FORMATS.values() for option in one.reading)]),
        (("generate",), [*KINDS, *FORMATS, *(f"{kind}: {', '.join(one.options)}." for kind, one in KINDS.items())]),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else "",
)
def test_help_names_what_the_code_has(command, named, capsys):
    assert main([*command, "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert [word for word in named if word not in shown] == []
