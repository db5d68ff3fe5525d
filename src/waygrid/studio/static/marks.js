// What is drawn over the cells: paths, start and goal, agents, the cell under the mouse.

import { css } from "./palette.js";
import { drawUnit } from "./units.js";

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

const AROUND = 1.2; // as wide as a cell: a frame that leaves the cell itself to be seen
const NUMBERS_FROM = 13; // pixels per cell: numbers in doors can be read
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
  for (const { from, to, share, colour, waits, unit } of walkers) {
    const radius = unit ? Math.max(2, Math.min(0.4 * scale, 20)) : Math.max(3, Math.min(0.32 * scale, 14));
    const [ax, ay] = at.cell(...from);
    const [bx, by] = at.cell(...to);
    const [px, py] = [ax + share * (bx - ax), ay + share * (by - ay)];
    disc(context, px, py, radius + 1.5, css(colours.outline, 0.9));
    disc(context, px, py, radius, colour);
    if (unit) drawUnit(context, unit, [px, py], radius, scale);
    if (waits) drawPause(context, px, py, radius, colours);
  }
}

/** Two bars in a light disc: the agent waits. */
function drawPause(context, x, y, radius, colours) {
  disc(context, x, y, 0.74 * radius, "#fff");
  context.fillStyle = css(colours.outline);
  const [wide, high] = [Math.max(1, 0.22 * radius), 0.86 * radius];
  for (const side of [-1, 1]) context.fillRect(x + side * 0.26 * radius - wide / 2, y - high / 2, wide, high);
}

/** The cells of doors: a panel where they are closed, its frame where they are open; with room for it, the number. */
export function drawDoors(context, { doors = [], walls, width }, geometry, at, scale, colours) {
  doors.forEach(([x, y], i) => {
    const open = walls[y * width + x] === 1;
    const corners = geometry.outline(x, y);
    if (!open) {
      context.fillStyle = css(colours.door);
      context.beginPath();
      for (const place of corners) context.lineTo(...at.place(...place));
      context.fill();
    }
    drawCell(context, corners, at, css(colours.door), Math.max(1.5, scale / 8));
    if (scale < NUMBERS_FROM) return;
    context.fillStyle = open ? colours.ink : css(colours.doorInk);
    context.font = `600 ${Math.round(0.62 * scale)}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(String(i + 1), ...at.cell(x, y));
  });
}

/** Cells that were edited since the agents set out: a frame around them. */
export function drawEdited(context, cells, geometry, at, scale, colours) {
  if (!cells.length) return;
  context.save();
  context.strokeStyle = css(colours.edited);
  context.lineWidth = Math.max(1.5, Math.min(scale / 8, 3));
  context.lineJoin = "round";
  context.beginPath();
  for (const cell of cells) {
    const [cx, cy] = at.cell(...cell);
    const corners = geometry.outline(...cell).map((corner) => at.place(...corner));
    corners.forEach(([px, py], i) => {
      const outer = [cx + AROUND * (px - cx), cy + AROUND * (py - cy)];
      if (i) context.lineTo(...outer);
      else context.moveTo(...outer);
    });
    context.closePath();
  }
  context.stroke();
  context.restore();
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
