"""Pseudo-code of jump point search, as the studio shows it beside a trace."""

from waygrid.search.declaration import read_code

JPS = read_code("""
search(start, goal): f = g + h | source destination
put start in the open list | generating*
while f of the first < cost of the goal:
  take the first jump point | expanding expanding*
  for each direction worth a look:
    scan on until a jump point n or a wall
    c = g(cell) + cost of the jump
    if n is new: put it in, g(n) = c | generating
    else if c < g(n): g(n) = c, put it in | updating
  close the cell | closing closing*
return the path along the jumps | end
""")

JPS_PLUS = read_code("""
search(start, goal): f = g + h | source destination
start is a node | generating*
expand it: read where its lines end | expanding*
  put these turns in the open list
  close start | closing*
while f of the first < cost of the goal:
  take the first turn | expanding
  if the table shows a way to the goal:
    keep it if it is the cheapest so far
  for each stored jump to a turn n:
    if n is new: put it in | generating
    else if this way is cheaper: move it up | updating
  close the turn | closing
return the path along the jumps | end
""")

JPSW = read_code("""
search(start, goal): f = g + h | source destination
put start in the open list | generating*
while f of the first < cost of the goal:
  take the first cell | expanding expanding*
  for each direction worth a look:
    follow the line through even terrain,
      giving g to each cell that it passes,
      until terrain changes, a wall ends, or
      another line was as cheap there
    let its last cell wait: new | generating
      or now cheaper | updating
  close the cell | closing closing*
return the path along the lines | end
""")
