"""The examples for learning and simulation: environments that Gymnasium accepts, in which nobody collides."""

import sys
from pathlib import Path

import numpy as np
import pytest
from crowd_rules import check_all
from oracle import Case

import waygrid as wg

pytest.importorskip("gymnasium")
EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def warehouse(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    import gymnasium_crowd

    return gymnasium_crowd


def test_gymnasium_accepts_the_environments(warehouse):
    import gymnasium_env
    from gymnasium.utils.env_checker import check_env

    check_env(warehouse.Warehouse(robots=5), skip_render_check=True)
    check_env(gymnasium_env.GridWalk(wg.generate("rooms", width=20, height=20, seed=1)), skip_render_check=True)


def test_robots_never_collide_whatever_is_chosen(warehouse):
    world = warehouse.Warehouse(robots=30, most_steps=80)
    first, _ = world.reset(seed=3)
    world.action_space.seed(3)
    late, waiting = False, world.parcels.sum()
    while not late:
        seen, reward, _, late, info = world.step(world.action_space.sample())
        assert world.observation_space.contains(seen)
        assert reward == pytest.approx(info["fetched"] - 0.01 * world.parcels.sum())
    check_all(Case(np.asarray(world.grid.passable), topology="tile"), world.crowd.history)
    again, _ = world.reset(seed=3)
    np.testing.assert_array_equal(first, again)
    assert waiting == world.parcels.sum()
