// Replay of a trace: the state of every cell after any number of events, without starting over each time.
//
// Snapshots of all cells are kept every so many events; a jump copies the nearest earlier one and applies the rest.

const MIN_GAP = 16384;
const SNAPSHOTS = 32;

export const OPEN = 1;
export const UPDATED = 2;
export const PRUNED = 3;
export const SUBGOAL = 4;
export const CLOSED = 8; // and the seven after it: later expansions are darker
export const SHADES = 8;
export const STATE = 0x7f;
const SEEN = 0x80; // generated at some time: it takes up memory

const MEANING = { source: 1, generating: 1, updating: 2, expanding: 3, pruned: 4, subgoal: 5, bound: 6, move: 7 };

export class Player {
  #snapshots = [];
  #lists = null;

  /** `trace` holds kind, node, parent, g, h; `names` the names of the kinds by number; `cells` the size of the map. */
  constructor(trace, names, cells) {
    this.trace = trace;
    this.names = names;
    this.length = trace.kind.length;
    this.meaning = Uint8Array.from(names, (name) => MEANING[name] ?? 0);
    this.gap = Math.max(MIN_GAP, Math.ceil(this.length / SNAPSHOTS));
    this.states = new Uint8Array(cells);
    this.time = 0;
    this.cycles = 0; // expansions so far
    this.memory = 0; // distinct cells generated so far
    this.moves = 0;
    this.last = -1; // the last event that said which cell the search stands on
    this.expansions = 0;
    for (let i = 0; i < this.length; i++) if (this.meaning[trace.kind[i]] === 3) this.expansions++;
    this.prunes = trace.kind.includes(names.indexOf("pruned"));
    this.subgoals = trace.kind.includes(names.indexOf("subgoal"));
    this.#record();
  }

  #record() {
    for (;;) {
      const { time, cycles, memory, moves, last } = this;
      this.#snapshots.push({ states: this.states.slice(), time, cycles, memory, moves, last });
      if (time + this.gap >= this.length) break;
      this.#apply(time + this.gap, null);
    }
    this.seek(this.length);
  }

  /** Go to a time; returns the cells that may have changed, or null when all may have. */
  seek(target) {
    const time = Math.max(0, Math.min(this.length, Math.round(target)));
    if (time >= this.time && time - this.time <= this.gap) {
      const touched = [];
      return this.#apply(time, touched) ? touched : null;
    }
    const from = this.#snapshots[Math.min(this.#snapshots.length - 1, Math.floor(time / this.gap))];
    this.states.set(from.states);
    for (const name of ["time", "cycles", "memory", "moves", "last"]) this[name] = from[name];
    this.#apply(time, null);
    return null;
  }

  /** Apply the events up to a time. Returns false when a new round cleared the board. */
  #apply(until, touched) {
    const { kind, node } = this.trace;
    const { states, meaning } = this;
    const shade = SHADES / Math.max(1, this.expansions);
    let kept = true;
    for (let i = this.time; i < until; i++) {
      const cell = node[i];
      const what = meaning[kind[i]];
      if (what === 6) {
        for (let c = 0; c < states.length; c++) states[c] &= SEEN;
        kept = false;
      }
      if (cell < 0) continue;
      const old = states[cell];
      if (what === 1) {
        if (!(old & SEEN)) this.memory++;
        states[cell] = SEEN | OPEN;
      } else if (what === 2) {
        states[cell] = SEEN | UPDATED;
        if (!(old & SEEN)) this.memory++;
      } else if (what === 3) {
        states[cell] = (old & SEEN) | (CLOSED + Math.min(SHADES - 1, Math.floor(this.cycles * shade)));
        this.cycles++;
        this.last = i;
      } else if (what === 4) {
        if (!(old & STATE)) states[cell] = old | PRUNED;
      } else if (what === 5) {
        if ((old & STATE) < CLOSED) states[cell] = (old & SEEN) | SUBGOAL;
      } else if (what === 7) {
        this.moves++;
        this.last = i;
      }
      if (touched) touched.push(cell);
    }
    this.time = until;
    return kept;
  }

  get shownMeaning() {
    return this.time ? this.names[this.trace.kind[this.time - 1]] : "";
  }

  /** The time of the next or the previous expansion, or the end of the trace on that side. */
  cycleAt(time, direction) {
    const { kind } = this.trace;
    if (direction > 0) {
      for (let i = time; i < this.length; i++) if (this.meaning[kind[i]] === 3) return i + 1;
      return this.length;
    }
    for (let i = time - 2; i >= 0; i--) if (this.meaning[kind[i]] === 3) return i + 1;
    return 0;
  }

  /** Events by cell: the numbers of the events of cell c are order[from[c]] .. order[from[c + 1] - 1], ascending. */
  get lists() {
    if (this.#lists) return this.#lists;
    const { node } = this.trace;
    const from = new Int32Array(this.states.length + 1);
    for (let i = 0; i < this.length; i++) if (node[i] >= 0) from[node[i] + 1]++;
    for (let c = 0; c < this.states.length; c++) from[c + 1] += from[c];
    const order = new Int32Array(from[this.states.length]);
    const next = from.slice(0, -1);
    for (let i = 0; i < this.length; i++) if (node[i] >= 0) order[next[node[i]]++] = i;
    this.#lists = { from, order };
    return this.#lists;
  }

  /** The last event on a cell before a time that `fits`, or -1. */
  #lastOn(cell, time, fits) {
    const { from, order } = this.lists;
    let low = from[cell];
    let high = from[cell + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (order[middle] < time) low = middle + 1;
      else high = middle;
    }
    for (let i = low - 1; i >= from[cell]; i--) if (fits(this.meaning[this.trace.kind[order[i]]])) return order[i];
    return -1;
  }

  /** The last event before a time that gave a cell its g, h and parent, or -1. */
  valued(cell, time = this.time) {
    return this.#lastOn(cell, time, (what) => what >= 1 && what <= 3);
  }

  /** What is known of a cell at a time: {kind, g, h, parent, order, times} or null when it was not met yet. */
  about(cell, time = this.time) {
    const event = this.#lastOn(cell, time, () => true);
    if (event < 0) return null;
    const { kind, g, h, parent } = this.trace;
    const valued = this.valued(cell, time);
    const source = valued < 0 ? event : valued;
    const { from, order } = this.lists;
    let first = -1;
    let times = 0;
    for (let i = from[cell]; i < from[cell + 1] && order[i] < time; i++) {
      if (this.meaning[kind[order[i]]] !== 3) continue;
      times++;
      if (first < 0) first = order[i];
    }
    return {
      kind: this.names[kind[event]],
      g: g[source],
      h: h[source],
      parent: parent[source],
      order: first < 0 ? null : this.#cyclesBefore(first),
      times,
    };
  }

  #cyclesBefore(event) {
    const from = this.#snapshots[Math.min(this.#snapshots.length - 1, Math.floor(event / this.gap))];
    let { cycles } = from;
    for (let i = from.time; i < event; i++) if (this.meaning[this.trace.kind[i]] === 3) cycles++;
    return cycles;
  }

  /** The way from where the search stands back to its source, as cell numbers from source to there. */
  currentPath() {
    if (this.last < 0) return [];
    const { kind, node, parent } = this.trace;
    if (this.meaning[kind[this.last]] === 7) return this.#walked();
    const path = [];
    const met = new Set();
    let cell = node[this.last];
    let before = this.last + 1;
    while (cell >= 0 && !met.has(cell)) {
      path.push(cell);
      met.add(cell);
      const event = this.valued(cell, before);
      if (event < 0) break;
      cell = parent[event];
      before = this.time;
    }
    return path.reverse();
  }

  #walked() {
    const { kind, node } = this.trace;
    const path = [];
    for (let i = 0; i <= this.last; i++) {
      if (this.meaning[kind[i]] === 7 && path.at(-1) !== node[i]) path.push(node[i]);
    }
    return path;
  }
}
