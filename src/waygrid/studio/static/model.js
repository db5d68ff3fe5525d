// What is searched: the map, the query, the rules of the grid; with undo and redo of every change of map and query.

import { sendTerrain } from "./api.js";

const MOST_STEPS = 200;
const MOST_BYTES = 64 << 20;

export class Model {
  #id = null;
  #sending = null;
  #undone = [];
  #done = [];
  #weighted = null;

  constructor() {
    this.terrain = { width: 1, height: 1, walls: new Uint8Array([1]), weights: null, name: "map" };
    this.source = {}; // where the map came from: {example} or {generate} or {file}; what a link says of it
    this.edited = false;
    this.start = [0, 0];
    this.goal = [0, 0];
    this.grid = { topology: "octile", corners: "never", metric: "octile" };
    this.version = 0; // another one after every change of the map
  }

  /** Another map: everything to undo is forgotten. */
  load(terrain, source) {
    this.terrain = { ...terrain, walls: Uint8Array.from(terrain.walls), weights: terrain.weights?.slice() ?? null };
    this.source = source;
    this.edited = source.edited ?? false; // a draft that was changed before it was kept
    this.#weighted = null;
    this.#id = terrain.id ?? null;
    this.#sending = null;
    this.#undone = [];
    this.#done = [];
    this.#stroke = null; // it belongs to the map before
    this.version++;
  }

  /** The server's name of the map as it is now; sends the map where it has none yet. */
  async mapId() {
    if (this.#id) return this.#id;
    const sending = (this.#sending ??= sendTerrain({
      ...this.terrain,
      weights: this.weighted ? this.terrain.weights : null,
    }));
    try {
      const id = await sending;
      if (this.#sending === sending) this.#id = id;
      return id;
    } finally {
      if (this.#sending === sending) this.#sending = null;
    }
  }

  get knownId() {
    return this.#id;
  }

  forgetId(id) {
    if (this.#id === id) this.#id = null;
  }

  /** Whether some cell costs more than 1. */
  get weighted() {
    this.#weighted ??= this.terrain.weights?.some((weight) => weight > 1) ?? false;
    return this.#weighted;
  }

  inside([x, y]) {
    return x >= 0 && y >= 0 && x < this.terrain.width && y < this.terrain.height;
  }

  number([x, y]) {
    return y * this.terrain.width + x;
  }

  passable(cell) {
    return this.terrain.walls[this.number(cell)] === 1;
  }

  /** Whether a cell is a door of the map. */
  isDoor([x, y]) {
    return this.terrain.doors?.some((door) => door[0] === x && door[1] === y) ?? false;
  }

  weight(cell) {
    return this.terrain.weights?.[this.number(cell)] ?? 1;
  }

  /** Put values into cells: {walls: 0 or 1} or {weights: n}. Returns the numbers of the cells that changed. */
  put(cells, what) {
    const [name, value] = Object.entries(what)[0];
    if (name === "weights" && !this.terrain.weights) {
      if (value === 1) return [];
      this.terrain.weights = new Uint16Array(this.terrain.walls.length).fill(1);
    }
    const values = this.terrain[name];
    const changed = [];
    for (const cell of cells) {
      const i = this.number(cell);
      if (values[i] === value || (name === "weights" && !this.terrain.walls[i])) continue;
      this.#stroke?.note(name, i, values[i]);
      values[i] = value;
      changed.push(i);
    }
    if (changed.length) this.#mapChanged();
    return changed;
  }

  #mapChanged() {
    this.version++;
    this.edited = true;
    this.#weighted = null;
    this.#id = null;
    this.#sending = null;
  }

  // ---- undo: a stroke of the brush, or a move of start or goal, is one step

  #stroke = null;

  begin() {
    this.#stroke = new Step(this.start, this.goal);
    this.#stroke.origin = { edited: this.edited, id: this.#id };
  }

  /** Take back what was done since `begin`, as if it had never been. */
  abandon() {
    const step = this.#stroke;
    this.#stroke = null;
    if (!step?.finish(this)) return;
    if (step.apply(this, "before")) this.#mapChanged();
    this.edited = step.origin.edited;
    this.#id = step.origin.id;
  }

  /** End a step; without a change it is not kept. Returns whether something changed. */
  end() {
    const step = this.#stroke;
    this.#stroke = null;
    if (!step || !step.finish(this)) return false;
    this.#done.push(step);
    this.#undone = [];
    let bytes = this.#done.reduce((sum, { size }) => sum + size, 0);
    while (this.#done.length > MOST_STEPS || (bytes > MOST_BYTES && this.#done.length > 1)) {
      bytes -= this.#done.shift().size;
    }
    return true;
  }

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }

  undo() {
    return this.#take(this.#done, this.#undone, "before");
  }

  redo() {
    return this.#take(this.#undone, this.#done, "after");
  }

  #take(from, to, side) {
    const step = from.pop();
    if (!step) return false;
    to.push(step);
    if (step.apply(this, side)) this.#mapChanged();
    return true;
  }
}

/** One step to undo: cells with their values before and after, and where start and goal were. */
class Step {
  #old = { walls: new Map(), weights: new Map() };

  constructor(start, goal) {
    this.before = { start, goal };
  }

  note(name, cell, value) {
    if (!this.#old[name].has(cell)) this.#old[name].set(cell, value);
  }

  get size() {
    return 8 * this.parts.reduce((sum, { cells }) => sum + cells.length, 1);
  }

  finish({ terrain, start, goal }) {
    this.after = { start, goal };
    this.parts = [];
    for (const name of ["walls", "weights"]) {
      const cells = Int32Array.from(
        [...this.#old[name]].filter(([i, old]) => terrain[name][i] !== old),
        ([i]) => i,
      );
      if (!cells.length) continue;
      const before = Uint16Array.from(cells, (i) => this.#old[name].get(i));
      this.parts.push({ name, cells, before, after: Uint16Array.from(cells, (i) => terrain[name][i]) });
    }
    this.#old = null;
    const moved = ["start", "goal"].some((end) => this.before[end].join() !== this.after[end].join());
    return moved || this.parts.length > 0;
  }

  /** Put one side's values back; returns whether the map changed. */
  apply(model, side) {
    for (const { name, cells, [side]: values } of this.parts) {
      cells.forEach((cell, i) => (model.terrain[name][cell] = values[i]));
    }
    model.start = this[side].start;
    model.goal = this[side].goal;
    return this.parts.length > 0;
  }
}
