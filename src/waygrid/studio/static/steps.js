// The pseudo-code of an algorithm, as its declaration has it, with the lines of the current event.

import { make } from "./dom.js";

export class CodePart {
  #shown = null;

  constructor(app) {
    this.app = app;
    this.element = make("ol", { class: "code", "aria-label": "Pseudo-code", translate: false });
  }

  show({ info }, thinking) {
    if (this.#shown !== info) {
      this.#shown = info;
      this.element.hidden = !info.pseudo_code.length;
      this.element.replaceChildren(...info.pseudo_code.map(({ text }) => line(text)));
    }
    const lines = thinking ? linesOf(info.pseudo_code, thinking) : [];
    [...this.element.children].forEach((line, i) => {
      if (lines.includes(i)) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    });
    this.#reveal(this.element.querySelector("[aria-current]"));
  }

  /** Scroll within the list only. */
  #reveal(line) {
    if (!line) return;
    const { element } = this;
    const top = line.offsetTop - element.offsetTop;
    if (top < element.scrollTop || top + line.offsetHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top - element.clientHeight / 2;
  }
}

/** A line, indented; what does not fit goes on below with a larger indent. */
function line(text) {
  const element = make("li", {}, text.trimStart());
  element.style.setProperty("--indent", text.length - text.trimStart().length);
  return element;
}

/** The numbers of the lines that an event belongs to; kinds with a star are for events without a parent. */
export function linesOf(steps, { player }) {
  if (!player.time) return [];
  const event = player.time - 1;
  const kind = player.names[player.trace.kind[event]];
  const fits = (wanted) => steps.flatMap(({ events }, i) => (events.includes(wanted) ? [i] : []));
  const special = player.trace.parent[event] < 0 ? fits(`${kind}*`) : [];
  return special.length ? special : fits(kind);
}
