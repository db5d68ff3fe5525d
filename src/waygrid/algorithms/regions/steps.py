"""Pseudo-code of searches over regions, as the studio shows it beside a trace."""

from waygrid.search.declaration import read_code

PRA = read_code("""
search(start, goal): | source destination
plan a way from region to region
targets = their centres, then the goal
for each target, A* from where the path ends:
  put that cell in the open list, g = 0 | generating*
  while the target is not reached:
    take the cell with the least f | expanding expanding*
    for each neighbour n:
      if n is new: put it in, parent = cell | generating
      else if it is cheaper: update n | updating
    close the cell | closing closing*
  add the leg, without its last tenth | subgoal
the last target was the goal | end
""")

DBA = read_code("""
search(start, goal): | source destination
find the regions of start and goal
if they are the same: A* within it
  put start in the open list | generating*
  take the cell with the least f | expanding expanding*
  put its neighbours in | generating
    or make them cheaper | updating
  close the cell | closing closing*
else join the stored paths between regions
  and trim them
for each subgoal of the path:
  it is reached: the next one is the target | subgoal
  climb to it, move by move | move
the goal is reached | end
""")

HCDPS = read_code("""
search(start, goal): | source destination
if start climbs to goal: climb
else find the climbable regions of both
  and join the stored path between their seeds;
  leave out subgoals that are not needed
for each subgoal of the path:
  it is reached: the next one is the target | subgoal
  climb to it, move by move | move
the goal is reached | end
""")
