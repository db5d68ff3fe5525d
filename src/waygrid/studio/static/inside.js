// The page for looking inside: overlays as the registry lists them, with their options and legend.

import * as api from "./api.js";
import { applyButton } from "./apply.js";
import { make, say } from "./dom.js";
import { field } from "./fields.js";
import { showLegend } from "./legend.js";
import { changed, defaults } from "./rules.js";

export class InsidePage {
  #cell = null;

  constructor(app) {
    this.app = app;
    this.chosen = null;
    this.lent = false;
    this.options = {};
    this.asking = new api.Latest(() => this.#ask());
    this.list = make("div", { class: "list", role: "radiogroup", "aria-label": "Overlay" });
    this.rest = make("div", { class: "fields" });
    this.use = make("div", { class: "fields" });
    this.element = make(
      "div",
      { class: "page" },
      make(
        "section",
        {},
        make("h2", {}, "Look inside"),
        make("small", {}, "What algorithms precompute for this map."),
        this.list,
        this.rest,
        this.use,
      ),
    );
    this.#show();
    app.on("leave", () => this.lent && this.choose(""));
    app.on("map", () => this.#gone());
    app.on("settings", () => this.#gone());
    for (const what of ["panes", "result"]) app.on(what, () => this.legend());
  }

  #show() {
    const rows = [{ name: "", title: "None", summary: "" }, ...this.app.registry.overlays];
    this.list.replaceChildren(
      ...rows.map(({ name, title, summary }) => {
        const input = make("input", {
          type: "radio",
          name: "overlay",
          value: name,
          checked: name === (this.chosen?.name ?? ""),
        });
        input.addEventListener("change", () => this.choose(name));
        return make("label", {}, input, make("span", {}, title, make("small", {}, summary)));
      }),
    );
  }

  /** Show an overlay that belongs to an example: it goes with its map, unless a person has chosen another. */
  lend(name) {
    this.choose(name);
    this.lent = true;
  }

  choose(name) {
    this.lent = false;
    this.chosen = this.app.registry.overlays.find((overlay) => overlay.name === name) ?? null;
    this.options = this.chosen ? defaults(this.chosen.needs) : {};
    this.list.querySelector(`[value="${name}"]`).checked = true;
    this.#cell = this.chosen?.cursor ? this.app.model.start : null;
    const rows = (this.chosen?.needs ?? []).map((option) =>
      field(option, option.default, (value) => {
        this.options[option.name] = value;
        this.asking.put({});
      }),
    );
    if (this.chosen?.cursor) rows.push(make("p", {}, "Point at a cell of the board."));
    this.rest.replaceChildren(...rows);
    if (this.chosen) this.asking.put({});
    else this.#set(null);
  }

  /** The map or its rules changed: show the overlay of the new one. */
  #gone() {
    if (this.app.overlay === null && this.chosen) {
      if (this.chosen.cursor) this.#cell = this.app.model.start;
      this.asking.put({});
    }
    this.legend();
  }

  hover(cell) {
    if (!this.chosen?.cursor || !cell || cell.join() === this.#cell?.join()) return;
    this.#cell = cell;
    this.asking.put({});
  }

  async #ask() {
    const { chosen, app } = this;
    if (!chosen) return;
    const { grid, version } = app.model; // walls are drawn in place: the terrain alone does not tell
    const options = changed(chosen.needs, this.options);
    try {
      const question = {
        grid,
        overlay: chosen.name,
        options,
        cell: this.#cell,
        pane: "overlay",
        token: api.newToken(),
      };
      const answer = await api.overlay(app.model, question);
      if (this.chosen === chosen && app.model.version === version && app.model.grid === grid) this.#set(answer);
    } catch (error) {
      if (this.chosen !== chosen || app.model.version !== version || error.code === "cancelled") return;
      this.chosen = null;
      this.rest.replaceChildren();
      this.#show();
      this.#set(null);
      say(error.message, "error");
    }
  }

  #set(overlay) {
    this.app.overlay = overlay;
    this.app.repaint();
    const button = applyButton(this.app, () => this.choose(""));
    this.use.replaceChildren(...(button ? [button] : []));
    this.legend();
  }

  legend() {
    showLegend(this.app);
  }
}
