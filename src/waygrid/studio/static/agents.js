// Agents that walk: real-time algorithms plan a little before each step, others walk along the paths they found. The
// map can be edited meanwhile: the agents then go on from where they are.

import { Crowd } from "./crowd.js";
import { count, keepFocus, make, say } from "./dom.js";
import { Track } from "./tracks.js";
import { WalkMap } from "./walkmap.js";

const ENDING = new Set(["change", "search", "grab", "stroke"]); // walks belong to a map, a query and its settings

export class WalkPage {
  // {tracks, steps, from, map, crowd}; `from` is the step of the last edit, before which the map was another; `crowd`:
  // the units of one crowd walk
  #walk = null;
  #playing = false;
  #ended = false; // the walk stands at its end, where it played to
  #time = 0;
  #before = 0;
  #run = 0;
  #asking = null; // the AbortController of walks that are being planned
  #clearing = false;
  #told = null; // the step that the figures are of

  constructor(app) {
    this.app = app;
    this.agents = 1;
    this.budget = 10;
    this.speed = 12;
    this.form = make("div", { class: "fields" });
    this.controls = make("section", { class: "walk", hidden: true });
    this.crowd = new Crowd(app, this);
    const main = make("section", {}, make("h2", {}, "Agents"), this.form);
    this.element = make("div", { class: "page" }, this.controls, main, this.crowd.element);
    app.on("panes", () => this.show());
    app.on("map", () => this.#mapShown());
    app.on("result", () => this.#clearing || this.end());
    app.machine.onChange((state, before, event) => {
      if (ENDING.has(event) && !(event === "stroke" && this.goesOn)) this.end();
    });
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

  get tracks() {
    return this.#walk?.tracks ?? [];
  }

  get edits() {
    return this.#walk?.map.edits.length ?? 0;
  }

  get planning() {
    return this.#asking !== null;
  }

  /** Whether some agent still walks, or waits for a way to open: then edits are for the agents. */
  get goesOn() {
    if (!this.#walk) return false;
    const { steps, tracks } = this.#walk;
    return this.#time < steps || tracks.some((track) => track.tally(steps).waiting > 0);
  }

  /** Take what an example suggests. */
  choose({ agents = 1, speed = 12, crowd = null }) {
    Object.assign(this, { agents, speed });
    if (crowd) this.crowd.choose(crowd);
    this.show();
  }

  #mapShown() {
    if (!this.#walk?.map.fits(this.app.model)) this.end();
  }

  show() {
    if (this.tracks.some(({ pane }) => !this.app.panes.includes(pane))) {
      if (this.#walk.map.fits(this.app.model)) this.finish();
      else this.end(); // another map comes, and is searched anyway
    }
    const live = this.realTime;
    const names = [...new Set(live.map(({ algorithm }) => algorithm))].join(", ");
    const about = live.length
      ? `${names} moves step by step; the planning budget limits the expansions before each step.`
      : "Agents walk along the paths of each board. Real-time algorithms have agents that plan while they move.";
    const most = this.app.registry.limits.agents;
    const who = "all walk to the goal: the first from the start, the others from other cells";
    const parts = [make("small", {}, about), this.#number("agents", "agents", this.agents, 1, most, who)];
    if (live.length)
      parts.push(this.#number("budget", "planning budget", this.budget, 1, 100000, "expansions before each step"));
    const begun = this.#asking !== null && !this.#walk;
    const button = make("button", { type: "button", class: "button primary", id: "walk", disabled: begun });
    button.textContent = begun ? "Planning…" : "Walk"; // the first walk of an algorithm may have to wait for its kernels
    button.addEventListener("click", () => this.begin());
    const edits = make("small", {}, "Draw or erase walls while they walk: they go on from where they are.");
    parts.push(make("div", { class: "row" }, button), edits);
    keepFocus(this.form, () => this.form.replaceChildren(...parts));
    this.crowd.show();
  }

  #number(name, label, value, least, most, summary) {
    const input = make("input", { type: "number", id: `walk-${name}`, min: least, max: most, step: 1, value });
    input.addEventListener("change", () => {
      if (input.checkValidity() && input.value) this[name] = Number(input.value);
      else input.reportValidity();
    });
    return make("div", { class: "field" }, make("label", { for: input.id }, label), input, make("small", {}, summary));
  }

  // ---- asking

  /**
   * Ask for the walks of all boards and start them together; whatever ends the walk ends the asking too. `askCrowd`
   * asks for a crowd, which walks alone.
   */
  async begin(askCrowd = null) {
    this.end();
    const { app } = this;
    if (!app.machine.can("change")) return; // not while the mouse edits
    const map = new WalkMap(app.model);
    if (askCrowd) {
      app.machine.step("change"); // what was searched would hide the units
      this.#clearSearches();
    }
    const ask = (signal) => Promise.all(app.panes.map((pane) => Track.ask(pane, map, this, signal)));
    const tracks = await this.#ask(askCrowd ? async (signal) => [await askCrowd(signal)] : ask);
    if (!tracks && askCrowd && !this.#asking) this.finish(); // an error, which has been reported
    if (!tracks || !app.machine.can("change")) return;
    if (!askCrowd && tracks.every((track) => track.steps === 0 && !track.tally(0).waiting)) say("There is no way to walk.");
    this.app.clock.end();
    this.#walk = { tracks, map, crowd: askCrowd !== null, from: 0, steps: Math.max(...tracks.map(({ steps }) => steps)) };
    this.#ended = false;
    this.#build();
    this.#time = 0;
    this.renew();
    this.#play(true);
  }

  /** The walks of boards, or null where something newer was asked for or an error was reported. */
  async #ask(question) {
    const run = ++this.#run;
    this.#asking?.abort();
    this.#asking = new AbortController();
    this.show();
    const { signal } = this.#asking;
    let tracks = null;
    try {
      tracks = await question(signal);
    } catch (error) {
      if (run === this.#run && error.code !== "cancelled") say(error.message, "error");
    }
    if (run !== this.#run) return null;
    this.#asking = null;
    this.show();
    return tracks;
  }

  // ---- edits

  /** Let the agents follow the walls as they are drawn now; false where no agents go on, or not on such a map. */
  follow() {
    const { app } = this;
    if (!this.goesOn || !this.#walk.map.fits(app.model)) return false;
    const { map } = this.#walk;
    if (!map.note(Math.ceil(this.#time))) return true;
    const { edits, edited_cells: cells } = app.registry.limits;
    if (map.edits.length > edits || map.cells > cells) {
      say(`The walk has ended: at most ${count(edits)} edits of ${count(cells)} cells together are possible.`);
      return false;
    }
    app.differs = map.differs;
    this.#clearSearches(); // what was searched before is not on this map
    this.renew();
    this.#replan(map.edits.at(-1).step);
    return true;
  }

  #clearSearches() {
    this.#clearing = true;
    this.app.clearSearches();
    this.#clearing = false;
  }

  /** Give the units of a crowd other goals or priorities from now on. */
  command(changes) {
    if (this.#walk?.crowd) this.#replan(Math.ceil(this.#time), changes);
  }

  async #replan(from, changes = {}) {
    const walk = this.#walk;
    const { tracks: before, map } = walk;
    const panes = before.map(({ pane }) => pane);
    const ask = walk.crowd
      ? async (signal) => [await before[0].goOn(this.app, from, changes, signal)]
      : (signal) => Promise.all(panes.map((pane) => Track.ask(pane, map, this, signal)));
    const tracks = await this.#ask(ask);
    if (walk !== this.#walk) return;
    if (!tracks) {
      if (!this.#asking) this.finish(); // an error, which has been reported
      return;
    }
    Object.assign(walk, { tracks, from });
    walk.steps = Math.max(walk.from, ...tracks.map(({ steps }) => steps));
    this.slider.min = walk.from;
    this.slider.max = walk.steps;
    this.details.replaceChildren(...tracks.map((track) => track.section()));
    this.renew();
    if (this.#ended && this.#time < walk.steps) this.#play(true);
  }

  /** The numbers of the cells that agents stand on or are about to enter: no wall can be there. */
  occupied() {
    const cells = new Set();
    for (const track of this.goesOn ? this.#walk.tracks : []) {
      for (const step of [Math.floor(this.#time), Math.ceil(this.#time)])
        for (let agent = 0; agent < track.agents; agent++) cells.add(this.app.model.number(track.at(step, agent)));
    }
    return cells;
  }

  // ---- the walk

  #build() {
    const { tracks, steps } = this.#walk;
    const button = (id, text, onclick) => make("button", { type: "button", class: "button", id, onclick }, text);
    this.playButton = button("walk-play", "", () => this.#play(!this.#playing));
    const stop = button("walk-end", "End", () => this.finish());
    const range = (id, label, min, max, value) =>
      make("input", { type: "range", id, min, max, step: 1, value, "aria-label": label });
    this.slider = range("walk-time", "Step of the walk", 0, steps, 0);
    this.slider.addEventListener("input", () => {
      if (this.#asking) return;
      this.#play(false);
      this.#ended = false;
      this.#go(Number(this.slider.value));
    });
    const speed = range("walk-speed", "Steps per second", 1, 120, this.speed);
    speed.addEventListener("input", () => (this.speed = Number(speed.value)));
    this.text = make("p", { id: "walk-text" });
    this.news = make("p", { id: "walk-news", role: "status", hidden: true });
    this.details = make("div", { class: "tracks" }, ...tracks.map((track) => track.section()));
    const label = (text, input) => make("label", { class: "slider" }, text, input);
    this.controls.replaceChildren(
      make("div", { class: "row" }, this.playButton, stop),
      label("Step", this.slider),
      label("Speed", speed),
      this.crowd.commands,
      this.text,
      this.news,
      this.details,
    );
    this.controls.hidden = false;
  }

  #play(playing) {
    this.#playing = playing && this.#walk !== null;
    if (this.playButton) this.playButton.textContent = this.#playing ? "Pause" : "Resume";
    if (!this.#playing) return;
    this.#ended = false;
    if (this.#time >= this.#walk.steps) this.#time = this.#walk.from;
    this.#before = performance.now();
    requestAnimationFrame((now) => this.#tick(now));
  }

  #tick(now) {
    if (!this.#playing) return;
    const still = this.#asking || this.app.machine.state === "drawing"; // an edit belongs to one moment
    const passed = still ? 0 : Math.max(0, now - this.#before) / 1000;
    this.#before = now;
    if (passed) this.#go(this.#time + passed * this.speed);
    if (!still && this.#time >= this.#walk.steps) {
      this.#play(false);
      this.#ended = true;
    } else requestAnimationFrame((next) => this.#tick(next));
  }

  #go(time) {
    const { steps, tracks, map } = this.#walk;
    this.#time = Math.max(0, Math.min(steps, time));
    const step = Math.floor(this.#time);
    for (const track of tracks) {
      const shown = { walkers: track.walkers(this.#time), path: track.path(this.#time), current: [] };
      const places = track.goals ? { goals: track.goals(this.#time) } : null;
      track.pane.board.show({ ...shown, places, edited: this.app.differs });
    }
    if (this.#told === step) return;
    this.#told = step;
    this.slider.value = step;
    this.text.textContent = `Step ${count(step)} of ${count(steps)}`;
    for (const track of tracks) {
      track.show(step, map.edits.length, this.app.colours);
      track.pane.walking = Object.assign(track.facts(step, map.edits.length), { about: track.about });
      track.pane.count();
    }
    this.#tellNews(step);
    this.app.tell("walk");
  }

  /** Draw all of this moment anew: other walks, or an edit. */
  renew() {
    if (!this.#walk) return;
    this.#told = null;
    this.#go(this.#time);
  }

  /** Say who waits; only what is new, as it is read aloud. */
  #tellNews(step) {
    const lines = this.#walk.tracks.map((track) => [track.pane.letter, track.news(step)]).filter(([, text]) => text);
    const alone = this.#walk.tracks.length === 1;
    const text = lines.map(([letter, line]) => (alone ? `${line}.` : `${letter}: ${line}.`)).join(" ");
    if (this.news.textContent !== text) this.news.textContent = text;
    this.news.hidden = !text;
  }

  /** End the walk; the map may be another one since it began, and is searched again. */
  finish() {
    this.end();
    if (this.app.machine.state === "modified") this.app.changed();
  }

  /** Take the agents away, and those that are being planned. */
  end() {
    this.#run++;
    const asking = this.#asking;
    this.#asking = null;
    asking?.abort();
    if (!this.#walk) return asking ? this.show() : undefined;
    const { tracks } = this.#walk;
    this.#playing = false;
    this.#walk = null;
    this.#time = 0;
    this.controls.hidden = true;
    this.app.differs = [];
    for (const { pane } of tracks) pane.walking = null;
    for (const pane of this.app.panes) {
      pane.board.show({ walkers: [], edited: [], places: null });
      if (this.app.machine.state !== "dragging") pane.seek(this.app.clock.time);
    }
    this.app.tell("walk");
    return asking ? this.show() : undefined;
  }
}
