"""Pseudo-code of real-time searches, as the studio shows it beside a trace."""

from waygrid.search.declaration import CodeLine, read_code


def _write_lrta(guide: str = "", target: str = "goal") -> tuple[CodeLine, ...]:
    return read_code(f"""
walk(start, goal): | source destination
stand at start | generating*{guide}
while not at the goal:
  look at the cells around | expanding expanding*
    and at their neighbours n | generating
  n = the one with the least price + h(n)
  if that is more than h(cell):
    learn: h(cell) = price + h(n) | updating*
  move towards n | move
the {target} is reached | end
""")


LRTA = _write_lrta()
DLRTA = _write_lrta("\nsubgoal = the table's entry for both groups | subgoal")
KNN_LRTA = _write_lrta("\nsubgoals = those of a similar problem | subgoal")
SGLRTA = _write_lrta("\nsubgoal = the next one of the goal's tree | subgoal")

TBA = read_code("""
walk(start, goal): one A*, f = g + h | source destination
put start in the open list | generating*
repeat:
  some expansions:
    take the cell with the least f | expanding expanding*
    for each neighbour n:
      if n is new: put it in, parent = cell | generating
      else if it is cheaper: update n | updating
  trace the best cell back, some steps
  the agent moves along the traced path,
  or back towards start until it is on it | move
the goal is reached | end
""")

DSTAR_LITE = read_code("""
walk(start, goal): searches from goal | source destination
stand at start; goal waits, rhs = 0 | generating*
repeat:
  look around; where the map was wrong:
    correct it, and the cells beside it | updating
  while the first key < key of the agent:
    take the first cell | expanding*
    if g > rhs: g = rhs, tell the neighbours:
      a new one waits | generating
      a known one gets a better rhs | updating
    else: g = infinity, and the neighbours
      get rhs anew | updating
  move to the neighbour with least price + g | move
the goal is reached | end
""")
