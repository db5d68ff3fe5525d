"""The report as one HTML page that needs nothing else: no scripts, no requests, pictures within it."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from waygrid.papers.report import CLAIM_COLUMNS, DIFFERS, SHORT, Cell, Claim, Picture, Report, Table, apart, show
from waygrid.papers.style import CSS
from waygrid.papers.words import columns_note, count_claims, describe_outcome, facts, headline, mode, verdicts

if TYPE_CHECKING:
    from waygrid.papers.all import Everything, Outcome

LONG = 24  # rows: a longer table is folded, unless it has figures of the paper
_FAR = 0.1  # a deviation from the paper's that is marked
_CODE = re.compile("`([^`]+)`")
_UNITS = "%|ns|us|ms|s|min|h|B|KB|MB|GB|TB|times|x"
_SPACE = re.compile(  # within a figure: between thousands, before a unit, around x, after a sign, within an interval
    rf"(?<=\d) (?=\d{{3}}(?!\d))|(?<=[\d\]]) (?=(?:{_UNITS})(?!\w))|(?<=\bx) (?=\d)|(?<=[<>]) (?=\d)"
    r"|(?<=\d) (?=\[-?[\d.])|(?<=\d,) (?=-?[\d. ]+\])"
)
_THEIRS = re.compile(r"^paper|\(paper\)$|Java|\bspec")  # columns of figures that are not ours
_PNG = b"\x89PNG\r\n\x1a\n"


def page(everything: Everything) -> str:
    """Return the page."""
    title = headline(everything)
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{text(title)}</title>",
        f"<style>{CSS}</style>",
        "</head>",
        "<body>",
        "<header>",
        f"<h1>{text(title)}</h1>",
        f'<p class="lead">{text(mode(everything))}</p>',
        _facts(facts(everything)),
        *_warnings(everything),
        "</header>",
        "<main>",
        _contents(everything),
        _all_claims(everything),
        *(_paper(outcome) for outcome in everything.outcomes),
        "</main>",
        f"<footer><p>{text(columns_note())}</p></footer>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def text(words: str) -> str:
    """Return text as HTML; `code` becomes code, and no line breaks within a figure.

    >>> text('a < b & "c", `--maps`')
    'a &lt; b &amp; &quot;c&quot;, <code>--maps</code>'
    >>> text("1 540 of 28 561 pairs, 7.2 [7.1, 7.4] times").replace("\N{NO-BREAK SPACE}", "_")
    '1_540 of 28_561 pairs, 7.2_[7.1,_7.4]_times'
    """
    return _CODE.sub(r"<code>\1</code>", escape(_SPACE.sub("\N{NO-BREAK SPACE}", words), quote=True))


# --- Head ------------------------------------------------------------------------------------------------------------


def _facts(facts: dict[str, str]) -> str:
    rows = "".join(f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in facts.items())
    return f'<dl class="facts">{rows}</dl>'


def _warnings(everything: Everything) -> Iterable[str]:
    for outcome in everything.failed:
        yield f'<div class="warn" role="note"><p>{text(outcome.paper)} could not run: {text(outcome.error)}</p></div>'


def _contents(everything: Everything) -> str:
    entries = ['<li><a href="#claims">What the papers say, and what was measured</a></li>']
    entries += [f'<li><a href="#{_id(one.paper)}">{text(one.title)}</a></li>' for one in everything.outcomes]
    return f'<nav aria-label="Contents"><ol>{"".join(entries)}</ol></nav>'


def _all_claims(everything: Everything) -> str:
    bodies = []
    for paper, report in everything.reports.items():
        link = f'<a href="#{_id(paper)}">{text(report.title)}</a>'
        rows = [f'<tr class="group"><th colspan="4" scope="rowgroup">{link}</th></tr>']
        rows += [_claim_row(claim) for claim in report.claims]
        bodies.append(f"<tbody>{''.join(rows)}</tbody>")
    head = "".join(f'<th scope="col">{name}</th>' for name in CLAIM_COLUMNS)
    table = f"<table><caption><span>All claims</span></caption><thead><tr>{head}</tr></thead>{''.join(bodies)}</table>"
    return (
        '<section id="claims"><h2>What the papers say, and what was measured</h2>'
        f"<p>{text(verdicts(everything))}</p>"
        f'<div class="scroll claims" role="region" aria-label="All claims" tabindex="0">{table}</div></section>'
    )


def _claim_row(claim: Claim) -> str:
    paper, ours = text(claim.paper), text(claim.ours)
    cells = f'<td class="theirs" data-of="paper">{paper}</td><td data-of="ours">{ours}</td>'
    return f'<tr><th scope="row">{text(claim.text)}</th>{cells}<td>{_chip(claim.verdict)}</td></tr>'


def _chip(verdict: str) -> str:
    return f'<span class="chip {_id(verdict)}">{text(verdict)}</span>'


# --- A paper ---------------------------------------------------------------------------------------------------------


def _paper(outcome: Outcome) -> str:
    head = f'<section id="{_id(outcome.paper)}"><h2>{text(outcome.title)}</h2>'
    done = outcome.done
    if done is None:
        return f'{head}<div class="warn"><p>It could not run: {text(outcome.error)}</p></div></section>'
    parts = [head, f"<p>{text(done.report.intro)}</p>", f'<p class="soft">{text(describe_outcome(outcome, done))}</p>']
    parts += [f'<div class="warn" role="note"><p>{text(remark)}</p></div>' for remark in done.remarks]
    parts += [_differences(done.report), _figures(outcome.paper, done.report), "</section>"]
    return "\n".join(parts)


def _differences(report: Report) -> str:
    """Return what differs and why; nothing for a report without claims."""
    if not report.claims:
        return ""
    differing = [claim for claim in report.claims if claim.verdict == DIFFERS]
    shown = f"<h3>Where ours differs, and why</h3><p>{text(count_claims(report.claims))}</p>"
    entries = []
    for claim in differing:
        why = f"<dd>{text(claim.why)}</dd>" if claim.why else "<dd>Why is not known.</dd>"
        both = f"Paper: {text(claim.paper)}. Ours: {text(claim.ours)}."
        entries.append(f"<dt>{text(claim.text)}</dt><dd>{both}</dd>{why}")
    rules = "".join(f"<li>{text(claim.text)}: {text(claim.rule)}.</li>" for claim in report.claims)
    shown += f'<dl class="why">{"".join(entries)}</dl>' if entries else ""
    return f"{shown}<details><summary>When a claim agrees</summary><ul>{rules}</ul></details>"


def _figures(paper: str, report: Report) -> str:
    """Return tables and pictures; a picture of a table's name stands behind that table, the others before them all."""
    parts = ["<h3>Figures and tables</h3>"]
    parts += [picture_html(picture) for name, picture in report.pictures.items() if name not in report.tables]
    for name, table in report.tables.items():
        parts.append(table_html(paper, table))
        if name in report.pictures:
            parts.append(picture_html(report.pictures[name]))
    return "\n".join(parts)


def picture_html(picture: Picture) -> str:
    """Return a picture as a figure, its PNG within the page."""
    size = ""
    if picture.png.startswith(_PNG):  # known beforehand, so that nothing jumps while the page is laid out
        width, height = struct.unpack(">II", picture.png[16:24])
        size = f' width="{width}" height="{height}"'
    data = base64.b64encode(picture.png).decode()
    image = f'<img alt="{escape(picture.alt, quote=True)}"{size} src="data:image/png;base64,{data}">'
    return f"<figure>{image}<figcaption>{text(picture.caption)}</figcaption></figure>"


def table_html(paper: str, table: Table) -> str:
    """Return a table with its notes; a long one is folded."""
    name = _id(f"{paper}-{table.name}")
    numbers = [table.is_number(k) for k in range(len(table.columns))]
    theirs = [bool(_THEIRS.search(column)) for column in table.columns]
    short = [all(len(show(row[k])) <= SHORT for row in table.rows) for k in range(len(table.columns))]
    kinds = [
        " ".join(word for word, wanted in (("n", right), ("theirs", printed), ("whole", whole)) if wanted)
        for right, printed, whole in zip(numbers, theirs, short, strict=True)
    ]
    head = "".join(
        f'<th scope="col"{_class(kind)}>{text(column)}</th>'
        for k, (column, kind) in enumerate(zip(table.columns, kinds, strict=True))
        if not table.is_interval(k)  # they stand below their figures
    )
    rows = "".join(_row(table, row, kinds) for row in table.rows)
    folded = len(table.rows) > LONG and not any(theirs)
    caption = f'<caption{_class("unseen" if folded else "")}><span id="{name}">{text(table.title)}</span></caption>'
    shown = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    shown = f'<div class="scroll" role="region" aria-labelledby="{name}" tabindex="0">{shown}</div>'
    if table.notes:
        shown += f'<ul class="notes">{"".join(f"<li>{text(note)}</li>" for note in table.notes)}</ul>'
    if folded:
        shown = f"<details><summary>{text(table.title)} ({len(table.rows)} rows)</summary>{shown}</details>"
    return f'<div class="block">{shown}</div>'


def _row(table: Table, row: tuple[Cell, ...], kinds: list[str]) -> str:
    cells = []
    for k, kind in enumerate(kinds):
        if table.is_interval(k):
            continue
        shown, deviation = text(show(row[k])), table.deviation(row, k)
        off = apart(deviation)
        if off and deviation is not None:
            shown += f'<span class="off{" far" if abs(deviation) >= _FAR else ""}">{off}</span>'
        if k + 1 < len(row) and table.is_interval(k + 1) and row[k + 1] is not None:
            shown += f'<span class="off">{text(show(row[k + 1]))}</span>'
        tag = 'th scope="row"' if k == 0 else "td"
        cells.append(f"<{tag}{_class(kind)}>{shown}</{tag[:2]}>")
    return f"<tr>{''.join(cells)}</tr>"


def _class(names: str) -> str:
    return f' class="{names}"' if names else ""


def _id(name: str) -> str:
    """Return a name as it may stand in an id, a class or behind a #."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", name)
