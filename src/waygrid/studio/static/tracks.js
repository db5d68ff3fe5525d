// The walks of one board, as the server made them: where the agents are, who waits, what became of plans after edits.

import * as api from "./api.js";
import { count, duration, make } from "./dom.js";
import { css, hue } from "./palette.js";

const [WALKING, ARRIVED, WAITING, GAVE_UP] = [0, 1, 2, 3]; // as in studio/walks.py
const FIRST_COLOUR = "#ff8c1a";
const BARS = 74;

export class Track {
  #path = null; // of the first agent, as far as it was asked for last

  constructor(pane, { header, arrays }) {
    Object.assign(this, header, arrays); // agents, steps, statuses; positions, states, work, figures
    this.pane = pane;
    this.budget = header.expansions_per_step; // null: the agents follow paths
  }

  /** Ask for the walks of a board, with all edits so far. */
  static async ask(pane, map, { agents, budget }, signal) {
    const { algorithm, options, grid } = pane.question();
    const starts = crowd(map, agents);
    const question = { algorithm, options, grid, starts, goals: starts.map(() => map.goal), edits: map.edits };
    const owner = { token: api.newToken(), pane: `agents ${pane.letter}` };
    return new Track(pane, await api.agents(map, { ...question, expansions: budget, ...owner }, signal));
  }

  /** What becomes of plans after edits, for the table. */
  get about() {
    return this.pane.info.after_edits;
  }

  at(step, agent) {
    const i = 2 * (Math.min(step, this.steps) * this.agents + agent);
    return [this.positions[i], this.positions[i + 1]];
  }

  #state(step, agent) {
    return this.states[Math.min(step, this.steps) * this.agents + agent];
  }

  /** How many agents walk, wait, have arrived and gave up. */
  tally(step) {
    const found = [0, 0, 0, 0];
    for (let agent = 0; agent < this.agents; agent++) found[this.#state(step, agent)]++;
    const [walking, arrived, waiting, lost] = [WALKING, ARRIVED, WAITING, GAVE_UP].map((state) => found[state]);
    return { walking, arrived, waiting, lost };
  }

  /** What boards draw: each agent between two of its cells. */
  walkers(time) {
    const step = Math.floor(time);
    const share = step < this.steps ? time - step : 0;
    return Array.from({ length: this.agents }, (_, agent) => ({
      from: this.at(step, agent),
      to: this.at(step + 1, agent),
      share,
      colour: agent === 0 ? FIRST_COLOUR : `rgb(${hue(agent, false).join()})`,
      waits: this.#state(step, agent) === WAITING,
    }));
  }

  /** The way of the first agent: all of it where it follows a path, else as far as it has come. */
  path(time) {
    const last = this.budget === null ? this.steps : Math.floor(time);
    if (this.#path?.last === last) return this.#path.cells;
    const cells = [];
    for (let t = 0; t <= last; t++) {
      const [x, y] = this.at(t, 0);
      if (x !== cells.at(-2) || y !== cells.at(-1)) cells.push(x, y);
    }
    this.#path = { last, cells };
    return cells;
  }

  /** What became of plans so far; the row after a step knows of the edits before it. */
  #figures(step) {
    const row = 5 * Math.min(step + 1, this.steps);
    const [stale, kept, indexed, mended, searched] = this.figures.subarray(row, row + 5);
    return { stale, kept, indexed, mended, searched };
  }

  /** Figures for the board, the table and the page: [name, value, explanation]. */
  facts(step, edits) {
    const { walking, waiting, arrived, lost } = this.tally(step);
    const rows = [
      ["walking", walking, "agents on their way"],
      ["waiting", waiting, "agents whose goal is cut off; they go on when a way opens"],
      ["arrived", arrived, "agents at their goal"],
      ["gave up", lost, "agents that ended on the way"],
    ].filter(([, number]) => number);
    return edits ? [...rows, ...this.#afterEdits(step, edits)] : rows;
  }

  #afterEdits(step, edits) {
    const { info } = this.pane;
    const { stale, kept, indexed, mended, searched } = this.#figures(step);
    const rows = [];
    if (info.follows === "repaired") rows.push(["repairs", edits, "edits that the index was repaired after"]);
    else if (info.index)
      rows.push(["stale cells", stale, "cells whose moves are not as the index has them"]);
    if (this.budget !== null) {
      if (!info.index) return rows;
      rows.push(["by index", kept, "agents that still go by the index"]);
      return [...rows, ["without", searched, "agents that an edit stopped: they search without the index"]];
    }
    rows.push(["kept", kept, "plans that the edits left as they were"]);
    if (info.index) rows.push(["by index", indexed, BY_INDEX[info.follows] ?? "new plans that the index gave"]);
    if (mended) rows.push(["mended", mended, "plans with a way around what was closed"]);
    return [...rows, ["searched", searched, "new plans that were searched for"]];
  }

  /** Who waits, as a sentence; empty where nobody does. */
  news(step) {
    const { waiting } = this.tally(step);
    if (!waiting) return "";
    return waiting === 1 ? "1 agent waits for a way to open" : `${count(waiting)} agents wait for a way to open`;
  }

  /** The part of the page about this board. */
  section() {
    const { pane } = this;
    this.line = make("p");
    this.list = make("dl", { class: "follows" });
    const parts = [make("h3", {}, `${pane.letter}: ${pane.label}`), this.line];
    if (this.budget !== null) {
      this.chart = make("canvas", { width: 296, height: 56, role: "img" });
      this.chart.setAttribute("aria-label", "Expansions of each step against the budget");
      const worst = Math.max(...(this.max_step_us ?? [0]));
      const first = this.first_step_us?.[0];
      const times = first ? `First move after ${duration(first)}; slowest step ${duration(worst)}. ` : "";
      const arrived = this.statuses.filter((status) => status === "FOUND").length;
      parts.push(this.chart, make("small", {}, `${times}${count(arrived)} of ${count(this.agents)} arrive.`));
    }
    const about = make("small", { class: "after" }, make("b", {}, "After an edit: "), `${pane.info.after_edits}.`);
    parts.push(about, this.list);
    return make("section", {}, ...parts);
  }

  /** Bring that part up to this moment. */
  show(step, edits, colours) {
    const rows = this.facts(step, edits).flatMap(([name, value, title]) => [
      make("dt", { title }, name),
      make("dd", { title }, count(value)),
    ]);
    this.list.replaceChildren(...rows);
    if (this.budget === null) {
      this.line.hidden = true;
      return;
    }
    const spent = this.work[Math.min(step, this.steps) * this.agents];
    this.line.textContent = `${count(spent)} of ${count(this.budget)} expansions in this step`;
    this.#drawWork(step, colours);
  }

  /** Bars of the work of the steps around this one, and the line of the budget. */
  #drawWork(step, colours) {
    const { chart, work, agents, steps, budget } = this;
    const context = chart.getContext("2d");
    const { width, height } = chart;
    const bars = Math.min(steps + 1, BARS);
    const from = Math.max(0, Math.min(step - Math.floor(bars / 2), steps + 1 - bars));
    let most = budget;
    for (let i = 0; i < bars; i++) most = Math.max(most, work[(from + i) * agents]);
    context.clearRect(0, 0, width, height);
    for (let i = 0; i < bars; i++) {
      const value = work[(from + i) * agents];
      const tall = ((height - 8) * value) / Math.max(1, most);
      context.fillStyle = from + i === step ? FIRST_COLOUR : css(colours.closedLast);
      context.fillRect((i * width) / bars, height - tall, Math.max(1, width / bars - 1), tall);
    }
    context.fillStyle = css(colours.goal);
    context.fillRect(0, height - ((height - 8) * budget) / Math.max(1, most), width, 1.5);
  }
}

const BY_INDEX = {
  repaired: "new plans that the repaired index gave",
  proved: "new plans that the index gave, proved optimal on the map as it is",
  checked: "new plans that the index gave, legal on the map as it is",
};

/** Starts of a crowd: the start itself, then free cells spread over the map, the same each time. */
function crowd({ terrain, start }, number) {
  const free = [];
  for (let i = 0; i < terrain.walls.length; i++) if (terrain.walls[i]) free.push(i);
  const cells = [start];
  for (let k = 1; k < number; k++) {
    const cell = free[Math.floor(free.length * ((k * 0.6180339887498949) % 1))];
    cells.push([cell % terrain.width, Math.floor(cell / terrain.width)]);
  }
  return cells;
}
