// One board: a canvas with the map, a search on it and everything drawn above. Draws only when something changed.

import { drawFlags } from "./flags.js";
import { Geometry } from "./geometry.js";
import { drawDetail } from "./details.js";
import { drawValues, VALUES_FROM } from "./labels.js";
import { drawAgents, drawCell, drawDoors, drawEdited, drawEnds, drawPath } from "./marks.js";
import { drawLayers } from "./overlays.js";
import { css } from "./palette.js";
import { Raster } from "./raster.js";
import { drawPlaces } from "./units.js";

export class Board {
  #raster = new Raster();
  #layers = document.createElement("canvas");
  #layersKey = null;
  #asked = false;
  #leaveCamera;
  #sizes;

  /** `room` returns the view that the map is fitted into: the board's own, or the least of several boards. */
  constructor(canvas, camera, room = () => this.view) {
    this.canvas = canvas;
    this.camera = camera;
    this.room = room;
    this.geometry = null;
    this.shown = { path: [], current: [], ends: {}, walkers: [], places: null, edited: [], brush: [], lifted: null };
    Object.assign(this.shown, { hover: null, pinned: null, cursor: null, box: null, other: null });
    Object.assign(this.shown, { values: null, detail: null, flags: [] });
    this.overlay = null;
    this.frames = 0;
    this.#leaveCamera = camera.onChange(() => this.redraw());
    this.#sizes = new ResizeObserver(() => this.#resize());
    this.#sizes.observe(canvas);
  }

  /** The board is taken away: nothing may hold it any more. */
  dispose() {
    this.#leaveCamera();
    this.#sizes.disconnect();
  }

  /** Size in CSS pixels. */
  get view() {
    return [this.canvas.clientWidth || 1, this.canvas.clientHeight || 1];
  }

  #resize() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = this.view;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    if (this.camera.fitted && this.geometry) this.fit();
    this.#draw();
  }

  fit() {
    if (this.geometry) this.camera.fit(this.geometry.size, this.room());
  }

  /** A new map, topology, palette or overlay. */
  ground(terrain, topology, colours, overlay, dark) {
    this.colours = colours;
    this.overlay = overlay;
    this.terrain = terrain;
    this.geometry = new Geometry(topology, terrain.width, terrain.height);
    this.#raster.ground(terrain, colours, overlay, dark);
    this.#layersKey = null;
  }

  /** Walls were drawn or erased in these cells. */
  patch(cells, states) {
    this.#raster.patch(cells, states);
    this.redraw();
  }

  /** Colour all cells (`touched` null) or some of them. */
  cells(states, touched = null) {
    if (touched) this.#raster.touch(touched, states);
    else this.#raster.paint(states);
    this.redraw();
  }

  /** Change what lies over the cells. */
  show(parts) {
    Object.assign(this.shown, parts);
    this.redraw();
  }

  redraw() {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      this.#draw();
    });
  }

  /** The cell under a place of the page, or null. */
  cellAt(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    return this.geometry.cellAt(...this.camera.toMap(clientX - box.left, clientY - box.top, this.view));
  }

  /** Where the middle of a cell is on the page. */
  placeOf(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const [px, py] = this.camera.toView(...this.geometry.centre(x, y), this.view);
    return [px + box.left, py + box.top];
  }

  /** Move the map as little as needed to have a cell in sight. */
  reveal(cell) {
    const { view, camera, geometry } = this;
    const [dx, dy] = camera.toView(...geometry.centre(...cell), view).map((at, axis) => {
      const margin = Math.min(camera.scale, view[axis] / 2);
      return Math.max(margin, Math.min(view[axis] - margin, at)) - at;
    });
    if (Math.hypot(dx, dy) > 0.5) camera.pan(dx, dy, geometry.size);
  }

  #draw() {
    if (!this.geometry || !this.canvas.clientWidth) return;
    const context = this.canvas.getContext("2d");
    const ratio = this.canvas.width / this.view[0];
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.paintOn(context, [this.canvas.width, this.canvas.height], this.camera, this.camera.scale * ratio, true);
    this.frames++;
  }

  /** Draw everything with a camera on any canvas; pictures for export are made with it as well. */
  paintOn(context, view, camera, scale, live) {
    const { geometry, colours, shown } = this;
    this.#raster.draw(context, geometry, camera, view, scale, colours);
    const place = (wx, wy) => [(wx - camera.x) * scale + view[0] / 2, (wy - camera.y) * scale + view[1] / 2];
    const at = { place, cell: (x, y) => place(...geometry.centre(x, y)) };
    if (this.overlay) this.#drawOverlay(context, view, camera, scale, at);
    drawDoors(context, this.terrain, geometry, at, scale, colours);
    drawEdited(context, shown.edited, geometry, at, scale, colours);
    const written = this.#thinks && scale >= VALUES_FROM; // lines and ends are slender then
    if (shown.current.length) drawPath(context, shown.current, at, scale, colours, { thin: true });
    drawPath(context, shown.path, at, scale, colours, { thin: written });
    if (shown.detail && !shown.walkers.length) drawDetail(context, shown.detail, { geometry, at, scale, seen: this.#seen(view, camera, scale), colours });
    drawEnds(context, shown.ends, at, written ? scale / 2 : scale, colours, shown.lifted);
    this.labelled = 0;
    if (this.#thinks) this.#drawValues(context, view, camera, scale, at);
    if (shown.places) drawPlaces(context, shown.places, geometry, at, scale, colours);
    drawAgents(context, shown.walkers, at, scale, colours);
    if (!live) return;
    if (shown.box) drawPlaces(context, { box: shown.box }, geometry, at, scale, colours);
    if (shown.other) drawCell(context, geometry.outline(...shown.other), at, css(colours.edited), 3);
    drawFlags(context, shown.flags, geometry, at, scale, colours);
    for (const cell of shown.brush) drawCell(context, geometry.outline(...cell), at, colours.ink, 1);
    if (shown.hover) drawCell(context, geometry.outline(...shown.hover), at, colours.ink, 1.5);
    for (const cell of [shown.pinned, shown.cursor].filter(Boolean)) {
      drawCell(context, geometry.outline(...cell), at, colours.halo, 5);
      drawCell(context, geometry.outline(...cell), at, colours.ink, 2.5);
    }
  }

  /** Whether cells show values: not while agents walk. */
  get #thinks() {
    return Boolean(this.shown.values) && !this.shown.walkers.length && !this.shown.places;
  }

  #drawValues(context, view, camera, scale, at) {
    const seen = this.#seen(view, camera, scale);
    const colourOf = (cell) => this.#raster.colours[cell];
    this.labelled = drawValues(context, this.shown.values, this.geometry, at, scale, seen, colourOf);
  }

  /** Draw now; returns the milliseconds until the picture is there. */
  time() {
    const before = performance.now();
    this.#draw();
    this.canvas.getContext("2d").getImageData(0, 0, 1, 1); // waits for what the canvas has put off
    return performance.now() - before;
  }

  /** Overlays may hold very many lines: they are drawn once per view and kept. */
  #drawOverlay(context, view, camera, scale, at) {
    const key = [camera.x, camera.y, scale, ...view].join();
    if (this.#layersKey !== key) {
      this.#layersKey = key;
      this.#layers.width = view[0];
      this.#layers.height = view[1];
      const layers = this.#layers.getContext("2d");
      drawLayers(layers, this.overlay, this.geometry, at, scale, this.#seen(view, camera, scale), this.colours);
    }
    context.drawImage(this.#layers, 0, 0);
  }

  /** The range of cells in view, one more on each side. */
  #seen(view, camera, scale) {
    const { pitch, width, height } = this.geometry;
    const left = (camera.x - view[0] / 2 / scale) / pitch;
    const right = (camera.x + view[0] / 2 / scale) / pitch;
    const top = camera.y - view[1] / 2 / scale;
    const bottom = camera.y + view[1] / 2 / scale;
    return {
      left: Math.max(0, Math.floor(left) - 1),
      right: Math.min(width - 1, Math.ceil(right)),
      top: Math.max(0, Math.floor(top) - 1),
      bottom: Math.min(height - 1, Math.ceil(bottom)),
    };
  }
}
