"""The guides of LRTA* agents, and which of them is asked (see `guided_query`)."""

from typing import NamedTuple

from waygrid.algorithms.realtime.dlrta_guide import Subgoals, ask_subgoals
from waygrid.algorithms.realtime.guided_query import FOLLOWING, FREE, STAGE
from waygrid.algorithms.realtime.knn_lrta_guide import Records, ask_records
from waygrid.algorithms.realtime.sglrta_guide import Trees, ask_trees
from waygrid.core.agents import AIM, CELL
from waygrid.core.jit import jit


class Guide(NamedTuple):
    """What guides know; one field is not None."""

    records: Records | None = None  # knn-lrta
    trees: Trees | None = None  # sglrta
    subgoals: Subgoals | None = None  # dlrta


@jit
def _ask_one(
    moves,
    geo,
    policy,
    store,
    ctl,
    agents,
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
def ask_guide(moves, geo, policy, store, ctl, agents, i: int, index: Guide | None) -> bool:
    """Let an agent's guide do a unit of work; return whether it did, otherwise the agent may move."""
    asked = False
    if index is not None:
        stage = agents[i, STAGE]
        if (stage != FREE) & ((stage != FOLLOWING) | (agents[i, CELL] == agents[i, AIM])):
            asked = _ask_one(moves, geo, policy, store, ctl, agents, i, index.records, index.trees, index.subgoals)
    return asked
