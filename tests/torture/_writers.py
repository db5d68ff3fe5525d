"""Everything of the package that writes files: an old state, the change, and how a file is known to be whole."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from torture import _readers as made

from waygrid.bench.store import open_store
from waygrid.build.resume_file import BuildFile
from waygrid.build.workers import Piece
from waygrid.core import pack
from waygrid.core.cache import _write as write_kernel
from waygrid.formats import geotiff, write_map
from waygrid.formats.dynamic import DynamicData, write_dynamic
from waygrid.formats.files import write_atomically
from waygrid.formats.index import write_index
from waygrid.formats.patches import write_patches
from waygrid.formats.path_rows import write_paths
from waygrid.formats.posthoc import EVENT_DTYPE, write_trace
from waygrid.formats.scenario import ScenarioData, write_scenario


class Writer(NamedTuple):
    """Something that writes a file, or several.

    write(folder, new): write the old or the new state. check(folder, cut): what is wrong with what is there after the
    new state was cut short, or None; without it each file must be that of the old or the new state to the byte.
    """

    name: str
    write: Callable[[Path, bool], Any]
    check: Callable[[Path, str], str | None] | None = None
    quiet: tuple[type[Exception], ...] = ()  # errors that a full disk may raise besides our own


def map_writer(suffix: str) -> Writer:
    """Return what writes a map; the new one is larger."""

    def write(folder: Path, new: bool) -> None:
        data = made.make_maps()[1 if new else 0]
        if new:
            data = data._replace(passable=np.tile(data.passable, (4, 3)), weights=np.tile(data.weights, (4, 3)))
        write_map(folder / f"hall{suffix}", data)

    return Writer(f"map {suffix}", write)


def write_scen(folder: Path, new: bool) -> None:
    count = 90 if new else 3
    cells = np.arange(2 * count, dtype=np.int32).reshape(-1, 2) % 7
    sizes, zeros = np.full((count, 2), 9, np.int32), np.zeros(count, np.int32)
    write_scenario(folder / "a.scen", ScenarioData(zeros, ["a.map"] * count, sizes, cells, cells, np.ones(count)))


def write_changes(folder: Path, new: bool) -> None:
    """Write a dynamic scenario and its patches."""
    count = 40 if new else 2
    ends, zeros = np.ones((count, 2), np.int32), np.zeros(count, np.int32)
    edits, before = np.zeros((count, 3), np.int32), np.arange(count)
    data = DynamicData(7, 5, edits, zeros, ends, ends, np.ones(count), zeros, before)
    write_dynamic(folder / "a.scen", data, [np.ones((2, 3), bool)] * (9 if new else 1))


def write_wgi(folder: Path, new: bool) -> None:
    arrays = {"next": np.arange(3000 if new else 30, dtype=np.int32), "boxes": np.ones((9, 4), np.uint16)}
    write_index(folder / "a.wgi", arrays, algorithm="cpd", options={"new": new}, map_hash="1f")


def write_events(folder: Path, new: bool) -> None:
    events = np.zeros(60 if new else 3, EVENT_DTYPE)
    events["kind"], events["parent"] = 3, -1
    ends = {"source": (0, 0), "destination": (1, 0)}
    write_trace(folder / "a.trace.json", events, width=7, topology="octile", cardinal=10, **ends)


def write_raster(folder: Path, new: bool) -> None:
    """Write floats; they are compressed badly, so that the file grows in several steps."""
    size = 300 if new else 5
    geotiff.write_raster(folder / "dem.tif", np.random.default_rng(size).random((size, size)))


def write_pack(folder: Path, new: bool) -> None:
    pack.write_pack(folder / "a.pack", {"a/b-1": bytes(5000 if new else 10)})


def write_cached_kernel(folder: Path, new: bool) -> None:
    write_kernel(folder / "a.kernel", b"new" * 1500 if new else b"old")


def write_settings(folder: Path, new: bool) -> None:
    """Write what notes, reports, GeoJSON and pages are written with."""
    write_atomically(folder / "a.json", b'{"new": 1}' * 400 if new else b'{"old": 1}')


# --- An unfinished build: what was there stays, the piece that is written is there or not -----------------------------


def write_build(folder: Path, new: bool) -> None:
    file = BuildFile.open(folder / "a.part", made.KEY, 40, create=True)
    try:
        for first in (5, 10) if new else (0,):
            file.append(piece(first))
    finally:
        file.close()


def piece(first: int) -> Piece:
    return Piece(first, first + 5, {"rows": np.arange(5 * 60, dtype=np.int32).reshape(5, 60) + first})


def check_build(folder: Path, cut: str) -> str | None:
    file = BuildFile.open(folder / "a.part", made.KEY, 40, create=False)
    try:
        firsts = [record.first for record in file.records]
        if firsts not in ([0], [0, 5], [0, 5, 10]):
            return f"the pieces are those of {firsts}"
        if any(
            (file.read(record).arrays["rows"] != piece(record.first).arrays["rows"]).any() for record in file.records
        ):
            return "a piece has changed"
        file.append(piece(20))
    finally:
        file.close()
    again = BuildFile.open(folder / "a.part", made.KEY, 40, create=False)
    try:
        return None if [record.first for record in again.records] == [*firsts, 20] else "it cannot be gone on with"
    finally:
        again.close()


# --- A store: whole transactions --------------------------------------------------------------------------------------

ROWS = 500  # of a transaction


def write_store(folder: Path, new: bool) -> None:
    """Write three slices of queries, or the first one."""
    with open_store(folder / "a.duckdb") as store:
        for number in (1, 2) if new else (0,):
            add_slice(store, number)


def add_slice(store: Any, number: int) -> None:
    with store.transaction():
        store.execute(
            "INSERT INTO slices (measurement, first, last, seconds, check_s, agent_bytes) VALUES (1, ?, ?, 0, 0, 0)",
            [number * ROWS, (number + 1) * ROWS],
        )
        store.execute(
            f"INSERT INTO rounds SELECT 1, {number * ROWS} + range, 'a' || range, 0.5, 0.5 FROM range({ROWS})"
        )


def check_store(folder: Path, cut: str) -> str | None:
    with open_store(folder / "a.duckdb") as store:
        slices = [row[0] for row in store.execute("SELECT first FROM slices ORDER BY first").fetchall()]
        if [first // ROWS for first in slices] not in ([0], [0, 1], [0, 1, 2]):
            return f"the slices are those of {slices}"
        rows = store.execute("SELECT count(*), count(DISTINCT round), max(round) FROM rounds").fetchone()
        count = ROWS * len(slices)
        if rows != (count, count, count - 1):
            return f"{rows} rows, different ones and the last for {len(slices)} slices"
        add_slice(store, len(slices))
    with open_store(folder / "a.duckdb", create=False) as store:
        found = store.execute("SELECT count(*) FROM rounds").fetchone()[0]
    return None if found == count + ROWS else "it cannot be gone on with"


def write_export(suffix: str) -> Callable[[Path, bool], None]:
    """Return what exports a store."""

    def write(folder: Path, new: bool) -> None:
        with open_store(":memory:") as store:
            for table, columns in made.schema.TABLES.items():
                for _ in range(1 if table == "runs" or table == "measurements" else 300 if new else 1):
                    store.execute(f"INSERT INTO {table} VALUES ({made.row_of(columns)})")
            store.export(folder / f"rows{suffix}")

    return write


def list_writers() -> list[Writer]:
    """Return all."""
    maps = [".map", ".png", ".npy", ".txt", ".tmx", ".tif", ".yaml", ".ldtk", ".json"]
    return [
        *(map_writer(suffix) for suffix in maps),
        Writer("scenario", write_scen),
        Writer("dynamic scenario", write_changes),
        Writer("patches", lambda folder, new: write_patches(folder / "a.patch", [np.ones((9, 40 if new else 2))])),
        Writer("paths", lambda folder, new: write_paths(folder / "a.csv", [("a", np.ones((200 if new else 2, 2)))])),
        Writer("index", write_wgi),
        Writer("trace", write_events),
        Writer("raster", write_raster),
        Writer("pack of kernels", write_pack, quiet=(OSError,)),
        Writer("cached kernel", write_cached_kernel, quiet=(OSError,)),
        Writer("settings and pages", write_settings),
        Writer("build file", write_build, check_build, quiet=(OSError,)),
        Writer("store", write_store, check_store),
        Writer("export .csv", write_export(".csv")),
        Writer("export .parquet", write_export(".parquet")),
    ]
