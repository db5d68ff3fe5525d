"""The guides of LRTA* agents, and which of them is asked (see `kernels.guided`)."""

from typing import NamedTuple

from waygrid.kernels._jit import Array, jit
from waygrid.kernels.agents import AIM, CELL
from waygrid.kernels.dlrta import Subgoals, ask_subgoals
from waygrid.kernels.guided import FOLLOWING, FREE, STAGE
from waygrid.kernels.knn import Records, ask_records
from waygrid.kernels.trees import Trees, ask_trees


class Guide(NamedTuple):
    """What guides know; one field is not None."""

    records: Records | None = None  # knn-lrta
    trees: Trees | None = None  # sglrta
    subgoals: Subgoals | None = None  # dlrta


@jit
def _ask_one(
    moves: Array,
    geo: Array,
    policy: Array,
    store: Array,
    ctl: Array,
    agents: Array,
    i: int,
    records: Records | None,
    trees: Trees | None,
    subgoals: Subgoals | None,
) -> bool:
    """Ask the guide there is; each is an argument of its own, so that the others are not compiled."""
    asked = False
    if records is not None:
        asked = ask_records(moves, geo, policy, store, ctl, agents, i, records)
    if trees is not None:
        asked = ask_trees(moves, geo, policy, store, ctl, agents, i, trees)
    if subgoals is not None:
        asked = ask_subgoals(store, ctl, agents, i, subgoals)
    return asked


@jit
def ask_guide(
    moves: Array, geo: Array, policy: Array, store: Array, ctl: Array, agents: Array, i: int, extra: Guide | None
) -> bool:
    """Let an agent's guide do a unit of work; tell whether it did, otherwise the agent may move."""
    asked = False
    if extra is not None:
        stage = agents[i, STAGE]
        if (stage != FREE) & ((stage != FOLLOWING) | (agents[i, CELL] == agents[i, AIM])):
            asked = _ask_one(moves, geo, policy, store, ctl, agents, i, extra.records, extra.trees, extra.subgoals)
    return asked
