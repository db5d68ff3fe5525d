// The part of the page for breakpoints: the list, a form for another one, and buttons that run to them.

import { WHATS, describeStop } from "./breakpoints.js";
import { byId, count, decimal, make, place, say } from "./dom.js";
import { ABOUT } from "./moments.js";

const ANYWHERE = "any cell";

export class BreakpointPart {
  #cell = null; // of the form

  constructor(app, breakpoints, { tools, flags }) {
    Object.assign(this, { app, breakpoints, tools, flags });
    this.list = make("ul", { class: "stops" });
    this.news = make("p", { id: "stop-news", role: "status" });
    this.element = make(
      "section",
      {},
      make("h2", {}, "Breakpoints"),
      make("small", {}, "Play stops where one of them holds, on any board."),
      this.list,
      this.#form(),
      this.#runs(),
      this.news,
    );
    breakpoints.onChange(() => this.show());
    app.on("map", () => this.#choose(null));
    app.on("moment", () => this.#forget());
    this.show();
  }

  #form() {
    this.what = make("select", { id: "stop-what", "aria-label": "Stop when" });
    for (const { what, text } of WHATS) this.what.append(make("option", { value: what }, text));
    this.pick = make("button", { type: "button", class: "button", id: "stop-cell", "aria-pressed": "false" }, ANYWHERE);
    this.pick.title = "Press, then click a cell of a board; press again for any cell";
    this.pick.addEventListener("click", () => this.#pickCell());
    const names = Object.entries(ABOUT).map(([name, about]) => `${name}: ${about}`);
    this.condition = make("input", {
      type: "text",
      id: "stop-if",
      placeholder: "for example f > 20 and x == 5",
      "aria-label": "Condition",
      title: `Names: ${names.join(", ")}. Also and, or, not, < <= > >= == !=, + - * / %, abs, min, max.`,
      maxLength: 300,
      spellcheck: false,
      autocomplete: "off",
    });
    this.fault = make("p", { class: "fault-text", id: "stop-fault", role: "alert", hidden: true });
    const add = make("button", { type: "submit", class: "button", id: "stop-add" }, "Add");
    const form = make(
      "form",
      { class: "stop-form" },
      make("div", { class: "field" }, make("label", { for: "stop-what" }, "when"), this.what),
      make("div", { class: "field" }, make("label", { for: "stop-cell" }, "in"), this.pick),
      make("div", { class: "field" }, make("label", { for: "stop-if" }, "and if"), this.condition),
      this.fault,
      add,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#add();
    });
    return form;
  }

  #add() {
    this.fault.hidden = true;
    try {
      this.breakpoints.add({ what: this.what.value, cell: this.#cell, if: this.condition.value });
      this.condition.value = "";
      this.#choose(null);
    } catch (error) {
      this.fault.textContent = error.message;
      this.fault.hidden = false;
      if (error.place) this.condition.setSelectionRange(error.place - 1, error.place);
    }
  }

  #pickCell() {
    if (this.#cell) return this.#choose(null);
    const waiting = this.pick.getAttribute("aria-pressed") === "true";
    if (waiting) return this.#choose(null);
    this.pick.setAttribute("aria-pressed", "true");
    this.pick.textContent = "click a cell…";
    this.tools.picks("stop", (pane, cell) => this.#choose(cell));
    return undefined;
  }

  #choose(cell) {
    this.#cell = cell;
    this.tools.picks("stop", null);
    this.pick.setAttribute("aria-pressed", "false");
    this.pick.textContent = cell ? `cell ${place(cell)}` : ANYWHERE;
  }

  // ---- running

  #runs() {
    const { clock } = this.app;
    const button = (id, text, title, action) =>
      make("button", { type: "button", class: "button", id, title, onclick: action }, text);
    this.to = make("input", { type: "number", id: "run-event", min: 0, step: 1, "aria-label": "Number of the event" });
    const go = make("button", { type: "submit", class: "button", id: "run-to-event" }, "Run to event");
    const form = make("form", { class: "row" }, this.to, go);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.to.value !== "") clock.seek(Math.round(Number(this.to.value)));
    });
    return make(
      "div",
      {},
      make(
        "div",
        { class: "chips runs" },
        button("run-back", "« Run back", "Back to the last breakpoint (B)", () => this.run(-1)),
        button("step-back", "‹ Step back", "Back to the expansion before (Shift ←)", () => clock.step(-1, true)),
        button("step-over", "Step over ›", "Over to the next expansion (Shift →)", () => clock.step(1, true)),
        button("run-on", "Run on »", "Run to the next breakpoint (N)", () => this.run(1)),
        button("run-to-cell", "Run to a cell…", "Then click a cell: to the next event in it", () => this.#runToCell()),
      ),
      form,
    );
  }

  run(direction) {
    if (this.breakpoints.run(direction)) return;
    const where = direction > 0 ? "after" : "before";
    const none = this.breakpoints.list.some(({ on }) => on) ? `No breakpoint holds ${where} event` : "There is no breakpoint";
    say(none.endsWith("event") ? `${none} ${count(this.app.clock.time)}.` : `${none}: add one on the Learn page.`);
  }

  #runToCell() {
    say("Click a cell: the replay goes to the next event in it.");
    this.tools.picks("run", (pane, cell) => {
      this.tools.picks("run", null);
      if (!this.breakpoints.runToCell(pane, cell)) say(`Nothing happens in cell ${place(cell)} on board ${pane.letter}.`);
    });
  }

  // ---- what is shown

  /** The clock moved on: what it stopped at is no news any more. */
  #forget() {
    const { hit } = this.breakpoints;
    if (hit && this.app.clock.time !== hit.event + 1 && this.app.machine.state !== "playing") {
      this.breakpoints.hit = null;
      this.show();
    }
  }

  show() {
    const { list, hit } = this.breakpoints;
    this.list.replaceChildren(...list.map((stop) => this.#row(stop, hit?.stop === stop)));
    this.flags.put("stop", list.filter(({ on, cell }) => on && cell).map(({ cell }) => ({ cell, look: "stop" })));
    this.news.textContent = hit ? this.#said(hit) : "";
    if (hit && byId("page-learn")?.hidden) say(this.#said(hit));
  }

  #row(stop, met) {
    const words = describeStop(stop);
    const box = make("input", { type: "checkbox", checked: stop.on, "aria-label": `Stop when ${words}` });
    box.addEventListener("change", () => this.breakpoints.enable(stop, box.checked));
    const remove = make("button", { type: "button", class: "button icon", "aria-label": `Remove: ${words}` }, "×");
    remove.addEventListener("click", () => this.breakpoints.remove(stop));
    return make("li", { class: met ? "met" : "" }, make("label", {}, box, make("span", {}, words)), remove);
  }

  /** Where it stopped and why, in one sentence. */
  #said({ event, pane, stop }) {
    const { trace, names } = pane.player;
    const cell = trace.node[event];
    const { width } = this.app.model.terrain;
    const where = cell < 0 ? "" : ` cell ${place([cell % width, Math.floor(cell / width)])}`;
    const [g, h] = [trace.g[event], trace.h[event]];
    const values = `g ${decimal(g, 3)}, h ${decimal(h, 3)}, f ${decimal(g + h, 3)}`;
    const board = this.app.panes.length > 1 ? ` on board ${pane.letter}` : "";
    return `Stopped after event ${count(event + 1)}${board}: ${names[trace.kind[event]]}${where} (${values}), as ${describeStop(stop)}.`;
  }
}
