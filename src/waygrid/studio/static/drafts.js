// Maps that were drawn or opened, kept in the browser so that they survive a reload.
//
// Every tab has a slot of its own in localStorage, so that tabs do not overwrite each other. Which slot is a tab's own
// stands in sessionStorage, but only while the page is not shown: a tab that is duplicated meanwhile gets another slot.

import { count, make, say } from "./dom.js";
import * as link from "./link.js";

const SLOT = "waygrid.drawing.";
const TAB = "waygrid.tab";
const MOST_SLOTS = 8;
const DAY_MS = 24 * 3600 * 1000;
const LONGEST_DAYS = { drawn: 30, opened: 1 }; // a slot is kept; a file that was only opened can be opened again
const STALE_MS = 10 * 60 * 1000; // a tab that has not written for so long may have crashed
const WAIT_MS = 300; // after a change, before it is written
const TOO_LARGE = "This map is too large to be saved in the browser: a reload will lose it. Export it to keep it.";

const newId = () => `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 10)}`;

export class Drafts {
  #id;
  #own = false; // this page has written the slot, or has restored it
  #timer = null;
  #warned = false;
  #gone = false; // the last word is written: the page becomes hidden after that
  #discarded = null; // the source of a map that is not to be kept, though it is still shown

  /** `state` returns what a link would say; `base` what the page shows without a draft, by its address. */
  constructor(app, { state, base }) {
    this.app = app;
    this.state = state;
    this.base = base;
    this.element = make("section", { id: "drafts", hidden: true });
    this.#id = this.#try(() => sessionStorage.getItem(TAB)) ?? newId();
    this.#here();
    this.#prune();
    for (const what of ["map", "panes", "settings", "result"]) app.on(what, () => this.#later());
    app.on("leave", () => this.#leave());
    window.addEventListener("pagehide", () => {
      this.save(true);
      this.#gone = true;
      this.#try(() => sessionStorage.setItem(TAB, this.#id));
    });
    window.addEventListener("pageshow", () => this.#here());
    document.addEventListener("visibilitychange", () => document.hidden && this.save());
  }

  #here() {
    this.#gone = false;
    this.#try(() => sessionStorage.removeItem(TAB));
  }

  /** Browsers may forbid all storage: then nothing is kept. */
  #try(action) {
    try {
      return action();
    } catch {
      return null;
    }
  }

  /** A map that no link of an example or a generator brings back. */
  get #keepable() {
    const { edited, source } = this.app.model;
    return source !== this.#discarded && (edited || Boolean(source.file));
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), WAIT_MS);
  }

  /** Write what is shown; `closed`: the page goes, and another tab may offer the slot. */
  save(closed = false) {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#gone) return;
    const key = SLOT + this.#id;
    if (!this.#keepable) {
      if (this.#own) this.#try(() => localStorage.removeItem(key));
      this.#own = false;
      return;
    }
    const { edited, terrain } = this.app.model;
    const { name, width, height } = terrain;
    const shown = { name: String(name).slice(0, 100), width, height, edited };
    const head = { ...shown, closed, saved: Date.now(), base: this.base() };
    this.#own = true;
    if (this.#write(key, `${JSON.stringify(head)}\n${link.pack(this.state(), this.app.model)}`)) return;
    this.#try(() => localStorage.removeItem(key)); // an older state would be taken for this one
    if (edited && !this.#warned) say(TOO_LARGE, "warning");
    this.#warned ||= edited;
  }

  /** Write a slot; others make room for it, the oldest first. */
  #write(key, text) {
    for (;;) {
      try {
        localStorage.setItem(key, text);
        return true;
      } catch (error) {
        if (error.name !== "QuotaExceededError") return true; // no storage at all: nothing to warn of
        const oldest = this.#slots().findLast((slot) => slot.key !== key);
        if (!oldest) return false;
        localStorage.removeItem(oldest.key);
      }
    }
  }

  /** Another map comes. One that was drawn on stays in a slot, which is offered; others can be opened again. */
  #leave() {
    if (this.#timer) this.save();
    if (!this.#own) return;
    if (this.app.model.edited) {
      this.save(true);
      this.#id = newId();
    } else this.#try(() => localStorage.removeItem(SLOT + this.#id));
    this.#own = false;
    this.show();
  }

  // ---- slots

  /** All slots, the newest first. */
  #slots() {
    const keys = this.#try(() => Object.keys(localStorage)) ?? [];
    const slots = keys.filter((key) => key.startsWith(SLOT)).map((key) => ({ ...this.#head(key), key }));
    return slots.sort((a, b) => b.saved - a.saved);
  }

  #head(key) {
    const text = this.#try(() => localStorage.getItem(key)) ?? "";
    return this.#try(() => JSON.parse(text.slice(0, text.indexOf("\n")))) ?? { saved: 0, broken: true };
  }

  #prune() {
    const days = ({ edited }) => (edited ? LONGEST_DAYS.drawn : LONGEST_DAYS.opened);
    const old = (slot) => slot.broken || Date.now() - slot.saved > days(slot) * DAY_MS;
    this.#slots().forEach((slot, i) => (old(slot) || i >= MOST_SLOTS) && this.discard(slot.key));
  }

  discard(key) {
    this.#try(() => localStorage.removeItem(key));
    if (key === SLOT + this.#id) {
      this.#own = false;
      this.#discarded = this.app.model.source;
    }
    this.show();
  }

  /** Drawings that no page shows. */
  get offered() {
    const left = ({ closed, saved }) => closed || Date.now() - saved > STALE_MS;
    return this.#slots().filter((slot) => slot.edited && slot.key !== SLOT + this.#id && left(slot));
  }

  /** This tab's slot from before the page was loaded, or null; a link that someone opens comes first. */
  get own() {
    const slot = this.#slots().find(({ key }) => key === SLOT + this.#id);
    if (!slot) return null;
    const [{ type = "navigate" } = {}] = performance.getEntriesByType("navigation");
    if (slot.base === this.base() && (type !== "navigate" || !location.hash)) return slot;
    this.#id = newId(); // it stays, and is offered
    this.show();
    return null;
  }

  /** What a slot holds, as a link's state; null where it cannot be read, and then it is gone. */
  read({ key, edited }) {
    const text = this.#try(() => localStorage.getItem(key)) ?? "";
    const state = this.#try(() => link.unpack(text.slice(text.indexOf("\n") + 1), this.app.registry.limits.cells));
    if (!state?.terrain) this.discard(key);
    return state?.terrain ? { ...state, edited } : null;
  }

  /** The slot is on the boards: it is this tab's from now on. */
  take(key) {
    if (key !== SLOT + this.#id) this.discard(key);
    this.#own = true;
    this.save();
    this.show();
  }

  // ---- the part of the page for maps

  show() {
    const rows = this.offered.map((slot) => {
      const button = (text, label, action) =>
        make("button", { type: "button", class: "button", "aria-label": label, onclick: action }, text);
      return make(
        "li",
        {},
        make("span", {}, make("b", {}, slot.name), make("small", {}, describe(slot))),
        button("Show", `Show ${slot.name}`, () => this.onShow(slot)),
        button("Discard", `Discard ${slot.name}`, () => this.discard(slot.key)),
      );
    });
    this.element.hidden = !rows.length;
    this.element.replaceChildren(make("h2", {}, "Saved in this browser"), make("ul", { class: "drafts" }, ...rows));
  }
}

const UNITS = [
  [1440, "day"],
  [60, "hour"],
  [1, "minute"],
  [0, ""],
];

/** Size and age of a slot. */
export function describe({ width, height, saved }) {
  const minutes = Math.round((Date.now() - saved) / 60_000);
  const [size, unit] = UNITS.find(([least]) => minutes >= least);
  const number = Math.round(minutes / size);
  const age = unit ? `${number} ${unit}${number > 1 ? "s" : ""} ago` : "just now";
  return `${count(width)} × ${count(height)} cells, ${age}`;
}
