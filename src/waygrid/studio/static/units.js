// How the units of a crowd look: their colour says who chooses first, a thick ring that a unit has priority.

import { between, css, hue } from "./palette.js";

const FIRST = [196, 32, 12]; // chooses first
const LAST = [255, 226, 196];
const THERE = [126, 132, 142]; // at its goal
const PRIORITY = "#1f5fd6";
const CHOSEN = "#0a0c10";
const NUMBERS_FROM = 20; // pixels per cell

/** The colour of a unit: by its place in the order, or one of its own in a plan, where nobody comes first. */
export function unitColour({ rank, agents, number, there }) {
  if (there) return css(THERE);
  if (rank === null) return css(hue(number, false));
  return css(between(FIRST, LAST, agents > 1 ? rank / (agents - 1) : 0));
}

/** Rows of the legend. */
export function unitLegend(planned) {
  const order = { name: "unit, first to last", about: "red units choose their moves first, pale ones last", colours: [FIRST, LAST] };
  return [
    ...(planned ? [] : [order]),
    { name: "unit at its goal", about: "it makes room for others", colours: [THERE] },
    { name: "unit with priority", about: "a blue ring: it goes before all without one", colours: [[31, 95, 214]] },
  ];
}

/** What a unit has beside its disc: a ring for priority, one for being selected, its place in the order. */
export function drawUnit(context, { priority, chosen, rank, there }, [x, y], radius, scale) {
  if (priority > 0) ring(context, x, y, radius + 0.5, Math.max(2, Math.min(0.14 * scale, 5)), PRIORITY);
  if (chosen) {
    const outer = Math.max(radius + 1, 0.49 * scale - 1);
    ring(context, x, y, outer, 3.5, "#ffffff");
    ring(context, x, y, outer, 2, CHOSEN);
  }
  if (rank === null || there || scale < NUMBERS_FROM) return;
  context.fillStyle = "#1a1206";
  context.font = `600 ${Math.round(0.95 * radius)}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(String(rank + 1), x, y + 0.5);
}

function ring(context, x, y, radius, width, colour) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash([]);
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}

/** Goals of units as small squares, starts that were drawn as discs, and the box that is being drawn around units. */
export function drawPlaces(context, { goals = [], starts = [], box = null }, geometry, at, scale, colours) {
  const half = Math.max(1.5, Math.min(0.2 * scale, 8));
  context.save();
  context.setLineDash([]);
  context.lineWidth = Math.max(1, Math.min(scale / 12, 2));
  context.strokeStyle = css(colours.goal, 0.85);
  context.fillStyle = css(colours.goal, 0.16);
  for (const cell of goals) {
    const [x, y] = at.cell(...cell);
    context.fillRect(x - half, y - half, 2 * half, 2 * half);
    context.strokeRect(x - half, y - half, 2 * half, 2 * half);
  }
  context.fillStyle = css(FIRST, 0.8);
  for (const cell of starts) {
    context.beginPath();
    context.arc(...at.cell(...cell), Math.max(2, 0.3 * scale), 0, 2 * Math.PI);
    context.fill();
  }
  if (box) {
    const corners = box.map((cell) => at.cell(...cell));
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.5;
    context.setLineDash([5, 4]);
    context.strokeRect(...corners[0], corners[1][0] - corners[0][0], corners[1][1] - corners[0][1]);
  }
  context.restore();
}
