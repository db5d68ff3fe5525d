// The page of an exported lesson: its parts, and the text of the one that is shown.

import { make } from "./dom.js";

const NEED_SERVER = ["map", "inside", "walk"];

/** Whether a page of the panel is of use: an exported lesson has a text, but no server. */
export const offered = ({ lesson }, id) => (id === "reading" ? Boolean(lesson) : !(lesson && NEED_SERVER.includes(id)));

export class ReadingPage {
  constructor(app, maps) {
    this.app = app;
    this.maps = maps;
    this.parts = make("section", { class: "parts" });
    this.text = make("section", { class: "lesson-text" });
    this.element = make("div", { class: "page reading" }, this.parts, this.text);
    if (app.registry.lesson) app.on("map", () => this.show());
  }

  show() {
    const { lesson, examples } = this.app.registry;
    const now = this.app.model.source.example;
    const shown = examples.find(({ name }) => name === now);
    const buttons = examples.map(({ name, title }) => {
      const current = name === now ? "true" : null;
      const choose = () => this.maps.example(name);
      return make("button", { type: "button", class: "button", "aria-current": current, onclick: choose }, title);
    });
    const several = examples.length > 1;
    this.parts.replaceChildren(make("h2", {}, lesson.title), ...(several ? buttons : []));
    this.text.replaceChildren(...(shown ? this.#paragraphs(shown, several) : []));
  }

  #paragraphs({ title, summary, text = "" }, several) {
    const lines = [summary, ...text.split(/\n\s*\n/)].filter((line) => line.trim());
    return [several ? make("h3", {}, title) : "", ...lines.map((line) => make("p", {}, line.trim()))];
  }
}
