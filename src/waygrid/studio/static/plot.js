// A plot of f over time: one value for each expansion, with the moment of the replay and the expansion pointed at.

import { decimal } from "./dom.js";

const PAD = { left: 40, right: 8, top: 8, bottom: 18 };
const TICKS = 4;

/** Least and largest of a list that may be very long. */
function range(values) {
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

/** A round step so that about so many fit. */
function roundStep(span, number) {
  const rough = span / number || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough;
}

export class Plot {
  #still = document.createElement("canvas"); // everything that does not move with the replay
  #key = null;

  constructor(canvas) {
    this.canvas = canvas;
    this.values = new Float32Array(0);
  }

  /** The values of f, one per expansion. */
  set(values) {
    this.values = values;
    [this.least, this.most] = values.length ? range(values) : [0, 1];
    if (this.least === this.most) [this.least, this.most] = [this.least - 1, this.most + 1];
    this.#key = null;
  }

  get #box() {
    const { clientWidth, clientHeight } = this.canvas;
    return { width: clientWidth - PAD.left - PAD.right, height: clientHeight - PAD.top - PAD.bottom };
  }

  x(index) {
    return PAD.left + (this.#box.width * (index + 0.5)) / Math.max(1, this.values.length);
  }

  y(value) {
    return PAD.top + this.#box.height * (1 - (value - this.least) / (this.most - this.least));
  }

  /** The expansion under a place of the canvas, or -1. */
  at(x) {
    const index = Math.floor(((x - PAD.left) / this.#box.width) * this.values.length);
    return this.values.length && x >= PAD.left - 4 && x <= this.canvas.clientWidth ? Math.max(0, Math.min(this.values.length - 1, index)) : -1;
  }

  /** Draw with `done` expansions behind us and the numbered ones pointed at. */
  draw(done, pointed, looks) {
    const { ink, soft } = looks;
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    const ratio = window.devicePixelRatio || 1;
    const size = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    for (const [i, side] of ["width", "height"].entries()) if (this.canvas[side] !== size[i]) this.canvas[side] = size[i];
    const key = [...size, ...Object.values(looks)].join();
    if (this.#key !== key) this.#drawStill(size, ratio, looks);
    this.#key = key;
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, ...size);
    context.drawImage(this.#still, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const now = done ? this.x(done - 0.5) : PAD.left;
    context.fillStyle = soft; // what is to come lies under a veil
    context.globalAlpha = 0.65;
    context.fillRect(now, PAD.top, Math.max(0, clientWidth - PAD.right - now), this.#box.height);
    context.globalAlpha = 1;
    context.fillStyle = ink;
    context.fillRect(now - 0.5, PAD.top, 1, this.#box.height);
    for (const index of pointed) this.#point(context, index, looks);
  }

  #point(context, index, { path, ink }) {
    const [x, y] = [this.x(index), this.y(this.values[index])];
    context.fillStyle = path;
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(x, y, 5, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }

  #drawStill(size, ratio, { ink, line, accent }) {
    [this.#still.width, this.#still.height] = size;
    const context = this.#still.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#axes(context, ink, line);
    if (!this.values.length) return;
    context.fillStyle = accent;
    // One bar per column of pixels, from its least to its largest value: a million values cost no more than a thousand.
    const { width } = this.#box;
    const columns = Math.max(1, Math.round(width * ratio));
    let before = this.values[0];
    for (let column = 0; column < columns; column++) {
      const from = Math.floor((column * this.values.length) / columns);
      const to = Math.max(from + 1, Math.floor(((column + 1) * this.values.length) / columns));
      let [least, most] = [before, before];
      for (let i = from; i < to; i++) {
        least = Math.min(least, this.values[i]);
        most = Math.max(most, this.values[i]);
      }
      before = this.values[to - 1];
      const top = this.y(most) - 0.75;
      context.fillRect(PAD.left + column / ratio, top, Math.max(1, 1.2 / ratio), this.y(least) + 0.75 - top);
    }
  }

  #axes(context, ink, line) {
    const { width, height } = this.#box;
    const step = roundStep(this.most - this.least, TICKS);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (let value = Math.ceil(this.least / step) * step; value <= this.most + 1e-9; value += step) {
      context.fillStyle = line;
      context.fillRect(PAD.left, Math.round(this.y(value)), width, 1);
      context.fillStyle = ink;
      context.fillText(decimal(value, 2), PAD.left - 5, this.y(value));
    }
    context.textBaseline = "alphabetic";
    context.fillText(`${this.values.length.toLocaleString("en")} expansions`, PAD.left + width, PAD.top + height + 13);
    context.textAlign = "left";
    context.fillText("1", PAD.left, PAD.top + height + 13);
  }
}
