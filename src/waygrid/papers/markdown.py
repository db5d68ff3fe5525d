"""The report as Markdown; pictures are the files in the papers' folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waygrid.papers.report import CLAIM_COLUMNS, DIFFERS, Report, Table, escape
from waygrid.papers.words import columns_note, count_claims, describe_outcome, facts, headline, mode, verdicts

if TYPE_CHECKING:
    from waygrid.papers.all import Everything, Outcome


def page(everything: Everything) -> str:
    """Return the page."""
    parts = [f"# {headline(everything)}", mode(everything)]
    parts.append("\n".join(f"* {escape(name)}: {escape(value)}" for name, value in facts(everything).items()))
    parts += [f"**{escape(one.paper)} could not run**: {escape(one.error)}" for one in everything.failed]
    parts += ["## What the papers say, and what was measured", escape(verdicts(everything))]
    parts += [_claims(report) for report in everything.reports.values() if report.claims]
    parts += [_paper(outcome) for outcome in everything.outcomes]
    return "\n\n".join([*parts, columns_note()]) + "\n"


def _claims(report: Report) -> str:
    table = Table("claims", report.title, CLAIM_COLUMNS, rows=[claim[:4] for claim in report.claims])
    return table.markdown("###").rstrip()


def _paper(outcome: Outcome) -> str:
    head = f"## {escape(outcome.title)}"
    done = outcome.done
    if done is None:
        return f"{head}\n\nIt could not run: {escape(outcome.error)}"
    parts = [head, escape(done.report.intro), describe_outcome(outcome, done)]
    parts += [f"**Note.** {escape(remark)}" for remark in done.remarks]
    parts += _differences(done.report)
    parts.append("### Figures and tables")
    pictures = done.report.pictures
    parts += [
        p.markdown(f"{outcome.paper}/{n}.png").rstrip() for n, p in pictures.items() if n not in done.report.tables
    ]
    for name, table in done.report.tables.items():
        parts.append(table.markdown("####").rstrip())
        if name in pictures:
            parts.append(pictures[name].markdown(f"{outcome.paper}/{name}.png").rstrip())
    return "\n\n".join(parts)


def _differences(report: Report) -> list[str]:
    if not report.claims:
        return []
    entries = [
        f"* **{escape(claim.text)}.** Paper: {escape(claim.paper)}. Ours: {escape(claim.ours)}. "
        f"{escape(claim.why or 'Why is not known.')}"
        for claim in report.claims
        if claim.verdict == DIFFERS
    ]
    rules = [f"* {escape(claim.text)}: {escape(claim.rule)}." for claim in report.claims]
    parts = ["### Where ours differs, and why", count_claims(report.claims), *(["\n".join(entries)] if entries else [])]
    return [*parts, "A claim agrees:", "\n".join(rules)]
