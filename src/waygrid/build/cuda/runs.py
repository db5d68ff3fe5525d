"""Rows of first moves compressed to runs: along the row the intersection of the moves is kept until it is empty.

One thread takes one row, eight bytes at a time, and most words hold all that is kept: they change nothing.
"""

from waygrid.build.cuda._device import cuda, device, int32, kernel, uint64
from waygrid.core.types import Array

LOW_BITS = uint64(0x0101010101010101)
BYTE = uint64(255)


@kernel
def forget_direct(jumps: Array, steps: Array, position: Array, sources: Array, masks: Array) -> None:
    """Forget the first moves to goals that a query reaches without a look-up, as `cpd_query.forget_direct` does.

    One block takes one row; of a diagonal each thread takes some cells and the straight lines that leave them.
    """
    row, thread, threads = cuda.blockIdx.x, cuda.threadIdx.x, cuda.blockDim.x
    source = sources[row]
    for d in range(8):
        end, reach = int32(source), int32(jumps[source, d])
        length = int32(abs(reach))
        while d >= 4 and reach > 0:  # from jump point to jump point, to the wall
            end += reach * steps[d]
            reach = int32(jumps[end, d])
            length += int32(abs(reach))
        for k in range(1 + thread, length + 1, threads):
            here = source + k * steps[d]
            masks[row, position[here]] = 0
            if d >= 4:
                for e in (d & 3, (d + 1) & 3):
                    for j in range(1, int32(abs(jumps[here, e])) + 1):
                        masks[row, position[here + j * steps[e]]] = 0


@device
def _move(kept: int, before: int) -> int:
    """Return the move of a run: that of the run before it where it may, so that both become one, else the lowest."""
    if before >= 0 and (kept >> before) & 1:
        return before
    return int32(cuda.ffs(kept)) - 1


@device
def _compress(wide: Array, row: int, begin: int, out: Array, write: bool) -> int:
    """Count the runs of a row, and write them where asked: id of the first cell << 3 | move."""
    kept, start, before, count = int32(255), int32(0), int32(-1), int32(0)
    eight_kept = uint64(kept) * LOW_BITS
    for place in range(wide.shape[1]):
        eight = wide[row, place]
        if eight & eight_kept == eight_kept:
            continue
        for k in range(8):
            mask = int32((eight >> uint64(8 * k)) & BYTE)
            if mask == 0:  # the source itself and what cannot be reached: any move will do
                continue
            if kept & mask:
                kept = int32(kept & mask)
                continue
            move = _move(kept, before)
            if move != before:
                if write:
                    out[begin + count] = (start << 3) | move
                count += 1
                before = move
            start, kept = int32(8 * place + k), mask
        eight_kept = uint64(kept) * LOW_BITS
    move = _move(kept, before)
    if move != before:
        if write:
            out[begin + count] = (start << 3) | move
        count += 1
    return count


@kernel
def count_runs(wide: Array, counts: Array) -> None:
    """Count the runs of each row; a row is words of eight masks, filled up with zeros."""
    row = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if row < wide.shape[0]:
        counts[row] = _compress(wide, row, 0, counts, False)


@kernel
def write_runs(wide: Array, offsets: Array, out: Array) -> None:
    """Write the runs of each row from its offset on."""
    row = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if row < wide.shape[0]:
        _compress(wide, row, offsets[row], out, True)
