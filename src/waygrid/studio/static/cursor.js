// The boards by keyboard: Enter on a board with the focus shows a cell cursor, Escape takes it away again. Only while
// it is shown do the arrows move it; otherwise they step through the replay, as a click gives a board the focus too.

import { byId, place } from "./dom.js";

const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STRIDE = 10; // cells, with Shift

export class Cursor {
  #pane = null; // the board that has the cursor
  #cell = null; // where it is, or was last

  constructor(app, tools) {
    this.app = app;
    this.tools = tools;
    app.on("map", () => this.#stay());
    app.on("panes", () => this.#pane && !app.panes.includes(this.#pane) && this.#end());
  }

  /** Listen to a board. */
  attach(pane) {
    pane.canvas.addEventListener("keydown", (event) => this.#key(pane, event));
    pane.canvas.addEventListener("blur", () => this.#pane === pane && this.#end());
  }

  #key(pane, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = this.#pane === pane ? this.#action(event) : event.key === "Enter" && (() => this.#begin(pane));
    if (!action) return;
    event.preventDefault();
    event.stopPropagation(); // the page has other uses for these keys
    action();
  }

  #action({ key, shiftKey }) {
    const stride = shiftKey ? STRIDE : 1;
    if (key in MOVES) return () => this.#move(...MOVES[key].map((step) => stride * step));
    return {
      Enter: () => this.#press(),
      Escape: () => this.#end(),
      s: () => this.#place("start"),
      g: () => this.#place("goal"),
    }[key.length === 1 ? key.toLowerCase() : key];
  }

  #begin(pane) {
    const { model } = this.app;
    if (this.app.active !== pane) this.app.activate(pane);
    this.#pane = pane;
    this.#cell = this.#cell && model.inside(this.#cell) ? this.#cell : model.start;
    this.#show();
  }

  #end() {
    this.#pane = null;
    for (const { board } of this.app.panes) board.show({ cursor: null });
    this.tools.onHover?.(null);
    byId("cursor-text").textContent = "";
  }

  /** Another map may be smaller. */
  #stay() {
    if (this.#cell && !this.app.model.inside(this.#cell)) this.#cell = this.app.model.start;
    if (this.#pane) this.#show();
  }

  #move(dx, dy) {
    const { width, height } = this.app.model.terrain;
    const [x, y] = this.#cell;
    this.#cell = [Math.max(0, Math.min(width - 1, x + dx)), Math.max(0, Math.min(height - 1, y + dy))];
    this.#show();
  }

  #press() {
    this.tools.press(this.#pane, this.#cell);
    this.#show();
  }

  #place(end) {
    const placed = this.tools.place(end, this.#cell);
    this.#show(placed ? "" : `: the ${end} cannot be here`);
  }

  #show(more = "") {
    const { model, panes } = this.app;
    const cell = this.#cell;
    this.#pane.board.reveal(cell);
    for (const { board } of panes) board.show({ cursor: cell });
    this.tools.onHover?.(cell);
    const same = (other) => other.join() === cell.join();
    const weight = model.weight(cell);
    const ground = model.passable(cell) ? (weight > 1 ? `weight ${weight}` : "free") : "wall";
    const what = same(model.start) ? "start" : same(model.goal) ? "goal" : ground;
    byId("cursor-text").textContent = `Cell ${place(cell)}, ${what}${more}`;
  }
}
