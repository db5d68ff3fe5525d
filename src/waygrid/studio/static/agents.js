// Agents that walk: real-time algorithms plan a little before each step, others walk along the path they found.

import * as api from "./api.js";
import { count, duration, keepFocus, make, say } from "./dom.js";
import { hue } from "./palette.js";

const ENDING = new Set(["change", "search", "grab", "stroke"]); // walks belong to a map, a query and its settings

export class WalkPage {
  #walk = null; // {tracks: [{pane, positions, agents, steps, work, budget}], steps}
  #playing = false;
  #time = 0;
  #before = 0;
  #run = 0;
  #asking = null; // the AbortController of walks that are being planned

  constructor(app) {
    this.app = app;
    this.agents = 1;
    this.budget = 10;
    this.speed = 12;
    this.form = make("div", { class: "fields" });
    this.controls = make("div", { class: "walk", hidden: true });
    this.element = make(
      "div",
      { class: "page" },
      make("section", {}, make("h2", {}, "Agents"), this.form, this.controls),
    );
    app.on("panes", () => this.show());
    app.on("map", () => this.end());
    app.on("result", () => this.end());
    app.machine.onChange((state, before, event) => ENDING.has(event) && this.end());
  }

  get realTime() {
    return this.app.panes.filter(({ info }) => info.real_time);
  }

  get time() {
    return this.#time;
  }

  get steps() {
    return this.#walk?.steps ?? 0;
  }

  show() {
    if (this.#walk && this.#walk.tracks.some(({ pane }) => !this.app.panes.includes(pane))) this.end();
    const live = this.realTime;
    const names = [...new Set(live.map(({ algorithm }) => algorithm))].join(", ");
    const about = live.length
      ? `${names} moves step by step; the planning budget limits the expansions before each step.`
      : "An agent walks along the path of each board. Real-time algorithms have agents that plan while they move.";
    const parts = [make("small", {}, about)];
    if (live.length) {
      parts.push(
        this.#number(
          "agents",
          "agents",
          this.agents,
          1,
          this.app.registry.limits.agents,
          "all walk to the goal: the first from the start, the others from other cells",
        ),
      );
      parts.push(this.#number("budget", "planning budget", this.budget, 1, 100000, "expansions before each step"));
    }
    parts.push(
      make(
        "div",
        { class: "row" },
        make(
          "button",
          {
            type: "button",
            class: "button primary",
            id: "walk",
            disabled: this.#asking !== null,
            onclick: () => this.begin(),
          },
          this.#asking ? "Planning…" : "Walk", // the first walk of an algorithm may have to wait for its kernels
        ),
      ),
    );
    keepFocus(this.form, () => this.form.replaceChildren(...parts));
  }

  #number(name, label, value, least, most, summary) {
    const input = make("input", { type: "number", id: `walk-${name}`, min: least, max: most, step: 1, value });
    input.addEventListener("change", () => {
      if (input.checkValidity() && input.value) this[name] = Number(input.value);
      else input.reportValidity();
    });
    return make("div", { class: "field" }, make("label", { for: input.id }, label), input, make("small", {}, summary));
  }

  /** Ask for the walks of all boards and start them together; whatever ends the walk ends the asking too. */
  async begin() {
    this.end();
    const run = this.#run;
    this.#asking = new AbortController();
    this.show();
    const { signal } = this.#asking;
    let tracks = null;
    try {
      const track = (pane) => (pane.info.real_time ? this.#planned(pane, signal) : along(pane));
      tracks = await Promise.all(this.app.panes.map(track));
    } catch (error) {
      if (run === this.#run && error.code !== "cancelled") say(error.message, "error");
    }
    if (run !== this.#run) return;
    this.#asking = null;
    this.show();
    if (tracks && this.app.machine.can("change")) this.#start(tracks.filter(Boolean)); // not while the mouse edits
  }

  #start(tracks) {
    if (!tracks.length) return say("There is no path to walk along.");
    this.#walk = { tracks, steps: Math.max(...tracks.map(({ steps }) => steps)) };
    this.app.clock.end();
    this.#build();
    this.#go(0);
    return this.#play(true);
  }

  async #planned(pane, signal) {
    const { model } = this.app;
    const starts = crowd(model, this.agents);
    const { algorithm, options } = pane.question();
    const question = {
      grid: model.grid,
      algorithm,
      options,
      starts,
      goals: starts.map(() => model.goal),
      expansions: this.budget,
      max_steps: 20000,
    };
    const owner = { token: api.newToken(), pane: `agents ${pane.letter}` };
    const answer = await api.agents(model, { ...question, ...owner }, signal);
    const { header, arrays } = answer;
    return { pane, ...header, positions: arrays.positions, work: arrays.work, budget: header.expansions_per_step };
  }

  #build() {
    const most = this.#walk.steps;
    this.playButton = make("button", {
      type: "button",
      class: "button",
      id: "walk-play",
      onclick: () => this.#play(!this.#playing),
    });
    const stop = make("button", { type: "button", class: "button", id: "walk-end", onclick: () => this.end() }, "End");
    this.slider = make("input", {
      type: "range",
      min: 0,
      max: most,
      step: 1,
      id: "walk-time",
      "aria-label": "Step of the walk",
    });
    this.slider.addEventListener("input", () => {
      this.#play(false);
      this.#go(Number(this.slider.value));
    });
    const speed = make("input", {
      type: "range",
      min: 1,
      max: 120,
      value: this.speed,
      id: "walk-speed",
      "aria-label": "Steps per second",
    });
    speed.addEventListener("input", () => (this.speed = Number(speed.value)));
    this.text = make("p", { id: "walk-text" });
    this.details = make("div", { class: "tracks" });
    const label = (text, input) => make("label", { class: "slider" }, text, input);
    this.controls.replaceChildren(
      make("div", { class: "row" }, this.playButton, stop),
      label("Step", this.slider),
      label("Speed", speed),
      this.text,
      this.details,
    );
    this.controls.hidden = false;
    for (const track of this.#walk.tracks) this.details.append(this.#track(track));
  }

  #track(track) {
    track.line = make("p");
    const parts = [make("h3", {}, `${track.pane.letter}: ${track.pane.label}`), track.line];
    if (track.work) {
      track.chart = make("canvas", {
        width: 296,
        height: 56,
        role: "img",
        "aria-label": "Expansions of each step against the budget",
      });
      const worst = Math.max(...(track.max_step_us ?? [0]));
      const first = track.first_step_us?.[0];
      const arrived = track.statuses.filter((status) => status === "FOUND").length;
      const times = track.first_step_us ? `First move after ${duration(first)}; slowest step ${duration(worst)}. ` : "";
      parts.push(track.chart, make("small", {}, `${times}${count(arrived)} of ${count(track.agents)} arrive.`));
    }
    return make("section", {}, ...parts);
  }

  #play(playing) {
    this.#playing = playing && this.#walk !== null;
    if (this.playButton) this.playButton.textContent = this.#playing ? "Pause" : "Resume";
    if (!this.#playing) return;
    if (this.#time >= this.#walk.steps) this.#time = 0;
    this.#before = performance.now();
    requestAnimationFrame((now) => this.#tick(now));
  }

  #tick(now) {
    if (!this.#playing) return;
    this.#go(this.#time + (Math.max(0, now - this.#before) / 1000) * this.speed);
    this.#before = now;
    if (this.#time >= this.#walk.steps) this.#play(false);
    else requestAnimationFrame((next) => this.#tick(next));
  }

  #go(time) {
    const { steps, tracks } = this.#walk;
    this.#time = Math.max(0, Math.min(steps, time));
    const step = Math.floor(this.#time);
    this.slider.value = step;
    this.text.textContent = `Step ${count(step)} of ${count(steps)}`;
    for (const track of tracks) this.#show(track, step);
  }

  #show(track, step) {
    const { positions, agents, steps, pane, work, budget } = track;
    const at = (t, agent) => {
      const i = 2 * (Math.min(t, steps) * agents + agent);
      return [positions[i], positions[i + 1]];
    };
    const walkers = [];
    for (let agent = 0; agent < agents; agent++) {
      const share = step < steps ? this.#time - step : 0;
      const colour = agent === 0 ? "#ff8c1a" : `rgb(${hue(agent, false).join()})`;
      walkers.push({ from: at(step, agent), to: at(step + 1, agent), share, colour });
    }
    pane.board.show({ walkers, path: work ? trail(track, step) : (pane.result?.path ?? []), current: [] });
    if (!work) {
      track.line.textContent = step >= steps ? "arrived" : `move ${count(step)} of ${count(steps)}`;
      return;
    }
    const spent = work[Math.min(step, steps) * agents];
    track.line.textContent = `${count(spent)} of ${count(budget)} expansions in this step`;
    drawWork(track, step, this.app.colours);
  }

  /** Take the agents away, and those that are being planned. */
  end() {
    this.#run++;
    if (this.#asking) {
      this.#asking.abort();
      this.#asking = null;
      this.show();
    }
    if (!this.#walk) return;
    this.#playing = false;
    this.#walk = null;
    this.controls.hidden = true;
    for (const pane of this.app.panes) {
      pane.board.show({ walkers: [] });
      if (this.app.machine.state !== "dragging") pane.seek(this.app.clock.time);
    }
  }
}

/** The walk along a path that is known. */
function along(pane) {
  const path = pane.result?.path;
  if (!path?.length) return null;
  return { pane, positions: path, agents: 1, steps: path.length / 2 - 1, work: null };
}

/** Where the first agent has been. */
function trail({ positions, agents }, step) {
  const cells = [];
  for (let t = 0; t <= step; t++) cells.push(positions[2 * t * agents], positions[2 * t * agents + 1]);
  return cells;
}

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

/** Bars of the work of the steps around this one, and the line of the budget. */
function drawWork({ chart, work, agents, steps, budget }, step, colours) {
  const context = chart.getContext("2d");
  const { width, height } = chart;
  const bars = Math.min(steps + 1, 74);
  const from = Math.max(0, Math.min(step - Math.floor(bars / 2), steps + 1 - bars));
  let most = budget;
  for (let i = 0; i < bars; i++) most = Math.max(most, work[(from + i) * agents]);
  context.clearRect(0, 0, width, height);
  for (let i = 0; i < bars; i++) {
    const value = work[(from + i) * agents];
    const tall = ((height - 8) * value) / Math.max(1, most);
    context.fillStyle = from + i === step ? "#ff8c1a" : `rgb(${colours.closedLast.join()})`;
    context.fillRect((i * width) / bars, height - tall, Math.max(1, width / bars - 1), tall);
  }
  const line = height - ((height - 8) * budget) / Math.max(1, most);
  context.fillStyle = `rgb(${colours.goal.join()})`;
  context.fillRect(0, line, width, 1.5);
}
