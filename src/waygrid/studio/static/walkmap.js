// The map of a walk: as it was at the first step, which an index was built for, and all edits since.

import { sendTerrain } from "./api.js";

export class WalkMap {
  #shown; // the terrain that is drawn on
  #known; // its walls as the agents know them
  #sending = null;

  constructor(model) {
    const { terrain, start, goal, weighted } = model;
    this.#shown = terrain;
    this.#known = terrain.walls.slice();
    this.terrain = { ...terrain, walls: terrain.walls.slice(), weights: terrain.weights?.slice() ?? null };
    this.weighted = weighted;
    Object.assign(this, { start, goal });
    this.edits = []; // {step, cells, passable}, as the server takes them
    this.cells = 0; // named by all edits
    this.#sending = model.knownId && Promise.resolve(model.knownId);
  }

  /** The server's name of the map at the first step. */
  mapId() {
    const { terrain, weighted } = this;
    this.#sending ??= sendTerrain({ ...terrain, weights: weighted ? terrain.weights : null });
    return this.#sending;
  }

  forgetId() {
    this.#sending = null;
  }

  /** Whether the map that is drawn on is this one with other walls, and the goal is still there. */
  fits({ terrain, start, goal }) {
    if (terrain !== this.#shown || start.join() !== this.start.join() || goal.join() !== this.goal.join()) return false;
    const before = this.terrain.weights;
    const now = terrain.weights ?? before;
    if (!now) return true;
    return now.every((weight, i) => weight === (before?.[i] ?? 1));
  }

  /** Take the walls as they are now for an edit before this step; returns whether there is one. */
  note(step) {
    const { walls, width } = this.#shown;
    const changed = [[], []]; // closed, opened
    for (let i = 0; i < walls.length; i++) {
      if (walls[i] === this.#known[i]) continue;
      changed[walls[i]].push([i % width, Math.floor(i / width)]);
      this.#known[i] = walls[i];
    }
    changed.forEach((cells, passable) => {
      if (cells.length) this.edits.push({ step, cells, passable: passable === 1 });
      this.cells += cells.length;
    });
    return changed.some((cells) => cells.length > 0);
  }

  /** The cells that are not as they were at the first step. */
  get differs() {
    const { walls, width } = this.#shown;
    const cells = [];
    for (let i = 0; i < walls.length; i++)
      if (walls[i] !== this.terrain.walls[i]) cells.push([i % width, Math.floor(i / width)]);
    return cells;
  }
}
