"""What works in bands of rows gives the same with small bands as with one for the whole map."""

import hashlib

import numpy as np
import pytest
from PIL import Image

import waygrid as wg
from waygrid.draw import maps as pictures
from waygrid.formats import rules

pytestmark = pytest.mark.quick


def make_maps():
    chance = np.random.default_rng(5)
    passable = chance.random((37, 23)) < 0.7
    weights = chance.integers(0, 4, passable.shape)
    weights[passable] = weights[passable].clip(1)
    return passable, weights


def collect_facts(folder):
    """Return everything that is worked out in bands."""
    passable, weights = make_maps()
    plain, priced = wg.Grid(passable.astype(float)), wg.Grid(passable, weights=weights)
    masked = wg.Grid(np.ma.masked_array(np.ones_like(passable), ~passable))
    facts = [grid.fingerprint() for grid in (plain, priced, masked, wg.Grid(passable, weights=np.ones_like(weights)))]
    facts += [plain.passable.tolist(), priced.weights.tolist(), masked.passable.tolist()]
    for number, grid in enumerate((plain, priced)):
        for suffix in (".npy", ".map", ".png", ".txt"):
            file = folder / f"{number}{suffix}"
            grid.save(file)
            again = wg.Grid.from_file(file)
            assert (again.passable == passable).all()
            assert number == 0 or (again.weights[passable] == weights[passable]).all()
            facts.append(hashlib.sha256(file.read_bytes()).hexdigest())
    facts += [wg.generate("caves", width=40, height=50, seed=seed).passable.tolist() for seed in range(3)]
    return facts


def test_bands_make_no_difference(tmp_path, monkeypatch):
    whole = collect_facts(tmp_path)
    for band in (1, 60, 200):
        monkeypatch.setattr(rules, "BLOCK_CELLS", band)
        assert collect_facts(tmp_path) == whole


def test_errors_name_the_cell_in_any_band(monkeypatch):
    monkeypatch.setattr(rules, "BLOCK_CELLS", 1)
    passable, weights = make_maps()
    passable[30, 4], weights[30, 4] = True, 70_000
    with pytest.raises(wg.WaygridError, match=r"weight 70000 at \(4, 30\)"):
        wg.Grid(passable, weights=weights)
    numbers = passable.astype(int)
    numbers[2, 3], numbers[33, 5] = 9, -1
    with pytest.raises(wg.WaygridError, match=r"the map holds -1 at \(5, 33\)"):
        wg.Grid(numbers)


@pytest.mark.parametrize("weighted", [False, True])
def test_large_maps_are_drawn_in_bands(weighted, monkeypatch):
    chance = np.random.default_rng(7)
    passable = chance.random((45, 8200)) < 0.7  # shrunk by 3
    weights = chance.integers(1, 900, passable.shape) if weighted else None
    palette = pictures.PALETTES["standard"]
    colours = pictures.cell_colours(passable, palette, weights=weights)
    expected = np.asarray(Image.fromarray(colours).reduce(3))
    for band in (1, 2**20):
        monkeypatch.setattr(pictures, "_BAND", band)
        assert (np.asarray(pictures.draw_map(passable, weights=weights)) == expected).all()
