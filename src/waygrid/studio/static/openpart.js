// The open list at this moment, in the order in which the kernel takes entries; each row shows its cell on the board.

import { count, decimal, make } from "./dom.js";

const MOST = 40; // rows

export class OpenPart {
  constructor(app) {
    this.app = app;
    this.size = make("span", { class: "size" });
    this.rule = make("small", {});
    this.rows = make("tbody", {});
    const names = ["", "cell", "g", "h", "f"].map((name) => make("th", { scope: "col" }, name));
    this.table = make("table", { class: "open", "aria-label": "Open list" }, make("thead", {}, make("tr", {}, ...names)), this.rows);
    this.more = make("small", {});
    this.element = make(
      "section",
      { id: "open-list" },
      make("div", { class: "head" }, make("h2", {}, "Open list"), this.size),
      this.rule,
      make("div", { class: "rows" }, this.table),
      this.more,
    );
  }

  show({ info, result }, thinking) {
    const { open_lists: rules } = this.app.registry;
    const listed = Boolean(thinking?.listed) && thinking.next("generating", 0) >= 0;
    this.table.hidden = !listed;
    this.more.textContent = this.size.textContent = "";
    if (!listed) {
      const hidden = info.open_list && result && !result.order?.rule;
      this.rule.textContent = hidden ? sentence(rules.hidden) : "This search keeps none.";
      return;
    }
    const { rule } = thinking.order;
    const { time } = thinking.player;
    const { size, entries, next, passed } = thinking.open(time, MOST);
    const later = next < 0 && thinking.next("expanding", time) >= 0 && thinking.taken(time) < 0;
    this.size.textContent = size === 1 ? "1 entry" : `${count(size)} entries`;
    this.rule.textContent = sentence(rules[rule]);
    this.rows.replaceChildren(...entries.map((entry, i) => this.#row(entry, i, i === next)));
    this.more.textContent = [
      later ? "The entry that is taken next comes into the list only now." : "",
      size > entries.length ? `${count(size - entries.length)} more behind.` : "",
      passed ? `${count(passed)} that the search has dropped without an event are left out.` : "",
    ].join(" ");
  }

  #row({ cell, g, h, f }, number, next) {
    const { width } = this.app.model.terrain;
    const place = [cell % width, Math.floor(cell / width)];
    const mark = (shown) => {
      for (const { board } of this.app.panes) board.show({ hover: shown });
    };
    const values = [g, h, f].map((value) => make("td", {}, decimal(value, 3)));
    const head = make("th", { scope: "row" }, next ? "next" : String(number + 1));
    const at = make("button", { type: "button", title: "Show this cell" }, place.join(", "));
    const row = make("tr", { class: next ? "next" : "" }, head, make("td", {}, at), ...values);
    row.addEventListener("pointerenter", () => mark(place));
    row.addEventListener("pointerleave", () => mark(null));
    at.addEventListener("focus", () => mark(place));
    at.addEventListener("blur", () => mark(null));
    at.addEventListener("click", () => this.app.active.board.reveal(place));
    return row;
  }
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
