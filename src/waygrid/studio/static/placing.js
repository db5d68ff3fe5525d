// Where the units of a crowd stand at first and where they go: each a cell of its own.

const GOLDEN = 0.6180339887498949;

/** What the page offers: [{value, text, about}]. */
export const PLACINGS = [
  { value: "exchange", text: "change places", about: "half of the units from the start to the goal, half the other way" },
  { value: "group", text: "go to the goal", about: "from around the start to around the goal" },
  { value: "spread", text: "walk all over", about: "starts and goals all over the map" },
  { value: "drawn", text: "are drawn", about: "draw the starts and the goals on the board" },
];

/** The free cells nearest to a cell, by moves from cell to cell; `taken` holds numbers of cells that do not count. */
export function nearest(model, geometry, from, number, taken = new Set()) {
  const { width } = model.terrain;
  const found = [];
  const queue = [from];
  const seen = new Set([model.number(from)]);
  for (let at = 0; at < queue.length && found.length < number; at++) {
    const [x, y] = queue[at];
    if (model.passable([x, y]) && !taken.has(y * width + x)) found.push([x, y]);
    for (const [dx, dy] of geometry.steps(x)) {
      const next = [x + dx, y + dy];
      if (!model.inside(next) || seen.has(model.number(next)) || !model.passable(next)) continue;
      if (dx && dy && geometry.square && !(model.passable([x + dx, y]) && model.passable([x, y + dy]))) continue;
      seen.add(model.number(next));
      queue.push(next);
    }
  }
  return found;
}

/** Free cells spread over the map, the same each time; another `turn` gives others. */
function scatter({ terrain: { walls, width } }, number, turn) {
  const free = [];
  for (let i = 0; i < walls.length; i++) if (walls[i]) free.push(i);
  const chosen = new Set();
  for (let k = 1; chosen.size < Math.min(number, free.length); k++) {
    let i = Math.floor(free.length * ((k * GOLDEN + turn) % 1));
    while (chosen.has(free[i])) i = (i + 1) % free.length;
    chosen.add(free[i]);
  }
  return [...chosen].map((i) => [i % width, Math.floor(i / width)]);
}

/** Starts and goals of so many units; there may be fewer where the map has no more room. */
export function place(kind, model, geometry, units, drawn) {
  const around = (cell, number, taken) => nearest(model, geometry, cell, number, taken);
  const { start, goal } = model;
  if (kind === "group") return pair(around(start, units), around(goal, units));
  if (kind === "spread") return pair(scatter(model, units, 0), scatter(model, units, 0.37).reverse());
  if (kind === "drawn") return complete(model, geometry, drawn);
  const half = Math.ceil(units / 2);
  const first = around(start, half);
  const taken = new Set(first.map((cell) => model.number(cell)));
  const second = around(goal, units - half, taken);
  return pair([...first, ...second], [...second, ...first]);
}

function pair(starts, goals) {
  const number = Math.min(starts.length, goals.length);
  return { starts: starts.slice(0, number), goals: goals.slice(0, number) };
}

/** Units without a drawn goal go to the free cells nearest to the last one, or to the goal of the board. */
function complete(model, geometry, { starts, goals }) {
  const own = goals.slice(0, starts.length);
  const taken = new Set(own.map((cell) => model.number(cell)));
  const more = nearest(model, geometry, own.at(-1) ?? model.goal, starts.length - own.length, taken);
  return pair(starts, [...own, ...more]);
}

/** A goal near a cell for each of these units, so that nobody has to pass through the others. */
export function gather(model, geometry, cell, cells, taken) {
  const [cx, cy] = geometry.centre(...cell);
  const away = cells.map((own) => {
    const [x, y] = geometry.centre(...own);
    return Math.hypot(x - cx, y - cy);
  });
  const order = away.map((_, i) => i).sort((a, b) => away[a] - away[b]);
  const free = nearest(model, geometry, cell, cells.length, taken);
  const goals = Array(cells.length).fill(null);
  order.forEach((unit, i) => (goals[unit] = free[i] ?? null));
  return goals;
}
