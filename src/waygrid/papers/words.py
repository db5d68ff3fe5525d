"""The sentences that the HTML and the Markdown report have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from waygrid.papers.report import AGREES, COMPUTED, DIFFERS, EXAMPLE, NOT_MEASURED, Claim

if TYPE_CHECKING:
    from waygrid.papers.all import Everything, Outcome
    from waygrid.papers.saved import Finished

_NUMBERS = ("No papers", "One paper", "Two papers", "Three papers", "Four papers", "Five papers", "Six papers")


def headline(everything: Everything) -> str:
    """Return the title of the report."""
    count = len(everything.outcomes)
    return f"{_NUMBERS[count] if count < len(_NUMBERS) else f'{count} papers'} on grid path finding, measured again"


def mode(everything: Everything) -> str:
    """Say what kind of run this was."""
    if everything.quick:
        return (
            "A quick run, of fewer and smaller problems: it shows that everything works, and verdicts may differ from "
            "those of a full run (without --quick)."
        )
    return "A full run."


def facts(everything: Everything) -> dict[str, str]:
    """Return what was run, when and on what."""
    machine = dict(everything.machine)
    version = f"{machine.pop('waygrid')} (sources {machine.pop('code')})"
    run = "quick" if everything.quick else "full"
    return {
        "waygrid": version,
        "mode": run,
        "date": everything.date,
        "time of all papers": duration(everything.seconds),
        **machine,
    }


def count_claims(claims: Iterable[Claim]) -> str:
    """Say how many claims there are and how many hold.

    >>> count_claims([Claim("a", "1", "1", AGREES, "", ""), Claim("b", "1", "2", DIFFERS, "", "")])
    '2 claims: 1 agrees, 1 differs.'
    """
    numbers = Counter(claim.verdict for claim in claims)
    verbs = {
        AGREES: ("agrees", "agree"),
        DIFFERS: ("differs", "differ"),
        NOT_MEASURED: ("was not measured", "were not measured"),
        COMPUTED: ("is computed", "are computed"),
        EXAMPLE: ("is an example", "are examples"),
    }
    counts = [f"{numbers[name]} {words[numbers[name] > 1]}" for name, words in verbs.items() if numbers[name]]
    total = sum(numbers.values())
    return f"{total} claim{'s' if total != 1 else ''}: {', '.join(counts)}." if total else "No claims were compared."


def verdicts(everything: Everything) -> str:
    """Say how many claims of all papers hold, and how that was decided."""
    claims = [claim for report in everything.reports.values() for claim in report.claims]
    return (
        f"{count_claims(claims)} A verdict is computed from the measured numbers by a rule; the rules, and what is "
        "known of the reasons where ours differs, stand with each paper."
    )


def columns_note() -> str:
    """Say how tables are to be read."""
    return (
        "Columns of the papers' own figures are tinted; small print below or behind ours is the distance from them "
        "and, in brackets, the 95 % interval of what was measured. "
        "Times are of this machine and do not compare with the papers'; ratios do. A dash: nothing to say."
    )


def describe_outcome(outcome: Outcome, done: Finished) -> str:
    """Say when and by which command a paper was run, and where its tables are."""
    kept = ", taken from an earlier run with the same code, maps and options" if outcome.kept else ""
    command = f" by `{done.report.run['command']}`" if done.report.run else ""
    return f"Finished {done.finished}{command}, in {duration(done.seconds)}{kept}. Tables as CSV: `{outcome.paper}/`."


def duration(seconds: float) -> str:
    """Return a time in seconds or in minutes.

    >>> duration(7.34), duration(754)
    ('7 s', '12 min 34 s')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
