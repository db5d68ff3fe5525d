// Overlays that are a map themselves, such as inflated walls: they can take the place of the map.

import { make, say } from "./dom.js";

const layerOf = ({ overlay }, name) => overlay?.header.layers.find(({ type }) => type === name);

/** A button that makes the overlay the map, or null where the overlay is none. `after` is called when it is done. */
export function applyButton(app, after) {
  if (!layerOf(app, "walls")) return null;
  const about = make("small", {}, "Searches use the map as it is. This makes walls and costs of the overlay part of it; undo takes them back.");
  const button = make("button", { type: "button", class: "button", id: "apply-overlay" }, "Use as the map");
  button.addEventListener("click", () => apply(app) && after());
  return make("div", { class: "field" }, make("div", { class: "row" }, button), about);
}

function apply(app) {
  const { model, overlay } = app;
  const [walls, weights] = ["walls", "weights"].map((name) => layerOf(app, name) && overlay.arrays[layerOf(app, name).array]);
  for (const name of ["start", "goal"]) {
    if (walls[model.number(model[name])]) continue;
    say(`The ${name} would be in a wall: move it first.`);
    return false;
  }
  if (!app.machine.can("change")) return false;
  const { width } = model.terrain;
  model.begin();
  const closed = [];
  const priced = new Map(); // weight: cells
  for (let i = 0; i < walls.length; i++) {
    const cell = [i % width, Math.floor(i / width)];
    if (!walls[i]) closed.push(cell);
    else if (weights && weights[i] !== (model.terrain.weights?.[i] ?? 1)) {
      if (!priced.has(weights[i])) priced.set(weights[i], []);
      priced.get(weights[i]).push(cell);
    }
  }
  for (const [weight, cells] of priced) model.put(cells, { weights: weight });
  model.put(closed, { walls: 0 });
  if (!model.end()) return true;
  app.walk?.end();
  app.overlay = null;
  app.repaint();
  app.tell("map");
  app.changed(true);
  return true;
}
