"""The site: it builds without a warning, its links lead somewhere, and no page loads anything from another host."""

import os
import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import waygrid as wg

DOCS = Path(__file__).parent.parent / "docs"
TOOLS = [name for name in ("sphinx", "myst_nb", "furo", "sphinx_copybutton") if find_spec(name) is None]
ELSEWHERE = re.compile(r"(?:[a-z]+:)?//", re.IGNORECASE)
LOADED = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s]+)""")

INTERNAL = {f"waygrid.Grid.{name}" for name in ("cardinal_price", "cell_error", "diagonal_cost", "table")}
INTERNAL |= {f"waygrid.Graph.{name}" for name in ("node_error", "node_number", "ratio", "scaled_points")}
INTERNAL |= {f"waygrid.{name}.path" for name in ("Batch", "GraphBatch", "StraightBatch")}  # what batch[k] returns


class Page(HTMLParser):
    """What a page loads, where it leads, and the places in it that a link can name."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.places = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places |= {given.get("id"), given.get("name") if tag == "a" else None}
        self.loads += [given[name] for name in ("src", "srcset", "poster", "data") if given.get(name)]
        self.loads += LOADED.findall(given.get("style") or "")
        if given.get("href"):
            (self.loads if tag == "link" else self.links).append(given["href"])


def loads_from_elsewhere(text):
    return [target for target in Page(text).loads if ELSEWHERE.match(target)] + LOADED.findall(text)


def dead_links(pages, folder):
    """Return the links and files of pages, given by their names, that lead nowhere."""
    dead = []
    for name, page in pages.items():
        for target in [*page.links, *page.loads]:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            place = (folder / name).parent / unquote(parts.path) if parts.path else folder / name
            known = pages.get(Path(os.path.relpath(place, folder)).as_posix())
            lost = known is not None and parts.fragment and unquote(parts.fragment) not in known.places
            if lost or not place.is_file():
                dead.append(f"{name}: {target}")
    return dead


def missing_members(places):
    """Return what classes of the interface offer, their bases included, and the reference does not name."""
    kinds = {name: value for name in wg.__all__ if isinstance(value := getattr(wg, name), type)}
    offered = [
        f"waygrid.{name}.{member}"
        for name, kind in kinds.items()
        for base in kind.__mro__
        if base.__module__.startswith("waygrid")
        for member in vars(base)
        if not member.startswith("_")
    ]
    return sorted(set(offered) - places - INTERNAL)


@pytest.mark.skipif(bool(TOOLS), reason=f"not installed: {', '.join(TOOLS)}; see requirements-docs.txt")
def test_the_site_is_whole(tmp_path):
    """One build for everything: it takes longer than all that is looked at."""
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-d", tmp_path / "trees"]
    done = subprocess.run([*build, DOCS, tmp_path / "site"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

    site = tmp_path / "site"
    texts = {file.relative_to(site).as_posix(): file.read_text(encoding="utf-8") for file in site.rglob("*.html")}
    pages = {name: Page(text) for name, text in texts.items()}
    assert {f"{page.stem}.html" for page in DOCS.glob("*.md")} <= set(pages)
    assert {f"notebooks/{page.stem}.html" for page in DOCS.glob("notebooks/*.ipynb")} <= set(pages)
    assert {name: found for name, text in texts.items() if (found := loads_from_elsewhere(text))} == {}
    styles = {file.name: LOADED.findall(file.read_text(encoding="utf-8")) for file in site.rglob("*.css")}
    assert {name: found for name, found in styles.items() if found} == {}
    assert dead_links(pages, site) == []

    assert [name for name in wg.__all__ if f"waygrid.{name}" not in pages["api.html"].places] == []
    assert missing_members(pages["api.html"].places) == []
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert '"tutorial-game"' in index
    assert any("searchtools" in target for target in pages["search.html"].loads)
    explained = {info.page.split("#")[0].removesuffix(".md") for info in wg.algorithms().values()}
    assert {f"lessons/{name}.html" for name in explained} <= set(pages)
    assert [name for name in explained if f"lessons/{name}.html" not in pages[f"{name}.html"].loads] == []
    assert {f"lessons/{name}.html" for name in explained} <= set(pages["gallery.html"].links)
    assert "<!-- site:" not in "".join(texts.values())


@pytest.mark.quick
def test_the_checks_of_the_site_find_faults(tmp_path):
    outside = (
        '<script src="//cdn.example/x.js"></script><link href="https://a.example/b.css"><a href="https://c.example">'
    )
    assert loads_from_elsewhere(outside) == ["//cdn.example/x.js", "https://a.example/b.css"]
    assert loads_from_elsewhere("<style>@import 'https://a.example/f.css'</style>") == ["https://a.example/f.css"]
    assert loads_from_elsewhere('<img src="_images/a.png"><a href="https://c.example">') == []
    page = Page('<h1 id="top"></h1><a href="#top"></a><a href="#no"></a><a href="b.html"></a><img src="a.png">')
    (tmp_path / "a.html").touch()
    assert dead_links({"a.html": page}, tmp_path) == ["a.html: #no", "a.html: b.html", "a.html: a.png"]


@pytest.fixture(scope="module")
def conf():
    path = list(sys.path)
    yield runpy.run_path(str(DOCS / "conf.py"))
    sys.path[:] = path


@pytest.mark.quick
def test_sections_of_the_index_are_those_of_the_sidebar(conf):
    text = "# Title\n\n## Guides\n\n| [Grids](grids.md) | x |\n| [A](../a.md) | x |\n\n## Words\n\nNo [page](jps.md).\n"
    assert re.findall(r"```{toctree}\n(.*?)\n```", conf["add_contents"](text), re.DOTALL) == [
        ":hidden:\n:caption: Guides\n\nGrids <grids>"
    ]


@pytest.mark.quick
def test_links_to_the_repository_lead_there(conf):
    lead, source = conf["lead_to_repository"], conf["REPOSITORY"]
    assert lead("[a](../examples/hex_map.py)", DOCS) == f"[a]({source}/blob/main/examples/hex_map.py)"
    assert lead("[a](../../examples)", DOCS / "notebooks") == f"[a]({source}/tree/main/examples)"
    assert lead("[a](../grids.md#weights)", DOCS / "notebooks") == "[a](../grids.md#weights)"


@pytest.mark.quick
def test_parameters_in_docstrings_become_lists(conf):
    lines = ["Find.", "", "goal: the end. start, blocked: cells", "(x, y).", "", "Note: not a parameter.", ""]
    conf["list_parameters"](None, "", "", lambda start, goal, blocked: None, None, lines)
    assert lines == [
        "Find.", "", "* **goal**: the end. ", "* **start, blocked**: cells (x, y).", "", "Note: not a parameter.", "",
    ]  # fmt: skip


@pytest.mark.quick
def test_every_example_is_in_the_gallery():
    gallery = (DOCS / "gallery.md").read_text(encoding="utf-8")
    parts = {"pictures.py", "pictures_site.py", "pictures_taut.py"}
    names = {file.name for file in (DOCS.parent / "examples").glob("*.py")} - parts
    assert set(re.findall(r"{literalinclude} \.\./examples/(\w+\.py)", gallery)) == names
