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
  ["Generated", "cells put into the open list", ({ stats }) => count(stats.generated)],
  ["Time", "of the search alone", ({ time_us }) => duration(time_us)],
  ["Index", "size of what was prepared", ({ index_bytes }) => (index_bytes ? bytes(index_bytes) : "none")],
  [
    "Build time",
    "how long preparing took",
    ({ build_s, index_bytes }) => (index_bytes ? duration(build_s * 1e6) : "none"),
  ],
];

export function suboptimality({ cost, optimum, status }) {
  if (status !== "FOUND" || optimum === null || optimum === undefined) return "–";
  if (optimum === 0 || cost <= optimum * (1 + 1e-9)) return "optimal";
  return `+${decimal(100 * (cost / optimum - 1), 2)} %`;
}

/** Pairs of name and value of one result, for the panel. */
export const facts = (result) => COLUMNS.map(([name, , value]) => [name, value(result)]);

export class Table {
  constructor(app) {
    this.app = app;
    for (const what of ["result", "panes"]) app.on(what, () => this.show());
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
      if (pane.result?.stats) for (const [, , value] of COLUMNS) row.append(make("td", {}, value(pane.result)));
      else row.append(make("td", { colSpan: COLUMNS.length, class: "fault" }, pane.error ?? "…"));
      body.append(row);
    }
    box.replaceChildren(make("table", {}, make("thead", {}, head), body));
  }
}
