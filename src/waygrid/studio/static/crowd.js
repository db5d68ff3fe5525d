// The crowd of the Walk page: its settings, and what is done with its units while they walk.

import { CrowdTrack } from "./crowdtrack.js";
import { count, keepFocus, make, say } from "./dom.js";
import { showLegend } from "./legend.js";
import { gather, place, PLACINGS } from "./placing.js";
import { unitLegend } from "./units.js";

const STEPWISE = "steps (PIBT)";
const PLANNED = "plan (LaCAM*)";
const DRAWINGS = { starts: "Draw starts", goals: "Draw goals" };

export class Crowd {
  #mode = null; // what a click on the board means: "starts" or "goals" draws them, "command" selects and sends

  constructor(app, walk) {
    this.app = app;
    this.walk = walk;
    this.units = 60;
    this.leaders = 0;
    this.placing = "exchange";
    this.planned = false;
    this.seconds = 1;
    this.drawn = { starts: [], goals: [] };
    this.form = make("div", { class: "fields" });
    this.element = make("section", { id: "crowd" }, make("h2", {}, "Crowd"), this.form);
    this.commands = make("div", { class: "row", hidden: true });
    app.on("map", () => this.#mapShown());
    app.on("leave", () => this.#forget());
    app.on("walk", () => this.#walkShown());
  }

  /** The crowd that walks now, or null. */
  get track() {
    return this.walk.tracks.find((track) => track instanceof CrowdTrack) ?? null;
  }

  get mode() {
    return this.#mode;
  }

  // ---- settings

  choose({ units = 60, placing = "exchange", leaders = 0, planned = false }) {
    Object.assign(this, { units, placing, leaders, planned });
    this.show();
  }

  show() {
    const { units, leaders, placing, planned } = this;
    const most = this.app.registry.limits.crowd;
    const places = PLACINGS.map(({ value, text }) => make("option", { value, selected: value === placing }, text));
    const methods = [STEPWISE, PLANNED].map((text, i) => make("option", { selected: planned === (i === 1) }, text));
    const { about } = PLACINGS.find(({ value }) => value === placing);
    const drawing = placing === "drawn";
    const parts = [
      make("small", {}, "Units that never collide: no two in a cell, no two change places, no two diagonals cross."),
      this.#select("placing", "they", places, about, (at) => (this.placing = PLACINGS[at].value)),
      drawing ? this.#drawButtons() : this.#number("units", "units", units, 1, most, "each has a cell and a goal of its own"),
      this.#number("leaders", "with priority", leaders, 0, most, "so many units go before all others"),
      this.#select("method", "how", methods, planned ? "planned at once, then walked" : "each step anew; always goes on", (at) => (this.planned = at === 1)),
    ];
    if (planned)
      parts.push(this.#number("seconds", "seconds to plan", this.seconds, 0.1, this.app.registry.limits.plan_s, "the plan gets better meanwhile", 0.1));
    const button = make("button", { type: "button", class: "button primary", id: "crowd-walk" }, "Walk the crowd");
    button.disabled = this.walk.planning && !this.track;
    if (button.disabled) button.textContent = "Planning…";
    button.addEventListener("click", () => this.begin());
    parts.push(make("div", { class: "row" }, button));
    keepFocus(this.form, () => this.form.replaceChildren(...parts));
  }

  #drawButtons() {
    const buttons = Object.entries(DRAWINGS).map(([mode, text]) => this.#toggle(mode, text));
    const { starts, goals } = this.drawn;
    const missing = starts.length - goals.length;
    const rest = missing > 0 && goals.length ? `; ${count(missing)} more goals are chosen near the last` : "";
    const none = starts.length && !goals.length ? "; the goals are chosen around the goal of the board" : "";
    const said = `${count(starts.length)} starts, ${count(goals.length)} goals${rest || none}.`;
    return make("div", { class: "field" }, make("div", { class: "row" }, ...buttons), make("small", { id: "crowd-drawn" }, said));
  }

  #toggle(mode, text) {
    const button = make("button", { type: "button", class: "button", id: `crowd-${mode}` }, text);
    button.setAttribute("aria-pressed", String(this.#mode === mode));
    button.addEventListener("click", () => this.setMode(this.#mode === mode ? null : mode));
    return button;
  }

  #number(name, label, value, least, most, summary, step = 1) {
    const input = make("input", { type: "number", id: `crowd-${name}`, min: least, max: most, step, value });
    input.addEventListener("change", () => {
      if (input.checkValidity() && input.value) this[name] = Number(input.value);
      else input.reportValidity();
    });
    return make("div", { class: "field" }, make("label", { for: input.id }, label), input, make("small", {}, summary));
  }

  #select(name, label, options, summary, choose) {
    const select = make("select", { id: `crowd-${name}` }, ...options);
    select.addEventListener("change", () => {
      choose(select.selectedIndex);
      if (name === "placing") this.setMode(this.placing === "drawn" ? "starts" : null);
      this.show();
    });
    return make("div", { class: "field" }, make("label", { for: select.id }, label), select, make("small", {}, summary));
  }

  // ---- drawing starts and goals

  /** What a click on the board means from now on. */
  setMode(mode) {
    this.#mode = mode;
    if (mode === "starts" || mode === "goals") this.walk.end();
    document.getElementById("panes").classList.toggle("commanded", mode !== null);
    this.show();
    this.#showCommands();
    this.#showDrawn();
  }

  /** Add cells to what is drawn, or take them away. */
  draw(cells, adding) {
    const { model } = this.app;
    const list = this.drawn[this.#mode];
    for (const cell of cells) {
      const at = list.findIndex((one) => one.join() === cell.join());
      if (!adding && at >= 0) list.splice(at, 1);
      else if (adding && at < 0 && model.passable(cell) && list.length < this.app.registry.limits.crowd) list.push(cell);
    }
    this.show();
    this.#showDrawn();
  }

  #showDrawn() {
    const places = this.track || this.placing !== "drawn" ? null : { ...this.drawn };
    if (!this.track) for (const { board } of this.app.panes) board.show({ places });
  }

  #mapShown() {
    const { model } = this.app;
    const there = (cell) => model.inside(cell) && model.passable(cell);
    for (const name of ["starts", "goals"]) this.drawn[name] = this.drawn[name].filter(there);
    if (this.placing === "drawn") this.show();
    this.#showDrawn();
  }

  #forget() {
    this.drawn = { starts: [], goals: [] };
    if (this.#mode) this.setMode(null);
  }

  // ---- walking

  async begin() {
    const { app } = this;
    const { starts, goals } = place(this.placing, app.model, app.active.board.geometry, this.units, this.drawn);
    if (!starts.length) return say(this.placing === "drawn" ? "Draw some starts first." : "There is no free cell for units.");
    if (this.placing !== "drawn" && starts.length < this.units)
      say(`There is room for ${count(starts.length)} units only.`);
    const priorities = starts.map((_, unit) => (unit < this.leaders ? 1 : 0));
    const units = { starts, goals, priorities, still: starts.map(() => 0), plan: this.planned ? this.seconds : null };
    if (this.#mode) this.setMode(null);
    return this.walk.begin((signal) => CrowdTrack.ask(app, app.active, units, signal));
  }

  #walkShown() {
    const { track } = this;
    if (this.commands.hidden !== (track === null)) {
      this.commands.hidden = track === null;
      if (!track && this.#mode === "command") this.setMode(null);
      if (!track) this.#showDrawn();
      this.#showCommands();
      showLegend(this.app);
    }
  }

  /** Rows of the legend. */
  get legend() {
    return this.track ? unitLegend(!this.track.ranks) : [];
  }

  /** What the inspector says of a cell. */
  rows(cell) {
    return this.track?.rows(cell, Math.floor(this.walk.time)) ?? [];
  }

  // ---- commands to units that walk

  #showCommands() {
    const { track } = this;
    if (!track) return this.commands.replaceChildren();
    const chosen = track.chosen.size;
    const who = chosen ? `${count(chosen)} selected` : "all units";
    const button = (id, text, title, action) =>
      make("button", { type: "button", class: "button", id, title, onclick: action }, text);
    const parts = [this.#toggle("command", "Select and send")];
    if (this.#mode === "command" || chosen) {
      parts.push(
        button("crowd-first", "Priority", `Give ${who} priority, or take it away`, () => this.#switch("priorities")),
        button("crowd-hold", "Hold", `Let ${who} stay where they are, or go on`, () => this.#switch("still")),
        make("small", { id: "crowd-chosen" }, `${who}. Click a unit or drag a box around some to select; click a free cell to send them there.`),
      );
    }
    return keepFocus(this.commands, () => this.commands.replaceChildren(...parts));
  }

  /** The units that a command is for: those that are selected, or all. */
  #meant(track) {
    return track.chosen.size ? [...track.chosen] : Array.from({ length: track.agents }, (_, unit) => unit);
  }

  /** Priority on or off, held or not: on, unless all have it. */
  #switch(name) {
    const { track, walk } = this;
    const values = [...track.leg(Math.ceil(walk.time))[name]];
    const meant = this.#meant(track);
    const value = meant.every((unit) => values[unit]) ? 0 : 1;
    for (const unit of meant) values[unit] = value;
    walk.command({ [name]: values });
  }

  /** A click on a cell: select the unit there, or send the selected ones. */
  click(cell) {
    const { track, walk, app } = this;
    if (!track) return;
    const unit = track.unitAt(cell, Math.round(walk.time));
    if (unit >= 0) return this.select([unit], true);
    if (!app.model.passable(cell)) return say("Units cannot be sent into a wall: click a free cell.");
    const step = Math.ceil(walk.time);
    const meant = this.#meant(track);
    const goals = [...track.leg(step).goals];
    const theirs = new Set(meant);
    const taken = new Set(goals.filter((_, i) => !theirs.has(i)).map((goal) => app.model.number(goal)));
    const cells = meant.map((one) => track.at(step, one));
    const sent = gather(app.model, app.active.board.geometry, cell, cells, taken);
    meant.forEach((one, i) => (goals[one] = sent[i] ?? goals[one]));
    if (sent.includes(null)) say("There is no room for all of them there: the others keep their goals.");
    walk.command({ goals });
  }

  /** Select units; `toggle`: let go those that are selected. */
  select(units, toggle = false) {
    const { track } = this;
    for (const unit of units) {
      if (toggle && track.chosen.has(unit)) track.chosen.delete(unit);
      else track.chosen.add(unit);
    }
    if (!units.length) track.chosen.clear();
    this.#showCommands();
    this.walk.renew();
  }

  /** Select the units in a box of cells. */
  selectBox([ax, ay], [bx, by]) {
    const { track, walk } = this;
    const inside = (value, one, other) => value >= Math.min(one, other) && value <= Math.max(one, other);
    const step = Math.round(walk.time);
    const found = [];
    for (let unit = 0; unit < track.agents; unit++) {
      const [x, y] = track.at(step, unit);
      if (inside(x, ax, bx) && inside(y, ay, by)) found.push(unit);
    }
    track.chosen.clear();
    this.select(found);
  }
}
