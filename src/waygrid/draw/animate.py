"""Films of searches: GIF with Pillow, MP4 and WebM with the program ffmpeg."""

import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from waygrid.draw.canvas import Bytes
from waygrid.draw.film import COLOURS, Film, Frames
from waygrid.draw.notebook import card, image_html
from waygrid.errors import WaygridError, show
from waygrid.formats.files import PathLike, replacing

SUFFIXES = (".gif", ".mp4", ".webm")
HOLD_S = 2.0  # of the last frame
LONGEST_FRAME_S = 0.25
LARGEST_SHOWN = 8_000_000  # bytes of a film that a notebook stores


@dataclass(frozen=True, repr=False)
class Animation:
    """A film that was written: its file, its frames, and how long it is."""

    file: Path
    frames: int
    seconds: float

    def __repr__(self) -> str:
        return f"Animation({str(self.file)!r}, {self.frames} frames, {self.seconds:.1f} s)"

    def _repr_html_(self) -> str:
        facts = [self.file.name, f"{self.frames} frames", f"{self.seconds:.1f} s"]
        if not self.file.is_file() or self.file.stat().st_size > LARGEST_SHOWN:
            return card("Animation", [*facts, "not shown: the file is gone or too large"])
        data, suffix = self.file.read_bytes(), self.file.suffix.lower()
        if suffix == ".gif":
            return card("Animation", facts, more=image_html(data, "image/gif", "a film of a search"))
        film = image_html(data, f"video/{suffix[1:]}", "").replace('<img alt=""', "<video controls loop")
        return card("Animation", facts, more=f"{film}</video>")


def write_film(path: PathLike, film: Film, seconds: float, fps: int, scale: int | None) -> Animation:
    """Write a film of at most `seconds` and then the path; the suffix of the file name selects the format."""
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES:
        raise WaygridError(f"{file}: the name of an animation must end in {', '.join(SUFFIXES)}")
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= 600:
        raise WaygridError(f"seconds is {show(seconds)}; allowed are numbers above 0, up to 600")
    if isinstance(fps, bool) or not isinstance(fps, int) or not 1 <= fps <= 50:
        raise WaygridError(f"fps is {show(fps)}; allowed are the integers 1 to 50")
    ffmpeg = None if suffix == ".gif" else _find_ffmpeg(file)
    frames = Frames(film, max(1, round(seconds * fps)), scale)
    each = min(max(1 / fps, seconds / frames.count), LONGEST_FRAME_S)
    # When each frame begins: so rounded times do not add up.
    starts = [number * each for number in range(frames.count + 1)]
    starts.append(starts[-1] + HOLD_S)
    with replacing(file) as temporary:
        if ffmpeg is None:
            _write_gif(temporary, frames, _lasting(frames, starts, 100))
        else:
            _write_video(temporary, frames, _lasting(frames, starts, fps), [ffmpeg, suffix[1:], str(fps)])
    return Animation(file, frames.count + 1, starts[-1])


def _lasting(frames: Frames, starts: list[float], per_second: int) -> Iterator[tuple[Bytes, int]]:
    """Yield each frame and how long it stays, in parts of a second, at least one."""
    ticks = [round(start * per_second) for start in starts]
    for number, frame in enumerate(frames):
        yield frame, max(1, ticks[number + 1] - ticks[number])


def _write_gif(file: Path, frames: Frames, timed: Iterator[tuple[Bytes, int]]) -> None:
    """Write frame after frame, of each only the rectangle that changes: Pillow alone would keep all in memory."""
    from PIL import Image
    from PIL.GifImagePlugin import getdata

    with file.open("wb") as target:
        before = None
        for frame, hundredths in timed:
            if before is None:  # the palette is complete when the first frame is there
                width, height = frames.size
                target.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0))
                target.write(frames.palette.tobytes() + b"\0\0\0")
                target.write(b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0")  # again and again
                part, corner = frame, (0, 0)
            else:
                part, corner = _changed_part(before, frame)
            image = Image.fromarray(np.ascontiguousarray(part))
            target.writelines(getdata(image, corner, duration=10 * hundredths, transparency=COLOURS, disposal=1))
            before = frame
        target.write(b";")


def _changed_part(before: Bytes, frame: Bytes) -> tuple[Bytes, tuple[int, int]]:
    """Return the rectangle that changes, transparent where it does not, and its corner (x, y)."""
    changed = before != frame
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if not rows.size:
        return np.full((1, 1), COLOURS, np.uint8), (0, 0)
    box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return np.where(changed[box], frame[box], np.uint8(COLOURS)), (int(columns[0]), int(rows[0]))


def _find_ffmpeg(file: Path) -> str:
    program = shutil.which("ffmpeg")
    if program is None:
        raise WaygridError(f"{file}: {file.suffix} needs the program ffmpeg, which is not on the PATH; .gif needs none")
    return program


def _write_video(file: Path, frames: Frames, timed: Iterator[tuple[Bytes, int]], how: list[str]) -> None:
    """Send the frames to ffmpeg, which chooses its best codec for the format."""
    program, name, fps = how
    size = "{}x{}".format(*frames.size)
    even = "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white"  # the usual codecs need even sides
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", fps, "-i", "-"]
    target = ["-an", "-vf", even, "-pix_fmt", "yuv420p", "-f", name, str(file)]
    with tempfile.TemporaryFile() as said:
        command = [program, "-y", "-loglevel", "error", *source, *target]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said)
        assert process.stdin is not None
        try:
            for frame, times in timed:
                picture = frames.palette[frame].tobytes()
                for _ in range(times):
                    process.stdin.write(picture)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it says why below
        except BaseException:
            process.kill()
            raise
        finally:
            code = process.wait()
        if code:
            said.seek(0)
            reason = said.read().decode(errors="replace").strip().splitlines() or ["no reason given"]
            raise WaygridError(f"ffmpeg cannot write {name}: {reason[-1]}; .gif needs no ffmpeg")
