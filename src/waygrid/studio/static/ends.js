// Where to search on a map that comes without a query: far apart, with a way between.

/** Start and goal in the largest connected part: the ends of a longest shortest way, nearly. */
export function farCells({ width, height, walls }) {
  const reach = new Int32Array(walls.length).fill(-1);
  const queue = new Int32Array(walls.length);
  let best = { size: 0, cell: Math.max(0, walls.indexOf(1)) };
  for (let cell = 0; cell < walls.length; cell++) {
    if (!walls[cell] || reach[cell] >= 0) continue;
    const size = flood(cell, width, height, walls, reach, queue);
    if (size > best.size) best = { size, cell };
    if (best.size > walls.length / 2) break;
  }
  const far = (from) => {
    reach.fill(-1);
    const size = flood(from, width, height, walls, reach, queue);
    return size ? queue[size - 1] : from;
  };
  const start = far(best.cell);
  return [start, far(start)].map((cell) => [cell % width, Math.floor(cell / width)]);
}

/** Breadth first over the four sides, which are neighbours on every grid; returns how many cells were met. */
function flood(from, width, height, walls, reach, queue) {
  if (!walls[from]) return 0;
  let size = 1;
  queue[0] = from;
  reach[from] = 0;
  for (let next = 0; next < size; next++) {
    const cell = queue[next];
    const x = cell % width;
    const add = (other) => {
      if (!walls[other] || reach[other] >= 0) return;
      reach[other] = reach[cell] + 1;
      queue[size++] = other;
    };
    if (x > 0) add(cell - 1);
    if (x < width - 1) add(cell + 1);
    if (cell >= width) add(cell - width);
    if (cell < walls.length - width) add(cell + width);
  }
  return size;
}
