"""The site of these pages: `make docs` builds it with Sphinx.

The pages are written for GitHub. What only the site needs is added while they are read: a comment that begins with
`<!-- site:` holds directives, links to files outside `docs/` lead to the repository, and the sections of index.md
become those of the sidebar. Docstrings are plain text: paragraphs of `name: meaning` become lists of parameters.
"""

from __future__ import annotations

import inspect
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path[:0] = [str(ROOT / "src"), str(DOCS)]  # the API reference is that of this checkout

import lessons  # noqa: E402
import numpy.typing as npt  # noqa: E402

import waygrid  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Source"]

project = "waygrid"
author = copyright = "the waygrid authors"
release = version = waygrid.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["_build"]
myst_heading_anchors = 4  # as on GitHub
nb_execution_mode = "off"  # notebooks are stored with their outputs
nb_output_stderr = "remove"

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = "waygrid"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = False
html_theme_options = {"source_repository": REPOSITORY, "source_branch": "main", "source_directory": "docs/"}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

default_role = "literal"  # single backticks in docstrings
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("npt.ArrayLike", "ArrayLike", "PathLike", "Array")}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"
INTERNAL = "About|Bench|CodeLine|Detail|Followed|Limits|Overlay|Patience|Rebuild|Settings|Way|Window"
nitpick_ignore_regex = [
    ("py:.*", r"(?!waygrid\.).*"),  # types of other packages, whose pages are elsewhere
    ("py:class", rf"waygrid\..*\.({INTERNAL})"),
]

MADE_BY_USERS = {"waygrid.Grid", "waygrid.Graph", "waygrid.Scenario", "waygrid.formats.MapData"}
SHORTER = (
    (r"TypeAliasForwardRef\('(.*?)'\)", r"\1"),
    (r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]", r"NDArray[\1]"),
    (r"\bnpt?\.", ""),
    (r"~?[\w.]*\bHasCells\b", "waygrid.Path"),  # what drawing needs of them
    (r"~?[\w.]*\bzones\.Zones\b", "waygrid.Decomposition"),
)
COMMENT = re.compile(r"<!-- site:\n(.*?)\n-->", re.DOTALL)
LINK = re.compile(r"\]\(((?:\.\./)+[^)#\s]+)")
SECTION = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"^\| `([\w.]+)` (?=\|)", re.MULTILINE)
PAGE = re.compile(r"^\| \[(.*?)\]\(([\w/-]+)\.(?:md|ipynb)\)", re.MULTILINE)


def lead_to_repository(text: str, folder: Path) -> str:
    """Return a page whose links to files outside the docs lead to the repository."""

    def replace(found: re.Match[str]) -> str:
        place = (folder / found[1]).resolve()
        if place.is_relative_to(DOCS) or not place.is_relative_to(ROOT):
            return found[0]
        kind = "tree" if place.is_dir() else "blob"
        return f"]({REPOSITORY}/{kind}/main/{place.relative_to(ROOT).as_posix()}"

    return LINK.sub(replace, text)


def add_contents(text: str) -> str:
    """Return the index page with a hidden table of contents for each section that lists pages."""

    def replace(found: re.Match[str]) -> str:
        pages = [f"{title} <{name}>" for title, name in PAGE.findall(found[2])]
        if not pages:
            return found[0]
        contents = ["```{toctree}", ":hidden:", f":caption: {found[1]}", "", *pages, "```\n\n"]
        return "\n".join([found[0], *contents])

    return SECTION.sub(replace, text)


def read_page(app: Any, name: str, source: list[str]) -> None:
    """Change the text of a page before Sphinx parses it."""
    text = COMMENT.sub(r"\1", source[0])
    text = lead_to_repository(text, (DOCS / name).parent)
    if name.startswith("api"):  # the first column of a table leads to the entry
        text = NAME.sub(r"| {py:obj}`\1 <waygrid.\1>` ", text)
    source[0] = add_contents(text) if name == "index" else lessons.add_lesson(text, name)


def write_lessons(app: Any) -> None:
    """Write the searches to play with beside the pages that show them."""
    if app.builder.format == "html":
        lessons.write_lessons(Path(app.outdir) / "lessons")


def list_parameters(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Make lists of the paragraphs of a docstring that explain parameters: `first: meaning. second, third: meaning.`"""
    try:
        known = set(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return
    paragraphs = "\n".join(lines).split("\n\n")
    start = re.compile(r"(?:^|(?<=[.;] ))((?:\w+, )*\w+)( \(.*?\))?: ")
    for number, paragraph in enumerate(paragraphs):
        text = " ".join(paragraph.split("\n"))
        found = [one for one in start.finditer(text) if set(one[1].split(", ")) <= known]
        if found and found[0].start() == 0 and not text.startswith(">>>"):
            ends = [one.start() for one in found[1:]] + [len(text)]
            parts = [
                f"* **{one[1]}**{one[2] or ''}: {text[one.end() : end]}" for one, end in zip(found, ends, strict=True)
            ]
            paragraphs[number] = "\n".join(parts)
    lines[:] = "\n\n".join(paragraphs).split("\n")


def shorten(app: Any, what: str, name: str, thing: Any, options: Any, signature: str, returned: str) -> Any:
    """Return a signature without modules; classes that the package creates itself have none."""
    if what == "class" and name not in MADE_BY_USERS and not issubclass(thing, tuple):
        return "", None
    from sphinx.util.typing import stringify_annotation

    array_like = re.escape(stringify_annotation(npt.ArrayLike, "smart"))
    for long, short in ((array_like, "ArrayLike"), *SHORTER):
        signature, returned = (text and re.sub(long, short, text) for text in (signature, returned))
    return signature, returned


def find_public_name(app: Any, env: Any, node: Any, text: Any) -> Any:
    """Resolve a name of the package by the module that defines it: `waygrid.grid.grid.Grid` is `waygrid.Grid`."""
    name = node["reftarget"].rpartition(".")[2]
    if not node["reftarget"].startswith("waygrid.") or name not in waygrid.__all__:
        return None
    return env.get_domain("py").resolve_xref(env, node["refdoc"], app.builder, "obj", f"waygrid.{name}", node, text)


def setup(app: Any) -> dict[str, bool]:
    """Connect the hooks."""
    app.connect("builder-inited", write_lessons)
    app.connect("source-read", read_page)
    app.connect("autodoc-process-docstring", list_parameters)
    app.connect("autodoc-process-signature", shorten)
    app.connect("missing-reference", find_public_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
