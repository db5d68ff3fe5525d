"""Everything of the package that reads files: small valid files that its own writers make, and how each is read."""

import io
import json
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from torture import _mutate as mend

from waygrid.bench import schema
from waygrid.bench.store import open_store
from waygrid.build.resume_file import BuildFile
from waygrid.build.workers import Piece
from waygrid.formats import MapData, geotiff, movingai, path_rows, posthoc_reader, read_map, ros_image, tiled, write_map
from waygrid.formats.dynamic import DynamicData, read_dynamic, write_dynamic
from waygrid.formats.georeference import Georeference
from waygrid.formats.index import read_index, write_index
from waygrid.formats.mapdata import check_map
from waygrid.formats.patches import read_patches, write_patches
from waygrid.formats.posthoc import EVENT_DTYPE, write_trace
from waygrid.formats.scenario import read_scenario
from waygrid.graph.navmesh import build_navmesh
from waygrid.graph.obj import read_obj
from waygrid.maps.archive import Limits, unpack
from waygrid.maps.inventory import MANIFEST, read_manifest
from waygrid.studio import imports, opening, wire
from waygrid.studio.lesson_file import read_lesson
from waygrid.studio.limits import StudioLimits

KEY = "torture-1"  # of the unfinished build
LIMITS = StudioLimits(cells=100_000)


class Reader(NamedTuple):
    """A kind of file: how valid ones are made, how it is read, and how its checksums are made right again."""

    name: str
    suffix: str
    seeds: list[bytes]
    read: object  # (file, chance) -> anything
    mend: object = None
    inputs: int = 250  # of a seed of the program
    words: tuple[bytes, ...] = ()


# --- Valid files ------------------------------------------------------------------------------------------------------


def make_maps():
    """Return small maps: plain, with weights, of one cell, with coordinates."""
    chance = np.random.default_rng(1)
    walls = chance.random((5, 7)) > 0.3
    weights = np.where(walls, chance.integers(1, 5, walls.shape), 1).astype(np.uint16)
    place = Georeference.from_resolution(0.5, (-3, 2), image_height=5)
    return [
        MapData(walls),
        MapData(walls, weights),
        MapData(np.ones((1, 1), bool)),
        MapData(walls, None, "hex"),
        MapData(walls, weights, "octile", place),
    ]


def written(folder, name, maps):
    """Return the bytes of maps in a format, those that it can store."""
    made = []
    for data in maps:
        file = folder / f"seed{name}"
        write_map(file, data)
        made.append(file.read_bytes())
    return made


def made_by(folder, name, write):
    """Return the bytes of a file that a function writes."""
    file = folder / name
    write(file)
    return file.read_bytes()


def make_tmx(folder, maps):
    """Return maps of Tiled: as we write them, and with other layers, encodings and tilesets."""
    layer = '<layer name="Walls" width="3" height="2">{}</layer>'
    head = '<map version="1.10" orientation="{}" width="3" height="2" tilewidth="8" tileheight="8" {}>'
    base64 = '<data encoding="base64" compression="zlib">eJxjYGBgYARiJiBmBmIWAAA8AAc=</data>'
    plain = '<data encoding="base64">AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA</data>'
    csv = '<data encoding="csv">1,0,2,0,0,1</data>'
    tiles = "<data>" + '<tile gid="1"/>' * 5 + "<tile/></data>"
    chunks = '<data encoding="csv"><chunk x="-2" y="0" width="2" height="2">1,0,0,1</chunk></data>'
    properties = '<properties><property name="weight" type="int" value="3"/></properties>'
    tileset = (
        f'<tileset firstgid="1" name="a"><tile id="0" terrain="0,0,,1">{properties}</tile><tile id="1"/>'
        f'<terraintypes><terrain name="mud" tile="0">{properties}</terrain></terraintypes>'
        f'<wangsets><wangset name="w" type="corner" tile="-1"><wangcolor name="m" color="#ff0000" tile="-1" '
        f'probability="1">{properties}</wangcolor><wangtile tileid="1" wangid="0,1,0,1,0,1,0,1"/></wangset></wangsets>'
        "</tileset>"
    )
    hexagonal = 'hexsidelength="4" staggeraxis="x" staggerindex="odd"'
    texts = [head.format("orthogonal", "") + layer.format(body) + "</map>" for body in (base64, plain, csv, tiles)] + [
        head.format("orthogonal", 'infinite="1"') + layer.format(chunks) + "</map>",
        head.format("hexagonal", hexagonal) + tileset + layer.format(csv) + "</map>",
        head.format("isometric", "")
        + tileset
        + '<tileset firstgid="9" source="a.tsx"/>'
        + layer.format(csv)
        + "</map>",
    ]
    return written(folder, ".tmx", [maps[0], maps[1], maps[3]]) + [text.encode() for text in texts]


def make_pngs(folder, maps):
    """Return images: as we write them, and of other kinds."""
    from PIL import Image

    made, chance = written(folder, ".png", maps[:3]), np.random.default_rng(2)
    for mode, shape in (("L", (4, 6)), ("RGB", (4, 6, 3)), ("RGBA", (4, 6, 4)), ("LA", (4, 6, 2))):
        picture, stream = Image.fromarray(chance.integers(0, 256, shape).astype(np.uint8), mode), io.BytesIO()
        picture.save(stream, "PNG")
        made.append(stream.getvalue())
    for picture in (
        Image.fromarray(chance.integers(0, 65536, (4, 6)).astype(np.uint16)),
        Image.fromarray(chance.integers(0, 2, (4, 6)).astype(bool)),
        Image.fromarray(chance.integers(0, 256, (4, 6)).astype(np.uint8)).convert("P"),
    ):
        for more in ({}, {"transparency": 1}):
            stream = io.BytesIO()
            picture.save(stream, "PNG", **more)
            made.append(stream.getvalue())
    return made


def make_tifs(folder, maps):
    """Return rasters: as we write them, of floats, of many bands."""
    values, chance = np.ma.masked_less(np.linspace(-1, 9, 35).reshape(5, 7), 0), np.random.default_rng(3)
    made = written(folder, ".tif", [maps[0], maps[1], maps[4]])
    made.append(made_by(folder, "float.tif", lambda file: geotiff.write_raster(file, values, nodata=-9.0)))
    made.append(made_by(folder, "int.tif", lambda file: geotiff.write_raster(file, chance.integers(0, 9, (3, 3)))))
    return made


def make_ldtk(folder, maps):
    """Return projects of LDtk: as we write them, and one with several worlds, layers and names."""
    values = [
        {"value": 1, "identifier": "wall"},
        {"value": 2, "identifier": "cost_5"},
        {"value": 3, "identifier": None},
    ]
    layer = {"__type": "IntGrid", "__identifier": "Walls", "__cWid": 3, "__cHei": 2, "intGridCsv": [0, 1, 2, 3, 0, 0]}
    other = {"__type": "IntGrid", "__identifier": "Fog", "__cWid": 1, "__cHei": 1, "intGridCsv": [0]}
    defined = {"layers": [{"identifier": "Walls", "intGridValues": values}]}
    level = {"identifier": "Hall", "layerInstances": [layer, other]}
    away = {"identifier": "Away", "layerInstances": None, "externalRelPath": "levels/Away.ldtkl"}
    worlds = {"levels": [], "worlds": [{"identifier": "W", "levels": [level]}], "defs": defined}
    return [
        *written(folder, ".ldtk", maps[:2]),
        *(json.dumps(each).encode() for each in (worlds, {"levels": [away], "defs": defined})),
    ]


def make_scenarios():
    return [
        b"version 1\n0\ta.map\t7\t5\t1\t2\t3\t2\t2.0\n1\tmy b.map\t7\t5\t0\t0\t6\t4\t7.65685425\n",
        b"version 1.0\r\n0 a.map 7 5 1 2 3 2 2\r\n",
        b"0\ta.map\t7\t5\t1\t2\t3\t2\t2.0",
    ]


def make_dynamic(folder):
    """Return a dynamic scenario and its patches."""
    patches = [np.ones((2, 3), bool), np.zeros((1, 1), bool)]
    ends = np.array([[0, 0], [1, 2]], np.int32)
    data = DynamicData(
        7, 5, np.array([[0, 1, 1], [1, 0, 0]], np.int32), np.zeros(2, np.int32), ends, ends[::-1].copy(),
        np.array([2.5, 3.0]), np.zeros(2, np.int32), np.array([0, 1]),
    )  # fmt: skip
    write_dynamic(folder / "a.scen", data, patches)
    return [(folder / "a.scen").read_bytes()]


def make_patches(folder):
    patches = [[[[1, 0, 1], [0, 1, 1]], [[1], [1]]], [[[0]]], []]
    return [made_by(folder, "b.patch", lambda file, p=p: write_patches(file, p)) for p in patches]


def make_obj():
    return [
        b"# a hall\nv 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 2 0 0\nf 1 2 3\nf 1/1 3/2/2 4//1\nf -5 -1 2\n",
        b"o a\nv 0 0 0\nv 1e3 0 .5\nv 1 -0 1\nvt 0 0\nvn 0 1 0\ns off\nf 1 2 \\\n3\n",
    ]


def make_indexes(folder):
    """Return index files of some arrays."""
    arrays = {"next": np.arange(6, dtype=np.uint8), "boxes": np.ones((2, 4), np.int32), "empty": np.zeros((0, 3))}
    facts = {"algorithm": "cpd", "options": {"level": 2}, "map_hash": "1f", "extra": {"note": "a"}}
    return [
        made_by(folder, "a.wgi", lambda file: write_index(file, arrays, **facts)),
        made_by(folder, "b.wgi", lambda file: write_index(file, {"a": np.zeros(1)}, **facts)),
    ]


def make_build_files(folder):
    """Return unfinished builds of two pieces and of none."""
    made = []
    for number, count in enumerate((2, 0)):
        path = folder / f"{number}.part"
        file = BuildFile.open(path, KEY, 40, create=True)
        for k in range(count):
            pair = np.dtype([("a", "<u2"), ("b", "<i4")])
            arrays = {"rows": np.arange(10, dtype=np.int32).reshape(5, 2) + k, "pairs": np.ones(3, pair)}
            file.append(Piece(5 * k, 5 * k + 5, arrays), 1.5)
        file.close()
        made.append(path.read_bytes())
    return made


def make_traces(folder):
    """Return traces of searches: as we write them, as objects, and in the style of other versions."""
    events = np.zeros(5, EVENT_DTYPE)
    events["kind"], events["node"], events["parent"], events["g"] = (2, 3, 9, 13, 6), range(5), range(-1, 4), 1
    more = {"width": 3, "topology": "octile", "cardinal": 10, "source": (0, 0), "destination": (2, 1)}
    names = ("a.trace.yaml", "b.trace.json")
    old = b"version: 1.0.4\neventList:\n  - type: source\n    id: 0\n    variables: {x: 1, y: 2}\n"
    old += b"  - {type: end, pId: 0, x: 1, y: 3}\n"
    return [*(made_by(folder, name, lambda file: write_trace(file, events, **more)) for name in names), old]


def read_trace(file, chance):
    """Read a trace of another solver, and show it in the studio."""
    data = file.read_bytes()
    posthoc_reader.read_trace(file)
    imports.read_trace(file.name, data, LIMITS)


VALUES = {"VARCHAR": "'{}'", "DOUBLE": "0.5", "BOOLEAN": "true", "TIMESTAMP": "'2026-01-01'"}


def row_of(columns):
    """Return values for the columns of a table, as SQL."""
    return ", ".join(VALUES.get(kind.split()[0], "1") for kind in columns.values())


def make_stores(folder):
    """Return a benchmark store with a row in each table."""
    path = folder / "a.duckdb"
    with open_store(path) as store:
        for table, columns in schema.TABLES.items():
            store.execute(f"INSERT INTO {table} VALUES ({row_of(columns)})")
    return [path.read_bytes()]


def make_archives():
    """Return zip archives of maps, packed and not."""
    made = []
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", method) as file:
            file.writestr(zipfile.ZipInfo("sub/a.map"), b"type octile\nheight 1\nwidth 3\nmap\n.@.\n", method)
            file.writestr(zipfile.ZipInfo("a.map.scen"), make_scenarios()[0], method)
            file.writestr(zipfile.ZipInfo("readme.txt"), b"text", method)
        made.append(stream.getvalue())
    return made


def make_messages():
    walls, weights = np.ones((2, 3), np.uint8), np.full((2, 3), 4, np.uint16)
    return [
        wire.pack({"width": 3, "height": 2}, {"walls": walls.ravel()}),
        wire.pack({"width": 3, "height": 2}, {"walls": walls.ravel(), "weights": weights.ravel()}),
    ]


# --- Reading ----------------------------------------------------------------------------------------------------------


def check_data(data, name="a map"):
    """Refuse a map that no reader may return."""
    checked = check_map(data, name)
    assert {checked.passable.dtype, data.passable.dtype} == {np.dtype(np.bool_)}, "cells are no booleans"
    assert data.weights is None or data.weights.dtype == np.uint16, "weights are no uint16"
    assert data.weights is None or data.weights.min() > 0, "a weight of 0"


def read_any(*options):
    """Return a reader of maps that now and then uses one of these options."""

    def read(file, chance):
        check_data(read_map(file, **(chance.choice(options) if options and chance.random() < 0.4 else {})))

    return read


def read_pgm(file, chance):
    """Read a picture of a robot's map as a whole and through its description."""
    ros_image.read_image(file.read_bytes(), file.name)


def read_mesh(file, chance):
    vertices, faces = read_obj(file)
    build_navmesh(vertices, faces)


def read_build(file, chance):
    """Read an unfinished build, and go on with it."""
    build = BuildFile.open(file, KEY, 40, create=False)
    try:
        pieces = [build.read(record) for record in build.records]
        if pieces:
            build.map_arrays()
        build.append(Piece(39, 40, pieces[0].arrays if pieces else {"rows": np.zeros((1, 2), np.int32)}))
    finally:
        build.close()


def read_store(file, chance):
    with open_store(file, create=chance.random() < 0.5) as store:
        for run in store.runs():
            store.results(run["run"])
        store.export(file.with_suffix(".csv"))


def read_archive(file, chance):
    folder = file.parent / "unpacked"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    unpack(file, folder, skip_bad=chance.random() < 0.5, limits=Limits(), tell=lambda share, name: None)


def read_list(file, chance):
    file.replace(file.with_name(MANIFEST))
    read_manifest(file.parent)


def upload(file, chance):
    """Send a map file to the studio, under any name."""
    suffix = chance.choice((".map", ".png", ".npy", ".txt", ".tmx", ".tif", ".yaml", ".ldtk", ".json", file.suffix))
    name = file.name if chance.random() < 0.8 else f"../{file.stem}{suffix}"
    terrain, _ = opening.open_file(name, file.read_bytes(), LIMITS)
    assert terrain.passable.size <= LIMITS.cells, "a map over the limit"
    json.loads(wire.unpack(opening.pack_terrain("1", terrain))[0]["id"])


def upload_terrain(file, chance):
    data = file.read_bytes()
    opening.receive_terrain(data, LIMITS)


def upload_problems(file, chance):
    json.dumps(opening.read_problems(file.read_bytes(), 7, 5, LIMITS), allow_nan=False)


def make_lessons():
    """Return descriptions of lessons, of maps that need no files beside them."""
    board = {"algorithm": "astar", "options": {"weight": 2}, "title": "A"}
    rules = {"topology": "tile", "corners": "one", "metric": [5, 7]}
    recipe = {"kind": "random", "width": 9, "height": 7, "seed": 1, "walls": 0.3}
    page = {"generate": recipe, "start": [0, 0], "goal": [8, 6], "grid": rules, "boards": [board]}
    named = {"example": "hex", "title": "T", "summary": "S", "text": "one\n\ntwo"}
    lessons = ({"title": "L", "pages": [page, named]}, {"pages": [{"generate": recipe}]}, {"pages": [{"map": "a.map"}]})
    return [json.dumps(lesson).encode() for lesson in lessons]


def make_readers(folder):
    """Return all readers with their valid files, which are made in this folder."""
    folder = Path(folder)
    maps, file = make_maps(), folder / "hall.pgm"
    plain, pngs, tifs, tmx = maps[:3], make_pngs(folder, maps), make_tifs(folder, maps), make_tmx(folder, maps)
    yaml, pgm = folder / "hall.yaml", []
    yamls = []
    for data in (maps[0], maps[1], maps[4]):
        write_map(yaml, data)
        yamls.append(yaml.read_bytes())
        pgm.append(file.read_bytes())
    yamls += [yamls[0].replace(b"trinary", mode) for mode in (b"scale", b"raw")]
    pgm += [b"P2 # grey\n3 2 255\n0 204 1\n2 3 254\n", b"P5\n2 1\n65535\n\0\1\2\3"]
    ldtk, scenarios, listed = make_ldtk(folder, maps), make_scenarios(), {"format": 1}
    godot = written(folder, ".json", [*plain, maps[3], maps[4]])
    texts = written(folder, ".txt", plain)
    arrays = written(folder, ".npy", plain)
    movingais = written(folder, ".map", [*plain, maps[3]])
    listed |= {"files": {"a.map": {"bytes": 3, "sha256": "1f"}}, "archives": {"a.zip": {"sha256": "1f", "url": "x"}}}
    levels = ({"level": 0}, {"level": "Hall", "layer": "Walls"}, {"walls": "wall,3", "weights": "cost_5:3,4:8"})
    layers = ({"layer": "Walls"}, {"property": "blocks"}, {"weight": "weight"})
    robots = ({"unknown": "free"}, {"unknown": 5}, {"threshold": 50}, {"weighted": False})
    rasters = ({"band": 2}, {"scale": 0.5}, {"nodata": 3}, {"distortion": "ignore"})
    uploads = [*movingais, *pngs[:4], *arrays, *tmx[:6], *ldtk, *godot, *texts, *tifs[:2], *yamls[:1]]
    words = movingai._FIELDS
    return [
        Reader("map", ".map", movingais, read_any(), words=to_bytes(words, "map octile hex")),
        Reader("scenario", ".scen", scenarios, lambda f, _: read_scenario(f)),
        Reader(
            "dynamic scenario", ".scen", make_dynamic(folder), lambda f, _: read_dynamic(f), words=to_bytes((), "P Q")
        ),
        Reader("patch", ".patch", make_patches(folder), lambda f, _: read_patches(f)),
        Reader("png", ".png", pngs, read_any({"threshold": 1}, {"threshold": 255}), mend.mend_png),
        Reader(
            "npy", ".npy", arrays, read_any(), mend.mend_npy, words=to_bytes((), "True False descr shape |O <f8 |S9")
        ),
        Reader("text", ".txt", texts, read_any()),
        Reader("tmx", ".tmx", tmx, read_any(*layers), words=to_bytes(tiled.WALL_LAYERS, "tile data gid x y chunk csv")),
        Reader("tif", ".tif", tifs, read_any(*rasters), inputs=40),
        Reader("yaml", ".yaml", yamls, read_any(*robots), inputs=60, words=to_bytes((), "null true raw scale !!int")),
        Reader("pgm", ".pgm", [*pgm, *pngs], read_pgm, mend.mend_png),
        Reader("ldtk", ".ldtk", ldtk, read_any(*levels)),
        Reader("json", ".json", godot, read_any(), words=to_bytes((), "crs transform topology cells null NaN")),
        Reader("obj", ".obj", make_obj(), read_mesh, words=to_bytes((), "v f vn 1/1 2//2 -1")),
        Reader("trace", ".trace.yaml", make_traces(folder), read_trace, words=to_bytes((), "id pId type end null g")),
        Reader("paths", ".csv", [b"path,x,y\na,0,0\na,1,0\nb,5,5\n", b"a;1;2"], lambda f, _: path_rows.read_paths(f)),
        Reader("index", ".wgi", make_indexes(folder), lambda f, _: read_index(f), mend.mend_index),
        Reader("build file", ".part", make_build_files(folder), read_build, mend.mend_build_file, words=DTYPES),
        Reader("store", ".duckdb", make_stores(folder), read_store, inputs=10),
        Reader("archive", ".zip", make_archives(), read_archive, inputs=100),
        Reader("list of a set", ".json", [json.dumps(listed).encode()], read_list),
        Reader("upload", ".map", uploads, upload, mend.mend_png, inputs=100),
        Reader("lesson", ".json", make_lessons(), lambda f, _: read_lesson(f, LIMITS), inputs=60, words=LESSON_WORDS),
        Reader("uploaded terrain", ".bin", make_messages(), upload_terrain, mend.mend_message),
        Reader("uploaded scenario", ".scen", scenarios, upload_problems),
    ]


DTYPES = tuple(
    word.encode() for word in ("<f8", "|O", "|S999999999", "<U9", ">i4", "|V0", "first", "last", "arrays", "<M8[D]")
)


LESSON_WORDS = (b"clearance", b"boards", b"hex", b"[5, 7]", b"null", b"example", b"maze", b'"a"')


def to_bytes(words, more):
    return tuple(word.encode() for word in (*words, *more.split()))
