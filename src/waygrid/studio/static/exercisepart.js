// The part of the page for exercises: one question at a time, checked, with the teacher's explanation.

import { byId, decimal, download, make, place, say } from "./dom.js";
import { CELL_NAMES, checkNumber, figuresOf } from "./exercises.js";
import { CLOSED, OPEN, STATE, UPDATED } from "./player.js";
import { Moments } from "./moments.js";
import { Score, judge, marksOf } from "./predict.js";

export class ExercisePart {
  constructor(app, { tools, flags }) {
    Object.assign(this, { app, tools, flags });
    this.exercise = null;
    this.number = 0; // of the question
    this.answered = []; // per question: null, or whether the first answer was right
    this.element = make("section", { id: "exercise", hidden: true });
    app.on("leave", () => this.leave());
    app.on("result", () => this.#place());
  }

  /** Take an exercise whose map is on the boards now; `stay`: the moment of the replay is the right one. */
  begin(exercise, number = 0, stay = false) {
    this.exercise = exercise;
    this.stay = stay;
    this.answered = exercise.questions.map(() => null);
    this.#open(Math.max(0, Math.min(exercise.questions.length - 1, number)));
  }

  leave() {
    if (!this.exercise) return;
    this.exercise = null;
    this.tools.picks("exercise", null);
    this.flags.put("exercise", []);
    this.element.hidden = true;
    this.element.replaceChildren();
  }

  /** What a link carries. */
  get state() {
    return this.exercise ? { exercise: this.exercise.data, question: this.number } : {};
  }

  get question() {
    return this.exercise?.questions[this.number] ?? null;
  }

  get pane() {
    return this.app.panes.find(({ letter }) => letter === this.question.board) ?? this.app.panes[0];
  }

  get right() {
    return this.answered.filter((right) => right === true).length;
  }

  #open(number) {
    this.number = number;
    this.placed = false;
    this.tools.picks("exercise", null);
    this.flags.put("exercise", []);
    this.#show();
    this.#place();
  }

  /** Show the moment that the question is about; as soon as the search is there. */
  #place() {
    const { app, question } = this;
    if (!question || this.placed || !this.pane.player) return;
    this.placed = true;
    const { clock } = app;
    const { at } = question;
    if (app.panes.length > 1) app.activate(this.pane);
    const time = at === "start" ? 0 : at === "end" ? clock.length : at;
    if (!this.stay) setTimeout(() => this.question === question && clock.seek(time));
    this.stay = false;
    if (["predict", "cell"].includes(question.kind)) {
      this.counted = new Score();
      this.tools.picks("exercise", (pane, cell) => this.#clicked(pane, cell));
    }
  }

  // ---- answers

  /** The first answer counts; later ones only show more. */
  #mark(right, words) {
    if (this.answered[this.number] === null) this.answered[this.number] = right;
    const { why } = this.question;
    this.news.className = right ? "right" : "wrong";
    this.news.textContent = [words, right ? why : ""].filter(Boolean).join(" ");
    this.#tally();
  }

  #clicked(pane, cell) {
    if (pane !== this.pane) return say(`This question is about board ${this.pane.letter}.`);
    return this.question.kind === "predict" ? this.#predicted(pane, cell) : this.#chosenCell(pane, cell);
  }

  #predicted(pane, cell) {
    const { clock, model } = this.app;
    const moments = Moments.of(pane.player, model.terrain.width);
    const next = moments.nextExpansion(clock.time);
    if (next < 0) return say("The search is over: no cell is expanded any more.");
    clock.seek(next);
    const judged = judge(pane, cell, next);
    this.counted.add(judged.verdict);
    this.flags.put("exercise", marksOf(pane, cell, judged));
    const after = moments.nextExpansion(next + 1);
    clock.seek(after < 0 ? pane.player.length : after);
    const { guesses, needed } = this.question;
    const { right, near, wrong } = this.counted;
    const made = right + near + wrong;
    const words = `${judged.text} Guess ${made} of ${guesses}: ${right} right.`;
    this.news.className = judged.verdict;
    this.news.textContent = words;
    if (made < guesses && after >= 0) return undefined;
    this.tools.picks("exercise", null);
    this.#mark(right + near >= needed, words);
    return undefined;
  }

  #chosenCell(pane, cell) {
    const { where } = this.question;
    const values = this.#valuesOf(pane, cell);
    const right = where.run(values);
    this.flags.put("exercise", [{ cell, look: right ? "right" : "wrong", pane: pane.letter }]);
    const shown = Number.isFinite(values.f)
      ? ` has g ${decimal(values.g, 3)}, h ${decimal(values.h, 3)}, f ${decimal(values.f, 3)}`
      : values.is_wall
        ? " is a wall"
        : " is not reached yet";
    this.#mark(right, `${right ? "Right:" : "Wrong:"} cell ${place(cell)}${shown}.`);
  }

  /** The values of CELL_NAMES at this moment. */
  #valuesOf(pane, cell) {
    const { model } = this.app;
    const number = model.number(cell);
    const { player, result } = pane;
    const about = player.about(number);
    const { path } = result;
    let onPath = false;
    for (let i = 0; i < path.length; i += 2) onPath ||= path[i] === cell[0] && path[i + 1] === cell[1];
    const state = player.states[number] & STATE;
    const values = {
      g: about?.g ?? NaN,
      h: about?.h ?? NaN,
      f: about ? about.g + about.h : NaN,
      x: cell[0],
      y: cell[1],
      order: about?.order === null || !about ? NaN : about.order + 1,
      weight: model.weight(cell),
      is_open: state === OPEN || state === UPDATED,
      is_closed: state >= CLOSED,
      is_reached: about !== null,
      is_path: onPath,
      is_wall: !model.passable(cell),
    };
    console.assert(Object.keys(CELL_NAMES).every((name) => name in values));
    return values;
  }

  #checkNumber(given) {
    if (given === "") return;
    const figures = figuresOf(this.app.panes, this.pane.letter);
    const { right, answer } = checkNumber(this.question, Number(given), figures);
    this.#mark(right, right ? `Right: ${decimal(answer, 3)}.` : `Wrong: not ${decimal(Number(given), 3)}.`);
  }

  #checkChoice(given) {
    if (given === undefined) return;
    const right = given === this.question.answer;
    this.#mark(right, right ? "Right." : "Wrong.");
  }

  // ---- what is shown

  #show() {
    const { exercise, question } = this;
    const { title, text, questions } = exercise;
    this.element.hidden = false;
    this.news = make("p", { id: "exercise-news", role: "status" });
    this.tally = make("p", { id: "exercise-score", class: "score" });
    const hint = question.hint
      ? make("details", {}, make("summary", {}, "Hint"), make("p", { translate: false }, question.hint))
      : null;
    this.element.replaceChildren(
      make(
        "div",
        { class: "head" },
        make("h2", { translate: false }, title),
        make("small", {}, `question ${this.number + 1} of ${questions.length}`),
      ),
      ...(text && this.number === 0 ? [make("p", { class: "exercise-text", translate: false }, text)] : []),
      make("p", { class: "ask", translate: false }, question.ask),
      this.#control(),
      ...(hint ? [hint] : []),
      this.news,
      this.#buttons(),
      this.tally,
    );
    this.#tally();
  }

  #control() {
    const { kind, choices } = this.question;
    const check = make("button", { type: "submit", class: "button primary", id: "check" }, "Check");
    const form = (action, ...parts) => {
      const element = make("form", {}, ...parts, make("div", { class: "row" }, check));
      element.addEventListener("submit", (event) => {
        event.preventDefault();
        action(element);
      });
      return element;
    };
    if (kind === "choice") {
      const rows = choices.map((choice) =>
        make("label", {}, make("input", { type: "radio", name: "choice", value: choice }), make("span", { translate: false }, choice)),
      );
      const box = make("div", { class: "list", role: "radiogroup", "aria-label": this.question.ask }, ...rows);
      return form((element) => this.#checkChoice(element.querySelector(":checked")?.value), box);
    }
    if (kind === "number") {
      const input = make("input", { type: "number", id: "answer", step: "any", "aria-label": "Your answer" });
      return form(() => this.#checkNumber(input.value), input);
    }
    const click = kind === "predict" ? "Click the cell that is expanded next." : "Click a cell of the board.";
    return make("small", {}, click);
  }

  #buttons() {
    const last = this.exercise.questions.length - 1;
    const button = (id, name, step, disabled) =>
      make("button", { type: "button", class: "button", id, disabled, onclick: () => this.#open(this.number + step) }, name);
    const file = make(
      "button",
      { type: "button", class: "button", id: "exercise-file", title: "The exercise as a file, to change and share" },
      "Save as a file",
    );
    file.addEventListener("click", () => {
      const text = JSON.stringify(this.exercise.data, null, 2);
      const stem = this.exercise.title.toLowerCase().replace(/[^\w]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
      download(new Blob([text], { type: "application/json" }), `${stem || "exercise"}.exercise.json`);
    });
    return make(
      "div",
      { class: "row" },
      button("question-before", "Before", -1, this.number === 0),
      button("question-next", "Next", 1, this.number === last),
      file,
    );
  }

  #tally() {
    const done = this.answered.filter((right) => right !== null).length;
    const all = this.answered.length;
    this.tally.textContent = done ? `${this.right} of ${done} answered right${done === all ? ", all done" : ""}` : "";
    const next = byId("question-next");
    next?.classList.toggle("primary", this.answered[this.number] !== null);
  }
}
