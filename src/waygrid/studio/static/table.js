// The table of a comparison: one row per board.

import { byId, bytes, count, decimal, duration, make } from "./dom.js";

const COLUMNS = [
  [
    "Cost",
    "length of the path found",
    ({ cost, status }) => (status === "FOUND" || status === "PARTIAL" ? decimal(cost, 2) : status.toLowerCase()),
  ],
  ["Suboptimality", "how much longer than the cheapest path", (result) => suboptimality(result)],
  ["Expanded", "update cycles of the whole search", ({ stats }) => count(stats.expanded)],
  ["Generated", "cells put on the open list", ({ stats }) => count(stats.generated)],
  ["Time", "of the search alone, the fastest of several runs", ({ time_us }) => duration(time_us), timeTitle],
  ["Index", "size of the index", ({ index_bytes }) => (index_bytes ? bytes(index_bytes) : "none")],
  [
    "Build time",
    "time of one build, without compiling",
    ({ build_s, index_bytes }) => (index_bytes ? duration(build_s * 1e6) : "none"),
  ],
];

export function suboptimality({ cost, optimum, status, optimal }) {
  if (status !== "FOUND" || optimum === null || optimum === undefined) return "–";
  // A path may be the cheapest by luck: "optimal" is what the search promises.
  if (optimum === 0 || cost <= optimum * (1 + 1e-9)) return optimal ? "optimal" : "0 %";
  return `+${decimal(100 * (cost / optimum - 1), 2)} %`;
}

/** What the time of a result is. */
function timeTitle({ runs }) {
  const measured = runs > 1 ? `The fastest of ${runs} runs, measured inside the compiled code` : "One run";
  return `${measured}; the search alone: no trace, no compilation, no building or loading of an index.`;
}

/** What became of the plans of agents that walk on an edited map. */
function walked({ walking }) {
  const parts = walking.map(([name, value, title]) => make("span", { title }, `${name} `, make("b", {}, count(value))));
  const about = make("small", { title: walking.about }, walking.about);
  return make("td", { colSpan: COLUMNS.length, class: "walked" }, make("div", {}, ...parts, about));
}

/** Name, value and explanation of one result, for the panel. */
export const facts = (result) =>
  COLUMNS.map(([name, title, value, explain]) => [name, value(result), explain?.(result) ?? title]);

export class Table {
  constructor(app) {
    this.app = app;
    for (const what of ["result", "panes", "walk"]) app.on(what, () => this.show());
  }

  show() {
    const { panes, active } = this.app;
    const box = byId("comparison");
    box.hidden = panes.length < 2;
    if (box.hidden) return;
    const head = make("tr", {}, make("th", { scope: "col" }, "Algorithm"));
    for (const [name, title] of COLUMNS) head.append(make("th", { scope: "col", title }, name));
    const body = make("tbody");
    for (const pane of panes) {
      const name = make("th", { scope: "row" }, make("b", {}, pane.letter), ` ${pane.label}`);
      const row = make("tr", { class: pane === active ? "active" : "", onclick: () => this.app.activate(pane) }, name);
      if (pane.result?.stats) {
        for (const [, , value, explain] of COLUMNS)
          row.append(make("td", { title: explain?.(pane.result) ?? "" }, value(pane.result)));
      }
      else if (pane.walking) row.append(walked(pane));
      else row.append(make("td", { colSpan: COLUMNS.length, class: "fault" }, pane.error ?? "…"));
      body.append(row);
    }
    box.replaceChildren(make("table", {}, make("thead", {}, head), body));
  }
}
