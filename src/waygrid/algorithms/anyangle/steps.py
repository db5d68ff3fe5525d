"""Pseudo-code of searches for straight paths, as the studio shows it beside a trace."""

from waygrid.search.declaration import read_code

THETA = read_code("""
search(start, goal): f = g + h | source destination
put start in the open list, g = 0 | generating*
while the open list is not empty:
  take the cell with the least f | expanding expanding*
  if it is the goal:
    return the path along the parents | end
  for each neighbour n:
    p = parent of the cell if it sees n,
        else the cell itself
    c = g(p) + length of the leg
    if n is new: put it in, parent = p | generating
    else if c < g(n): g(n) = c, parent = p | updating
  close the cell | closing closing*
""")

LAZY_THETA = read_code("""
search(start, goal): f = g + h | source destination
put start in the open list, g = 0 | generating*
while the open list is not empty:
  take the cell with the least f
  if its parent does not see it:
    parent = the best closed neighbour;
    if f has risen: put it back, take the next
  expand the cell | expanding expanding*
  if it is the goal:
    return the path along the parents | end
  for each neighbour n, as if p = parent saw it:
    if n is new: put it in, parent = p | generating
    else if it is cheaper: parent = p | updating
  close the cell | closing closing*
""")

ANYA = read_code("""
search(start, goal): f = g + h | source destination
start sees its row: this cone waits | generating*
while f of the first < length to the goal:
  take the first cone | expanding expanding*
  if the goal is in the run that it enters:
    keep the path if it is the shortest
  for each run of the next row that it sees,
  and each corner where a path may bend:
    a new cone waits | generating
return the shortest path | end end*
""")

TAUT = read_code("""
search(start, goal): | source destination
stand at start | generating*
if start sees goal: that is the path
find the shortest way over the corners: | expanding*
  for each pair (p, q) that the ends see:
    length to p + table[p, q] + length from q
follow the table from p to q:
  the path bends at the next corner | subgoal
go on to the goal | end end*
""")
