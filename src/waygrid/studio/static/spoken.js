// What a screen reader says when searches have ended: the outcome of each board in one sentence.

import { byId, count, decimal, make, place } from "./dom.js";
import { t } from "./language.js";
import { suboptimality } from "./table.js";

/** The outcome of one board. */
export function summary({ letter, label, result, error }) {
  if (!result?.stats) return t("Board {0}, {1}: {2}", letter, label, error ?? t("no result"));
  const { status, cost, moves, stats } = result;
  const sentences = { FOUND: "path found, cost {0}, {1} moves", PARTIAL: "partial path, cost {0}, {1} moves" };
  const found = sentences[status] ?? { UNREACHABLE: "no path exists", CUTOFF: "stopped" }[status] ?? "no result";
  const outcome = t("Board {0}, {1}: {2}", letter, label, t(found, decimal(cost, 2), count(moves)));
  const work = t("{0} cells expanded", count(stats.expanded));
  const longer = suboptimality(result);
  const more = longer === "optimal" ? t("optimal") : longer.startsWith("+") ? t("{0} longer than the best", longer) : "";
  return `${[outcome, work, more].filter(Boolean).join("; ")}.`;
}

/** Say it once for each search, politely. */
export function speakResults(app) {
  const box = make("p", { id: "spoken", class: "unseen", role: "status", "aria-live": "polite", translate: false });
  byId("messages").before(box);
  let said = null;
  app.on("result", () => {
    const { panes, machine } = app;
    const results = panes.map(({ result }) => result);
    if (machine.state !== "finished" || results.every((one, i) => one === said?.[i])) return;
    said = results;
    const { start, goal } = app.model;
    const head = t("Search from {0} to {1}.", place(start), place(goal));
    box.textContent = [head, ...panes.map(summary)].join(" ");
  });
}
