// Bringing maps: files by button or drop, generators, scenarios, examples.

import * as api from "./api.js";
import { byId, count, decimal, make, place, say } from "./dom.js";
import { field } from "./fields.js";
import { defaults } from "./rules.js";
import { sizeInWorld } from "./world.js";

const isYaml = ({ name }) => /\.ya?ml$/i.test(name);
const isRobotImage = ({ name }) => /\.(pgm|png)$/i.test(name);
const isJson = ({ name }) => name.toLowerCase().endsWith(".json");
const isScenario = ({ name }) => name.toLowerCase().endsWith(".scen");

export class MapPage {
  #rows = null; // of the scenario: [[sx, sy, gx, gy, optimum], ...]
  #asked = 0; // maps asked for: an answer that is not to the last question comes too late
  #coming = null; // the map that is on its way
  #scenarios = 0;
  #recipe = { kind: null, width: 96, height: 64, seed: 1, options: {} };

  constructor(app) {
    this.app = app;
    this.fact = make("p", { class: "map-name" });
    this.options = make("div", { class: "fields" });
    this.scenario = make("div", { class: "scenario" });
    this.element = make("div", { class: "page" }, this.#files(), this.#generators(), this.#scenarioPart());
    byId("file").addEventListener("change", (event) => {
      const files = [...event.target.files];
      event.target.value = "";
      this.openFiles(files);
    });
    byId("scenario-file").addEventListener("change", (event) =>
      this.#picked(event.target, (file) => this.openScenario(file)),
    );
    this.#drops();
    app.on("map", () => this.show());
    app.on("result", () => this.#showRow());
  }

  get problem() {
    return this.#rows?.problems[this.row] ?? null;
  }

  show() {
    const { terrain, edited } = this.app.model;
    const free = terrain.walls.reduce((sum, one) => sum + one, 0);
    const size = `${count(terrain.width)} × ${count(terrain.height)} cells, ${count(free)} free`;
    this.fact.replaceChildren(make("b", {}, terrain.name || "map"), edited ? " (changed)" : "", make("br"), size);
    if (terrain.place) this.fact.append(make("br"), sizeInWorld(terrain));
  }

  // ---- files

  #files() {
    const button = (text, id, action) => make("button", { type: "button", class: "button", id, onclick: action }, text);
    return make(
      "section",
      {},
      make("h2", {}, "Map"),
      this.fact,
      make(
        "div",
        { class: "row" },
        button("Open a map…", "open", () => byId("file").click()),
        button("Remove all walls", "clear", () => this.#clear()),
      ),
      make("small", {}, "MovingAI .map, .png, Tiled .tmx, LDtk .ldtk, .json, .npy, .txt or .tif; or drop the file on the page."),
      make("small", {}, "A robot's map: choose or drop the .yaml and its .pgm or .png together."),
      this.#unknownRule(),
    );
  }

  #clear() {
    const { app } = this;
    const begun = app.letGo();
    const { width, height } = app.model.terrain;
    app.model.begin();
    app.model.put(
      Array.from({ length: width * height }, (_, i) => [i % width, Math.floor(i / width)]),
      { walls: 1 },
    );
    if (!app.model.end() && !begun) return;
    app.overlay = null;
    app.repaint();
    app.tell("map");
    app.changed();
  }

  #picked(input, action) {
    const [file] = input.files;
    input.value = "";
    if (file) action(file);
  }

  #drops() {
    const hint = byId("drop-hint");
    const carries = (event) => event.dataTransfer?.types.includes("Files");
    document.addEventListener("dragover", (event) => {
      if (!carries(event)) return;
      event.preventDefault();
      hint.hidden = false;
    });
    document.addEventListener("dragleave", (event) => (hint.hidden = event.relatedTarget === null || hint.hidden));
    document.addEventListener("drop", (event) => {
      hint.hidden = true;
      if (!carries(event)) return;
      event.preventDefault();
      this.take([...event.dataTransfer.files]);
    });
  }

  /** Open files of any kind that were dropped or chosen together. */
  take(given) {
    const files = this.onImport?.(given) ?? given; // those that the page itself opens
    this.openFiles(files.filter((one) => !isScenario(one)));
    for (const file of files.filter(isScenario)) this.openScenario(file); // of the map that came with it
  }

  // ---- one map at a time: the last one asked for is shown, whichever answer comes last

  /** Something else is to be shown from now on; returns a function that says whether that still holds. */
  newest() {
    const mine = ++this.#asked;
    return () => mine === this.#asked;
  }

  /** Ask for a map and show it, unless another one was asked for meanwhile. Returns false after an error. */
  bring(ask, show, newest = this.newest()) {
    const coming = (async () => {
      try {
        const terrain = await ask();
        if (newest()) show(terrain);
      } catch (error) {
        if (!newest()) return true;
        say(error.message, "error");
        return false;
      }
      return true;
    })();
    this.#coming = coming;
    return coming;
  }

  #unknownRule() {
    this.unknown = make("select", { id: "unknown" }, make("option", { value: "wall" }, "walls"), make("option", { value: "free" }, "free"));
    return make("label", { class: "inline" }, "Unknown cells of a robot's map are ", this.unknown);
  }

  /** Open files that were chosen or dropped together: a robot's map is two of them. */
  openFiles(files) {
    const description = files.find(isYaml);
    if (description) return this.open(description, files.find((one) => one !== description && isRobotImage(one)));
    for (const file of files) this.open(file);
    return null;
  }

  open(file, image = null) {
    const { upload_bytes: most } = this.app.registry.limits;
    const size = file.size + (image?.size ?? 0);
    if (size > most) return say(`${file.name} has ${count(size)} bytes; at most ${count(most)} can be opened.`, "error");
    const robot = async () => {
      const picture = image && [image.name, await image.arrayBuffer()];
      return api.openRobot([file.name, await file.arrayBuffer()], picture, this.unknown.value);
    };
    const plain = async () => {
      const bytes = await file.arrayBuffer();
      const exercise = isJson(file) ? this.readExercise?.(file.name, bytes) : null;
      return exercise ? { exercise } : api.openFile(file.name, bytes);
    };
    const ask = isYaml(file) ? robot : plain;
    return this.bring(ask, (terrain) => {
      if (terrain.exercise) return this.onExercise(terrain.exercise);
      this.leave();
      const grid = terrain.topology ? { topology: terrain.topology } : {};
      this.app.showMap(terrain, { file: file.name }, { grid });
      for (const note of terrain.notes) say(note);
    });
  }

  /** Another map: the scenario of the last one is no use any more. */
  leave() {
    this.#rows = null;
    this.#showScenario();
    byId("examples").value = "";
    byId("about").textContent = byId("about").title = "";
  }

  // ---- generators

  #generators() {
    const { generators } = this.app.registry;
    const kind = make("select", { id: "kind", "aria-label": "Kind of map", onchange: () => this.#choose(kind.value) });
    for (const one of generators) kind.append(make("option", { value: one.kind, title: one.summary }, one.kind));
    this.kindAbout = make("small");
    this.#choose(generators[0].kind);
    const number = (name, most) =>
      field(
        { name, kind: "integer", least: name === "seed" ? 0 : 2, most, default: this.#recipe[name], summary: "" },
        this.#recipe[name],
        (value) => (this.#recipe[name] = value),
      );
    const { cells } = this.app.registry.limits;
    const sides = make(
      "div",
      { class: "trio" },
      number("width", Math.min(65535, cells)),
      number("height", Math.min(65535, cells)),
      number("seed", 2 ** 31 - 1),
    );
    const dice = make(
      "button",
      { type: "button", class: "button", id: "dice", title: "Another seed", onclick: () => this.#next(sides) },
      "Next seed",
    );
    const make_ = make(
      "button",
      { type: "button", class: "button primary", id: "generate", onclick: () => this.generate() },
      "Generate",
    );
    return make(
      "section",
      {},
      make("h2", {}, "Generate"),
      make("div", { class: "field" }, make("label", { for: "kind" }, "kind"), kind, this.kindAbout),
      sides,
      this.options,
      make("div", { class: "row" }, make_, dice),
    );
  }

  #choose(kind) {
    const { options, summary } = this.app.registry.generators.find((one) => one.kind === kind);
    this.#recipe.kind = kind;
    this.#recipe.options = defaults(options);
    this.kindAbout.textContent = summary;
    const rows = options.map((option) =>
      field(option, option.default, (value) => (this.#recipe.options[option.name] = value)),
    );
    this.options.replaceChildren(...rows);
  }

  #next(sides) {
    this.#recipe.seed += 1;
    sides.querySelector("[data-option=seed]").value = this.#recipe.seed;
    this.generate();
  }

  async generate() {
    const { kind, width, height, seed, options } = this.#recipe;
    await this.restore({ kind, width, height, seed, ...options });
  }

  /** Generate by a recipe, as a link carries it. */
  restore(recipe, query = {}, newest = this.newest()) {
    const show = (terrain) => {
      this.leave();
      const name = `${recipe.kind}, seed ${recipe.seed}`;
      this.app.showMap({ ...terrain, name }, { generate: recipe }, query);
    };
    return this.bring(() => api.generate(recipe), show, newest);
  }

  // ---- scenarios

  #scenarioPart() {
    const open = make(
      "button",
      { type: "button", class: "button", id: "open-scenario", onclick: () => byId("scenario-file").click() },
      "Open a scenario…",
    );
    return make(
      "section",
      {},
      make("h2", {}, "Scenario"),
      make("div", { class: "row" }, open),
      make("small", {}, "MovingAI .scen for this map: its problems with their optimal lengths."),
      this.scenario,
    );
  }

  async openScenario(file) {
    const mine = ++this.#scenarios;
    await this.#coming; // it is for the map that was asked for before it
    const { terrain } = this.app.model;
    const newest = () => mine === this.#scenarios && this.app.model.terrain === terrain;
    try {
      const { rows, problems } = await api.scenario(this.app.model, await file.arrayBuffer());
      if (!newest()) return undefined;
      if (!problems.length) return say(`${file.name} has no problems.`, "error");
      this.showProblems({ name: file.name, rows, problems });
    } catch (error) {
      if (newest()) say(error.message, "error");
    }
    return undefined;
  }

  /** Offer problems: {name, rows, problems}; `prepare(row)` brings the map to where a problem begins. */
  showProblems(found) {
    this.#rows = found;
    this.#showScenario();
    this.choose(0);
  }

  /** The map that is on its way, or was last. */
  get coming() {
    return this.#coming;
  }

  #showScenario() {
    if (!this.#rows) return this.scenario.replaceChildren();
    const { name, rows, problems } = this.#rows;
    this.number = make("input", {
      type: "number",
      id: "problem",
      min: 1,
      max: problems.length,
      value: 1,
      "aria-label": "Problem of the scenario",
    });
    this.number.addEventListener("change", () => this.choose(Number(this.number.value) - 1));
    const button = (text, label, step) =>
      make(
        "button",
        { type: "button", class: "button icon", "aria-label": label, onclick: () => this.choose(this.row + step) },
        text,
      );
    this.rowFacts = make("dl", { id: "problem-facts" });
    const shown =
      rows > problems.length ? `the first ${count(problems.length)} of ${count(rows)}` : `${count(rows)} problems`;
    return this.scenario.replaceChildren(
      make("p", {}, make("b", {}, name), `: ${shown}`),
      make("div", { class: "row" }, button("‹", "Problem before", -1), this.number, button("›", "Next problem", 1)),
      this.rowFacts,
    );
  }

  /** Take a problem's start and goal. */
  choose(row) {
    const { problems } = this.#rows;
    this.row = Math.max(0, Math.min(problems.length - 1, Math.round(row) || 0));
    this.number.value = this.row + 1;
    const [sx, sy, gx, gy] = problems[this.row];
    const { model } = this.app;
    this.app.letGo();
    model.begin();
    this.#rows.prepare?.(this.row);
    model.start = [sx, sy];
    model.goal = [gx, gy];
    model.end();
    this.app.tell("map");
    this.app.changed(true);
    this.#showRow();
  }

  #showRow() {
    if (!this.problem) return;
    const [sx, sy, gx, gy, optimum] = this.problem;
    const result = this.app.active.result;
    const list = [
      ["start", place([sx, sy])],
      ["goal", place([gx, gy])],
      ["optimal length", decimal(optimum, 6)],
    ];
    const { start, goal } = this.app.model;
    const same = start.join() === `${sx},${sy}` && goal.join() === `${gx},${gy}`;
    if (same && result) list.push(["found", result.cost === null ? "no path" : decimal(result.cost, 6)]);
    this.rowFacts.replaceChildren(...list.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  }

  // ---- examples

  listExamples() {
    const select = byId("examples");
    select.append(make("option", { value: "", hidden: true }, "own map"));
    for (const { name, title, summary } of this.app.registry.examples)
      select.append(make("option", { value: name, title: summary }, title));
    select.addEventListener("change", async () => (await this.onChoice?.(select.value)) || this.example(select.value));
  }

  /** Show an example; a query of a link may differ from its own. */
  example(name, query = null, newest = this.newest()) {
    const show = (terrain) => {
      const shown = terrain.example ?? this.app.registry.examples.find((one) => one.name === name);
      this.leave();
      const { start, goal, grid, algorithm, options, compare, title, walk, overlay } = shown;
      const own = { start, goal, grid, panes: compare ?? [{ algorithm, options }] };
      this.app.showMap({ ...terrain, name: title }, { example: name }, query ?? own);
      byId("examples").value = name;
      byId("about").textContent = byId("about").title = shown.summary;
      if (walk) this.onWalk?.(walk);
      if (overlay) this.onOverlay?.(overlay);
    };
    return this.bring(() => api.example(name), show, newest);
  }
}
