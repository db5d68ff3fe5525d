// Breakpoints: events at which the replay stops. What is to happen, in which cell, and under which condition.

import { parse } from "./expression.js";
import { Moments, NAMES } from "./moments.js";

/** What can be waited for: its name in links and files, the words, and what `meaning` says of such an event. */
export const WHATS = [
  { what: "expanded", text: "a cell is expanded", meaning: 3 },
  { what: "generated", text: "a cell is generated", meaning: 1 },
  { what: "updated", text: "a cell is updated", meaning: 2 },
  { what: "f", text: "f of the expanded cell changes", meaning: 3 },
  { what: "any", text: "anything happens", meaning: 0 },
];

const MOST = 20; // breakpoints

/** Read a breakpoint {what, cell, if} that a person, a link or a file gives; an Error says what is wrong. */
export function readStop({ what = "any", cell = null, if: text = "", on = true } = {}) {
  const known = WHATS.map((one) => one.what);
  if (!known.includes(what)) throw new Error(`what is ${JSON.stringify(what)}; allowed are ${known.join(", ")}.`);
  const whole = Array.isArray(cell) && cell.length === 2 && cell.every((side) => Number.isInteger(side) && side >= 0);
  if (cell !== null && !whole) throw new Error(`cell is ${JSON.stringify(cell)}; a cell is [x, y], two whole numbers.`);
  const condition = String(text).trim() ? parse(String(text), NAMES) : null;
  if (what === "any" && !cell && !condition) {
    throw new Error("Choose an event, a cell or a condition: otherwise every event would stop the replay.");
  }
  return { what, cell, if: condition?.text ?? "", on: on !== false, condition };
}

/** A breakpoint in words. */
export function describeStop({ what, cell, if: condition }) {
  const { text } = WHATS.find((one) => one.what === what);
  return `${text}${cell ? ` at ${cell.join(", ")}` : ""}${condition ? ` and ${condition}` : ""}`;
}

/** A function that tells whether an event of a trace stops the replay. */
function tester({ what, cell, condition }, moments) {
  const { meaning } = WHATS.find((one) => one.what === what);
  const number = cell ? cell[1] * moments.width + cell[0] : -1;
  const { node } = moments.player.trace;
  return (event) =>
    (!meaning || moments.meaning(event) === meaning) &&
    (number < 0 || node[event] === number) &&
    (what !== "f" || moments.changesF(event)) &&
    (!condition || condition.run(moments.values(event, condition.names)));
}

export class Breakpoints {
  #tests = new WeakMap(); // by player, for the list as it is
  #listeners = [];

  constructor(app) {
    this.app = app;
    this.list = [];
    this.hit = null; // where the replay stopped: {event, pane, stop}
    app.clock.stopBetween = (from, to) => this.#stopBetween(from, to);
    app.on("leave", () => this.set(this.list.filter(({ cell }) => !cell))); // cells belong to the map before
    app.on("result", () => (this.hit = null));
  }

  onChange(listener) {
    this.#listeners.push(listener);
  }

  set(list) {
    this.list = list;
    this.#tests = new WeakMap();
    this.hit = null;
    this.#tell();
  }

  #tell() {
    for (const listener of this.#listeners) listener();
  }

  add(stop) {
    if (this.list.length >= MOST) throw new Error(`There are ${MOST} breakpoints already; remove one first.`);
    this.set([...this.list, readStop(stop)]);
  }

  remove(stop) {
    this.set(this.list.filter((other) => other !== stop));
  }

  enable(stop, on) {
    stop.on = on;
    this.set(this.list);
  }

  /** What links carry, and back; what a link has wrong is left out. */
  get state() {
    return this.list.map(({ what, cell, if: text, on }) => ({
      what,
      ...(cell && { cell }),
      ...(text && { if: text }),
      ...(!on && { on }),
    }));
  }

  restore(state) {
    const read = (one) => {
      try {
        return [readStop(one)];
      } catch {
        return [];
      }
    };
    this.set((Array.isArray(state) ? state.slice(0, MOST) : []).flatMap(read));
  }

  // ---- looking for the next stop

  get #active() {
    return this.list.filter(({ on }) => on);
  }

  #testers(player) {
    if (!this.#tests.has(player)) {
      const moments = Moments.of(player, this.app.model.terrain.width);
      this.#tests.set(
        player,
        this.#active.map((stop) => ({ stop, test: tester(stop, moments) })),
      );
    }
    return this.#tests.get(player);
  }

  /** The first event from `from` up to before `to` (or down to it) at which a board stops: {event, pane, stop}, or null. */
  find(from, to) {
    const step = from <= to ? 1 : -1;
    let hit = null;
    for (const pane of this.#active.length ? this.app.panes.filter(({ player }) => player) : []) {
      const testers = this.#testers(pane.player);
      const end = hit ? hit.event : to;
      const begin = step > 0 ? from : Math.min(from, pane.player.length - 1);
      for (let event = begin; step > 0 ? event < Math.min(end, pane.player.length) : event > end; event += step) {
        const met = testers.find(({ test }) => test(event));
        if (!met) continue;
        hit = { event, pane, stop: met.stop };
        break;
      }
    }
    return hit;
  }

  /** For the clock, while it plays: the time to stop at, or null. */
  #stopBetween(from, to) {
    const hit = this.find(from, to);
    if (hit) this.#stopped(hit);
    return hit ? hit.event + 1 : null;
  }

  #stopped(hit) {
    this.hit = hit;
    this.#tell();
  }

  /** Go to the next stop without showing what is between, or back to the last one; false where there is none. */
  run(direction) {
    const { clock } = this.app;
    const hit = direction > 0 ? this.find(clock.time, clock.length) : this.find(Math.max(-1, clock.time - 2), -1);
    if (!hit) return false;
    clock.seek(hit.event + 1);
    this.#stopped(hit);
    return true;
  }

  /** Go to the next event in a cell on a board, or after the last one to the first; returns whether there is one. */
  runToCell(pane, cell) {
    const { clock, model } = this.app;
    const { lists } = pane.player ?? {};
    if (!lists) return false;
    const number = model.number(cell);
    const events = lists.order.subarray(lists.from[number], lists.from[number + 1]);
    if (!events.length) return false;
    clock.seek((events.find((event) => event >= clock.time) ?? events[0]) + 1);
    return true;
  }
}
