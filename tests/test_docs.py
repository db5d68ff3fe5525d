"""What the documentation says and shows is true: its code runs, its links and pictures are there, examples work.

The blocks of a page that begin with exactly ```python run in order and in one namespace, in an empty folder. A block
with prompts (>>>) is a doctest, any other is run as it stands. A block that cannot run here (one that needs a file or
a network) says so in its first line: ```python no-run
"""

import doctest
import re
import runpy
import sys
import textwrap
from pathlib import Path

import pytest

from waygrid.cli import main

ROOT = Path(__file__).parent.parent
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if page.is_file()]
PARTS = ("pictures_site.py", "pictures_taut.py")  # of pictures.py
EXAMPLES = [file for file in sorted((ROOT / "examples").glob("*.py")) if file.name not in PARTS]
BLOCK = re.compile(r"^( *)```python[ \t]*\n(.*?)^\1```[ \t]*$", re.MULTILINE | re.DOTALL)
ANY_BLOCK = re.compile(r"^ *```.*?^ *```[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(<?([^)\s>]+)>?\)")
LARGEST_PICTURE = 60_000  # bytes

SMALL = {
    "chase.py": ["--units", "20", "--frames", "30", "--size", "40x30"],
    "first_path.py": ["--out", "out"],
    "flow_field.py": ["--agents", "20", "--size", "40x30"],
    "gymnasium_crowd.py": ["--robots", "6", "--steps", "60"],
    "gymnasium_env.py": ["--episodes", "2"],
    "hex_map.py": ["--out", "out"],
    "many_agents.py": ["--agents", "20", "--frames", "3", "--size", "50x40"],
    "mesa_model.py": ["--people", "30", "--size", "30x20"],
    "moving_obstacles.py": ["--agents", "3", "--ticks", "30"],
    "pictures.py": ["--out", "out"],
    "raster.py": ["--out", "out"],
    "pygame_click.py": ["--headless", "--frames", "60"],
    "processes.py": ["--queries", "50", "--size", "40x30"],
    "straight_paths.py": ["--size", "40x30"],
    "sliced_search.py": ["--slice", "50", "--size", "40x30"],
}
# What examples need that waygrid does not; without it they are skipped.
PACKAGES = {
    "gymnasium_crowd.py": "gymnasium",
    "gymnasium_env.py": "gymnasium",
    "mesa_model.py": "mesa",
    "pygame_click.py": "pygame",
}


def blocks(page):
    """Yield the first line and the code of every block that is to run."""
    text = page.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        yield text.count("\n", 0, found.start(2)), textwrap.dedent(found.group(2))


def run_block(page, line, code, namespace):
    if ">>>" not in code:
        exec(compile("\n" * line + code, page.name, "exec"), namespace)
        return
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, page.name, line)
    test.globs = namespace
    said = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    result = runner.run(test, out=said.append, clear_globs=False)
    assert result.attempted, f"{page.name}, line {line}: a block with >>> but no example"
    assert not result.failed, "".join(said)


@pytest.mark.parametrize("page", [page for page in PAGES if any(blocks(page))], ids=lambda page: page.name)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": page.stem}
    for line, code in blocks(page):
        run_block(page, line, code, namespace)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_runs(example, tmp_path, monkeypatch, capsys):
    if example.name in PACKAGES:
        pytest.importorskip(PACKAGES[example.name])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example), *SMALL.get(example.name, [])])
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out.strip()
    if example.name == "pictures.py":
        kept = {file.name for file in (ROOT / "docs" / "pictures").iterdir()}
        for picture in sorted((tmp_path / "out").iterdir()):
            assert picture.name in kept, f"{picture.name} is missing: run examples/pictures.py"
            assert picture.stat().st_size < LARGEST_PICTURE, f"{picture.name} is too large"


def anchors(page):
    """Return the names of a page's headings, made as GitHub makes them."""
    text = ANY_BLOCK.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.quick
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in LINK.findall(ANY_BLOCK.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        place = (page.parent / file).resolve() if file else page
        assert place.exists(), f"{page.name}: {target} is not there"
        assert not anchor or anchor in anchors(place), f"{page.name}: {target} names no heading"


SESSION = re.compile(r"^```\n(\$ waygrid .*?)^```$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r"[\d.]+ (?=us \(compiled and warm)")


def test_the_session_of_the_command_line_is_what_it_prints(tmp_path, monkeypatch, capsys):
    """Commands and outputs of the page, times aside; the error is shown before the map that it needs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")  # narrower ones break the line of waypoints
    blocks = SESSION.findall((ROOT / "docs" / "command-line.md").read_text())
    assert len(blocks) == 2
    for block in reversed(blocks):
        for step in re.split(r"^\$ waygrid ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = step.partition("\n")
            main(command.split())
            printed = capsys.readouterr()
            assert TIME.sub("", printed.out + printed.err) == TIME.sub("", expected)


@pytest.mark.quick
def test_every_command_of_the_readme_is_there(capsys):
    block = (ROOT / "README.md").read_text().split("## Command line")[1].split("```")[1]
    lines = [line.split("#")[0].split()[1:] for line in block.strip().splitlines()]
    for command, *rest in lines:
        group = [command, *rest[:1]] if command == "maps" else [command]
        assert main([*group, "--help"]) == 0
        shown = capsys.readouterr().out
        assert "Usage" in shown, command
        for option in (word for word in rest if word.startswith("--")):
            assert option in shown, f"waygrid {command} has no {option}"


@pytest.mark.quick
def test_the_pages_agree_on_edits():
    """changing.md says what happens after an edit; the other pages link to it, and none says that indexes refuse it."""
    for name in ("grids", "queries", "formats", "building", "choosing", "jps", "cpd", "turntable", "dba", "real-time"):
        assert "](changing.md" in (ROOT / "docs" / f"{name}.md").read_text(), name
    texts = " ".join(" ".join(page.read_text().split()) for page in PAGES)
    for wrong in ("raise an error that names both versions: create", "refuses an edited map"):
        assert wrong not in texts


@pytest.mark.quick
def test_every_picture_is_on_a_page():
    texts = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for picture in sorted((ROOT / "docs" / "pictures").iterdir()):
        assert picture.name in texts, f"{picture.name} is on no page"


MEASURED = re.compile(r"\b(us|ms)\b|\bbuild s\b")
COMMAND = re.compile(r"benchmarks/(\w+\.py)|waygrid (?:bench|reproduce|advise|find|build)\b")


def tables(lines):
    """Yield the first line of each table and the one behind it."""
    first = None
    for number, line in enumerate([*lines, ""]):
        if line.startswith("|") and first is None:
            first = number
        elif not line.startswith("|") and first is not None:
            yield first, number
            first = None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_measured_times_stand_beside_the_command_that_gives_them(page):
    """In the same section before the table, in the lines behind it, or at the top of the page of a paper."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for first, last in tables(lines):
        if not any(MEASURED.search(line) for line in lines[first:last]):
            continue
        section = max((number for number in range(first) if lines[number].startswith("#")), default=0)
        opening = lines[:8] if page.name.startswith("paper-") else []
        near = " ".join([*opening, *lines[section : last + 6]])
        named = COMMAND.search(near)
        assert named, f"{page.name}, line {first + 1}: which command gives these times?"
        assert named[1] is None or (ROOT / "benchmarks" / named[1]).is_file(), f"{page.name}: there is no {named[0]}"
