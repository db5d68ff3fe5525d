"""The rules of crowds, written out again with sets and loops; nothing is shared with the package."""

from itertools import pairwise


def check_step(case, before, after):
    """Assert that a step is free of collisions and that each move is legal."""
    before, after = [[tuple(cell) for cell in cells.tolist()] for cells in (before, after)]
    assert len(set(after)) == len(after), "two agents in a cell"
    moves = {(here, there) for here, there in zip(before, after, strict=True) if here != there}
    for here, there in moves:
        assert there in [(x, y) for x, y, _ in case.neighbours(*here)], f"illegal move {here} -> {there}"
        assert (there, here) not in moves, "two agents swap"
        if case.topology == "octile" and here[0] != there[0] and here[1] != there[1]:
            one, two = (here[0], there[1]), (there[0], here[1])
            assert (one, two) not in moves, "two agents cross"
            assert (two, one) not in moves, "two agents cross"


def check_all(case, positions):
    """Check every step of a plan or a history."""
    for before, after in pairwise(positions):
        check_step(case, before, after)
