"""Pseudo-code of goal bounding, as the studio shows it beside a trace."""

from waygrid.search.declaration import CodeLine, read_code


def _write(estimate: str, order: str) -> tuple[CodeLine, ...]:
    return read_code(f"""
search(start, goal): {estimate} | source destination
put start in the open list, g = 0 | generating*
while the open list is not empty:
  take the cell with the {order} | expanding expanding*
  if it is the goal:
    return the path along the parents | end
  for each neighbour n:
    if the goal is outside the move's box:
      skip n
    c = g(cell) + price of the move
    if n is new:
      put it in, g(n) = c, parent = cell | generating
    else if c < g(n):
      g(n) = c, parent = cell, move it up | updating
  close the cell | closing closing*
no path
""")


DIJKSTRA_GB = _write("no estimate", "least g")
ASTAR_GB = _write("f = g + h", "least f (newest of equals)")
JPS_PLUS_GB = read_code("""
search(start, goal): f = g + h | source destination
start is a node | generating*
expand it: read where its lines end, | expanding*
  if the goal is in the box of the line
  put these turns in the open list
  close start | closing*
while f of the first < cost of the goal:
  take the first turn | expanding
  if the table shows a way to the goal:
    keep it if it is the cheapest so far
  for each stored jump to a turn n:
    if the goal is outside the jump's box:
      skip n
    if n is new: put it in | generating
    else if this way is cheaper: move it up | updating
  close the turn | closing
return the path along the jumps | end
""")
