// The page for learning: exercises, predictions and breakpoints; with what links say of them.

import { byId, make, say } from "./dom.js";
import { BreakpointPart } from "./breakpointpart.js";
import { Breakpoints } from "./breakpoints.js";
import { ExercisePart } from "./exercisepart.js";
import { parseExercise, readExercise } from "./exercises.js";
import { Flags } from "./flags.js";
import { Plots } from "./plots.js";
import { Predict } from "./predict.js";

const PREFIX = "exercise:"; // of exercises in the list of examples

export class LearnPage {
  constructor(app, { tools, maps }) {
    Object.assign(this, { app, maps });
    this.flags = new Flags(app);
    this.breakpoints = new Breakpoints(app);
    const shared = { tools, flags: this.flags };
    this.stops = new BreakpointPart(app, this.breakpoints, shared);
    this.predict = new Predict(app, shared);
    this.exercise = new ExercisePart(app, shared);
    this.plots = new Plots(app, this.flags);
    const open = make("button", { type: "button", class: "button", id: "open-exercise" }, "Open an exercise…");
    open.addEventListener("click", () => byId("exercise-picker").click());
    const files = make("section", { hidden: Boolean(app.registry.lesson) }, make("h2", {}, "Exercises"), make("div", { class: "row" }, open));
    files.append(make("small", {}, "A .exercise.json file; or drop it on the page. The list of examples has some too."));
    this.element = make(
      "div",
      { class: "page" },
      this.exercise.element,
      this.predict.element,
      this.stops.element,
      files,
    );
    byId("exercise-picker").addEventListener("change", ({ target }) => {
      const [file] = target.files;
      target.value = "";
      if (file) maps.open(file);
    });
    maps.readExercise = (name, bytes) => parseExercise(name, bytes, app.registry);
    maps.onExercise = (exercise) => this.showExercise(exercise);
  }

  // ---- exercises

  /** Show an exercise's map and begin with its first question. */
  async showExercise(exercise, named = null, newest = this.maps.newest()) {
    const { app, maps } = this;
    const { map, query, title, text } = exercise;
    const drawn = () => {
      maps.leave();
      app.showMap({ ...map.terrain, name: title }, { file: title }, query);
    };
    if (map.example) await maps.example(map.example, query, newest);
    else if (map.generate) await maps.restore(map.generate, query, newest);
    else if (!(await maps.bring(async () => exercise, drawn, newest))) return;
    if (!newest() || !app.model.terrain) return;
    byId("examples").value = named ? PREFIX + named : "";
    byId("about").textContent = byId("about").title = text;
    this.exercise.begin(exercise);
    this.openPage?.("learn");
  }

  /** The exercises that come with the studio stand among the examples. */
  listExercises() {
    const { exercises } = this.app.registry;
    if (!exercises.length) return;
    const group = make("optgroup", { label: "Exercises" });
    for (const { name, title, summary } of exercises) {
      group.append(make("option", { value: PREFIX + name, title: summary }, title));
    }
    byId("examples").append(group);
  }

  /** Show a chosen example where it is an exercise. */
  async choose(value) {
    if (!value.startsWith(PREFIX)) return false;
    const name = value.slice(PREFIX.length);
    const newest = this.maps.newest();
    try {
      const response = await fetch(`/static/exercises/${encodeURIComponent(name)}.json`);
      if (!response.ok) throw new Error(`The server answered ${response.status}.`);
      const exercise = readExercise(await response.json(), this.app.registry);
      if (newest()) await this.showExercise(exercise, name, newest);
    } catch (error) {
      if (newest()) say(error.message, "error");
    }
    return true;
  }

  // ---- links

  /** What a link says beside map, query and settings: the event, breakpoints, the exercise. */
  get state() {
    const { clock } = this.app;
    const stops = this.breakpoints.state;
    return {
      ...(clock.time < clock.length ? { event: clock.time } : {}),
      ...(stops.length ? { stops } : {}),
      ...(this.plots.shown ? { plots: true } : {}),
      ...this.exercise.state,
    };
  }

  /** Take up what a link says; its map is shown already. */
  restore({ stops, exercise, question, event, plots }) {
    this.breakpoints.restore(stops);
    if (plots === true) this.plots.show(true);
    if (!exercise) return;
    try {
      const number = Number.isInteger(question) ? question : 0;
      this.exercise.begin(readExercise(exercise, this.app.registry), number, Number.isInteger(event));
      this.openPage?.("learn");
    } catch (error) {
      say(`The exercise in the link cannot be shown: ${error.message}`, "error");
    }
  }
}
