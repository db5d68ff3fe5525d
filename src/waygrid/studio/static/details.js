// Details of the current event that lie over the board: what an algorithm looks at there, beside cells and path. Some
// come from the trace, others from the server, which asks the same index and the same kernels.

import * as api from "./api.js";
import { make } from "./dom.js";
import { drawLayers } from "./overlays.js";
import { changed } from "./rules.js";
import { LOCAL } from "./traced.js";

/** Draw the layers of the details that are shown. */
export function drawDetail(context, shown, { geometry, at, scale, seen, colours }) {
  for (const layers of shown) drawLayers(context, layers, geometry, at, scale, seen, colours);
}

export class DetailPart {
  #chosen = new Set();
  #info = null;
  #shown = new Map(); // from the name of a detail to its layers
  #on = null; // the board that has them

  constructor(app) {
    this.app = app;
    this.element = make("div", { class: "column details" });
    this.asking = new api.Latest((question) => this.#ask(question));
  }

  show(pane) {
    if (this.#info !== pane.info || this.#on !== pane) this.#begin(pane);
    const { player } = pane;
    const names = player?.time ? this.#wanted() : [];
    for (const name of this.#shown.keys()) if (!names.includes(name)) this.#shown.delete(name);
    for (const name of names) if (LOCAL[name]) this.#shown.set(name, LOCAL[name](pane));
    const asked = names.filter((name) => !LOCAL[name]);
    const event = player?.last ?? -1; // the expansion or move that the search is at
    if (asked.length && event >= 0) this.asking.put({ pane, player, event, names: asked });
    else this.asking.drop();
    this.#draw();
  }

  #wanted() {
    return this.#info.details.map(({ name }) => name).filter((name) => this.#chosen.has(name));
  }

  /** Another board, or another algorithm on it. */
  #begin(pane) {
    this.#shown.clear();
    this.#draw();
    this.#info = pane.info;
    this.#on = pane;
    this.legends = new Map();
    const rows = pane.info.details.map(({ name, title, summary }) => {
      const box = make("input", { type: "checkbox", data: { detail: name }, checked: this.#chosen.has(name) });
      box.addEventListener("change", () => {
        if (box.checked) this.#chosen.add(name);
        else this.#chosen.delete(name);
        this.show(pane);
      });
      const legend = make("span", { class: "keys" });
      this.legends.set(name, legend);
      const label = make("label", { class: "check" }, box, make("span", {}, title, make("small", {}, summary)));
      return make("div", {}, label, legend);
    });
    this.element.replaceChildren(...rows);
  }

  #draw() {
    const shown = [...this.#shown.values()];
    this.#on?.board.show({ detail: shown.length ? shown : null });
    for (const [name, legend] of this.legends ?? []) {
      const rows = this.#shown.get(name)?.header.legend ?? [];
      legend.replaceChildren(
        ...rows.map(({ text, colour }) => {
          const dot = make("i");
          dot.style.background = colour;
          return make("span", {}, dot, text);
        }),
      );
    }
  }

  async #ask({ pane, player, event, names }) {
    const { node, parent } = player.trace;
    const { model } = this.app;
    const place = (cell) => (cell < 0 ? null : [cell % model.terrain.width, Math.floor(cell / model.terrain.width)]);
    const cell = place(node[event]);
    for (const name of names) {
      const body = {
        grid: model.grid,
        algorithm: pane.algorithm,
        options: changed(pane.info.options, pane.options),
        start: model.start,
        goal: model.goal,
        detail: name,
        cell,
        parent: place(parent[event]),
        pane: `detail ${name}`,
        token: api.newToken(),
      };
      try {
        const answer = await api.detail(model, body);
        if (pane.player !== player || this.#on !== pane || !this.#chosen.has(name)) return;
        this.#shown.set(name, answer);
      } catch (error) {
        this.#shown.delete(name);
        const legend = this.legends.get(name);
        this.#draw();
        if (legend && error.code !== "cancelled") legend.replaceChildren(error.message);
        return;
      }
    }
    this.#draw();
  }
}
