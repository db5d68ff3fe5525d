"""What the attacks in tests/torture have found in files from strangers and on full disks, each mended once."""

import json
import os
import subprocess
import sys
import textwrap
import tracemalloc
import zlib

import numpy as np
import pytest

from waygrid.build.resume_file import _LENGTHS, _MARK, _PREFIX, BuildFile
from waygrid.errors import WaygridError
from waygrid.formats import posthoc_reader, read_map, ros_map
from waygrid.formats.files import find_inside, read_bytes
from waygrid.studio import imports
from waygrid.studio.limits import StudioLimits
from waygrid.studio.wire import unpack

pytestmark = pytest.mark.quick

YAML = "image: {}\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: {}\noccupied_thresh: 0.65\nfree_thresh: 0.2\n"


def test_a_message_holds_no_signs_that_a_terminal_obeys():
    error = WaygridError("layer '\x1b[31m\u202e\ud800' of\nhall\xa0é")
    assert str(error) == "layer '\\x1b[31m\\u202e\\ud800' of hall\xa0é"
    str(error).encode()


def test_a_message_has_an_end():
    text = str(WaygridError("begin " + 100_000 * "\ufeff" + " end"))
    assert text.startswith("begin ")
    assert text.endswith(" end")
    assert len(text) < 2000


def test_a_small_file_takes_little_memory(tmp_path):
    file = tmp_path / "a.txt"
    file.write_bytes(b"#.#")
    tracemalloc.start()
    assert read_bytes(file, 2**30) == b"#.#"
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_up_to_the_limit():
    for limit, fits in ((3_000_000, True), (2_999_999, False)):
        reading, writing = os.pipe()
        script = f"import os; os.write({writing}, b'a' * 3_000_000)"
        with subprocess.Popen([sys.executable, "-c", script], pass_fds=[writing], stderr=subprocess.DEVNULL):
            os.close(writing)
            if fits:
                assert len(read_bytes(f"/dev/fd/{reading}", limit)) == 3_000_000
            else:
                with pytest.raises(WaygridError, match="larger than the 2999999 bytes allowed"):
                    read_bytes(f"/dev/fd/{reading}", limit)
            os.close(reading)


def test_names_that_no_file_can_have(tmp_path):
    assert find_inside(tmp_path, "a\ud800.pgm") is None
    assert find_inside(tmp_path, "a\0b/c") == tmp_path.resolve() / "ab" / "c"
    project = {"levels": [{"identifier": "A", "externalRelPath": "\ud800.ldtkl"}]}
    (tmp_path / "a.ldtk").write_text(json.dumps(project), encoding="utf-8")
    with pytest.raises(WaygridError, match=r"allowed are \.ldtkl files in the folder of the project"):
        read_map(tmp_path / "a.ldtk")
    (tmp_path / "a.yaml").write_text(YAML.format('"\\ud800.pgm"', 0), encoding="utf-8")
    with pytest.raises(WaygridError, match="is outside the folder of the map"):
        read_map(tmp_path / "a.yaml")


def test_brackets_in_a_description_are_few():
    """PyYAML takes seconds for some thousands of them, since each may cost as much as all before it."""
    for text, words in (("[" * 10_000, "10001 brackets"), ("[" * 99, "line"), ("!<", "cannot be read|not valid")):
        with pytest.raises(WaygridError, match=words):
            ros_map.parse_info(YAML.format("a.pgm", text))


@pytest.mark.parametrize("text", ["a: !\n", "image: !<\n", "? !", "%YAML", "&"])
def test_descriptions_that_the_yaml_library_stumbles_over(text):
    with pytest.raises(WaygridError):
        ros_map.parse_info(text)


def test_a_shape_of_truths(tmp_path):
    file = tmp_path / "a.npy"
    np.save(file, np.ones((1, 3), bool))
    file.write_bytes(file.read_bytes().replace(b"(1, 3), }   ", b"(True, 3), }"))
    with pytest.raises(WaygridError, match=r"an array of shape \(True, 3\)"):
        read_map(file)


def test_odd_traces():
    """A word of 80,000 letters took 15 s; numbers of hundreds of digits were no numbers of ours."""
    event = "- {type: source, id: 0, x: 1, y: 2, g: %s}\n"
    with pytest.raises(WaygridError, match="no event has a kind"):
        posthoc_reader.parse(b"events:\n- {" + b"type" * 20_000)
    for number in ("9" * 400, "1e300"):
        text = "version: 1.4.0\nevents:\n" + event % number
        read = imports.read_trace("a.trace.yaml", text.encode(), StudioLimits())
        assert unpack(read)[1]["g"].tolist() == [np.inf]
    with pytest.raises(WaygridError, match="g of event 0 is 999"):
        posthoc_reader.parse(('{"events": [{"type": "source", "x": 1, "y": 1, "g": %s}]}' % ("9" * 400)).encode())


def forge(*headers):
    """Return a file of a build with these headers and right checksums."""
    parts = []
    for header in headers:
        text = header.encode()
        lengths = _LENGTHS.pack(len(text), 0)
        parts.append(_PREFIX.pack(_MARK, len(text), 0, zlib.crc32(text, zlib.crc32(lengths)), 0) + text)
    return b"".join(parts)


RECORD = '{"first": %s, "last": 5, "arrays": [["a", "<u2", [0]]], "seconds": %s}'


@pytest.mark.parametrize(
    ("record", "kept"),
    [
        (RECORD % (0, 1.5), 1),
        (RECORD % (0, "9" * 400), 1),
        (RECORD % ("1e999", 1), 0),
        (RECORD % ("NaN", 1), 0),
        ('{"a":' * 100_000, 0),
        ("[" * 100_000, 0),
        ('"text"', 0),
        ('{"first": 0, "last": 5, "arrays": [["a", [[]], [0]]]}', 0),
        ('{"first": 0, "last": 5, "arrays": [["a", "<u2", [1e999]]]}', 0),
        ('{"first": 0, "last": 5, "arrays": [["a", "(1=", [0]]]}', 0),
    ],
)
def test_a_forged_piece_of_a_build_is_not_used(tmp_path, record, kept):
    path = tmp_path / "a.part"
    path.write_bytes(forge('{"key": "k", "total": 60}', record))
    file = BuildFile.open(path, "k", 60, create=False)
    assert len(file.records) == kept
    assert 0 <= file.seconds < 2
    file.close()


FULL = """
    import resource, signal, sys
    import numpy as np
    from waygrid.errors import WaygridError
    from waygrid.formats import geotiff
    from waygrid.formats.geotiff import read_raster, write_raster

    file, most = sys.argv[1], int(sys.argv[2])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    try:
        write_raster(file, np.random.default_rng(1).random((200, 200)))
    except WaygridError as error:
        print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no limit on the size of files")
@pytest.mark.parametrize("most", [1, 500, 100_000])
def test_a_full_disk_does_not_replace_a_raster(tmp_path, most):
    """GDAL reports nothing when the last blocks do not fit while it closes a file."""
    pytest.importorskip("rasterio")
    from waygrid.formats.geotiff import write_raster

    file = tmp_path / "dem.tif"
    write_raster(file, np.ones((3, 3)))
    before = file.read_bytes()
    script = [sys.executable, "-c", textwrap.dedent(FULL), file, str(most)]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"cannot write {file}: "), done
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["dem.tif"]
