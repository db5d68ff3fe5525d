"""Pseudo-code of contraction hierarchies, as the studio shows it beside a trace."""

from waygrid.search.declaration import read_code

CH = read_code("""
search(start, goal): | source destination
stand at start; then look at the goal | generating*
find the cheapest way over the hubs: | expanding*
  list the spots that each end can leave by | generating
  for each hub that both ends climb to:
    cost up from start + cost down to goal
  the cheapest hub is where the ways meet | subgoal*
  it is found | closing*
climb from start to the hub, arc by arc,
and descend to the goal:
  while the next arc is a shortcut:
    replace it by the two that it stands for
  go to the next spot | expanding closing
go on to the goal | end
""")
