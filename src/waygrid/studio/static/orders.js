// The orders in which kernels take entries from the open list, told from a trace. A rule replays the trace once: each
// event that puts an entry on the list gets the event that takes it off.

/** The rule of a search: see OPEN_LISTS in `waygrid/search/declaration.py`. */
export const makeRule = (thinking) => new (RULES[thinking.order.rule] ?? Keys)(thinking);

/** A map from cells to events. */
class Cells {
  constructor(size) {
    this.events = new Int32Array(size);
  }

  get(cell) {
    return this.events[cell] - 1;
  }

  set(cell, event) {
    this.events[cell] = event + 1;
  }

  delete(cell) {
    this.events[cell] = 0;
  }

  *keys() {
    for (let cell = 0; cell < this.events.length; cell++) if (this.events[cell]) yield cell;
  }
}

class Rule {
  constructor({ player, kind, order, unit }) {
    Object.assign(this, { player, trace: player.trace, named: kind, order, unit });
    this.length = player.length;
    this.leave = new Int32Array(this.length); // 0: the event put nothing on the list
    this.on = this.index(player.states.length); // from an entry to the event that put it on the list
    this.put = new Int32Array(this.length); // for an expansion: 1 + the event that put what it takes; 0: none
  }

  /** Entries are cells, of which there may be very many. */
  index(cells) {
    return new Cells(cells);
  }

  /** What an entry is told from others by. */
  entry(event) {
    return this.trace.node[event];
  }

  push(event) {
    const entry = this.entry(event);
    this.remove(entry, event);
    this.on.set(entry, event);
    this.leave[event] = this.length;
  }

  /** Take an entry off; returns the event that put it there, or -1. */
  remove(entry, event) {
    const before = this.on.get(entry) ?? -1;
    if (before >= 0) this.leave[before] = event;
    this.on.delete(entry);
    return before;
  }

  clear(event) {
    for (const entry of [...this.on.keys()]) this.remove(entry, event);
  }

  /** Replay the trace. */
  simulate() {
    const { kind } = this.trace;
    const { generating, updating, expanding, closing, bound, subgoal } = this.named;
    for (let i = 0; i < this.length; i++) {
      const what = kind[i];
      if (what === generating || what === updating) this.generated(i);
      else if (what === expanding) this.expanded(i);
      else if (what === closing) this.closed(i);
      else if (what === bound) this.begun(i);
      else if (what === subgoal && this.order.legs) this.clear(i);
    }
    return this.leave;
  }

  generated(event) {
    this.push(event);
  }

  expanded(event) {
    this.note(event, this.remove(this.entry(event), event));
  }

  closed() {}

  begun(event) {
    this.clear(event);
  }

  note(expansion, event) {
    this.put[expansion] = event + 1;
  }

  /** The event that put the entry there that an expansion takes, -1 where it was put there after a time. */
  putBy(expansion, time) {
    const event = this.put[expansion] - 1;
    return event < time ? event : -1;
  }

  /** What the kernel compares; the least comes first. */
  key() {
    return null;
  }

  /** Negative where one comes before the other. */
  compare(one, other) {
    return one - other;
  }

  sort(events) {
    return events.sort((one, other) => this.compare(one, other));
  }

  /** Leave out entries that the kernel has dropped without an event: [those left, how many were dropped]. */
  drop(events) {
    return [events, 0];
  }
}

/** By a key; of equal keys the newest comes first. */
class Keys extends Rule {
  current = -Infinity; // the key of the cell that is expanded
  lifted = new Map(); // keys that were raised to it

  clear(event) {
    super.clear(event);
    this.current = -Infinity;
  }

  whole(event) {
    const { g, h } = this.trace;
    return Math.round(g[event] * this.unit) + Math.round(h[event] * this.unit);
  }

  key(event) {
    return this.lifted.get(event) ?? this.whole(event);
  }

  newer(one, other) {
    return other - one;
  }

  compare(one, other) {
    return this.key(one) - this.key(other) || this.newer(one, other);
  }

  /** Rounding can lower a key by one; the kernel then raises it to that of the cell that it expands. */
  generated(event) {
    if (this.order.clamped && this.whole(event) < this.current) this.lifted.set(event, this.current);
    this.push(event);
  }

  expanded(event) {
    const put = this.remove(this.entry(event), event);
    this.note(event, put);
    this.current = put < 0 ? this.whole(event) : this.key(put);
  }
}

/** By the estimate alone. */
class Estimates extends Keys {
  whole(event) {
    return Math.round(this.trace.h[event] * this.unit);
  }
}

/** A bucket holds a range of keys. */
class Ranges extends Keys {
  whole(event) {
    return Math.floor(super.whole(event) / 2 ** this.order.shift);
  }
}

/** Jump points: the goal is never on the list. */
class Jumps extends Ranges {
  generated(event) {
    if (this.trace.node[event] !== this.order.goal) this.push(event);
    else this.remove(this.order.goal, event);
  }
}

/** Lines of jpsw: as jump points, but a cheaper line takes the cells that it passes off the list without an event. */
class Lines extends Jumps {
  drop(events, taken) {
    if (taken < 0) return [events, 0];
    const left = events.filter((event) => this.compare(event, taken) >= 0);
    return [left, events.length - left.length];
  }
}

/** Lazy Theta*: a cell whose leg turns out to be blocked waits again with a larger key, without an event. */
class Legs extends Ranges {
  drop(events, taken) {
    if (taken < 0) return [events, 0];
    const left = events.filter((event) => this.compare(event, taken) >= 0);
    return [left, events.length - left.length];
  }
}

/** Jump points with a direction: the best successor of an expansion is held back until the expansion ends. */
class Turns extends Jumps {
  stamps = new Map();
  hand = -1;
  first = true;

  index() {
    return new Map();
  }

  entry(event) {
    const { node, parent } = this.trace;
    if (parent[event] < 0) return `${node[event]}`;
    const { width } = this.order;
    const dx = (node[event] % width) - (parent[event] % width);
    const dy = Math.floor(node[event] / width) - Math.floor(parent[event] / width);
    const [across, down] = [Math.abs(dx), Math.abs(dy)];
    // A jump goes diagonally first: the longer side says how it arrives.
    return `${node[event]} ${across >= down ? Math.sign(dx) : 0} ${down >= across ? Math.sign(dy) : 0}`;
  }

  newer(one, other) {
    return (this.stamps.get(other) ?? other) - (this.stamps.get(one) ?? one) || other - one;
  }

  generated(event) {
    const entry = this.entry(event);
    const held = this.hand >= 0 && this.entry(this.hand) === entry;
    this.push(event);
    if (this.first) return;
    if (held) {
      this.hand = event;
      return;
    }
    let other = event;
    if (this.hand < 0 || this.key(event) < this.key(this.hand)) [other, this.hand] = [this.hand, event];
    if (other >= 0) this.stamps.set(other, event);
  }

  /** Several turns of a cell may wait: the one that is taken has the g and the parent of the expansion. */
  expanded(event) {
    const { node, parent, g } = this.trace;
    let best = -1;
    for (const put of this.at.get(node[event]) ?? []) {
      if (this.leave[put] !== this.length || g[put] !== g[event] || parent[put] !== parent[event]) continue;
      if (best < 0 || this.compare(put, best) < 0) best = put;
    }
    if (best >= 0) this.remove(this.entry(best), event);
    this.note(event, best);
    this.hand = -1;
  }

  at = new Map();

  push(event) {
    super.push(event);
    const cell = this.trace.node[event];
    const here = (this.at.get(cell) ?? []).filter((put) => this.leave[put] === this.length);
    this.at.set(cell, [...here, event]);
  }

  closed(event) {
    if (this.hand >= 0) this.stamps.set(this.hand, event);
    this.hand = -1;
    this.first = false;
  }
}

/** With gates keys may fall: such entries wait apart, by g, and come first. */
class Gates extends Keys {
  current = null;
  fallen = 0;
  apart = false;
  base = 0;

  generated(event) {
    const { half, shift } = this.order;
    const f = this.whole(event);
    this.current ??= f;
    this.remove(this.entry(event), event);
    if (f < this.current) {
      const g = Math.round(this.trace.g[event] * this.unit);
      if (!this.apart) this.base = g - Math.floor((half * 2 ** shift) / 4);
      this.apart = true;
      this.fallen++;
      const bucket = Math.max(0, Math.min(half - 1, Math.floor((g - this.base) / 2 ** shift)));
      this.lifted.set(event, bucket - FALLEN);
    } else {
      this.lifted.set(event, Math.min(f, this.current + half - 1));
    }
    this.push(event);
  }

  remove(entry, event) {
    const put = super.remove(entry, event);
    if (put >= 0 && this.key(put) < 0) this.fallen--;
    return put;
  }

  expanded(event) {
    if (this.fallen === 0) this.apart = false;
    const put = this.remove(this.entry(event), event);
    this.note(event, put);
    if (put >= 0 && this.key(put) >= 0) this.current = this.key(put);
  }
}

const FALLEN = 2 ** 50; // keys below 0: entries that wait apart

/** First in, first out. */
class Queue extends Rule {}

/** Two queues: a layer of one side is taken whole, then the smaller side. */
class Queues extends Rule {
  side = 0;
  sides = new Map(); // from an event to the side of its entry
  steps = [[-1, 0, -1]]; // [expansion, side, moves] in order

  generated(event) {
    const own = this.trace.parent[event] < 0 ? Number(this.trace.node[event] === this.order.goal) : this.side;
    this.sides.set(event, own);
    this.push(event);
  }

  expanded(event) {
    const put = this.remove(this.entry(event), event);
    this.note(event, put);
    this.side = this.sides.get(put) ?? this.side;
    this.steps.push([event, this.side, this.trace.g[event]]);
  }

  sort(events, time) {
    let [low, high] = [0, this.steps.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.steps[middle][0] < time) low = middle;
      else high = middle;
    }
    const [last, side, moves] = this.steps[low];
    const sizes = [0, 1].map((one) => events.filter((event) => this.sides.get(event) === one).length);
    const rest = (event) => (last < 0 || this.trace.g[event] === moves) && this.sides.get(event) === side;
    const smaller = sizes[1] < sizes[0] ? 1 : 0;
    const rank = (event) => (rest(event) ? 0 : this.sides.get(event) === smaller ? 1 : 2);
    return events.sort((one, other) => rank(one) - rank(other) || one - other);
  }
}

/** Last in, first out: the stack is the path itself; a cell leaves it when it is closed. */
class Stack extends Rule {
  stack = [];

  generated(event) {
    if (this.trace.parent[event] < 0) this.clear(event); // also after a bound, which put the start there
    this.leave[event] = this.length;
    this.stack.push(event);
  }

  expanded(event) {
    this.note(event, this.stack.at(-1) ?? -1);
  }

  /** A new round begins with the start. */
  begun(event) {
    this.clear(event);
    this.leave[event] = this.length;
    this.stack.push(event);
  }

  closed(event) {
    const top = this.stack.pop() ?? -1;
    if (top >= 0) this.leave[top] = event;
  }

  clear(event) {
    for (const put of this.stack.splice(0)) this.leave[put] = event;
  }

  compare(one, other) {
    return other - one;
  }
}

const RULES = {
  f: Keys,
  h: Estimates,
  ranges: Ranges,
  jumps: Jumps,
  lines: Lines,
  legs: Legs,
  turns: Turns,
  gates: Gates,
  queue: Queue,
  queues: Queues,
  stack: Stack,
};
