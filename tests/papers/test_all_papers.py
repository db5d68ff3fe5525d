"""The five papers, really run on small maps: their tables, pictures and claims are all in the report."""

import pytest
from pages import Page

import waygrid as wg
from waygrid.measure.problems import random_problems
from waygrid.papers import all as every
from waygrid.papers import catalogue
from waygrid.papers.report import AGREES, COMPUTED, DIFFERS, EXAMPLE, NOT_MEASURED, show

OPTIONS = {
    "grid-based": {"seconds": 1.5, "trials": 300, "cap": 10_000},
    "goal-bounding": {"rounds": 1, "plain": False},
    "improved-heuristics": {"searches": 20},
    "dba": {"longest": 5, "sglrta_cells": 0},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small maps under the names that quick runs look for, with problems."""
    place = tmp_path_factory.mktemp("maps")
    for name, seed in (("dao/arena2", 5), ("dao/orz103d", 6), ("bgmaps/AR0012SR", 7), ("bgmaps/AR0406SR", 8)):
        file = place / f"{name}.map"
        file.parent.mkdir(exist_ok=True)
        grid = wg.generate("caves", width=60, height=45, seed=seed)
        grid.save(file)
        problems = random_problems(grid, 30)
        rows = zip(problems.starts.tolist(), problems.goals.tolist(), problems.costs.tolist(), strict=True)
        lines = [f"0\t{file.name}\t60\t45\t{s[0]}\t{s[1]}\t{g[0]}\t{g[1]}\t{cost:.8f}" for s, g, cost in rows]
        file.with_name(f"{file.name}.scen").write_text("\n".join(["version 1", *lines, ""]))
    return place


@pytest.fixture(scope="module")
def found(folder, tmp_path_factory):
    return every.reproduce_all(tmp_path_factory.mktemp("out"), quick=True, maps=folder, options=OPTIONS)


def test_all_five_run(found):
    assert [one.error for one in found.outcomes] == [""] * 5
    assert list(found.reports) == list(catalogue.PAPERS)
    assert found.outcomes[2].done.remarks  # goal bounding uses more sets than there are here
    assert found.outcomes[4].done.remarks == []


def test_every_table_and_picture_is_on_the_page(found):
    page = Page(found.files[0].read_text())
    tables = [table for report in found.reports.values() for table in report.tables.values()]
    assert page.count("table") == len(tables) + 1
    assert len(tables) > 30
    for table in tables:
        assert " ".join(table.title.replace("`", "").split()) in page.text.replace(" ,", ",")
        for place, name in enumerate(table.columns):
            if not table.is_interval(place):  # those stand below their figures, without a heading
                assert " ".join(name.split()) in page.text
            elif table.rows[-1][place]:
                assert table.rows[-1][place] in page.text
        assert show(table.rows[-1][0]) in page.text
    pictures = [picture for report in found.reports.values() for picture in report.pictures.values()]
    assert page.count("img") == len(pictures) > 12
    assert {image["alt"] for image in page.images} == {picture.alt for picture in pictures}
    assert all(picture.alt != picture.caption for picture in pictures)  # a caption does not tell what is to be seen


def test_the_markdown_has_the_same(found):
    text = found.files[1].read_text()
    for paper, report in found.reports.items():
        assert text.count(f"]({paper}/") == len(report.pictures)
        for name in report.pictures:
            assert (found.files[1].parent / paper / f"{name}.png").is_file()
        assert text.count("\n#### ") == sum(len(one.tables) for one in found.reports.values())
        for claim in report.claims:
            assert claim.verdict in text


@pytest.mark.parametrize("paper", list(catalogue.PAPERS))
def test_every_paper_states_its_claims(found, paper):
    claims = found.reports[paper].claims
    assert len(claims) >= 6
    assert len({claim.text for claim in claims}) == len(claims)
    for claim in claims:
        assert claim.rule
        assert claim.paper
        assert claim.ours
        assert claim.verdict in (AGREES, DIFFERS, NOT_MEASURED, COMPUTED, EXAMPLE)
        assert bool(claim.why) <= (claim.verdict == DIFFERS)


def test_facts_that_hold_on_any_map(found):
    told = {claim.text: claim.verdict for report in found.reports.values() for claim in report.claims}
    for text in (
        "Pruned branching factors (hex, tex, octile, tile)",
        "Average depth, over the tile grid's (hex, tex, octile, tile)",
        "Pruned searches still find a cheapest path",
        "Both heuristics are admissible: every path is a cheapest one",
        "Obstacles that the index does not know leave paths cheapest",
        "With one large obstacle the overestimate halves the update cycles",
    ):
        assert told[text] == AGREES
    for text in (
        "The Vancouver distance is the distance on a hex grid",
        "Pruned octile moves lose no cheapest path",
        "Other starts and goals give similar results",
        "Algorithm 1 cuts the passable cells of a map into zones",
    ):
        assert told[text] == DIFFERS
    assert told["PRA* 128 takes 20 us per move"] == NOT_MEASURED  # no such sector in a quick run


def test_a_second_run_takes_everything_from_the_first(found, folder):
    out = found.files[0].parent
    again = every.reproduce_all(out, quick=True, maps=folder, options=OPTIONS)
    assert all(one.kept for one in again.outcomes)
    assert [one.done.report.claims for one in again.outcomes] == [one.done.report.claims for one in found.outcomes]
    tables = [[vars(t) for t in one.done.report.tables.values()] for one in again.outcomes]
    assert tables == [[vars(t) for t in one.done.report.tables.values()] for one in found.outcomes]
