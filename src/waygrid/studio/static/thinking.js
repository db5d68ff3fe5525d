// What a search knows at a moment of its replay: g, h, f and parent of every cell, and the open list in the order in
// which the kernel takes entries. All of it is worked out from the trace and the order that the server names.

import { makeRule } from "./orders.js";

const made = new WeakMap();

/** The thinking of a board's search, null without a trace; made once per search. */
export function thinkingOf({ player, result }) {
  if (!player) return null;
  if (!made.has(player)) made.set(player, new Thinking(player, result?.order ?? null, result?.unit ?? 1));
  return made.get(player);
}

export class Thinking {
  #leave = null; // for every event that put an entry on the list: the event that took it off, or the length
  #order = null;

  /**
   * `order`: {rule, shift, clamped, half, goal} as `studio/thinking.py` names it, or null; `unit`: the cost of a straight
   * move in the integers of the kernel.
   */
  constructor(player, order, unit) {
    Object.assign(this, { player, unit, order });
    this.names = player.names;
    this.kind = Object.fromEntries(player.names.map((name, i) => [name, i]));
  }

  /** Whether the open list can be told from the trace. */
  get listed() {
    return Boolean(this.order?.rule);
  }

  /** The values of a cell before event number `time`: {g, h, f, parent, event}, or null where it was not met yet. */
  values(cell, time = this.player.time) {
    const event = this.player.valued(cell, time);
    return event < 0 ? null : this.valuesAt(event);
  }

  /** What an event says of its cell: {cell, g, h, f, parent, event, kind}. */
  valuesAt(event) {
    const { kind, node, parent, g, h } = this.player.trace;
    const bound = kind[event] === this.kind.bound; // its g is the limit of the round that begins with the start
    const own = bound ? kind.indexOf(this.kind.generating) : event;
    return {
      cell: node[event],
      g: g[own],
      h: h[own],
      f: g[own] + h[own],
      parent: parent[event],
      event,
      kind: this.names[kind[event]],
    };
  }

  /** The number of the first event of a kind at or after a time, -1 if there is none. */
  next(kind, time = this.player.time) {
    return this.player.trace.kind.indexOf(this.kind[kind], time);
  }

  #simulate() {
    if (!this.#leave) {
      this.#order = makeRule(this);
      this.#leave = this.#order.simulate();
    }
    return this.#order;
  }

  /** Numbers of the events whose entries are on the open list after so many events, in no order. */
  #waiting(time) {
    this.#simulate();
    const leave = this.#leave;
    const open = [];
    for (let i = 0; i < time; i++) if (leave[i] >= time) open.push(i);
    return open;
  }

  /**
   * The open list after so many events: {size, entries, next, passed}. `entries` are the first `most`, in the order in
   * which the kernel takes them, as `valuesAt` has them with their `key` (what the kernel compares) beside. `next` is
   * the place of the entry that is taken next, -1 where none is (or it lies behind those listed). `passed` counts
   * entries that the kernel has dropped without an event.
   */
  open(time = this.player.time, most = 50) {
    if (!this.listed) return null;
    const order = this.#simulate();
    const all = order.sort(this.#waiting(time), time);
    const taken = this.taken(time);
    const [kept, passed] = order.drop(all, taken, time);
    const entries = kept.slice(0, most).map((event) => ({ ...this.valuesAt(event), key: order.key(event) }));
    return { size: kept.length, entries, next: kept.slice(0, most).indexOf(taken), passed };
  }

  /** The number of the event that put the entry on the list that is taken next, -1 if none is. */
  taken(time = this.player.time) {
    const expanding = this.next("expanding", time);
    if (expanding < 0) return -1;
    this.#simulate();
    return this.#order.putBy(expanding, time);
  }

  /** Which of two entries (numbers of the events that put them there) comes first: negative for the first one. */
  compare(one, other) {
    return this.#simulate().compare(one, other);
  }

  /** What the kernel compares of the entry that an event put on the list; null where entries stand in a line. */
  key(event) {
    return this.#simulate().key(event);
  }

  /** The number of the event that put a cell's entry on the list as it is after so many events, -1 if it is not there. */
  entryOf(cell, time = this.player.time) {
    this.#simulate();
    const { from, order } = this.player.lists;
    let best = -1;
    for (let i = from[cell]; i < from[cell + 1] && order[i] < time; i++) {
      const event = order[i];
      if (this.#leave[event] >= time && (best < 0 || this.compare(event, best) < 0)) best = event;
    }
    return best;
  }
}
