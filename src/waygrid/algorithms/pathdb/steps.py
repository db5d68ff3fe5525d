"""Pseudo-code of searches that read stored paths, as the studio shows it beside a trace."""

from waygrid.search.declaration import read_code

CPD = read_code("""
search(start, goal): | source destination
stand at start | generating*
while not at the goal:
  look at the cell | expanding expanding*
  if the goal lies on a free line: go there
    the path is complete | end
  look up the first move to the goal
  jump along it to the next turn | generating
  leave the cell | closing closing*
""")

TURNTABLE = read_code("""
search(start, goal): | source destination
stand at start; then look at the goal | generating*
find the cheapest way over the spots: | expanding*
  list the spots that each end can leave by | generating
  for each pair (p, q) that may be cheapest:
    cost to p + table[p, q] + cost from q | updating
  keep the cheapest pair | closing*
while the path is not complete:
  look up the next spot towards q
  go there | expanding closing
go on to the goal | end
""")
