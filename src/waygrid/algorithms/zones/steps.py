"""Pseudo-code of searches over zones, as the studio shows it beside a trace."""

from waygrid.search.declaration import read_code

DEAD_END = read_code("""
search(start, goal): f = g + h | source destination
put start in the open list, g = 0 | generating*
while the open list is not empty:
  take the cell with the least f | expanding expanding*
  if it is the goal:
    return the path along the parents | end
  for each neighbour n:
    if n lies in a dead end without the goal:
      skip n | pruned
    c = g(cell) + price of the move
    if n is new:
      put it in, g(n) = c, parent = cell | generating
    else if c < g(n):
      g(n) = c, parent = cell, move it up | updating
  close the cell | closing closing*
no path
""")

GATEWAY = read_code("""
search(start, goal): f = g + h | source destination
h = the larger of the octile distance and
  cell to gate + gate to gate + gate to goal
put start in the open list, g = 0 | generating*
while the open list is not empty:
  take the cell with the least f | expanding expanding*
  if it is the goal:
    return the path along the parents | end
  for each neighbour n:
    if dead ends count and n lies in one:
      skip n | pruned
    c = g(cell) + price of the move
    if n is new or closed and c is cheaper:
      put it in, g(n) = c, parent = cell | generating
    else if c < g(n):
      g(n) = c, parent = cell, move it up | updating
  close the cell | closing closing*
no path
""")
