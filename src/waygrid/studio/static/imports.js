// Files of other programs: search traces on boards of their own, dynamic scenarios, paths to draw and check.

import * as api from "./api.js";
import { count, decimal, make, place, say } from "./dom.js";

const TRACE = /\.trace\.(yaml|yml|json)$/i;
const PATHS = /\.csv$/i;
const PATCHES = /\.patch$/i;
const HIDDEN = { model: "cells", open_list: "hidden" }; // in which order a program takes cells is not in its file
const ALL = { topologies: ["tile", "octile", "hex", "tex"], corners: ["never", "one", "always"] };

/** An algorithm of which nothing is known: every entry of another one, emptied. */
const nothingOf = (info) => Object.fromEntries(Object.entries(info).map(([name, value]) => [name, empty(value)]));

const empty = (value) => {
  if (Array.isArray(value)) return [];
  if (value === null || typeof value !== "object") return { string: "", boolean: false }[typeof value] ?? null;
  return {};
};

const same = (one, other) => one.join() === other.join();

export class ImportPart {
  constructor(app, maps) {
    this.app = app;
    this.maps = maps;
    this.input = make("input", { type: "file", id: "import-file", hidden: true, multiple: true });
    this.input.setAttribute("aria-label", "File of another program");
    this.input.accept = ".yaml,.yml,.json,.csv,.scen,.patch";
    this.input.addEventListener("change", () => {
      const files = [...this.input.files];
      this.input.value = "";
      maps.take(files); // whatever they are: a file that is no use says why
    });
    const open = make("button", { type: "button", class: "button", id: "import" }, "Open other files…");
    open.addEventListener("click", () => this.input.click());
    this.results = make("div", { id: "paths" });
    this.element = make(
      "section",
      {},
      make("h2", {}, "From other programs"),
      make("div", { class: "row" }, open, this.input),
      make(
        "small",
        {},
        "Posthoc traces (.trace.yaml, .trace.json), dynamic scenarios (.scen with .patch), paths as rows path,x,y (.csv).",
      ),
      this.results,
    );
    app.on("map", () => this.#leavePaths());
  }

  /** Open what is known among some files; returns the others. */
  take(files) {
    const patches = files.find(({ name }) => PATCHES.test(name));
    const dynamic = patches && files.find(({ name }) => name.toLowerCase().endsWith(".scen"));
    const known = (file) => TRACE.test(file.name) || PATHS.test(file.name) || file === patches || file === dynamic;
    const rest = files.filter((file) => !known(file));
    this.#open(files, patches, dynamic).catch((error) => say(error.message, "error"));
    return rest;
  }

  async #open(files, patches, dynamic) {
    await null; // until the page has begun to open what was dropped with them
    await this.maps.coming;
    for (const file of files.filter(({ name }) => TRACE.test(name))) await this.#trace(file);
    for (const file of files.filter(({ name }) => PATHS.test(name))) await this.#paths(file);
    if (patches && !dynamic) throw new Error(`${patches.name} belongs to a dynamic scenario: open both together.`);
    if (dynamic) await this.#dynamic(dynamic, patches);
  }

  // ---- traces

  async #trace(file) {
    const { header, arrays } = await api.importTrace(file.name, new Uint8Array(await file.arrayBuffer()));
    const { app } = this;
    const { terrain } = app.model;
    const goal = header.goal ?? app.model.goal;
    const fits = header.width <= terrain.width && header.height <= terrain.height;
    const name = this.#register(file.name, header, arrays, fits ? terrain : header);
    const left = Object.entries(header.left_out);
    if (left.length) say(`${file.name}: ${left.map(([kind, n]) => `${count(n)} events ${kind || "without a type"}`).join(", ")} left out.`);
    if (!fits) {
      const { width, height } = header;
      const walls = new Uint8Array(width * height).fill(1);
      const query = { start: header.start, goal, panes: [{ algorithm: name }] };
      app.showMap({ width, height, walls, weights: null, name: file.name }, { file: file.name }, query);
      return say(`${file.name} reaches beyond the map: it is shown on an empty one. Open its map first to see the walls.`);
    }
    this.#warnOfWalls(file.name, arrays, terrain);
    if (app.full) return say("There are six boards already: remove one first.", "error");
    app.letGo();
    [app.model.start, app.model.goal] = [[...header.start], [...goal]];
    app.tell("map");
    return app.addPane({ algorithm: name });
  }

  /** Make the trace an algorithm that answers with what was recorded; returns its name. */
  #register(file, header, arrays, { width, height }) {
    const name = `trace ${file}`;
    const { registry } = this.app;
    registry.algorithms = registry.algorithms.filter((info) => info.name !== name);
    const summary = `Recorded by another program: ${count(header.events)} events, Posthoc ${header.version || "trace"}`;
    const after_edits = "stays as it was recorded";
    const known = { name, summary, after_edits, weights: true, imported: true, follows: "at once", ...ALL, ...HIDDEN };
    registry.algorithms.push({ ...nothingOf(registry.algorithms[0]), ...known });
    const number = (cells, i) => (cells[2 * i] < 0 ? -1 : cells[2 * i + 1] * width + cells[2 * i]);
    const { kind, g, h, path } = arrays;
    const node = Int32Array.from(kind, (_, i) => number(arrays.cells, i));
    const parent = Int32Array.from(kind, (_, i) => number(arrays.parents, i));
    const nothing = { optimum: null, optimal: null, anyway: null, time_us: null, runs: 0 };
    const answer = { ...header, ...nothing, build_s: 0, index_bytes: 0, agent_bytes: 0 };
    api.give(name, ({ start, goal }) => {
      const { terrain } = this.app.model;
      if (terrain.width !== width || terrain.height !== height)
        throw new api.Refused(`${file} is shown on a map of ${width} × ${height} cells.`, 400, "recorded");
      if (!same(start, header.start) || (header.goal && !same(goal, header.goal)))
        throw new api.Refused(`${file} was recorded from ${place(header.start)} to ${place(header.goal)}.`, 400, "recorded");
      return { header: { ...answer }, arrays: { kind, node, parent, g, h, path } };
    });
    return name;
  }

  #warnOfWalls(name, { cells }, { width, walls }) {
    let inside = 0;
    for (let i = 0; i < cells.length; i += 2) if (!walls[cells[i + 1] * width + cells[i]]) inside++;
    if (inside) say(`${count(inside)} events of ${name} are on walls of this map: is it the map of the trace?`, "warning");
  }

  // ---- dynamic scenarios: a problem is shown on the map as it is after the edits before it

  async #dynamic(file, patchFile) {
    const { model } = this.app;
    const [scenario, patches] = await Promise.all([file, patchFile].map(async (one) => new Uint8Array(await one.arrayBuffer())));
    const { header, arrays } = await api.importDynamic(model, scenario, patches);
    const { problems, costs, before } = arrays;
    if (!header.rows) throw new Error(`${file.name} has no problems.`);
    const rows = Array.from(costs, (cost, i) => [...problems.subarray(4 * i, 4 * i + 4), cost]);
    const open = model.terrain.walls.slice();
    const prepare = (row) => this.#showEdits(open, header.patches, arrays, before[row]);
    this.maps.showProblems({ name: file.name, rows: header.rows, problems: rows, prepare });
  }

  /** Lay the first edits over the map that the scenario began with. */
  #showEdits(first, sizes, { edits, cells }, number) {
    const { app } = this;
    const { width } = app.model.terrain;
    const walls = first.slice();
    const starts = [0];
    for (const [wide, high] of sizes) starts.push(starts.at(-1) + wide * high);
    for (let k = 0; k < number; k++) {
      const [patch, left, top] = edits.subarray(3 * k, 3 * k + 3);
      const [wide, high] = sizes[patch];
      for (let y = 0; y < high; y++) {
        const from = starts[patch] + y * wide;
        walls.set(cells.subarray(from, from + wide), (top + y) * width + left);
      }
    }
    for (const value of [0, 1]) {
      const differ = [];
      walls.forEach((wall, i) => {
        if (wall === value && app.model.terrain.walls[i] !== value) differ.push([i % width, Math.floor(i / width)]);
      });
      app.model.put(differ, { walls: value });
    }
    app.overlay = null;
    app.repaint();
  }

  // ---- paths

  async #paths(file) {
    const { app } = this;
    const asked = { grid: app.model.grid, name: file.name, text: await file.text(), pane: "paths" };
    const answer = await api.checkPaths(app.model, asked);
    app.overlay = answer;
    app.repaint();
    app.tell("result");
    const { paths } = answer.header;
    const wrong = paths.filter(({ fault }) => fault).length;
    const said = wrong ? `${count(wrong)} of ${count(paths.length)} paths ${wrong === 1 ? "is" : "are"} not legal.` : `All ${count(paths.length)} paths are legal.`;
    say(`${file.name}: ${said}`, wrong ? "warning" : "note");
    this.results.replaceChildren(make("h3", {}, file.name), make("p", {}, said), ...paths.map((path) => this.#row(path)));
  }

  #row({ name, colour, fault, moves, cost, optimum, start, goal }) {
    const dot = make("i");
    dot.style.background = colour;
    const longer = cost !== null && optimum ? 100 * (cost / optimum - 1) : null;
    const over = longer === null ? "" : longer < 1e-7 ? ", optimal" : `, +${decimal(longer, 2)} %`;
    const text = fault ?? `legal: cost ${decimal(cost, 4)}, ${count(moves)} moves${over}`;
    const take = () => this.#search(start, goal);
    const search = make("button", { type: "button", class: "button", title: "Search between the ends of this path" }, "Search");
    search.addEventListener("click", take);
    return make("div", { class: fault ? "path bad" : "path" }, dot, make("b", {}, name), make("span", {}, text), search);
  }

  /** Put start and goal where a path has its ends. */
  #search(start, goal) {
    const { app } = this;
    if (![start, goal].every((cell) => app.model.inside(cell) && app.model.passable(cell)))
      return say("The ends of this path are not on free cells.", "error");
    const { overlay } = app;
    app.letGo();
    app.model.begin();
    [app.model.start, app.model.goal] = [[...start], [...goal]];
    app.model.end();
    app.overlay = overlay;
    return app.changed(true);
  }

  /** Another map, or other walls: what was found is not of this map. */
  #leavePaths() {
    if (this.app.overlay?.header.paths) return;
    this.results.replaceChildren();
  }
}
