// The page for the thinking of a search at this moment: pseudo-code, open list, why one cell came before another, and
// details of the current event.

import { DetailPart } from "./details.js";
import { decimal, make } from "./dom.js";
import { OpenPart } from "./openpart.js";
import { CodePart } from "./steps.js";
import { WhyPart } from "./whypart.js";

const PAUSE_MS = 120; // between two looks at a search that plays

export class ThinkPage {
  #waiting = null;

  constructor(app, tools) {
    this.app = app;
    this.now = make("p", { class: "now", id: "now" });
    this.code = new CodePart(app);
    this.list = new OpenPart(app);
    this.why = new WhyPart(app, tools);
    this.detail = new DetailPart(app);
    const box = make("input", { type: "checkbox", id: "values", checked: app.values });
    box.addEventListener("change", () => {
      app.values = box.checked;
      for (const pane of app.panes) pane.board.show({ values: pane.values });
    });
    const values = make("label", { class: "check" }, box, "g, h, f and parents in the cells, when zoomed in");
    this.element = make(
      "div",
      { class: "page think" },
      make("section", {}, this.now, this.code.element),
      this.list.element,
      this.why.element,
      make("section", {}, make("h2", {}, "On the board"), make("div", { class: "column" }, values, this.detail.element)),
    );
    for (const what of ["moment", "result", "panes"]) app.on(what, () => this.#later());
    new IntersectionObserver(() => this.show()).observe(this.element); // the tab was chosen
  }

  /** A search that plays changes often; the page need not follow each of its frames. */
  #later() {
    if (this.app.machine.state !== "playing") return this.show();
    this.#waiting ??= setTimeout(() => this.show(), PAUSE_MS);
    return undefined;
  }

  show() {
    clearTimeout(this.#waiting);
    this.#waiting = null;
    const { active } = this.app;
    if (!active) return;
    this.detail.show(active);
    if (!this.element.checkVisibility()) return;
    const thinking = active.thinking;
    this.now.textContent = thinking ? describe(thinking, this.app.model.terrain.width) : "There is no search to show.";
    this.code.show(active, thinking);
    this.list.show(active, thinking);
    this.why.show(active, thinking);
  }
}

/** The current event in words. */
function describe(thinking, width) {
  const { player } = thinking;
  if (!player.time) return "Before the first event.";
  const { kind, cell, ...values } = thinking.valuesAt(player.time - 1);
  const at = `${WORDS[kind] ?? kind} (${cell % width}, ${Math.floor(cell / width)})`;
  if (!["generating", "expanding", "updating"].includes(kind)) return at;
  return `${at}: ${thinking.fields.map((name) => `${name} ${decimal(values[name], 3)}`).join(", ")}`;
}

const WORDS = {
  source: "The start is",
  destination: "The goal is",
  generating: "Generating",
  expanding: "Expanding",
  updating: "Updating",
  closing: "Closing",
  end: "The end at",
  subgoal: "Subgoal",
  pruned: "Skipping",
  move: "Moving to",
  bound: "A new round from",
};
