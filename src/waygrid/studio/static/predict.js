// Predict: which cell will be expanded next? The page scores the guesses and says why the search takes the cell it takes.

import { count, decimal, make, place } from "./dom.js";
import { same } from "./expression.js";
import { Moments } from "./moments.js";
import { thinkingOf } from "./thinking.js";

const NEWEST = "of equals the newest on the list is taken first";

/** How an open list is ordered, by the rule of the search: what decides, and what decides among equals. */
const ORDERS = {
  f: { least: "f", ties: NEWEST },
  h: { least: "h", ties: NEWEST },
  ranges: { least: "f", ties: NEWEST },
  jumps: { least: "f", ties: NEWEST },
  lines: { least: "f", ties: NEWEST },
  turns: { least: "f", ties: NEWEST },
  legs: { least: "f", ties: NEWEST },
  gates: { least: "f", ties: NEWEST },
  queue: { first: "in: the cell that has waited longest" },
  queues: { first: "in: the cell that has waited longest on the side whose turn it is" },
  stack: { first: "that is the newest: the cell put there last" },
};

const values = ({ g, h, f }) => `g ${decimal(g, 3)} + h ${decimal(h, 3)} = f ${decimal(f, 3)}`;

/** What a guess means: how it stands, both cells, and a text that explains. */
class Judgement {
  constructor(pane, cell, time) {
    const { model } = pane.app;
    this.pane = pane;
    this.time = time;
    this.cell = cell;
    this.thinking = thinkingOf(pane);
    const { node } = pane.player.trace;
    this.answer = [node[time] % model.terrain.width, Math.floor(node[time] / model.terrain.width)];
    this.right = this.answer.join() === cell.join();
    this.order = (this.thinking.listed && ORDERS[this.thinking.order.rule]) || null;
    const listed = this.order ? this.thinking.open(time, Infinity) : null;
    this.entries = listed?.entries ?? [];
    this.taken = this.entries[listed?.next] ?? null;
    const number = model.number(cell);
    this.guessed = this.entries.find((entry) => entry.cell === number) ?? null;
    this.number = number;
  }

  /** "right", "near" (only the order among equals tells the cells apart) or "wrong". */
  get verdict() {
    if (this.right) return "right";
    const { guessed, taken, order } = this;
    return order?.least && guessed && taken && guessed.key === taken.key ? "near" : "wrong";
  }

  get text() {
    if (this.right) return `Right. ${this.why}`;
    const head = this.verdict === "near" ? "Nearly." : "Wrong.";
    return `${head} ${this.#guess()} ${this.why}`;
  }

  /** Why the search takes the cell that it takes. */
  get why() {
    const { taken, order, answer, thinking, time } = this;
    const name = `The search expands cell ${place(answer)}`;
    if (!taken) return `${name} (${values(thinking.valuesAt(time))}).`;
    if (order.first) return `${name}, the first ${order.first}.`;
    const equals = this.entries.filter(({ key }) => key === taken.key).length - 1;
    const rank = this.entries.indexOf(taken);
    const least = rank === 0 ? `the least ${order.least} on the open list` : "what the list has first";
    if (!equals) return `${name}: ${values(taken)} is ${least}.`;
    const others = equals === 1 ? "Another entry is" : `${count(equals)} other entries are`;
    const differs = (entry) => entry.key === taken.key && !same(entry[order.least], taken[order.least]);
    const equal = this.entries.some(differs) ? `in the same range of ${order.least}` : `equal in ${order.least}`;
    return `${name}: ${values(taken)} is ${least}. ${others} ${equal}; ${order.ties}.`;
  }

  /** What is to be said of the cell that was guessed. */
  #guess() {
    const { cell, guessed, order } = this;
    const name = `Cell ${place(cell)}`;
    if (!this.pane.app.model.passable(cell)) return `${name} is a wall.`;
    const known = this.thinking.values(this.number, this.time);
    const about = this.pane.player.about(this.number, this.time);
    if (!known) return `${name} is not on the open list: the search has not generated it yet.`;
    if (!guessed && about.order !== null) {
      return `${name} is not on the open list: it was expanded as no. ${count(about.order + 1)}.`;
    }
    if (!guessed) return `${name} has ${values(known)}.`;
    const rank = this.entries.indexOf(guessed) + 1;
    const row = `it is no. ${count(rank)} of ${count(this.entries.length)} on the open list`;
    if (order.first) return `${name} waits too, but ${row}.`;
    return `${name} has ${values(guessed)}: ${row}.`;
  }
}

/** Judge a guess on a board that stands right before an expansion: {verdict, text, answer, why}. */
export function judge(pane, cell, time) {
  const { verdict, text, answer, why } = new Judgement(pane, cell, time);
  return { verdict, text, answer, why };
}

/** Guesses counted. What only the order among equals decides counts neither as right nor as wrong. */
export class Score {
  right = 0;
  wrong = 0;
  near = 0;
  streak = 0;
  best = 0;

  add(verdict) {
    this[verdict]++;
    if (verdict === "right") this.streak++;
    if (verdict === "wrong") this.streak = 0;
    this.best = Math.max(this.best, this.streak);
  }

  /** Right ones in percent, null before the first. */
  get percent() {
    const all = this.right + this.wrong;
    return all ? Math.round((100 * this.right) / all) : null;
  }

  get text() {
    if (this.percent === null && !this.near) return "No guess yet.";
    const share = this.percent === null ? "" : `${this.right} of ${this.right + this.wrong} right (${this.percent} %), `;
    const near = this.near ? `, ${this.near} nearly` : "";
    return `${share}streak ${this.streak}, longest ${this.best}${near}`;
  }
}

/** Right, nearly or wrong as marks on the board. */
export function marksOf(pane, cell, { verdict, answer }) {
  const marks = [{ cell: answer, look: "right", pane: pane.letter }];
  return verdict === "right" ? marks : [{ cell, look: "wrong", pane: pane.letter }, ...marks];
}

export class Predict {
  constructor(app, { tools, flags }) {
    Object.assign(this, { app, tools, flags });
    this.on = false;
    this.last = null; // the last judgement
    this.button = make("button", { type: "button", class: "button", id: "predict", "aria-pressed": "false" });
    this.button.addEventListener("click", () => this.toggle());
    this.skip = make("button", { type: "button", class: "button", id: "predict-show" }, "Show me");
    this.skip.title = "Shows the next cell; the streak ends";
    this.skip.addEventListener("click", () => this.#skip());
    this.score = make("p", { id: "predict-score", class: "score" });
    this.news = make("p", { id: "predict-news", role: "status" });
    this.element = make(
      "section",
      {},
      make("h2", {}, "Predict"),
      make("small", {}, "Click the cell of the selected board that will be expanded next."),
      make("div", { class: "row" }, this.button, this.skip),
      this.score,
      this.news,
    );
    app.on("result", () => this.#anew());
    app.on("leave", () => this.stop());
    this.#anew();
  }

  /** A new search: counted from the beginning. */
  #anew() {
    this.counted = new Score();
    this.last = null;
    this.flags.put("predict", []);
    this.news.textContent = "";
    if (this.on) this.#stand();
    this.#show();
  }

  toggle() {
    if (this.on) this.stop();
    else this.start();
  }

  start() {
    const { player } = this.app.active;
    if (!player?.expansions) {
      this.news.textContent = player
        ? `${this.app.active.algorithm} expands no cells in this search: there is nothing to predict.`
        : "Search first.";
      return;
    }
    this.on = true;
    this.tools.picks("predict", (pane, cell) => this.guess(pane, cell));
    if (this.app.clock.time >= player.length) this.app.clock.seek(0);
    this.#stand();
    this.#show();
  }

  stop() {
    this.on = false;
    this.tools.picks("predict", null);
    this.flags.put("predict", []);
    this.#show();
  }

  get #next() {
    const { app } = this;
    const { player } = app.active;
    return player ? Moments.of(player, app.model.terrain.width).nextExpansion(app.clock.time) : -1;
  }

  /** Stand right before the next expansion. */
  #stand() {
    const next = this.#next;
    if (next >= 0) this.app.clock.seek(next);
    return next;
  }

  guess(pane, cell) {
    const next = this.#stand();
    if (next < 0) return this.#over();
    this.last = judge(pane, cell, next);
    this.counted.add(this.last.verdict);
    this.flags.put("predict", marksOf(pane, cell, this.last));
    this.news.textContent = this.last.text;
    this.#on(next);
    return undefined;
  }

  #skip() {
    const next = this.#stand();
    if (next < 0) return this.#over();
    const { node } = this.app.active.player.trace;
    const { width } = this.app.model.terrain;
    const cell = [node[next] % width, Math.floor(node[next] / width)];
    this.last = judge(this.app.active, cell, next);
    this.counted.streak = 0;
    this.flags.put("predict", marksOf(this.app.active, cell, this.last));
    this.news.textContent = this.last.why;
    this.#on(next);
    return undefined;
  }

  /** Let the expansion happen, and all that follows up to the next one. */
  #on(next) {
    this.app.clock.seek(next + 1);
    if (this.#stand() < 0) this.app.clock.end();
    this.#show();
  }

  #over() {
    this.news.textContent = "The search is over: no cell is expanded any more.";
    this.#show();
  }

  #show() {
    this.button.setAttribute("aria-pressed", String(this.on));
    this.button.classList.toggle("primary", this.on);
    this.button.textContent = this.on ? "Stop predicting" : "Start predicting";
    this.skip.hidden = !this.on;
    this.score.hidden = !this.on && this.counted.percent === null && !this.counted.near;
    this.score.textContent = this.counted.text;
  }
}
