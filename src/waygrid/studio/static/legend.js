// What the colours of the boards mean: the line under the boards, and a part of the help.

import { byId, count, make } from "./dom.js";
import { between, css, hue } from "./palette.js";
import { heavyWeights, strength, weightColour } from "./raster.js";

const MOST_WEIGHTS = 5; // that are named one by one

/** A colour, or a range of colours: [[red, green, blue], ...]. */
const swatch = (colours) => {
  const names = colours.map((colour) => css(colour));
  const element = make("i", { class: names.length > 1 ? "range" : "" });
  element.style.background = names.length > 1 ? `linear-gradient(to right, ${names.join()})` : names[0];
  return element;
};

const EDITED = "changed since the agents set out; an index that is not repaired still has the cell as it was";

/** What the cells of the boards can be now: [{name, about, colours}]. */
export function cellColours({ colours, panes, overlay, model, differs, walk }) {
  const share = strength(Boolean(model.terrain.weights), Boolean(overlay));
  const mark = (colour) => between(colours.ground, colour, share); // as strong as on the board
  const traced = (what) => panes.some(({ player }) => player?.[what]);
  const rows = [
    { name: "wall", about: "not passable", colours: [colours.wall] },
    { name: "free", about: "not reached by the search", colours: [colours.ground] },
    ...terrain(model, colours),
    { name: "open", about: "generated, on the open list", colours: [mark(colours.open)] },
    { name: "updated", about: "on the open list, with a cheaper path found later", colours: [mark(colours.updated)] },
    {
      name: "closed, first to last",
      about: "expanded; later cells are darker",
      colours: [mark(colours.closed), mark(colours.closedLast)],
    },
  ];
  if (traced("prunes")) rows.push({ name: "pruned", about: "skipped by the search", colours: [mark(colours.pruned)] });
  if (traced("subgoals"))
    rows.push({ name: "subgoal", about: "an intermediate goal", colours: [mark(colours.subgoal)] });
  rows.push({ name: "path", about: "the path found, or the best so far", colours: [colours.path] });
  if (model.terrain.doors?.length)
    rows.push({ name: "door", about: "filled if it is closed; a click opens or closes it", colours: [colours.door] });
  rows.push(...(walk?.crowd.legend ?? []));
  if (differs.length) rows.push({ name: "edited", about: EDITED, colours: [colours.edited] });
  return rows;
}

/** Terrain by its weight: each one, or the range where there are many. */
function terrain({ terrain: { weights } }, colours) {
  const seen = weights ? heavyWeights(weights) : [];
  const colour = (weight) => weightColour(weight, seen.at(-1), colours);
  const about = "terrain: the cost of entering the cell";
  if (seen.length <= MOST_WEIGHTS)
    return seen.map((weight) => ({ name: `weight ${count(weight)}`, about, colours: [colour(weight)] }));
  const name = `weight ${count(seen[0])} to ${count(seen.at(-1))}`;
  return [{ name, about, colours: [colour(seen[0]), colour(seen.at(-1))] }];
}

const zoneColours = (dark) => [0, 1, 2, 3].map((number) => hue(number, dark));

/** The line under the boards. */
export function showLegend(app) {
  const items = cellColours(app).map(({ name, about, colours }) =>
    make("span", { title: about }, swatch(colours), name),
  );
  for (const { text, colour } of app.overlay?.header.legend ?? []) {
    const dot = colour ? make("i") : swatch(zoneColours(app.theme === "dark")); // zones have a colour each
    if (colour) dot.style.background = colour;
    items.push(make("span", {}, dot, text));
  }
  byId("legend").replaceChildren(...items);
}

/** The same with explanations, for the help. */
export const explainColours = (app) =>
  make(
    "dl",
    { class: "colours" },
    ...cellColours(app).flatMap(({ name, about, colours }) => [
      make("dt", {}, swatch(colours), name),
      make("dd", {}, about),
    ]),
  );
