// The controller's states and which events lead from one to the next. Whatever is not in the table is refused.

/**
 * ready      a map is shown and nothing has been searched on it
 * searching  the server searches; a newer search replaces it
 * playing    the log of the search is replayed
 * paused     the replay stands somewhere
 * finished   the replay is at its end
 * modified   map, query or settings differ from what was searched last
 * dragging   start or goal is being moved, paths follow
 * drawing    walls or weights are being painted
 */
const EDITS = { search: "searching", change: "modified", grab: "dragging", stroke: "drawing" };

const MOVES = ["grab", "stroke"]; // what changes map and query by hand

export const TABLE = {
  ready: { ...EDITS },
  searching: { ...EDITS, done: "finished", fail: "ready", cancel: "modified" },
  playing: { ...EDITS, pause: "paused", seek: "paused", end: "finished" },
  paused: { ...EDITS, play: "playing", seek: "paused", end: "finished" },
  finished: { ...EDITS, play: "playing", seek: "paused", end: "finished" },
  modified: { ...EDITS },
  dragging: { drop: "modified" },
  drawing: { lift: "modified" },
};

export class Machine {
  #state = "ready";
  #listeners = [];
  #fixed = false;

  get state() {
    return this.#state;
  }

  /** Call `listener(state, before, event)` after every step. */
  onChange(listener) {
    this.#listeners.push(listener);
  }

  can(event) {
    return event in TABLE[this.#state] && !(this.#fixed && MOVES.includes(event));
  }

  /** From now on map and query stay as they are. */
  fix() {
    this.#fixed = true;
  }

  get fixed() {
    return this.#fixed;
  }

  /** Take the step and return true, or return false where the table has none. */
  step(event) {
    if (!this.can(event)) return false;
    const next = TABLE[this.#state][event];
    const before = this.#state;
    this.#state = next;
    for (const listener of this.#listeners) listener(next, before, event);
    return true;
  }
}
