// One algorithm on the map: its board, its search, its place in the replay.

import * as api from "./api.js";
import { Board } from "./board.js";
import { count, decimal, make } from "./dom.js";
import { Player } from "./player.js";
import { fieldsOf } from "./labels.js";
import { changed } from "./rules.js";
import { thinkingOf } from "./thinking.js";

const SLOW_MS = 350; // after so long a search says how far it is
const POLL_MS = 250;

export class Pane {
  #abort = null;
  #run = 0;

  constructor(app, letter, { algorithm, options = {}, title = null }) {
    this.app = app;
    this.letter = letter;
    this.result = null;
    this.player = null;
    this.error = null;
    this.walking = null; // figures of the agents that walk on this board, instead of those of the search
    this.#build();
    this.choose(algorithm, options, title);
    this.board = new Board(this.canvas, app.camera, () => app.room);
    this.live = new api.Latest(() => this.#askLive());
  }

  #build() {
    this.canvas = make("canvas", { tabIndex: 0, role: "application", "aria-describedby": "board-keys" });
    this.caption = make("button", { type: "button", class: "caption", onclick: () => this.app.activate(this) });
    this.counters = make("p", { class: "counters" });
    this.remove = make("button", { type: "button", class: "close", onclick: () => this.app.removePane(this) }, "×");
    this.busy = make("div", { class: "busy", role: "status", hidden: true });
    this.fault = make("p", { class: "fault", hidden: true });
    this.notice = make("p", { class: "notice", hidden: true });
    const head = make("header", {}, this.caption, this.counters, this.remove);
    const frame = make("div", { class: "frame" }, this.canvas, this.busy, this.fault, this.notice);
    this.element = make("article", { class: "pane" }, head, frame);
  }

  /** Take another algorithm or other options. */
  choose(algorithm, options, title = null) {
    this.algorithm = algorithm;
    this.options = { ...options };
    this.title = title;
    this.name();
  }

  get info() {
    return this.app.algorithm(this.algorithm);
  }

  get label() {
    return this.title ?? this.choice;
  }

  /** The algorithm, with the options that differ from the defaults. */
  get choice() {
    const given = Object.entries(changed(this.info.options, this.options)).map(([name, value]) => `${name} ${value}`);
    return given.length ? `${this.algorithm} (${given.join(", ")})` : this.algorithm;
  }

  name() {
    this.caption.replaceChildren(make("b", {}, this.letter), ` ${this.label}`);
    this.caption.title = `Settings of ${this.label}`;
    this.canvas.setAttribute("aria-label", `Board ${this.letter}: ${this.label}`);
    this.remove.setAttribute("aria-label", `Remove board ${this.letter}`);
    this.element.setAttribute("aria-label", `${this.letter}: ${this.label}`);
  }

  /** What decides whether paths are the cheapest. */
  get #chosen() {
    return JSON.stringify([this.algorithm, changed(this.info.options, this.options), this.app.model.grid]);
  }

  /** Whether paths are the cheapest with these options, as the finder itself says; null until it has searched. */
  get optimal() {
    return this.result?.chosen === this.#chosen ? this.result.optimal : null;
  }

  /** What a request says of this pane. */
  question(more = {}) {
    const { model } = this.app;
    return {
      grid: model.grid,
      algorithm: this.algorithm,
      options: changed(this.info.options, this.options),
      start: model.start,
      goal: model.goal,
      anyway: this.app.anyway,
      pane: this.letter,
      ...more,
    };
  }

  /** Search with a trace; a newer search ends this one, which then returns false. */
  async search() {
    const run = ++this.#run;
    this.live.drop();
    this.#abort?.abort();
    this.#abort = new AbortController();
    this.token = api.newToken();
    const waiting = this.#watch(run, this.token);
    try {
      const question = this.question({ trace: true, optimum: true, timed: true, token: this.token });
      const chosen = this.#chosen;
      const answer = await api.search(this.app.model, question, this.#abort.signal);
      if (run !== this.#run) return false;
      this.#take(answer, chosen);
      return true;
    } catch (error) {
      if (run !== this.#run) return false;
      this.#fail(error);
      return true;
    } finally {
      clearTimeout(waiting);
      if (run === this.#run) {
        this.busy.hidden = true;
        this.token = null;
      }
    }
  }

  #take({ header, arrays }, chosen) {
    const { width, height } = this.app.model.terrain;
    this.error = null;
    this.fault.hidden = true;
    this.result = { ...header, path: arrays.path, chosen };
    this.player = arrays.kind ? new Player(arrays, this.app.registry.events, width * height) : null;
  }

  #fail(error) {
    this.result = null;
    this.player = null;
    this.error = error.message;
    this.fault.textContent = error.message;
    this.fault.hidden = false;
  }

  /** Say how far a slow search is, and offer to end it. */
  #watch(run, token) {
    const look = async () => {
      if (run !== this.#run) return;
      let said = { state: "waiting", share: 0, what: "" };
      try {
        said = await api.progress(token);
      } catch {
        // The search itself will tell what is wrong.
      }
      if (run !== this.#run || token !== this.token || said.state === "unknown") return;
      this.#showBusy(said);
      setTimeout(look, POLL_MS);
    };
    return setTimeout(look, SLOW_MS);
  }

  #showBusy({ state, share, what }) {
    if (this.busy.hidden) {
      this.clear();
      this.busyText = make("span");
      this.bar = make("progress", { max: 1, "aria-label": `Progress of ${this.label}` });
      const stop = make("button", { type: "button", class: "button", onclick: () => this.app.cancel() }, "Cancel");
      this.busy.replaceChildren(this.busyText, this.bar, stop);
      this.busy.hidden = false;
    }
    const words = { waiting: "Waiting", building: "Building the index", searching: "Searching" }[state] ?? "Working";
    this.busyText.textContent = what ? what[0].toUpperCase() + what.slice(1) : words;
    if (share > 0) this.bar.value = share;
    else this.bar.removeAttribute("value");
  }

  /** What is on the board is not what is asked for any more. */
  clear() {
    if (!this.result && !this.player) return;
    this.result = null;
    this.player = null;
    this.seek(0);
    this.app.tell("result");
  }

  /** Give the search up. */
  stop() {
    this.#run++;
    this.#abort?.abort();
    this.busy.hidden = true;
    if (this.token) api.cancel(this.token).catch(() => {}); // the server would notice by itself, but later
    this.token = null;
  }

  /** The pane is taken away. */
  dispose() {
    this.stop();
    this.live.drop();
    this.board.dispose();
    this.element.remove();
  }

  /** While start or goal is dragged only paths are asked for, one request at a time. */
  async #askLive() {
    const run = this.#run;
    this.#abort = new AbortController(); // the full search at the drop ends what is still asked here
    try {
      const question = this.question({ trace: false, anyway: false, token: api.newToken() });
      const chosen = this.#chosen;
      const answer = await api.search(this.app.model, question, this.#abort.signal);
      if (run !== this.#run) return;
      this.error = null;
      this.fault.hidden = true;
      this.result = { ...answer.header, path: answer.arrays.path, chosen };
      this.app.lives++;
    } catch (error) {
      if (run !== this.#run || error.name === "AbortError" || error.code === "cancelled") return;
      this.#fail(error);
    }
    if (this.app.machine.state === "dragging") this.showLive();
  }

  beginLive() {
    this.#run++;
    this.#abort?.abort();
    this.busy.hidden = true;
    this.player = null;
    this.board.cells(null);
    this.showLive();
  }

  /** What the search knows at its moment, null without a trace. */
  get thinking() {
    const thinking = thinkingOf(this);
    if (thinking) thinking.fields ??= fieldsOf(this.player, this.info);
    return thinking;
  }

  /** What the cells of a zoomed view show, null for nothing. */
  get values() {
    if (!this.player || !this.app.values || this.walking) return null;
    const { thinking } = this;
    const arrows = this.info.model !== "corners"; // there a parent is a corner, not a cell
    return { thinking, time: this.player.time, fields: thinking.fields, arrows };
  }

  showLive() {
    this.board.show({ path: this.result?.path ?? [], current: [], ends: this.app.ends, values: null });
    this.count();
  }

  /** Show the search after so many events. */
  seek(time, all = false) {
    const { player, board } = this;
    if (!player) {
      board.cells(null);
      board.show({ path: this.result?.path ?? [], current: [], ends: this.app.ends, values: null });
      return this.count();
    }
    const touched = player.seek(time);
    board.cells(player.states, all ? null : touched);
    const done = time >= player.length;
    const found = done && this.result.path.length > 0;
    board.show({
      path: found ? this.result.path : [],
      current: found || !player.time ? [] : this.#cells(player.currentPath()),
      ends: this.app.ends,
      values: this.values,
    });
    this.count();
  }

  #cells(numbers) {
    const { width } = this.app.model.terrain;
    const cells = [];
    for (const cell of numbers) cells.push(cell % width, Math.floor(cell / width));
    return cells;
  }

  /** The counters of the paper, at this moment of the replay. */
  count() {
    const { result, player } = this;
    const pair = (name, value) => make("span", {}, `${name} `, make("b", {}, value));
    if (this.walking) {
      const figures = this.walking.map(([name, value]) => pair(name, count(value)));
      this.counters.replaceChildren(...figures);
      this.notice.hidden = true;
      return;
    }
    // At the end the search's own counts; on the way those of the events, or moves where nothing is expanded (dba).
    const ended = !player || player.time === player.length;
    const cycles = ended ? result?.stats.expanded : player.expansions ? player.cycles : player.moves;
    const memory = ended ? result?.stats.nodes : player.memory;
    const parts = [pair("update cycles", count(cycles)), pair("nodes in memory", count(memory))];
    if (player?.moves) parts.push(pair("moves", count(player.moves)));
    if (result && (this.app.panes.length === 1 || result.status !== "FOUND"))
      parts.unshift(make("span", { class: result.status === "FOUND" ? "" : "warn" }, verdict(result)));
    this.counters.replaceChildren(...parts);
    this.#notice();
  }

  /** Where start and goal are in different components nothing is searched: say so, and offer to search anyway. */
  #notice() {
    const { real_time: walks } = this.info;
    const why = walks ? "its agent would wander forever" : "its index has no paths between components";
    const impossible = `No path exists, and ${this.algorithm} cannot search anyway: ${why}.`;
    const text = this.player && { skipped: SKIPPED, impossible }[this.result.anyway];
    this.notice.hidden = !text;
    if (!text || this.notice.firstChild?.textContent === text) return;
    const search = () => this.app.setAnyway(true);
    const button = make("button", { type: "button", class: "button", onclick: search }, "Search anyway");
    this.notice.replaceChildren(make("span", {}, text), this.result.anyway === "skipped" ? button : "");
  }
}

const SKIPPED = "No path exists: start and goal are in different connected components.";

/** The outcome of a search in a few words. */
export function verdict({ status, cost, anyway }) {
  if (anyway) return "no path"; // also where a search for it was given up
  if (status === "FOUND") return `cost ${decimal(cost, 2)}`;
  if (status === "UNREACHABLE") return "no path";
  if (status === "CUTOFF") return "stopped";
  return `partial path, cost ${decimal(cost, 2)}`;
}
