"""What the advisor found: the recommendation, all candidates, the front, and how to say it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from waygrid.advisor.candidate import Candidate
from waygrid.advisor.choose import RULE, almost, front_of, hard_limit, nearest
from waygrid.advisor.limits import Limits, time_words
from waygrid.advisor.ways import AGENT
from waygrid.grid.grid import Grid

_QUICKER = 1.1  # times as quick: less counts as the same
_DEFAULT_RULES = {"topology": "octile", "corners": "never", "metric": "octile", "clearance": 1}


@dataclass(frozen=True)
class Advice:
    """The answer of `waygrid.advise`."""

    recommendation: Candidate | None  #: None: nothing meets the limits
    candidates: list[Candidate]
    limits: Limits
    problems: str  #: which ones were measured, in words
    seconds: float  #: that it took
    rules: dict[str, Any] = field(default_factory=dict)  #: of the grid
    budget: float = 0.0  #: seconds
    automatic: str = ""  #: what `make_finder("auto", grid)` takes within the limit of memory, and why

    @property
    def front(self) -> list[Candidate]:
        """The candidates that no other beats in quality, response and memory at once, the quickest to respond first."""
        return front_of(self.candidates)

    def summary(self) -> list[str]:
        """Say what is recommended and why, or what stands in the way."""
        best = self.recommendation
        if best is None:
            return self._explain_nothing()
        lines = [f"{best.name}: {best.figures()}, {time_words((best.move_us or 0) / 1e6)} per move"]
        lines.append(best.reason)
        lines += almost(self.candidates, best, self.limits)
        limit = self.limits.response
        if limit is not None and best.response_p99_us is not None and best.response_p99_us > 1e6 * limit:
            slowest = time_words(best.response_p99_us / 1e6)
            lines.append(f"the limit holds for the mean; one first move in a hundred takes {slowest} or more")
        return lines + self._explain_automatic() + self._explain_missed()

    def _explain_automatic(self) -> list[str]:
        """Say what would be chosen without measuring."""
        return [f"make_finder('auto', grid) chooses without measuring {self.automatic}"] if self.automatic else []

    def _explain_missed(self) -> list[str]:
        """Say what was skipped for want of time, and what a larger budget could bring."""
        unbuilt = [one for one in self.candidates if one.unbuilt_s is not None]
        useless = [one for one in unbuilt if one.gain is not None and one.gain < _QUICKER]
        worth = [one for one in unbuilt if one not in useless]
        lines = [self._explain_skipped(one) for one in sorted(worth, key=lambda one: -(one.gain or 0.0))]
        if useless and self.recommendation is not None:
            names = "; ".join(one.name for one in useless)
            lines.append(
                f"skipped {names}: too long to build within the budget of {time_words(self.budget)}, "
                f"and no quicker than {self.recommendation.name} on a small copy of the map"
            )
        slow = [one for one in self.candidates if one.needs_budget is not None and one.unbuilt_s is None]
        if slow:
            names, most = "; ".join(one.name for one in slow), _round_up(max(one.needs_budget or 0 for one in slow))
            lines.append(f"skipped {names}: a path takes too long to measure enough of them; --budget {most} would do")
        late = sum(one.late for one in self.candidates)
        if late:
            spent = time_words(self.budget)
            lines.append(
                f"{late} candidates were not measured: the budget of {spent} was spent on others; "
                "a larger one may find better ones"
            )
        return lines

    def _explain_skipped(self, one: Candidate) -> str:
        best, text = self.recommendation, f"skipped {one.name}: its index would take about"
        text += f" {time_words(one.unbuilt_s or 0.0)} to build, too long for the budget of {time_words(self.budget)}"
        if one.gain is not None and best is not None:
            text += f"; on a small copy of the map it was {one.gain:.1f} times as quick as {best.name}"
        return f"{text}; --budget {_round_up(one.needs_budget or 0.0)} measures it"

    def _explain_nothing(self) -> list[str]:
        hard = hard_limit(self.candidates, self.limits)
        near = nearest(self.candidates, self.limits)
        if not near:
            return ["no algorithm could be measured on this map within the budget"]
        said = "nothing meets all limits" if hard is None else f"nothing meets the limits; the hard one is {hard}"
        nearest_ones = [f"{one.name}: {one.reason} ({one.figures()})" for one in near]
        return [f"{said}. Nearest:", *nearest_ones, *self._explain_missed()]

    def code(self, map_file: str | None = None, reading: Mapping[str, Any] | None = None) -> str:
        """Return the Python lines that build what is recommended, empty if nothing is.

        reading: options of the map's format, as `Grid.from_file` was given them.
        """
        best = self.recommendation
        if best is None:
            return ""
        rules = "".join(f", {name}={value!r}" for name, value in self.rules.items() if value != _DEFAULT_RULES[name])
        rules += "".join(f", {name}={value!r}" for name, value in (reading or {}).items())
        options = "".join(f", {name}={value!r}" for name, value in best.options.items())
        grid = f"grid = wg.Grid.from_file({map_file!r}{rules})\n" if map_file is not None else ""
        work = "".join(f", {name}={value!r}" for name, value in best.way.agent_options.items())
        ask = f"agent = finder.agent(start, goal{work})" if best.use == AGENT else "path = finder.find(start, goal)"
        return f"import waygrid as wg\n\n{grid}finder = wg.make_finder({best.algorithm!r}, grid{options})\n{ask}\n"

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for `json.dumps`."""
        limits = self.limits
        return {
            "recommendation": None if self.recommendation is None else self.recommendation.as_json(),
            "candidates": [one.as_json() for one in self.candidates],
            "front": [one.name for one in self.front],
            "limits": {
                "memory": limits.memory,
                "suboptimality": limits.suboptimality,
                "response_us": None if limits.response is None else round(1e6 * limits.response, 9),
                "updates": limits.updates,
            },
            "summary": self.summary(),
            "automatic": self.automatic,
            "rule": RULE,
            "problems": self.problems,
            "seconds": self.seconds,
        }

    def html(
        self, title: str = "Which algorithm?", map_file: str | None = None, reading: Mapping[str, Any] | None = None
    ) -> str:
        """Return a page of its own with plots and tables; needs Matplotlib (extra `papers`)."""
        from waygrid.advisor.page import page

        return page(self, title, self.code(map_file, reading))

    def __repr__(self) -> str:
        chosen = "nothing" if self.recommendation is None else self.recommendation.name
        return f"Advice({textwrap.shorten(chosen, 60)!r}, {len(self.candidates)} candidates)"


def _round_up(seconds: float) -> int:
    """Return a number of seconds with two digits.

    >>> _round_up(87.2), _round_up(1234)
    (88, 1300)
    """
    size = int(10 ** max(0, math.floor(math.log10(max(seconds, 1.0))) - 1))
    return math.ceil(seconds / size) * size


def rules_of(grid: Grid) -> dict[str, Any]:
    """Return the rules under which a map is read.

    >>> rules_of(Grid([[1]], corners="one"))
    {'topology': 'octile', 'corners': 'one', 'metric': 'octile', 'clearance': 1}
    """
    return {name: getattr(grid, name) for name in _DEFAULT_RULES}
