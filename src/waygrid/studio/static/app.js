// The controller: holds model, boards and clock together and decides when to search.

import { Camera } from "./camera.js";
import { Clock } from "./clock.js";
import { byId, say } from "./dom.js";
import { farCells } from "./ends.js";
import { Geometry } from "./geometry.js";
import { layOut } from "./layout.js";
import { Machine } from "./machine.js";
import { Model } from "./model.js";
import { palette } from "./palette.js";
import { Pane } from "./pane.js";
import { changed, refusal } from "./rules.js";

const MOST_PANES = 6;
const LETTERS = "ABCDEF";

export class App {
  #listeners = { panes: [], result: [], moment: [], map: [], settings: [], leave: [], walk: [], looks: [] };
  #run = 0;

  constructor(registry) {
    this.registry = registry;
    this.model = new Model();
    this.camera = new Camera();
    this.machine = new Machine();
    this.panes = [];
    this.active = null;
    this.overlay = null; // the answer of the overlay that is shown
    this.auto = true; // search after every change
    this.anyway = false; // search also where no path exists
    this.values = true; // g, h and f in the cells of a zoomed view
    this.style = "standard";
    this.theme = "light";
    this.lives = 0; // answers while dragging
    this.walk = null; // the page of the agents
    this.learn = null; // the page with exercises, predictions and breakpoints
    this.moment = null; // the event to show when the search that was asked for is there
    this.differs = []; // cells that were edited since the agents set out
    this.letGo = () => false; // ends a stroke or drag in progress and returns whether there was one
    this.clock = new Clock(this);
    new ResizeObserver(() => this.panes.length && this.#columns()).observe(byId("panes"));
  }

  /**
   * Listen: panes, result, moment, map, settings; walk: another step of the agents, or their end; leave: another map
   * comes, this is the last look at the one shown; looks: colours changed.
   */
  on(what, listener) {
    this.#listeners[what].push(listener);
  }

  tell(what) {
    for (const listener of this.#listeners[what]) listener();
  }

  algorithm(name) {
    return this.registry.algorithms.find((algorithm) => algorithm.name === name);
  }

  get ends() {
    return { start: this.model.start, goal: this.model.goal };
  }

  momentChanged() {
    this.tell("moment");
  }

  // ---- boards

  /** Show these algorithms side by side. */
  setPanes(list) {
    for (const pane of this.panes) pane.dispose();
    this.panes = [];
    for (const choice of list.slice(0, MOST_PANES)) this.#add(choice);
    this.active = this.panes[0];
    this.#arrange();
  }

  #add(choice) {
    const pane = new Pane(this, LETTERS[this.panes.length], choice);
    this.panes.push(pane);
    byId("panes").append(pane.element);
    if (this.model.terrain) this.#ground(pane);
    this.onPane?.(pane);
    return pane;
  }

  get full() {
    return this.panes.length >= MOST_PANES;
  }

  addPane(choice) {
    if (this.full) return;
    this.active = this.#add(choice);
    this.#arrange();
    this.changed();
  }

  removePane(pane) {
    if (this.panes.length < 2) return;
    const begun = this.letGo();
    pane.dispose();
    this.panes = this.panes.filter((other) => other !== pane);
    this.panes.forEach((other, i) => {
      other.letter = LETTERS[i];
      other.name();
    });
    if (this.active === pane) this.active = this.panes[0];
    this.#arrange();
    this.clock.load();
    this.tell("result");
    if (begun) this.changed(true);
  }

  activate(pane) {
    this.active = pane;
    this.#arrange();
  }

  #arrange() {
    this.#columns();
    for (const pane of this.panes) {
      pane.element.classList.toggle("active", pane === this.active && this.panes.length > 1);
      pane.remove.hidden = this.panes.length < 2;
    }
    this.tell("panes");
  }

  #columns() {
    const box = byId("panes");
    const { width, height } = this.model.terrain;
    const { size } = new Geometry(this.model.grid.topology, width, height);
    const { tracks, spans } = layOut(this.panes.length, size, [box.clientWidth, box.clientHeight]);
    box.dataset.count = this.panes.length;
    box.style.setProperty("--tracks", tracks);
    this.panes.forEach(({ element }, i) => (element.style.gridColumn = `span ${spans[i]}`));
  }

  /** The view that a map has to fit into to be seen whole on every board: all boards show it at one scale. */
  get room() {
    const views = this.panes.map(({ board }) => board.view);
    return [0, 1].map((side) => Math.min(...views.map((view) => view[side])));
  }

  // ---- map, query and settings

  /** Show a map with a query, rules and algorithms; whatever is not given stays, or is chosen sensibly. */
  showMap(terrain, source, { start, goal, grid, panes, moment } = {}) {
    this.letGo();
    this.tell("leave");
    this.model.load(terrain, source);
    if (grid) this.model.grid = { ...this.model.grid, ...grid };
    const ends = start && goal ? [start, goal] : farCells(this.model.terrain);
    [this.model.start, this.model.goal] = ends.map((cell) => [...cell]);
    this.overlay = null;
    for (const pane of this.panes) pane.result = pane.player = null; // they belong to the map before
    if (panes) this.setPanes(panes);
    this.#keepPossible();
    this.#columns();
    this.camera.fitted = true;
    this.repaint();
    this.panes[0].board.fit();
    this.tell("map");
    this.tell("result");
    this.changed(true);
    this.moment = Number.isInteger(moment) ? moment : null;
  }

  /** Algorithms that cannot search on this map and grid make room for A*, and it is said. */
  #keepPossible() {
    for (const pane of this.panes) {
      const reason = refusal(pane.info, this.model.grid, this.model.weighted);
      if (!reason) continue;
      const other = this.registry.algorithms.find(
        (one) => !refusal(one, this.model.grid, this.model.weighted) && one.optimal,
      );
      pane.choose(other.name, {});
      say(`${reason} Board ${pane.letter} now shows ${other.name}.`);
    }
    this.tell("panes");
  }

  setGrid(part) {
    const shape = this.model.grid.topology;
    this.model.grid = { ...this.model.grid, ...part };
    this.overlay = null;
    this.repaint();
    if (this.model.grid.topology !== shape) this.panes[0].board.fit();
    this.#arrange();
    this.tell("settings");
    this.changed();
  }

  setAlgorithm(name, options = {}) {
    this.active.choose(name, options);
    this.tell("panes");
    this.changed();
  }

  setOption(name, value) {
    this.active.choose(this.active.algorithm, { ...this.active.options, [name]: value });
    this.tell("settings");
    this.changed();
  }

  /** Search also where start and goal are in different components, or do not. */
  setAnyway(anyway) {
    this.anyway = anyway;
    this.tell("panes");
    if (this.panes.some(({ result }) => result?.anyway)) this.changed(true);
  }

  /** Map, query or settings are not what was searched: search again, or wait for the user. */
  changed(anyway = false) {
    this.moment = null;
    this.machine.step("change");
    this.#keepPossibleOnEdit();
    if (this.auto || anyway) return this.search();
    this.clearSearches();
    return null;
  }

  /** Walls were drawn or erased: agents that walk go on from where they are; without them it is searched again. */
  edited(anyway = false) {
    if (!this.walk?.follow()) this.changed(anyway);
  }

  /** Take what was searched off the boards. */
  clearSearches() {
    for (const pane of this.panes) {
      pane.stop();
      pane.clear();
    }
    this.clock.load();
    this.tell("result");
  }

  #keepPossibleOnEdit() {
    if (this.panes.some((pane) => refusal(pane.info, this.model.grid, this.model.weighted))) this.#keepPossible();
  }

  async search() {
    const run = ++this.#run;
    if (!this.machine.step("search")) return;
    const asked = this.panes;
    const answered = await Promise.all(asked.map((pane) => pane.search()));
    if (run !== this.#run || this.machine.state !== "searching") return;
    if (asked.some((pane, i) => !answered[i] && this.panes.includes(pane))) return; // boards that are gone do not count
    const failed = this.panes.filter(({ error }) => error);
    for (const { letter, error } of failed) say(this.panes.length > 1 ? `${letter}: ${error}` : error, "error");
    this.machine.step(failed.length === this.panes.length ? "fail" : "done");
    this.clock.load();
    if (this.moment !== null) this.clock.seek(this.moment);
    this.moment = null;
    this.tell("result");
  }

  cancel() {
    this.#run++;
    for (const pane of this.panes) {
      pane.stop();
      pane.clear();
    }
    if (this.machine.step("cancel")) say("The search was cancelled.");
    this.clock.load();
  }

  /** Follow start or goal while it is dragged. */
  liveSearch() {
    for (const pane of this.panes) {
      pane.live.put(this.ends);
      pane.board.show({ ends: this.ends });
    }
  }

  undo() {
    if (this.machine.can("change")) this.#restored(this.model.undo());
  }

  redo() {
    if (this.machine.can("change")) this.#restored(this.model.redo());
  }

  #restored(done) {
    if (!done) return;
    this.overlay = null;
    this.repaint();
    this.tell("map");
    this.edited();
  }

  // ---- looks

  get colours() {
    return palette(this.style, this.theme);
  }

  #ground(pane) {
    const { terrain, grid } = this.model;
    pane.board.ground(terrain, grid.topology, this.colours, this.overlay, this.theme === "dark");
    pane.seek(this.clock.time, true);
  }

  /** Colours, shapes or zones changed. */
  repaint() {
    for (const pane of this.panes) this.#ground(pane);
    this.tell("looks");
  }

  /** What a link says of the boards. */
  get choices() {
    return this.panes.map(({ algorithm, options, title, info }) => ({
      algorithm,
      options: changed(info.options, options),
      ...(title ? { title } : {}),
    }));
  }
}
