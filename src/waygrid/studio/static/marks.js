// What is drawn over the cells: paths, start and goal, agents, the cell under the mouse.

import { css } from "./palette.js";

/** A line through cells; straight pieces are drawn as one. `cells` is a flat list x, y, x, y, ... */
export function drawPath(context, cells, at, scale, colours, { thin = false } = {}) {
  if (cells.length < 2) return;
  const broad = (thin ? 0.5 : 1) * Math.max(2.5, Math.min(0.26 * scale, 9));
  context.beginPath();
  let [beforeX, beforeY] = at.cell(cells[0], cells[1]);
  context.moveTo(beforeX, beforeY);
  let [stepX, stepY] = [NaN, NaN];
  for (let i = 2; i < cells.length; i += 2) {
    const [px, py] = at.cell(cells[i], cells[i + 1]);
    const [dx, dy] = [px - beforeX, py - beforeY];
    const straight = Math.abs(dx * stepY - dy * stepX) < 1e-6 && dx * stepX + dy * stepY > 0;
    if (!straight && i > 2) context.lineTo(beforeX, beforeY);
    [beforeX, beforeY, stepX, stepY] = [px, py, dx, dy];
  }
  context.lineTo(beforeX, beforeY);
  context.lineJoin = context.lineCap = "round";
  context.setLineDash([]);
  context.strokeStyle = css(colours.outline, thin ? 0.55 : 0.9);
  context.lineWidth = broad + (thin ? 1.5 : Math.max(1.5, 0.5 * broad));
  context.stroke();
  context.strokeStyle = css(colours.path);
  context.lineWidth = broad;
  context.stroke();
}

const dotRadius = (scale) => Math.max(5, Math.min(0.4 * scale, 22));

/** Start is a disc, goal a disc with a ring: distinguishable without colours too. */
export function drawEnds(context, { start, goal }, at, scale, colours, lifted) {
  for (const [name, cell] of [
    ["goal", goal],
    ["start", start],
  ]) {
    if (!cell) continue;
    const [px, py] = at.cell(...cell);
    const radius = dotRadius(scale) * (lifted === name ? 1.25 : 1);
    disc(context, px, py, radius + 1.2, colours.halo);
    disc(context, px, py, radius, css(colours[name]));
    if (name === "goal") {
      disc(context, px, py, radius * 0.58, "#fff");
      disc(context, px, py, radius * 0.32, css(colours.goal));
    }
  }
}

export function disc(context, x, y, radius, fill) {
  context.fillStyle = fill;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

/** Agents between their cells of this step and of the next. */
export function drawAgents(context, walkers, at, scale, colours) {
  const radius = Math.max(3, Math.min(0.32 * scale, 14));
  for (const { from, to, share, colour } of walkers) {
    const [ax, ay] = at.cell(...from);
    const [bx, by] = at.cell(...to);
    const [px, py] = [ax + share * (bx - ax), ay + share * (by - ay)];
    disc(context, px, py, radius + 1.5, css(colours.outline, 0.9));
    disc(context, px, py, radius, colour);
  }
}

/** Draw the border of a cell, for the mouse or for what was clicked. */
export function drawCell(context, corners, at, colour, width) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash([]);
  context.beginPath();
  for (const place of corners) context.lineTo(...at.place(...place));
  context.closePath();
  context.stroke();
}
