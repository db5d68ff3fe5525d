// The cells of a board as pixels. A colour per cell in one buffer; squares are scaled from it by the canvas, hexes and
// bricks are looked up pixel by pixel through a table that is made anew when the view changes.

import { zonesOf } from "./overlays.js";
import { between, css, hue, pixel } from "./palette.js";
import { CLOSED, OPEN, PRUNED, SHADES, STATE, SUBGOAL, UPDATED } from "./player.js";

const GLAZE = 0.65; // over weights the marks of a search are glazes, so that both can be read
const DIMMED = 0.4; // under an overlay they are fainter still: the overlay is what one looks at
const LINES_FROM = 8;
const SHARP = 2; // below so many pixels squares are averaged
const SMALL = 1; // below so many pixels a cell the map is averaged and half cells do not show

/** How strong the marks of a search are, 0 to 1. */
export const strength = (weighted, overlaid) => (overlaid ? DIMMED : weighted ? GLAZE : 1);

export class Raster {
  #canvas = document.createElement("canvas");
  #screen = document.createElement("canvas");
  #lines = document.createElement("canvas");
  #table = null; // {key, cells, edges} of the last view of hexes or bricks
  #small = { key: null, canvas: document.createElement("canvas") };
  #version = 0; // of the colours; each picture made from them remembers the one it shows
  #put = -1;
  #shade = null; // the colour of a cell without a search on it

  /** A new map, new colours or a new overlay: work out the colour of every cell without a search on it. */
  ground(terrain, colours, overlay, dark) {
    const zones = zonesOf(overlay);
    const { width, height, walls, weights } = terrain;
    const count = width * height;
    if (this.#canvas.width !== width || this.#canvas.height !== height || !this.colours) {
      this.#canvas.width = width;
      this.#canvas.height = height;
      this.image = new ImageData(width, height);
      this.colours = new Uint32Array(this.image.data.buffer);
      this.base = new Uint32Array(count);
      this.#table = null;
      this.#small.key = null;
      this.#put = -1;
    }
    this.walls = walls;
    this.strength = strength(Boolean(weights), Boolean(overlay));
    this.#shade = shader({ walls, weights }, colours, zones, dark);
    for (let i = 0; i < count; i++) this.base[i] = this.#shade(i);
    this.marks = new Uint32Array(STATE + 1);
    const set = (state, colour) => (this.marks[state] = pixel(colour));
    set(OPEN, colours.open);
    set(UPDATED, colours.updated);
    set(PRUNED, colours.pruned);
    set(SUBGOAL, colours.subgoal);
    for (let i = 0; i < SHADES; i++) set(CLOSED + i, between(colours.closed, colours.closedLast, i / (SHADES - 1)));
    this.#version++;
  }

  /** Some walls were drawn or erased: only their cells change. */
  patch(cells, states) {
    for (const cell of cells) this.base[cell] = this.#shade(cell);
    this.touch(cells, states);
  }

  #colour(cell, state) {
    const base = this.base[cell];
    if (!state || !this.walls[cell]) return base;
    const mark = this.marks[state];
    if (this.strength === 1) return mark;
    const share = this.strength;
    const mix = (shift) => (((base >>> shift) & 255) * (1 - share) + ((mark >>> shift) & 255) * share) & 255;
    return ((255 << 24) | (mix(16) << 16) | (mix(8) << 8) | mix(0)) >>> 0;
  }

  /** Colour all cells by their states (null: no search is shown). */
  paint(states) {
    const { colours, base, walls, marks } = this;
    if (!states) colours.set(base);
    else if (this.strength === 1) {
      for (let i = 0; i < colours.length; i++) {
        const state = states[i] & STATE;
        colours[i] = state && walls[i] ? marks[state] : base[i];
      }
    } else for (let i = 0; i < colours.length; i++) colours[i] = this.#colour(i, states[i] & STATE);
    this.#version++;
  }

  /** Colour some cells again. */
  touch(cells, states) {
    for (const cell of cells) this.colours[cell] = this.#colour(cell, states ? states[cell] & STATE : 0);
    if (cells.length) this.#version++;
  }

  /** Draw what the camera sees; `view` is the size of the canvas in its own pixels, `scale` pixels per cell. */
  draw(context, geometry, camera, view, scale, colours) {
    if (geometry.square || scale < SMALL) this.#drawScaled(context, geometry, camera, view, scale, colours);
    else this.#drawLooked(context, geometry, camera, view, scale, colours);
  }

  #drawScaled(context, geometry, camera, view, scale, colours) {
    const left = Math.round(view[0] / 2 - camera.x * scale);
    const top = Math.round(view[1] / 2 - camera.y * scale);
    const size = geometry.size.map((side) => Math.round(side * scale));
    if (scale >= SHARP) {
      this.#refresh();
      context.imageSmoothingEnabled = false;
      context.drawImage(this.#canvas, left, top, ...size);
    } else this.#drawSmall(context, left, top, size);
    if (scale >= LINES_FROM) drawSquareLines(context, geometry, [left, top], view, scale, colours.line);
  }

  #refresh() {
    if (this.#put !== this.#version) this.#canvas.getContext("2d").putImageData(this.image, 0, 0);
    this.#put = this.#version;
  }

  /** Many cells on few pixels: averaging them takes time, so the small picture is kept while nothing changes. */
  #drawSmall(context, left, top, [width, height]) {
    const key = [width, height, this.#version].join();
    if (this.#small.key !== key) {
      this.#refresh();
      this.#small = { key, canvas: this.#small.canvas };
      const { canvas } = this.#small;
      canvas.width = width;
      canvas.height = height;
      const small = canvas.getContext("2d");
      small.imageSmoothingQuality = width < this.#canvas.width ? "medium" : "low"; // enlarged, both look the same
      small.drawImage(this.#canvas, 0, 0, width, height);
    }
    context.drawImage(this.#small.canvas, left, top);
  }

  #drawLooked(context, geometry, camera, view, scale, colours) {
    const key = [geometry.topology, geometry.width, geometry.height, camera.x, camera.y, scale, ...view].join();
    if (this.#table?.key !== key) {
      this.#table = { key, ...lookUp(geometry, camera, view, scale) };
      this.#screen.width = view[0];
      this.#screen.height = view[1];
      this.#table.image = new ImageData(view[0], view[1]);
      this.#table.lined = null;
      this.#table.version = -1;
    }
    const { cells, edges, image } = this.#table;
    if (this.#table.version !== this.#version) {
      const out = new Uint32Array(image.data.buffer);
      for (let i = 0; i < cells.length; i++) out[i] = cells[i] < 0 ? 0 : this.colours[cells[i]];
      this.#smooth(out, edges);
      this.#screen.getContext("2d").putImageData(image, 0, 0);
      this.#table.version = this.#version;
    }
    context.drawImage(this.#screen, 0, 0);
    if (scale >= LINES_FROM) {
      if (this.#table.lined !== colours.line) this.#drawLines(cells, view, colours.line);
      context.drawImage(this.#lines, 0, 0);
    }
  }

  /** Mix the two colours of pixels that a slanted edge crosses. */
  #smooth(out, { pixels, left, right, share }) {
    for (let i = 0; i < pixels.length; i++) {
      const a = left[i] < 0 ? 0 : this.colours[left[i]];
      const b = right[i] < 0 ? 0 : this.colours[right[i]];
      if (a === b) continue;
      if (!a || !b) {
        const alpha = Math.round(255 * (a ? 1 - share[i] : share[i]));
        out[pixels[i]] = ((alpha << 24) | ((a || b) & 0xffffff)) >>> 0;
        continue;
      }
      const mix = (shift) => (((a >>> shift) & 255) * (1 - share[i]) + ((b >>> shift) & 255) * share[i]) & 255;
      out[pixels[i]] = ((255 << 24) | (mix(16) << 16) | (mix(8) << 8) | mix(0)) >>> 0;
    }
  }

  #drawLines(cells, [width, height], colour) {
    this.#lines.width = width;
    this.#lines.height = height;
    const line = pixel(colour);
    const image = new ImageData(width, height);
    const out = new Uint32Array(image.data.buffer);
    for (let y = 0; y < height - 1; y++) {
      for (let x = 0, i = y * width; x < width - 1; x++, i++) {
        if (cells[i] !== cells[i + 1] || cells[i] !== cells[i + width]) out[i] = line;
      }
    }
    this.#lines.getContext("2d").putImageData(image, 0, 0);
    this.#table.lined = colour;
  }
}

/** A function that gives the colour of a cell by its wall, its zone or its weight. */
function shader({ walls, weights }, colours, zones, dark) {
  const wall = pixel(colours.wall);
  const ground = pixel(colours.ground);
  const shades = weights ? weightShades(weights, colours) : null;
  const hues = new Map();
  return (cell) => {
    if (!walls[cell]) return wall;
    if (zones && zones[cell] >= 0) {
      let colour = hues.get(zones[cell]);
      if (colour === undefined) hues.set(zones[cell], (colour = pixel(hue(zones[cell], dark))));
      return colour;
    }
    return shades && weights[cell] > 1 ? (shades.get(weights[cell]) ?? ground) : ground;
  };
}

/** The weights above 1 of a map, ascending. */
export function heavyWeights(weights) {
  const seen = new Set();
  for (let i = 0; i < weights.length; i++) if (weights[i] > 1) seen.add(weights[i]);
  return [...seen].sort((a, b) => a - b);
}

/** The colour of a weight on a map whose largest is `most`; by ratio: 2 and 4 differ even if water costs 1000. */
export const weightColour = (weight, most, colours) =>
  between(colours.light, colours.heavy, Math.log(weight) / Math.log(Math.max(2, most)));

function weightShades(weights, colours) {
  const seen = heavyWeights(weights);
  return new Map(seen.map((weight) => [weight, pixel(weightColour(weight, seen.at(-1), colours))]));
}

function drawSquareLines(context, { width, height }, [left, top], view, scale, colour) {
  context.fillStyle = css(colour);
  const right = Math.min(view[0], left + Math.round(width * scale));
  const bottom = Math.min(view[1], top + Math.round(height * scale));
  const x0 = Math.max(0, left);
  const y0 = Math.max(0, top);
  for (let x = Math.max(0, Math.floor(-left / scale)); x <= width; x++) {
    const at = left + Math.round(x * scale);
    if (at > view[0]) break;
    context.fillRect(at, y0, 1, bottom - y0);
  }
  for (let y = Math.max(0, Math.floor(-top / scale)); y <= height; y++) {
    const at = top + Math.round(y * scale);
    if (at > view[1]) break;
    context.fillRect(x0, at, right - x0, 1);
  }
}

/** The cell of every pixel of the view, and the pixels on slanted edges with the cells on both sides. */
function lookUp(geometry, camera, [columns, rows], scale) {
  const { width, height, pitch, drop } = geometry;
  const point = scale > 3 ? geometry.point : 0; // with fewer pixels a hex is a brick
  const cells = new Int32Array(columns * rows);
  const edges = { pixels: [], left: [], right: [], share: [] };
  const column = new Int32Array(columns);
  const inside = new Float64Array(columns);
  for (let x = 0; x < columns; x++) {
    const wx = camera.x + (x + 0.5 - columns / 2) / scale;
    column[x] = Math.floor(wx / pitch);
    inside[x] = wx - column[x] * pitch;
  }
  const row = [0, 0]; // of even and of odd columns
  const slope = [0, 0];
  const number = (c) => (c < 0 || c >= width || row[c & 1] < 0 || row[c & 1] >= height ? -1 : row[c & 1] * width + c);
  for (let y = 0, i = 0; y < rows; y++) {
    const wy = camera.y + (y + 0.5 - rows / 2) / scale;
    for (const odd of [0, 1]) {
      const down = wy - (odd ? 0 : drop);
      row[odd] = Math.floor(down);
      slope[odd] = point * Math.abs(2 * (down - row[odd]) - 1);
    }
    for (let x = 0; x < columns; x++, i++) {
      const c = column[x];
      const off = (inside[x] - slope[c & 1]) * scale;
      cells[i] = number(off < 0 ? c - 1 : c);
      if (point && off > -0.5 && off < 0.5) {
        edges.pixels.push(i);
        edges.left.push(number(c - 1));
        edges.right.push(number(c));
        edges.share.push(off + 0.5);
      }
    }
  }
  return { cells, edges };
}
