// Doors of a map: buttons that open and close them, for those who do not use the mouse as well.

import { make, place } from "./dom.js";

export class Doors {
  constructor(app, tools) {
    this.app = app;
    this.tools = tools;
    this.list = make("div", { class: "chips doors", role: "group", "aria-label": "Doors" });
    this.element = make(
      "section",
      { id: "doors", hidden: true },
      make("h2", {}, "Doors"),
      make("small", {}, "Click a door on a board, or its number here. It opens or closes, also while agents walk. Open doors are coloured here."),
      this.list,
    );
    app.on("map", () => this.show());
  }

  show() {
    const { terrain } = this.app.model;
    this.element.hidden = !terrain.doors?.length;
    if (this.element.hidden) return this.list.replaceChildren();
    if (this.list.children.length !== terrain.doors.length) this.#build(terrain.doors);
    return terrain.doors.forEach((cell, i) => {
      const open = this.app.model.passable(cell);
      const button = this.list.children[i];
      button.setAttribute("aria-pressed", String(open));
      button.setAttribute("aria-label", `Door ${i + 1}, ${open ? "open" : "closed"}`);
      button.title = `Door ${i + 1} at ${place(cell)}: ${open ? "open" : "closed"}`;
    });
  }

  #build(doors) {
    const mark = (cell) => {
      for (const { board } of this.app.panes) board.show({ hover: cell });
    };
    const buttons = doors.map((_, i) => {
      const cell = () => this.app.model.terrain.doors[i];
      const button = make("button", { type: "button", onclick: () => this.tools.toggleDoor(cell()) }, String(i + 1));
      for (const event of ["focus", "pointerenter"]) button.addEventListener(event, () => mark(cell()));
      for (const event of ["blur", "pointerleave"]) button.addEventListener(event, () => mark(null));
      return button;
    });
    this.list.replaceChildren(...buttons);
  }
}
