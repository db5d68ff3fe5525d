// The walk of a crowd, as the server made it: where the units are, who has arrived, who chooses first.
//
// An edit, other goals or other priorities begin a new leg: the server is asked again from where the units stand.

import * as api from "./api.js";
import { count, decimal, duration, make } from "./dom.js";
import { unitColour } from "./units.js";

const [WALKING, ARRIVED, WAITING] = [0, 1, 2]; // as in studio/walks.py

export class CrowdTrack {
  #path = null;

  constructor(pane, legs, arrays) {
    Object.assign(this, { pane, legs, ...arrays }); // positions, states, costs, ranks (null in a plan)
    this.agents = legs[0].goals.length;
    this.steps = this.positions.length / (2 * this.agents) - 1;
    this.budget = null;
    this.about = "a crowd: units that never collide, whatever the algorithm of the board";
    this.chosen = new Set(); // units that were selected
  }

  /** Ask for the walk of units from where they stand: {starts, goals, priorities, still, order, plan}. */
  static async ask(app, pane, units, signal) {
    const question = { grid: app.model.grid, ...units, token: api.newToken(), pane: "crowd" };
    const { header, arrays } = await api.crowd(app.model, question, signal);
    return new CrowdTrack(pane, [{ ...units, header, from: 0 }], { ...arrays, ranks: arrays.ranks ?? null });
  }

  /** The same walk up to a step, and from there on as the units are told. */
  async goOn(app, step, changes, signal) {
    const { starts, order } = this.#standing(step);
    const { goals, priorities, still, plan } = this.leg(step);
    const units = { goals, priorities, still, plan, ...changes, starts, order };
    const next = await CrowdTrack.ask(app, this.pane, units, signal);
    const cut = (values, wide) => values.subarray(0, (step + 1) * wide);
    const join = (before, after, wide) => {
      const joined = new before.constructor(before.length + after.length - wide);
      joined.set(before);
      joined.set(after.subarray(wide), before.length);
      return joined;
    };
    const n = this.agents;
    const ranks = this.ranks && next.ranks && join(cut(this.ranks, n), next.ranks, n);
    const states = join(cut(this.states, n), next.states, n);
    states.set(next.states.subarray(0, n), step * n); // who has another goal is not there any more
    const costs = join(cut(this.costs, 1), next.costs.map((cost) => cost + this.costs[step]), 1);
    const positions = join(cut(this.positions, 2 * n), next.positions, 2 * n);
    const legs = [...this.legs.filter(({ from }) => from < step || from === 0), { ...next.legs[0], from: step }];
    const made = new CrowdTrack(this.pane, legs, { positions, states, costs, ranks });
    made.chosen = this.chosen;
    return made;
  }

  /** Where the units stand at a step, and who chooses first there. */
  #standing(step) {
    const starts = Array.from({ length: this.agents }, (_, unit) => this.at(step, unit));
    const order = Array.from(starts, (_, unit) => unit);
    if (this.ranks) order.sort((a, b) => this.#rank(step, a) - this.#rank(step, b));
    return { starts, order };
  }

  /** What the units were told last before a step. */
  leg(step) {
    return this.legs.findLast(({ from }) => from <= step);
  }

  at(step, unit) {
    const i = 2 * (Math.min(step, this.steps) * this.agents + unit);
    return [this.positions[i], this.positions[i + 1]];
  }

  state(step, unit) {
    return this.states[Math.min(step, this.steps) * this.agents + unit];
  }

  #rank(step, unit) {
    return this.ranks ? this.ranks[Math.min(step, this.steps) * this.agents + unit] : null;
  }

  tally(step) {
    const found = [0, 0, 0];
    for (let unit = 0; unit < this.agents; unit++) found[this.state(step, unit)]++;
    return { walking: found[WALKING], arrived: found[ARRIVED], waiting: found[WAITING], lost: 0 };
  }

  /** What boards draw: each unit between two of its cells. */
  walkers(time) {
    const step = Math.floor(time);
    const share = step < this.steps ? time - step : 0;
    const { priorities } = this.leg(step);
    return Array.from({ length: this.agents }, (_, number) => {
      const there = this.state(step, number) === ARRIVED;
      const unit = { number, agents: this.agents, rank: this.#rank(step, number), there };
      Object.assign(unit, { priority: priorities[number], chosen: this.chosen.has(number) });
      const cells = { from: this.at(step, number), to: this.at(step + 1, number), share };
      return { ...cells, unit, colour: unitColour(unit), waits: this.state(step, number) === WAITING };
    });
  }

  /** The goals that are drawn: of the selected units, or of all. */
  goals(time) {
    const { goals } = this.leg(Math.floor(time));
    return this.chosen.size ? [...this.chosen].map((unit) => goals[unit]) : goals;
  }

  /** The way of a unit that is selected alone. */
  path() {
    if (this.chosen.size !== 1) return [];
    const [unit] = this.chosen;
    if (this.#path?.unit === unit) return this.#path.cells;
    const cells = [];
    for (let step = 0; step <= this.steps; step++) {
      const [x, y] = this.at(step, unit);
      if (x !== cells.at(-2) || y !== cells.at(-1)) cells.push(x, y);
    }
    this.#path = { unit, cells };
    return cells;
  }

  /** The unit that stands in a cell after a step, -1: none. */
  unitAt([x, y], step) {
    for (let unit = 0; unit < this.agents; unit++) {
      const [ux, uy] = this.at(step, unit);
      if (ux === x && uy === y) return unit;
    }
    return -1;
  }

  get collisions() {
    return this.legs.reduce((sum, { header }) => sum + header.collisions, 0);
  }

  /** Figures for the board and the page: [name, value, explanation]. */
  facts(step) {
    const { arrived, waiting } = this.tally(step);
    const { header } = this.leg(step);
    const rows = [[`arrived of ${count(this.agents)}`, arrived, "units at their goals"]];
    if (waiting) rows.push(["waiting", waiting, "units that are held, or whose goal is cut off"]);
    const sum = "steps of all units until each came to its goal, waits included";
    rows.push(["sum of costs", this.costs[Math.min(step, this.steps)], sum]);
    if (header.lower_bound !== null && this.legs.length === 1)
      rows.push(["at least", header.lower_bound, "the sum of costs if each unit had the map for itself"]);
    const checked = `${count(this.steps)} steps, checked by the rules alone: no two units in a cell, no swap, no crossing, no illegal move`;
    return [...rows, ["collisions", this.collisions, checked]];
  }

  /** What does not go as hoped, as a sentence. */
  news(step) {
    const { header } = this.legs.at(-1);
    if (this.collisions) return `The check found a collision: ${header.collision}`;
    if (header.status === "UNREACHABLE") return "There is no plan: some goal is cut off";
    if (header.status === "CUTOFF") return "No plan was found in time: allow more seconds, or let the units walk without one";
    const { waiting, walking } = this.tally(step);
    if (waiting) return `${count(waiting)} ${waiting > 1 ? "units wait" : "unit waits"}: held, or cut off`;
    if (step < this.steps || !walking) return "";
    return `${count(walking)} cannot get to their goals while others stand at theirs: a whole plan finds a way where there is one`;
  }

  /** What is known of a cell at a step: rows for the inspector. */
  rows(cell, step) {
    const unit = this.unitAt(cell, step);
    if (unit < 0) return [];
    const { goals, priorities, still } = this.leg(step);
    const rank = this.#rank(step, unit);
    const there = this.state(step, unit) === ARRIVED;
    return [
      ["unit", `${unit + 1} of ${count(this.agents)}`],
      ["its goal", there ? "here" : goals[unit].join(", ")],
      ...(rank === null ? [] : [["chooses", `no. ${count(rank + 1)}`]]),
      ["priority", String(priorities[unit])],
      ...(still[unit] ? [["held", "yes"]] : []),
    ];
  }

  section() {
    const { header } = this.legs.at(-1);
    this.list = make("dl", { class: "follows" });
    const planned = header.status !== null;
    const first = planned && header.first_ms ? ` The first plan came after ${duration(1e3 * header.first_ms)}.` : "";
    const about = planned
      ? `A whole plan by LaCAM*, improved while there was time.${first}`
      : "Step by step, with priority inheritance (PIBT): who has been on the way for longest chooses first.";
    const ratio = header.lower_bound ? ` It costs ${decimal(this.costs.at(-1) / header.lower_bound, 2)} times the lower bound.` : "";
    const parts = [make("h3", {}, `${this.pane.letter}: ${count(this.agents)} units`), make("small", {}, about + ratio)];
    return make("section", {}, ...parts, this.list);
  }

  show(step) {
    const rows = this.facts(step).flatMap(([name, value, title]) => [
      make("dt", { title }, name),
      make("dd", { title }, count(value)),
    ]);
    this.list.replaceChildren(...rows);
  }
}
