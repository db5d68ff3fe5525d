"""Pseudo-code of the classic searches, as the studio shows it beside a trace."""

from waygrid.search.declaration import CodeLine, read_code


def write_best_first(estimate: str, order: str, extra: str = "") -> tuple[CodeLine, ...]:
    """Return the steps of a best-first search with its own estimate and order.

    >>> write_best_first("h(n) = 0", "least g")[1].text
    'put start in the open list, g = 0'
    """
    return read_code(f"""
search(start, goal): {estimate} | source destination
put start in the open list, g = 0 | generating*
while the open list is not empty:
  take the cell with the {order} | expanding expanding*
  if it is the goal:
    return the path along the parents | end{extra}
  for each neighbour n:
    c = g(cell) + price of the move
    if n is new:
      put it in, g(n) = c, parent = cell | generating
    else if c < g(n):
      g(n) = c, parent = cell, move it up | updating
  close the cell | closing closing*
no path
""")


BFS = read_code("""
search(start, goal): | source destination
put start in the queue | generating*
while the queue is not empty:
  take the first cell | expanding expanding*
  for each neighbour n that is new:
    put n at the end, parent = cell | generating
    if n is the goal: leave both loops
  close the cell | closing closing*
return the path along the parents | end
""")

BIBFS = read_code("""
search(start, goal): | source destination
a queue from start, one from goal | generating*
repeat:
  if the searches met: leave the loop
  choose the queue with the shorter layer
  for each cell of its layer:
    take the first cell | expanding expanding*
    for each neighbour n:
      if n belongs to the other search:
        keep the meeting with fewest moves
      else if n is new: put it at the end | generating
    close the cell | closing closing*
join both halves of the path | end
""")

DFS = read_code("""
search(start, goal): | source destination
put start on the stack | generating*
while the stack is not empty:
  look at the cell on top | expanding expanding*
  if it is the goal:
    return the cells on the stack | end
  if it has a neighbour n that is new:
    put n on top | generating
  else:
    take the cell off the stack | closing closing*
""")

IDDFS = read_code("""
search(start, goal): | source destination
for limit = 0, 1, 2, ...: | bound bound*
  put start on the stack | generating*
  while the stack is not empty:
    look at the cell on top | expanding expanding*
    if it is the goal:
      return the cells on the stack | end
    if the stack is lower than the limit and
       a neighbour n is new or now nearer:
      put n on top | generating
    else:
      take the cell off the stack | closing closing*
""")

DIJKSTRA = write_best_first("no estimate", "least g (newest of equals)")
BEST_FIRST = write_best_first("h estimates", "least h (newest of equals)")
ASTAR = write_best_first("f = g + h", "least f (newest of equals)")
OVERESTIMATE = write_best_first(
    "f = g + h, h Manhattan",
    "least f (newest of equals)",
    """
  if the cell meets an obstacle:
    from now on h = 1.5 max(dx, dy)""",
)

STEP = read_code("""
walk(start, goal): | source destination
while not at the goal:
  if the way round a wall is known: follow it
  else if the cell towards the goal is free:
    choose it
  else choose how to go round the wall
  the chosen cell is next | generating expanding
  move there | move
the goal is reached | end
""")

IDA = read_code("""
search(start, goal): f = g + h | source destination
limit = h(start) | generating*
repeat:
  put start alone on the stack | bound* expanding*
  while the stack is not empty:
    n = next neighbour of the top, not pruned
    if there is none:
      take the top off the stack | closing closing*
    else if f(n) > limit:
      remember the least such f
    else:
      put n on the stack | generating expanding
      if n is the goal: return the stack | end
  limit = the least f above it
""")
