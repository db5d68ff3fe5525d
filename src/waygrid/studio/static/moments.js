// What holds at each event of a trace: the names that conditions can use, and the expansions in their order.


import { same } from "./expression.js";

const NO_CELL = -1; // x and y of events without a cell

/** What conditions of breakpoints and exercises can say of an event. */
export const ABOUT = {
  g: "cost from the start",
  h: "estimate to the goal",
  f: "g + h",
  x: "column",
  y: "row",
  event: "number of the event",
  expanded: "expansions so far",
  open: "cells on the open list",
};

/** The types of these names, as the parser of expressions wants them. */
export const NAMES = Object.fromEntries(Object.keys(ABOUT).map((name) => [name, "number"]));

const [OPENING, UPDATING, EXPANDING, ROUND] = [1, 2, 3, 6]; // what Player's `meaning` says of an event

const kept = new WeakMap();

export class Moments {
  #expansions = null;
  #open = null;

  constructor(player, width) {
    this.player = player;
    this.width = width;
  }

  /** The moments of a player; worked out once for each. */
  static of(player, width) {
    if (!kept.has(player)) kept.set(player, new Moments(player, width));
    return kept.get(player);
  }

  /** What an event does: 1 generates, 2 updates, 3 expands. */
  meaning(event) {
    return this.player.meaning[this.player.trace.kind[event]];
  }

  /** The numbers of the events that expand a cell, ascending. */
  get expansions() {
    if (this.#expansions) return this.#expansions;
    const found = new Int32Array(this.player.expansions);
    for (let i = 0, at = 0; i < this.player.length; i++) if (this.meaning(i) === EXPANDING) found[at++] = i;
    this.#expansions = found;
    return found;
  }

  /** How many expansions there are before an event. */
  expandedBefore(event) {
    const { expansions } = this;
    let low = 0;
    let high = expansions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (expansions[middle] < event) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The event that expands the next cell at a time, or -1. */
  nextExpansion(time) {
    return this.expansions[this.expandedBefore(time)] ?? -1;
  }

  /** For each event, how many cells are generated and not yet expanded after it. */
  get #opened() {
    if (this.#open) return this.#open;
    const { length, trace, states } = this.player;
    const open = new Uint8Array(states.length);
    const counts = new Int32Array(length);
    let count = 0;
    for (let i = 0; i < length; i++) {
      const cell = trace.node[i];
      const what = this.meaning(i);
      if (what === ROUND) {
        open.fill(0);
        count = 0;
      } else if (cell >= 0 && what >= OPENING && what <= EXPANDING) {
        const now = what === EXPANDING ? 0 : 1;
        count += now - open[cell];
        open[cell] = now;
      }
      counts[i] = count;
    }
    this.#open = counts;
    return counts;
  }

  /** The values of NAMES right after an event; `names` says which of the slow ones are wanted. */
  values(event, names = new Set(Object.keys(NAMES))) {
    const { g, h, node } = this.player.trace;
    const cell = node[event];
    return {
      g: g[event],
      h: h[event],
      f: g[event] + h[event],
      x: cell < 0 ? NO_CELL : cell % this.width,
      y: cell < 0 ? NO_CELL : Math.floor(cell / this.width),
      event: event + 1,
      expanded: names.has("expanded") ? this.expandedBefore(event + 1) : 0,
      open: names.has("open") ? this.#opened[event] : 0,
    };
  }

  /** The cell of an event, [x, y], or null. */
  cell(event) {
    const cell = this.player.trace.node[event];
    return cell < 0 ? null : [cell % this.width, Math.floor(cell / this.width)];
  }

  f(event) {
    const { g, h } = this.player.trace;
    return g[event] + h[event];
  }

  /** Whether an expansion has another f than the one before it. */
  changesF(event) {
    const before = this.expandedBefore(event) - 1;
    return before >= 0 && !same(this.f(this.expansions[before]), this.f(event));
  }
}
