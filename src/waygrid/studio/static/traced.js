// Details that a trace tells by itself.

/** From the name of a detail to what makes its layers for a board at its moment. */
export const LOCAL = { learned };

const VIOLET = "#8250df";
const SHADES = 4;

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
