// Details that a trace tells by itself.

/** From the name of a detail to what makes its layers for a board at its moment. */
export const LOCAL = { learned, pairs, climb, sight };

const VIOLET = "#8250df";
const GREEN = "#1a7f37";
const BLUE = "#1f6feb";
const ORANGE = "#bf6a02";
const RED = "#d1242f";
const SHADES = 4;

/** Layers of lines and points: [{type, values, colour, size, text}], those with a text in the legend. */
function layersOf(parts) {
  const layers = parts.map(({ type, colour, size = 2 }, i) => ({ type, array: String(i), colour, size, width: size }));
  const legend = parts.flatMap(({ text, colour }) => (text ? [{ text, colour }] : []));
  const arrays = parts.map(({ values }, i) => [String(i), Float32Array.from(values)]);
  return { header: { layers, legend }, arrays: Object.fromEntries(arrays) };
}

/** What reads a trace: the events of a kind before a moment, and the places of cells. */
function reader({ player, app }) {
  const { trace, names, time } = player;
  const { width } = app.model.terrain;
  const place = (cell) => [cell % width, Math.floor(cell / width)];
  const events = (name) => {
    const kind = names.indexOf(name);
    return Array.from({ length: time }, (_, i) => i).filter((i) => trace.kind[i] === kind);
  };
  return { trace, time, place, events, line: (one, other) => [...place(one), ...place(other)] };
}

/** Of a turn table: the pairs of spots whose ways were compared so far; the last one again, as a whole way. */
function pairs(pane) {
  const { trace, events, line } = reader(pane);
  const { model } = pane.app;
  const compared = events("updating");
  const last = compared.at(-1);
  const [start, goal] = [model.number(model.start), model.number(model.goal)];
  const way = last === undefined ? [] : [[start, trace.parent[last]], [trace.parent[last], trace.node[last]], [trace.node[last], goal]];
  return layersOf([
    {
      type: "lines",
      values: compared.flatMap((i) => line(trace.parent[i], trace.node[i])),
      colour: ORANGE,
      text: `pairs of spots that were compared: ${compared.length}`,
    },
    { type: "lines", values: way.flatMap((ends) => line(...ends)), colour: GREEN, size: 3, text: "the last of them, with its ends" },
  ]);
}

/** Of a contraction hierarchy: the spots up to the hub, and those from there down to the goal. */
function climb(pane) {
  const { trace, events, line, place } = reader(pane);
  const hub = events("subgoal").map((i) => trace.node[i])[0] ?? -1;
  const spots = events("expanding").map((i) => trace.node[i]);
  const top = spots.indexOf(hub);
  const legs = (cells) => cells.slice(1).flatMap((cell, i) => line(cells[i], cell));
  return layersOf([
    { type: "lines", values: legs(top < 0 ? spots : spots.slice(0, top + 1)), colour: GREEN, size: 3, text: "climbing to the hub" },
    { type: "lines", values: top < 0 ? [] : legs(spots.slice(top)), colour: BLUE, size: 3, text: "descending from it" },
    { type: "points", values: hub < 0 ? [] : place(hub), colour: VIOLET, size: 5, text: hub < 0 ? "no hub yet" : "the hub" },
  ]);
}

/** Of Theta*: the leg of the current event; and the one past the expanded cell, where that is blocked. */
function sight(pane) {
  const { trace, time, events, line } = reader(pane);
  const kind = pane.player.names[trace.kind[time - 1]];
  const from = events("expanding").at(-1);
  if (from === undefined || !["generating", "updating"].includes(kind) || trace.parent[time - 1] < 0)
    return layersOf([{ type: "lines", values: [], colour: GREEN, text: "no leg in this event" }]);
  const [cell, above, own] = [trace.node[time - 1], trace.parent[time - 1], trace.node[from]];
  const past = trace.parent[from];
  const blocked = above === own && past >= 0;
  return layersOf([
    { type: "lines", values: blocked ? line(past, cell) : [], colour: RED, text: blocked ? "blocked: the parent does not see it" : "" },
    { type: "lines", values: line(above, cell), colour: GREEN, size: 3, text: above === own ? "leg from the expanded cell" : "leg from its parent, past the expanded cell" },
  ]);
}

const kept = new WeakMap();

/** The cells whose estimate an agent has raised so far; the more it rose the darker. */
function learned({ player }) {
  if (!kept.has(player)) kept.set(player, rises(player));
  const { events, by, most } = kept.get(player);
  const now = new Map();
  for (let i = 0; i < events.length && events[i] < player.time; i++) now.set(player.trace.node[events[i]], by[i]);
  const cells = Array.from({ length: SHADES }, () => []);
  for (const [cell, rise] of now) cells[Math.min(SHADES - 1, Math.floor((SHADES * rise) / most))].push(cell);
  const layers = cells.map((_, i) => ({
    type: "cells",
    array: String(i),
    colour: VIOLET,
    opacity: 0.2 + (0.6 * i) / (SHADES - 1),
  }));
  const legend = [{ text: `cells with a learned h, darker where it rose more: ${now.size}`, colour: VIOLET }];
  return { header: { layers, legend }, arrays: Object.fromEntries(cells.map((list, i) => [String(i), Int32Array.from(list)])) };
}

/** Events that teach a value, and by how much it then exceeds the first estimate of its cell. */
function rises({ trace, names, length }) {
  const updating = names.indexOf("updating");
  const valued = ["generating", "expanding"].map((name) => names.indexOf(name));
  const first = new Map();
  const [events, by] = [[], []];
  let most = 0;
  for (let i = 0; i < length; i++) {
    const cell = trace.node[i];
    if (valued.includes(trace.kind[i]) && !first.has(cell)) first.set(cell, trace.h[i]);
    if (trace.kind[i] !== updating) continue;
    events.push(i);
    by.push(trace.h[i] - (first.get(cell) ?? 0));
    most = Math.max(most, by.at(-1));
  }
  return { events, by, most: most || 1 };
}
