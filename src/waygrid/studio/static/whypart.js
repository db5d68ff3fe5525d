// The question why one cell was expanded before another: pick two cells on the board.

import { make, place } from "./dom.js";
import { explain } from "./why.js";

export class WhyPart {
  #cells = []; // that were picked: [x, y]
  #asking = false;

  constructor(app, tools) {
    this.app = app;
    this.tools = tools;
    this.button = make("button", { type: "button", class: "button", id: "why", "aria-pressed": "false" }, "Pick two cells");
    this.button.addEventListener("click", () => this.#ask(!this.#asking));
    this.answer = make("p", { id: "why-answer", role: "status" });
    this.there = make("button", { type: "button", class: "button", id: "why-there", hidden: true }, "Show that moment");
    this.there.addEventListener("click", () => app.clock.seek(this.time));
    this.element = make(
      "section",
      {},
      make("h2", {}, "Why this cell before that one?"),
      make("div", { class: "row" }, this.button, this.there),
      this.answer,
    );
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.#asking && this.#ask(false));
    app.on("map", () => this.forget());
  }

  #ask(asking) {
    this.#asking = asking;
    this.button.setAttribute("aria-pressed", String(asking));
    this.button.textContent = asking ? "Cancel" : "Pick two cells";
    this.tools.picks(this, asking ? (_, cell) => this.pick(cell) : null);
    if (asking) this.forget("Click the cell that came first.");
    else if (this.#cells.length < 2) this.forget();
  }

  /** Take a cell; after the second one the answer is there. */
  pick(cell) {
    if (!this.app.model.passable(cell)) {
      this.answer.textContent = `(${place(cell)}) is a wall; click another cell.`;
      return;
    }
    this.#cells.push([...cell]);
    this.#mark();
    if (this.#cells.length === 1) this.answer.textContent = `(${place(cell)}) before which other cell? Click it.`;
    if (this.#cells.length < 2) return;
    this.#ask(false);
    this.show(this.app.active, this.thinking);
  }

  forget(text = "Pick two cells on the board: the answer names their g, h and f at that moment.") {
    this.#cells = [];
    this.there.hidden = true;
    this.answer.textContent = text;
    this.#mark();
  }

  #mark() {
    const [pinned = null, other = null] = this.#cells;
    for (const { board } of this.app.panes) board.show({ pinned, other });
  }

  show(pane, thinking) {
    this.thinking = thinking;
    this.button.disabled = !thinking;
    if (!thinking) return;
    if (!this.answer.textContent) this.forget();
    if (this.#cells.length < 2) return;
    const { model } = this.app;
    const { width } = model.terrain;
    const name = (cell) => `(${cell % width}, ${Math.floor(cell / width)})`;
    const { text, time } = explain(thinking, ...this.#cells.map((cell) => model.number(cell)), name);
    if (this.answer.textContent !== text) this.answer.textContent = text;
    this.time = time;
    this.there.hidden = time === null;
  }
}
