"""The advice as one HTML page that needs nothing else: plots inside, light and dark."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING

from waygrid.advisor.candidate import Candidate
from waygrid.advisor.choose import RULE, miss
from waygrid.advisor.limits import share_words, size_words, time_words
from waygrid.advisor.plots import CAPTIONS, DARK, LIGHT, plots, shown_in

if TYPE_CHECKING:
    from waygrid.advisor.advice import Advice

_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1c1f24; --soft: #5b626d; --line: #d9dce1; --box: #f4f6f8;
  --good: #0b6e4f; --mark: #fff6d6; }
@media (prefers-color-scheme: dark) { :root { --ground: #15181c; --ink: #e6e8eb; --soft: #9aa3ad; --line: #383d45;
  --box: #1f2329; --good: #6fd3a8; --mark: #3a3420; } }
body { background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 76rem; padding: 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p.soft, figcaption, .soft { color: var(--soft); }
.answer { background: var(--box); border-left: 4px solid var(--good); padding: .8rem 1rem; margin: 1rem 0; }
.answer p { margin: .2rem 0; } .answer .name { font-size: 1.25rem; font-weight: 600; }
.none { border-left-color: #b3261e; }
pre { background: var(--box); padding: .8rem 1rem; overflow-x: auto; }
figure { margin: 1rem 0; } figure img { width: 100%; max-width: 62rem; height: auto; display: block; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; width: 100%; }
th, td { text-align: left; padding: .3rem .45rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { white-space: nowrap; } td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.name { min-width: 17rem; } .why { color: var(--soft); } tr.best { background: var(--mark); }
"""
_HEADS = (
    ("candidate, and why", False),
    ("above<br />optimum", True),
    ("95th pct.", True),
    ("worst", True),
    ("first<br />move", True),
    ("99th pct.", True),
    ("whole<br />path", True),
    ("per<br />move", True),
    ("index", True),
    ("per<br />search", True),
    ("build", True),
    ("problems", True),
)


def page(advice: Advice, title: str, code: str) -> str:
    """Return the whole page; code: the lines that build what is recommended."""
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">Limits: {escape(advice.limits.words())}. Measured: {escape(advice.problems)}, '
        f"{sum(one.measured for one in advice.candidates)} of {len(advice.candidates)} candidates, "
        f"in {time_words(advice.seconds)}.</p>",
        _answer(advice),
    ]
    if code:
        parts += ["<h2>How to build it</h2>", f"<pre><code>{escape(code)}</code></pre>"]
    parts += _figures(advice)
    parts += _tables(advice)
    body = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8" />\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1" />\n<title>{escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _answer(advice: Advice) -> str:
    first, *rest = advice.summary()
    kind = "answer" if advice.recommendation is not None else "answer none"
    name, colon, figures = first.partition(": ")
    head = f'<p class="name">{escape(name)}</p>' + (f"<p>{escape(figures)}</p>" if colon and figures else "")
    return f'<div class="{kind}">{head}{"".join(f"<p>{escape(line)}</p>" for line in rest)}</div>'


def _figures(advice: Advice) -> list[str]:
    light, dark = plots(advice, LIGHT), plots(advice, DARK)
    if not light:
        return []
    parts = [
        "<h2>The front</h2>",
        '<p class="soft">Every point is an algorithm with options. The line joins those that no other beats in the two '
        "measures of a plot. What the limits forbid is shaded; a ring marks the recommended one. Names: algorithm, "
        "then its options in the order of the table, such as sector/level.</p>",
    ]
    beyond = [one.name for one in advice.candidates if one.measured and one not in shown_in(advice)]
    if beyond:
        parts.append(f'<p class="soft">Left out, as their paths are far too long: {escape("; ".join(beyond))}.</p>')
    for caption, bright, dim in zip(CAPTIONS, light, dark, strict=True):
        parts.append(
            f'<figure><picture><source media="(prefers-color-scheme: dark)" srcset="{_inside(dim)}" />'
            f'<img src="{_inside(bright)}" alt="{escape(caption)}" /></picture>'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )
    return parts


def _inside(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{b64encode(svg).decode()}"


def _tables(advice: Advice) -> list[str]:
    able = sorted((one for one in advice.candidates if one.feasible), key=lambda one: _first(one, advice))
    out = [one for one in advice.candidates if not one.feasible and one.measured]
    out.sort(key=lambda one: miss(one, advice.limits))
    unknown = [one for one in advice.candidates if not one.measured]
    parts = []
    for heading, some in (("Within the limits", able), ("Measured and ruled out", out)):
        if some:
            rows = "\n".join(_row(one, advice) for one in some)
            heads = "".join(f'<th class="n">{head}</th>' if right else f"<th>{head}</th>" for head, right in _HEADS)
            parts.append(
                f'<h2>{heading}</h2>\n<div class="wide"><table><thead><tr>{heads}</tr></thead>\n'
                f"<tbody>\n{rows}\n</tbody></table></div>"
            )
    if unknown:
        rows = "\n".join(
            f'<tr><td class="name">{escape(one.name)}</td><td>{escape(one.reason)}</td></tr>' for one in unknown
        )
        parts.append(
            f"<h2>Not measured to the end</h2>\n<table><thead><tr><th>candidate</th><th>why</th></tr></thead>\n"
            f"<tbody>\n{rows}\n</tbody></table>"
        )
    parts.append(
        f'<h2>The rule</h2>\n<p>{escape(RULE)}</p>\n<p class="soft">Surely: the upper end of a one-sided 99 % '
        "confidence interval of the mean is within the limit. Times are of one thread; the first move of an "
        "agent is its first step, that of all others the whole query. Per search: memory of a running search or an "
        "agent.</p>"
    )
    return parts


def _first(one: Candidate, advice: Advice) -> tuple[bool, float]:
    return one is not advice.recommendation, one.effort_us


def _row(one: Candidate, advice: Advice) -> str:
    cells = (
        _known(one.suboptimality, share_words),
        _known(one.suboptimality_p95, share_words),
        _known(one.suboptimality_worst, share_words),
        _known(one.response_us, lambda us: time_words(us / 1e6)),
        _known(one.response_p99_us, lambda us: time_words(us / 1e6)),
        _known(one.total_us, lambda us: time_words(us / 1e6)),
        _known(one.move_us, lambda us: time_words(us / 1e6)),
        _known(one.fixed_bytes, size_words),
        _known(one.agent_bytes, size_words),
        _known(one.build_s, lambda seconds: time_words(seconds) if seconds else "-"),
        str(one.problems),
    )
    middle = "".join(f'<td class="n">{escape(cell)}</td>' for cell in cells)
    kind = ' class="best"' if one is advice.recommendation else ""
    why = f'<div class="why">{escape(one.reason)}</div>'
    return f'<tr{kind}><td class="name">{escape(one.name)}{why}</td>{middle}</tr>'


def _known(value: float | None, words: object) -> str:
    return "-" if value is None else str(words(value))  # type: ignore[operator]
