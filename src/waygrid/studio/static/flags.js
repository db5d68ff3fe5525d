// Marks on cells that stand above everything else: breakpoints, guesses, what a plot points at. Each owner has its own.

import { css } from "./palette.js";

const RIGHT = "#0a7d34";
const WRONG = "#c4161c";
const LINE = { stop: WRONG, right: RIGHT, wrong: WRONG };

export class Flags {
  #owners = new Map();

  constructor(app) {
    this.app = app;
    app.on("panes", () => this.#show());
  }

  /** Show the marks of an owner: [{cell, look: "stop", "right", "wrong" or "linked", pane: a letter or null}]. */
  put(owner, marks) {
    if (!marks.length && !this.#owners.get(owner)?.length) return;
    this.#owners.set(owner, marks);
    this.#show();
  }

  #show() {
    const { app } = this;
    const inside = [...this.#owners.values()].flat().filter(({ cell }) => app.model.inside(cell));
    for (const { board, letter } of app.panes) {
      board.show({ flags: inside.filter(({ pane }) => !pane || pane === letter) });
    }
  }
}

/** Draw marks; their shapes differ, not only their colours. */
export function drawFlags(context, flags, geometry, at, scale, colours) {
  for (const { cell, look } of flags) {
    const [x, y] = at.cell(...cell);
    const radius = Math.max(6, Math.min(0.42 * scale, 18));
    const colour = LINE[look] ?? css(colours.path);
    if (look === "linked") ring(context, x, y, Math.max(7, 0.62 * scale), colours.ink, css(colours.path));
    else if (look === "stop") disc(context, x, y, 0.55 * radius, colours.halo, colour);
    else sign(context, [x, y], radius, look === "right" ? CHECK : CROSS, colours.halo, colour);
  }
}

const CHECK = [
  [
    [-0.75, 0.05],
    [-0.2, 0.6],
    [0.8, -0.6],
  ],
];
const CROSS = [
  [
    [-0.6, -0.6],
    [0.6, 0.6],
  ],
  [
    [-0.6, 0.6],
    [0.6, -0.6],
  ],
];

function sign(context, [x, y], radius, strokes, halo, colour) {
  context.lineCap = context.lineJoin = "round";
  context.setLineDash([]);
  for (const [style, width] of [
    [halo, 0.62 * radius],
    [colour, 0.34 * radius],
  ]) {
    context.strokeStyle = style;
    context.lineWidth = width;
    context.beginPath();
    for (const line of strokes) {
      line.forEach(([dx, dy], i) => context[i ? "lineTo" : "moveTo"](x + radius * dx, y + radius * dy));
    }
    context.stroke();
  }
}

function disc(context, x, y, radius, halo, colour) {
  for (const [style, size] of [
    [halo, radius + 2],
    [colour, radius],
  ]) {
    context.fillStyle = style;
    context.beginPath();
    context.arc(x, y, size, 0, 2 * Math.PI);
    context.fill();
  }
}

function ring(context, x, y, radius, ink, colour) {
  context.setLineDash([]);
  for (const [style, width] of [
    [ink, 5],
    [colour, 2.5],
  ]) {
    context.strokeStyle = style;
    context.lineWidth = width;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
  }
}
