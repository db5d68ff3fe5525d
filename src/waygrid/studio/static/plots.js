// The plots beside the boards: search tree and f over time of the selected board, linked with the map by the mouse.

import { byId, count, decimal, make, place } from "./dom.js";
import { Moments } from "./moments.js";
import { css } from "./palette.js";
import { Plot } from "./plot.js";
import { Tree, layOutTree } from "./tree.js";

const PLAYING_MS = 40; // between two drawings while the search is played: the frames belong to the boards

export class Plots {
  #asked = false;
  #player = null; // what is drawn
  #pointed = []; // numbers of expansions
  #hovering = null; // the canvas under the mouse

  constructor(app, flags) {
    Object.assign(this, { app, flags });
    this.shown = false;
    this.tree = new Tree(make("canvas", { id: "tree", role: "img", "aria-label": "Search tree" }));
    this.plot = new Plot(make("canvas", { id: "f-plot", role: "img", "aria-label": "f over time" }));
    this.text = make("p", { id: "plot-text" });
    this.element = byId("plots");
    const close = make("button", { type: "button", class: "close", "aria-label": "Hide the plots" }, "×");
    close.addEventListener("click", () => this.show(false));
    this.head = make("h2", {}, "Search tree");
    this.element.append(
      make("header", {}, this.head, close),
      this.tree.canvas,
      make("h2", {}, "f over time"),
      this.plot.canvas,
      this.text,
    );
    byId("plots-button").addEventListener("click", () => this.show(!this.shown));
    this.#listen(this.tree.canvas, (x, y) => this.tree.at(x, y));
    this.#listen(this.plot.canvas, (x) => this.plot.at(x));
    new ResizeObserver(() => this.redraw()).observe(this.element);
    for (const what of ["moment", "result", "panes", "looks"]) app.on(what, () => this.redraw());
  }

  show(shown) {
    this.shown = shown;
    this.element.hidden = !shown;
    byId("stage").classList.toggle("with-plots", shown);
    byId("plots-button").setAttribute("aria-pressed", String(shown));
    if (!shown) this.#point([]);
    this.redraw();
  }

  get #moments() {
    const { player } = this.app.active ?? {};
    return player ? Moments.of(player, this.app.model.terrain.width) : null;
  }

  // ---- the mouse on a plot, and on the map

  #listen(canvas, find) {
    canvas.addEventListener("pointermove", (event) => {
      const box = canvas.getBoundingClientRect();
      const found = this.#player ? find(event.clientX - box.left, event.clientY - box.top) : -1;
      this.#hovering = canvas;
      this.#point(found < 0 ? [] : [found]);
      this.#link(found);
    });
    canvas.addEventListener("pointerleave", () => {
      this.#hovering = null;
      this.#point([]);
      this.#link(-1);
    });
    canvas.addEventListener("click", () => {
      const [index] = this.#pointed;
      if (index !== undefined && this.#moments) this.app.clock.seek(this.#moments.expansions[index] + 1);
    });
  }

  /** Show on the boards which cell a plot points at. */
  #link(index) {
    const moments = this.#moments;
    const cell = index < 0 || !moments ? null : moments.cell(moments.expansions[index]);
    this.flags.put("plots", cell ? [{ cell, look: "linked" }] : []);
  }

  /** The mouse is on a cell of the map: show its expansions. */
  hover(cell) {
    if (!this.shown || this.#hovering) return;
    const { model, active } = this.app;
    const moments = this.#moments;
    if (!cell || !moments || active.player !== this.#player) return this.#point([]);
    const { from, order } = active.player.lists;
    const number = model.number(cell);
    const events = [...order.subarray(from[number], from[number + 1])].filter((event) => moments.meaning(event) === 3);
    return this.#point(events.map((event) => moments.expandedBefore(event)));
  }

  #point(indexes) {
    if (!indexes.length && !this.#pointed.length) return;
    this.#pointed = indexes;
    this.redraw();
  }

  /** What is pointed at, for tests. */
  get pointed() {
    return this.#pointed;
  }

  /** Where on the page a node of the tree or a value of the plot is. */
  placeOf(name, i) {
    const shown = this[name];
    const box = shown.canvas.getBoundingClientRect();
    return [box.left + shown.x(i), box.top + (name === "tree" ? shown.y(i) : shown.y(shown.values[i]))];
  }

  // ---- drawing

  redraw() {
    if (!this.shown || this.#asked) return;
    this.#asked = true;
    const draw = () =>
      requestAnimationFrame(() => {
        this.#asked = false;
        this.#draw();
      });
    if (this.app.machine.state === "playing") setTimeout(draw, PLAYING_MS);
    else draw();
  }

  #draw() {
    const { app } = this;
    if (!this.shown || !app.active) return;
    const { player } = app.active;
    const moments = this.#moments;
    if (player !== this.#player) this.#take(player, moments);
    const style = getComputedStyle(document.documentElement);
    const looks = { path: css(app.colours.path), ink: app.colours.ink };
    for (const name of ["line", "strong", "accent", "soft"]) looks[name] = style.getPropertyValue(`--${name}`).trim();
    const done = moments ? moments.expandedBefore(app.clock.time) : 0;
    this.tree.draw(done, this.#pointed, looks);
    this.plot.draw(done, this.#pointed, looks);
    this.text.textContent = this.#about(moments, done);
  }

  #take(player, moments) {
    this.#player = player;
    this.#pointed = [];
    this.tree.set(player ? layOutTree(player, moments) : null);
    const values = new Float32Array(player?.expansions ?? 0);
    moments?.expansions.forEach((event, i) => (values[i] = moments.f(event)));
    this.plot.set(values);
    const { letter, label } = this.app.active;
    this.head.textContent = this.app.panes.length > 1 ? `Search tree of ${letter}` : "Search tree";
    const { deepest = 0, leaves = 0 } = this.tree.layout ?? {};
    const tree = `Search tree of ${label}: ${count(values.length)} expansions, ${count(leaves)} leaves, depth ${deepest}`;
    this.tree.canvas.setAttribute("aria-label", tree);
    const span = values.length ? `, from ${decimal(this.plot.least, 2)} to ${decimal(this.plot.most, 2)}` : "";
    this.plot.canvas.setAttribute("aria-label", `f of each expansion of ${label}${span}`);
  }

  #about(moments, done) {
    if (!moments) return "No search is shown.";
    if (!moments.expansions.length) return `${this.app.active.algorithm} expands no cells in this search.`;
    const [index] = this.#pointed;
    if (index === undefined) return `${count(done)} of ${count(moments.expansions.length)} expansions; click one to go there.`;
    const event = moments.expansions[index];
    const { g, h } = this.#player.trace;
    const values = `g ${decimal(g[event], 3)} + h ${decimal(h[event], 3)} = f ${decimal(moments.f(event), 3)}`;
    return `Expansion ${count(index + 1)}: cell ${place(moments.cell(event))}, depth ${this.tree.layout.depth[index]}, ${values}`;
  }
}
