"""Films of searches: what their frames show, and the files."""

import itertools
import os
import sys

import numpy as np
import pytest
from PIL import Image

import waygrid as wg
from waygrid.core import layout as at
from waygrid.draw.animate import LARGEST_SHOWN
from waygrid.draw.canvas import PALETTES
from waygrid.draw.film import COLOURS, Film, Frames
from waygrid.draw.maps import draw_map

pytestmark = pytest.mark.quick

STANDARD = PALETTES["standard"]
NAMES = list(wg.algorithms())


def trace_of(name="astar", topology="octile", weights=None):
    grid = wg.generate("random", width=9, height=8, seed=4, walls=0.25, topology=topology)
    if weights is not None:
        grid = wg.Grid(grid.passable, weights=weights, topology=topology)
    ys, xs = np.nonzero(grid.components == np.bincount(grid.components[grid.components >= 0]).argmax())
    return wg.make_finder(name, grid).trace((int(xs[0]), int(ys[0])), (int(xs[-1]), int(ys[-1])))


def film_of(trace, **more):
    grid = trace._grid
    return Film(grid.passable, trace.events, grid.weights, grid.topology, trace._ends, trace.path.cells, **more)


def read(file):
    """Return the frames of a GIF as colours, and how long each stays in milliseconds."""
    with Image.open(file) as image:
        frames, stays = [], []
        for number in range(image.n_frames):
            image.seek(number)
            frames.append(np.asarray(image.convert("RGB")))
            stays.append(image.info["duration"])
        assert image.info["loop"] == 0
        return frames, stays


def count(frame, colour):
    return int((frame == colour).all(axis=2).sum())


@pytest.mark.parametrize("topology", ["tile", "octile", "hex", "tex"])
def test_a_gif_holds_exactly_the_frames(topology, tmp_path):
    trace = trace_of(topology=topology)
    made = trace.animate(tmp_path / "a.gif", seconds=2, fps=10)
    frames, stays = read(tmp_path / "a.gif")
    film = Frames(film_of(trace), 20, None)
    drawn = [film.palette[frame] for frame in film]
    assert made.frames == len(frames) == len(drawn) == 21
    for one, two in zip(frames, drawn, strict=True):
        assert np.array_equal(one, two)
    assert stays == [100] * 20 + [2000]
    assert made.seconds == 4
    assert os.listdir(tmp_path) == ["a.gif"]


@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_can_be_watched(name, tmp_path):
    trace = trace_of(name)
    trace.animate(tmp_path / "a.gif", seconds=1, fps=5)
    frames, _ = read(tmp_path / "a.gif")
    for frame in frames:
        assert count(frame, STANDARD.start) > 20
        assert count(frame, STANDARD.goal) > 20
    assert [count(frame, STANDARD.path) > 20 for frame in frames] == [False] * (len(frames) - 1) + [True]
    assert all(not np.array_equal(one, two) for one, two in itertools.pairwise(frames))


def test_cells_open_and_close_in_the_order_of_the_events():
    trace = trace_of("bfs")
    width, scale = trace._grid.width, 11
    film = Frames(film_of(trace), 10**6, scale)
    kinds, nodes = trace.events["kind"], trace.events["node"]
    visible = np.flatnonzero(np.isin(kinds, (at.E_GENERATING, at.E_EXPANDING)))
    frames = [film.palette[frame] for frame in film]
    assert len(frames) == len(visible) + 1
    ends = [y * width + x for x, y in trace._ends]
    states = {}
    for event, frame in zip(visible, frames, strict=False):
        states[nodes[event]] = kinds[event]
        for node in set(range(width * trace._grid.height)) - set(ends):
            y, x = divmod(node, width)
            colour = tuple(frame[y * scale + 5, x * scale + 5])
            state = states.get(node)
            if not trace._grid.passable[y, x]:
                assert colour == STANDARD.wall
            elif state is None:
                assert colour == STANDARD.ground
            elif state == at.E_GENERATING:
                assert colour == STANDARD.opened
            else:
                assert STANDARD.closed_last[0] <= colour[0] <= STANDARD.closed[0]


def test_a_new_round_begins_with_an_empty_map():
    trace = trace_of("iddfs")
    film = Frames(film_of(trace), 10**6, 9)
    shown = [count(film.palette[frame], STANDARD.ground) for frame in film]
    rounds = (trace.events["kind"] == at.E_BOUND).sum()
    assert rounds > 2
    assert sum(later > before for before, later in itertools.pairwise(shown[:-1])) >= rounds - 1


def test_the_trail_of_an_agent_stays():
    trace = trace_of("lrta")
    film = Frames(film_of(trace), 10**6, 9)
    trail = tuple(int(v) for v in np.add(STANDARD.path, STANDARD.ground) // 2)
    shown = [count(film.palette[frame], trail) for frame in film][:-1]
    assert shown == sorted(shown)
    assert shown[-1] > 3 * 8 * 8


@pytest.mark.parametrize("high", [3, 9, 60000])
def test_weights_are_shades_under_the_search(high):
    weights = np.random.default_rng(2).integers(1, high + 1, (8, 9))
    trace = trace_of("dijkstra", weights=weights)
    film = Frames(film_of(trace), 40, 10)
    frames = [film.palette[frame] for frame in film]
    assert film.palette.shape == (COLOURS, 3)
    first = {tuple(frames[0][10 * y + 4, 10 * x + 4]) for y, x in np.argwhere(trace._grid.passable)}
    assert len(first) >= 3  # ground, two or more weights
    assert not np.array_equal(frames[0], frames[-2])
    costly = np.argwhere(trace._grid.passable & (weights == weights[trace._grid.passable].max()))
    y, x = costly[-1]
    assert tuple(frames[0][10 * y + 4, 10 * x + 4]) == STANDARD.heavy


def test_one_film_looks_like_the_picture_of_the_trace():
    trace = trace_of()
    film = Frames(film_of(trace), 1, 20)
    *_, last = [film.palette[frame] for frame in film]
    order = trace.expansion_order()
    picture = np.asarray(draw_map(trace._grid, expanded=order, opened=trace.generated(), path=trace.path, scale=20))
    away = np.abs(last.astype(int) - picture).max(axis=2)
    assert (away <= 8).mean() > 0.97  # fewer steps of blue, and fewer colours at smooth edges


def test_huge_maps_have_several_cells_in_a_pixel(tmp_path):
    grid = wg.Grid(np.ones((3, 3000)), topology="hex")
    trace = wg.make_finder("astar", grid).trace((0, 1), (2999, 1))
    trace.animate(tmp_path / "a.gif", seconds=1, fps=4)
    frames, _ = read(tmp_path / "a.gif")
    assert frames[0].shape == (1, 1000, 3)
    trace.animate(tmp_path / "a.gif", seconds=1, fps=4, scale=1)
    assert read(tmp_path / "a.gif")[0][0].shape == (3, 3000, 3)


@pytest.mark.parametrize("ends", [((0, 0), (0, 0)), ((0, 0), (3, 0))])
def test_without_a_search_there_are_two_frames(ends, tmp_path):
    trace = wg.make_finder("astar", wg.Grid([[1, 1, 0, 1]])).trace(*ends)
    assert trace.animate(tmp_path / "a.gif").frames == 2
    assert read(tmp_path / "a.gif")[1] == [250, 2000]


def test_a_grid_without_passable_weights_and_blocked_cells(tmp_path):
    finder = wg.make_finder("astar", wg.Grid(np.ones((3, 5))))
    finder.trace((0, 1), (4, 1), blocked=[(2, 1)]).animate(tmp_path / "a.gif", scale=10)
    assert tuple(read(tmp_path / "a.gif")[0][0][14, 24]) == STANDARD.wall


def test_colours_can_be_chosen(tmp_path):
    trace_of().animate(tmp_path / "a.GIF", seconds=0.2, colours="safe")
    assert count(read(tmp_path / "a.GIF")[0][0], PALETTES["safe"].wall) > 100


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.avi", {}, r"a\.avi: the name of an animation must end in \.gif, \.mp4, \.webm"),
        ("a.gif", {"seconds": 0}, "seconds is 0; allowed are numbers above 0, up to 600"),
        ("a.gif", {"seconds": float("nan")}, "seconds is nan"),
        ("a.gif", {"seconds": "long"}, "seconds is 'long'"),
        ("a.gif", {"fps": 51}, "fps is 51; allowed are the integers 1 to 50"),
        ("a.gif", {"fps": 2.5}, "fps is 2.5"),
        ("a.gif", {"scale": 0}, "scale is 0; 1 to 482 pixels per cell"),
        ("a.gif", {"colours": "neon"}, "colours is 'neon'"),
        ("no/a.gif", {}, r"cannot write .*a\.gif: no such file or directory"),
    ],
)
def test_bad_input_is_named(name, options, message, tmp_path):
    with pytest.raises(wg.WaygridError, match=message):
        trace_of().animate(tmp_path / name, **options)
    assert os.listdir(tmp_path) == []


# --- ffmpeg ---


@pytest.fixture
def ffmpeg(tmp_path, monkeypatch):
    """Return a function that puts a program called ffmpeg on the PATH, and nothing else."""
    if sys.platform == "win32":
        pytest.skip("the program is a script")
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def make(body):
        (folder / "ffmpeg").write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
        (folder / "ffmpeg").chmod(0o755)

    return make


@pytest.mark.parametrize("suffix", ["mp4", "webm"])
def test_ffmpeg_gets_every_frame(ffmpeg, suffix, tmp_path):
    ffmpeg("open(sys.argv[-1], 'wb').write(' '.join(sys.argv[1:-1]).encode() + b'\\n' + sys.stdin.buffer.read())")
    trace = trace_of()
    made = trace.animate(tmp_path / f"a.{suffix}", seconds=1, fps=5)
    options, pixels = (tmp_path / f"a.{suffix}").read_bytes().split(b"\n", 1)
    film = Frames(film_of(trace), 5, None)
    drawn = [film.palette[frame].tobytes() for frame in film]
    assert pixels == b"".join(drawn[:-1]) + 10 * drawn[-1]
    assert made.seconds == 3
    assert "-s {}x{} -r 5 ".format(*film.size) in options.decode()
    assert options.decode().endswith(f"-f {suffix}")
    assert "<video controls loop" in made._repr_html_()
    assert f"data:video/{suffix};base64," in made._repr_html_()


@pytest.mark.parametrize("body", ["sys.exit('no such codec')", "sys.stdin.buffer.read(); sys.exit('no such codec')"])
def test_what_ffmpeg_complains_of_is_told_and_the_old_file_stays(ffmpeg, body, tmp_path):
    ffmpeg(body)
    (tmp_path / "a.mp4").write_bytes(b"old")
    with pytest.raises(wg.WaygridError, match=r"ffmpeg cannot write mp4: no such codec; \.gif needs no ffmpeg"):
        trace_of().animate(tmp_path / "a.mp4")
    assert (tmp_path / "a.mp4").read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["a.mp4", "bin"]


def test_without_ffmpeg_the_error_names_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(wg.WaygridError, match=r"\.mp4 needs the program ffmpeg, which is not on the PATH; \.gif needs"):
        trace_of().animate(tmp_path / "a.mp4")


# --- In a notebook ---


def test_a_film_shows_itself(tmp_path):
    made = trace_of().animate(tmp_path / "a.gif", seconds=1, fps=5)
    html = made._repr_html_()
    assert "a.gif · 6 frames · 3.0 s" in html
    assert str(tmp_path) not in html
    assert 'src="data:image/gif;base64,' in html
    with (tmp_path / "a.gif").open("r+b") as file:
        file.truncate(LARGEST_SHOWN + 1)
    assert "not shown" in made._repr_html_()
    (tmp_path / "a.gif").unlink()
    assert "not shown" in made._repr_html_()
