// Presenter mode: large type, only the boards and the replay, and a line that says what the event does. By key.

import { byId, count, decimal, make, place } from "./dom.js";
import { t } from "./language.js";

const DOES = {
  source: "the search begins at {0}",
  destination: "the goal is {0}",
  generating: "{0} is put on the open list",
  expanding: "{0} is expanded",
  updating: "a cheaper way to {0} is found",
  closing: "{0} is closed",
  end: "the goal {0} is reached",
  subgoal: "{0} is an intermediate goal",
  pruned: "{0} is skipped",
  move: "the agent moves to {0}",
  bound: "a new round begins at {0}",
};

/** What the last event of a board did, as a sentence; empty before the first. */
export function told(player, width) {
  const time = player ? Math.min(player.time, player.length) : 0;
  if (!time) return "";
  const { kind, node, g, h } = player.trace;
  const at = time - 1;
  const cell = node[at] < 0 ? null : [node[at] % width, Math.floor(node[at] / width)];
  const does = DOES[player.names[kind[at]]];
  if (!does) return "";
  const what = t(does, place(cell));
  const valued = player.meaning[kind[at]] >= 1 && player.meaning[kind[at]] <= 3 && g[at] + h[at] > 0;
  const [cost, left, sum] = [g[at], h[at], g[at] + h[at]].map((value) => decimal(value, 2));
  return valued ? `${what} · g ${cost} + h ${left} = f ${sum}` : what;
}

export class Presenter {
  constructor(app, tools) {
    this.app = app;
    this.tools = tools;
    this.line = make("p", { id: "told", translate: false, hidden: true });
    byId("legend").before(this.line);
    this.button = make("button", { type: "button", id: "present", class: "button", "aria-pressed": "false" }, "Present");
    this.button.title = "Large type for a room (L); Escape ends it";
    this.button.addEventListener("click", () => this.set(!this.on));
    byId("theme").before(this.button);
    for (const what of ["moment", "panes", "result"]) app.on(what, () => this.show());
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  get on() {
    return "presenter" in document.documentElement.dataset;
  }

  /** Begin or end it. */
  set(on) {
    if (on) document.documentElement.dataset.presenter = "";
    else delete document.documentElement.dataset.presenter;
    this.button.setAttribute("aria-pressed", String(on));
    this.show();
    requestAnimationFrame(() => this.tools.fit());
  }

  show() {
    this.line.hidden = !this.on;
    if (!this.on) return;
    const { active, model, clock } = this.app;
    const event = clock.time ? t("Event {0} of {1}", count(clock.time), count(clock.length)) : t("Before the first event");
    const what = told(active?.player, model.terrain.width);
    const board = this.app.panes.length > 1 ? `${active.letter}: ` : "";
    this.line.textContent = what ? `${event} · ${board}${what}` : event;
  }

  /** The example, or part of a lesson, after or before the one that is shown. */
  #turn(step) {
    const select = byId("examples");
    const names = this.app.registry.examples.map(({ name }) => name);
    const now = names.indexOf(this.app.model.source.example);
    const next = names[now + step] ?? (now < 0 ? names[0] : null);
    if (!next) return;
    select.value = next;
    select.dispatchEvent(new Event("change"));
  }

  #key(event) {
    const { key, target, shiftKey, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || byId("help").open) return;
    if (target.matches("input:not([type=range]), textarea, select")) return;
    const { clock } = this.app;
    const actions = {
      l: () => this.set(!this.on),
      ...(this.on && {
        Escape: () => this.set(false),
        PageDown: () => (shiftKey ? this.#turn(1) : clock.step(1, true)), // what remote controls send
        PageUp: () => (shiftKey ? this.#turn(-1) : clock.step(-1, true)),
      }),
    };
    const action = actions[key.length === 1 ? key.toLowerCase() : key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
