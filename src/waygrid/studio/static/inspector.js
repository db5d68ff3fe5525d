// What is known of the cell under the mouse, or of one that was clicked, at this moment of the replay.

import { byId, count, decimal, make, place } from "./dom.js";

export class Inspector {
  #hover = null;
  #pinned = null;

  constructor(app, tools) {
    this.app = app;
    this.box = byId("inspector");
    this.more = []; // functions of a cell that return more rows
    tools.onHover = (cell) => {
      this.#hover = cell;
      this.onHover?.(cell);
      this.show();
    };
    tools.onPin = (cell) => this.pin(cell);
    for (const what of ["moment", "result", "map", "walk"]) app.on(what, () => this.show());
  }

  get cell() {
    return this.#hover ?? this.#pinned;
  }

  /** Keep a cell; the same cell again lets it go. */
  pin(cell) {
    this.#pinned = cell && cell.join() !== this.#pinned?.join() ? cell : null;
    for (const { board } of this.app.panes) board.show({ pinned: this.#pinned });
    this.show();
  }

  /** What the inspector says, for one pane: rows of name and value. */
  rows(pane, cell) {
    const more = this.more.flatMap((tell) => tell(cell));
    return more.length && !pane.player ? more : [...this.#searched(pane, cell), ...more];
  }

  #searched(pane, cell) {
    const { model } = this.app;
    const wall = !model.passable(cell);
    const about = wall ? null : pane.player?.about(model.number(cell));
    if (!about) return wall ? [] : [["search", pane.player ? "not reached yet" : "–"]];
    const { width } = model.terrain;
    const parent = about.parent < 0 ? null : [about.parent % width, Math.floor(about.parent / width)];
    const again = about.times > 1 ? `, ${about.times} times` : "";
    return [
      ["last event", about.kind],
      ["g", decimal(about.g, 3)],
      ["h", decimal(about.h, 3)],
      ["f", decimal(about.g + about.h, 3)],
      ["parent", place(parent)],
      ["expanded as", about.order === null ? "–" : `no. ${count(about.order + 1)}${again}`],
    ];
  }

  /** Stay out of the way of the mouse. */
  #dodge([x, y]) {
    const stage = byId("stage").getBoundingClientRect();
    this.box.classList.toggle("right", x < stage.left + 320 && y > stage.bottom - 300);
  }

  show() {
    const { app } = this;
    const cell = this.cell && app.model.inside(this.cell) ? this.cell : null;
    this.box.hidden = !cell;
    if (!cell) return;
    const pane = app.active;
    const wall = !app.model.passable(cell);
    const ground = wall ? "wall" : `weight ${app.model.weight(cell)}`;
    const head = make("h2", {}, `Cell ${place(cell)}`, make("span", {}, ground));
    const board = app.panes.length > 1 && !wall ? make("p", {}, `${pane.letter}: ${pane.label}`) : null;
    const list = make("dl", {});
    for (const [name, value] of this.rows(pane, cell)) list.append(make("dt", {}, name), make("dd", {}, value));
    this.box.replaceChildren(head, ...(board ? [board] : []), list);
    this.box.classList.toggle("pinned", !this.#hover);
    if (this.#hover) this.#dodge(pane.board.placeOf(...cell));
  }
}
