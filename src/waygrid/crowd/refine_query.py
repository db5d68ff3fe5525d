"""Improvement of a plan: some agents are taken out of it and find new ways around all others, one after the other.

Li, Chen, Harabor, Stuckey and Koenig, Anytime Multi-Agent Path Finding via Large Neighborhood Search (IJCAI 2021),
section 4: an agent that loses time, and those that stand in its way. A change that costs more is taken back.
"""

from waygrid.core import layout as at
from waygrid.core import space_time as st
from waygrid.core.jit import int64, jit
from waygrid.crowd import layout as of

# --- The state of the improvement: `work`, int64 ----------------------------------------------------------------------
SEED, TRIES, GAINED, SIZE, SINCE = 0, 1, 2, 3, 4  # SIZE: of a group; SINCE: tries since a plan got cheaper
WORK_SIZE = 8
_LARGEST = 12  # agents of a group
_PICKS = 8
_LATER = 2  # steps that an agent may arrive later for the good of others; a search that may go on for long takes long


@jit
def _draw(work, count: int) -> int:
    """Return a random number below `count`."""
    work[SEED] = (work[SEED] * 1103515245 + 12345) & 0x7FFFFFFF
    return int64((work[SEED] >> 8) % count)


@jit
def put_path(paths, ends, table, rest, a: int) -> None:
    """Reserve an agent's path, and its goal from then on."""
    for time in range(int64(ends[a])):
        st.put_in(table, time * len(rest) + int64(paths[a, time]), a)
    goal = paths[a, ends[a]]
    rest[goal, 0], rest[goal, 1] = ends[a], a


@jit
def _take_path(paths, ends, table, rest, a: int) -> None:
    for time in range(int64(ends[a])):
        st.take_out(table, time * len(rest) + int64(paths[a, time]))
    rest[paths[a, ends[a]], 1] = -1


@jit
def put_all(paths, ends, table, rest) -> None:
    """Reserve all paths, and nothing else."""
    for place in range(table.size):
        table[place] = st.EMPTY
    for cell in range(len(rest)):
        rest[cell, 1] = -1
    for a in range(len(paths)):
        put_path(paths, ends, table, rest, a)


@jit
def _pick(steps, rows, paths, ends, work) -> int:
    """Return an agent that loses time, of a few the one that loses most; -1 if none does."""
    worst, most, n = -1, 0, len(paths)
    for _ in range(_PICKS):
        a = _draw(work, n)
        lost = int64(ends[a]) - int64(steps[rows[a, of.FIELD], paths[a, 0]])
        if lost > most:
            worst, most = a, lost
    first = _draw(work, n) if worst < 0 else 0
    for k in range(n if worst < 0 else 0):
        a = (first + k) % n
        if ends[a] > steps[rows[a, of.FIELD], paths[a, 0]]:
            return a
    return worst


@jit
def _join(group, count: int, a: int) -> int:
    for k in range(count):
        if group[k] == a:
            return count
    group[count] = a
    return count + 1


@jit
def _gather(moves, geo, steps, rows, paths, ends, table, rest, group, most: int) -> int:
    """Add to the first agent of a group those who keep it, and then one another, from going straight to their goals."""
    count, looked = 1, 0
    while looked < count and count < most:
        a = int64(group[looked])
        looked += 1
        left = steps[rows[a, of.FIELD]]
        for time in range(int64(ends[a])):
            cell = int64(paths[a, time])
            if left[paths[a, time + 1]] < left[cell]:
                continue
            row = at.STEP + 8 * (cell % geo[at.WIDTH] & 1)
            for d in range(8):
                if (moves[cell] >> d) & 1 and left[cell + geo[row + d]] < left[cell] and count < most:
                    other = st.blocks(geo, table, rest, time, cell, cell + geo[row + d], d)
                    if other >= 0 and other != a and not rows[other, of.STILL]:
                        count = _join(group, count, other)
    return count


@jit
def _shuffle(group, count: int, work) -> None:
    for k in range(count - 1, 0, -1):
        other = _draw(work, k + 1)
        group[k], group[other] = group[other], group[k]


@jit
def _find_again(moves, geo, left, paths, ends, table, rest, ask, nodes, heads, seen, a: int, most: int) -> bool:
    """Give an agent the quickest way that is free and reserve it; return whether there is one in time."""
    ask[st.START], ask[st.GOAL], ask[st.MOST] = paths[a, 0], paths[a, ends[a]], most
    node = st.search_time(moves, geo, left, table, rest, ask, nodes, heads, seen)
    if node < 0:
        return False
    end = int64(nodes[node, st.TIME])
    for time in range(end, paths.shape[1]):
        paths[a, time] = nodes[node, st.CELL]
    ends[a] = end
    while node >= 0:
        paths[a, nodes[node, st.TIME]] = nodes[node, st.CELL]
        node = int64(nodes[node, st.PARENT])
    put_path(paths, ends, table, rest, a)
    return True


@jit
def improve_plan(tables, found, reserved, memory, work, budget: int) -> bool:
    """Try so many groups; return False if nobody loses time, so that nothing can be gained."""
    moves, geo, steps, rows = tables
    paths, ends, kept, kept_ends = found
    table, rest = reserved
    ask, nodes, heads, seen, group = memory
    ask[st.LAST] = paths.shape[1] - 1
    for _ in range(budget):
        group[0] = _pick(steps, rows, paths, ends, work)
        if group[0] < 0:
            return False
        most = 1 + _draw(work, _LARGEST)
        count = _gather(moves, geo, steps, rows, paths, ends, table, rest, group, most)
        if _draw(work, 2) == 0:
            _shuffle(group, count, work)
        before = least = 0
        for k in range(count):
            a = int64(group[k])
            before += int64(ends[a])
            least += int64(steps[rows[a, of.FIELD], paths[a, 0]])
            kept[k], kept_ends[k] = paths[a], ends[a]
            _take_path(paths, ends, table, rest, a)
        spent, done = 0, 0
        while done < count:
            a = int64(group[done])
            left = steps[rows[a, of.FIELD]]
            least -= int64(left[paths[a, 0]])
            most = min(before - spent - least, paths.shape[1] - 1, int64(kept_ends[done]) + _LATER)
            if not _find_again(moves, geo, left, paths, ends, table, rest, ask, nodes, heads, seen, a, most):
                break
            spent += int64(ends[a])
            done += 1
        if done < count:
            for k in range(done):
                _take_path(paths, ends, table, rest, int64(group[k]))
            for k in range(count):
                a = int64(group[k])
                paths[a], ends[a] = kept[k], kept_ends[k]
                put_path(paths, ends, table, rest, a)
            spent = before
        work[TRIES] += 1
        work[GAINED] += before - spent
        work[SINCE] = 0 if spent < before else work[SINCE] + 1
    return True
