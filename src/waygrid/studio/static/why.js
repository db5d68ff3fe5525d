// Why one cell was expanded before another, in a sentence or two.

import { count, decimal } from "./dom.js";

const RANGES = ["ranges", "jumps", "turns", "lines", "legs"]; // rules for which values of f in a range count as equal

/**
 * Explain the order of two cells (their numbers): {text, time, first, second}. `time` is the moment at which the first
 * of them was about to be expanded, null where none was. `name(cell)` says which cell it is.
 */
export function explain(thinking, one, other, name) {
  const [mine, theirs] = [one, other].map((cell) => expansionOf(thinking, cell));
  if (thinking.next("expanding", 0) < 0) return { text: "This search expanded no cells.", time: null };
  if (one === other) return { text: "Both are the same cell.", time: null };
  if (mine < 0 && theirs < 0) return { text: neither(thinking, one, other, name), time: null };
  const turned = theirs >= 0 && (mine < 0 || theirs < mine);
  const [first, second] = turned ? [other, one] : [one, other];
  const [time, later] = turned ? [theirs, mine] : [mine, theirs];
  const order =
    later < 0
      ? `${name(first)} was expanded, at event ${count(time + 1)}; ${name(second)} never was.`
      : turned
        ? `It was the other way round: ${name(first)} was expanded at event ${count(time + 1)}, ${name(second)} at ${count(later + 1)}.`
        : `${name(first)} was expanded at event ${count(time + 1)}, ${name(second)} at ${count(later + 1)}.`;
  return { text: `${order} ${reason(thinking, time, first, second, name)}`, time, first, second };
}

/** The first expansion of a cell, -1 if there is none. */
function expansionOf({ player, kind }, cell) {
  const { from, order } = player.lists;
  for (let i = from[cell]; i < from[cell + 1]; i++) if (player.trace.kind[order[i]] === kind.expanding) return order[i];
  return -1;
}

function neither(thinking, one, other, name) {
  const met = [one, other].filter((cell) => thinking.values(cell, thinking.player.length));
  if (!met.length) return "Neither was expanded: the search never came to them.";
  const said = met.map((cell) => `${name(cell)} with ${short(thinking.values(cell, thinking.player.length))}`);
  return `Neither was expanded: the search ended before. On the list was ${said.join(", and ")}.`;
}

const short = ({ g, h, f }) => `f = ${decimal(g, 3)} + ${decimal(h, 3)} = ${decimal(f, 3)}`;

/** Why the first cell was expanded at a time and not the second one. */
function reason(thinking, time, first, second, name) {
  const own = thinking.listed ? thinking.taken(time) : -1;
  const waiting = thinking.listed ? thinking.entryOf(second, time) : -1;
  const values = thinking.values(second, time);
  if (waiting < 0 && !values) return notYet(thinking, time, second, name);
  if (!thinking.listed || own < 0) return "There is no open list to compare: this search keeps none, or its trace does not tell the order.";
  if (waiting < 0) return `${name(second)} was not on the open list then.`;
  return compare(thinking, own, waiting, name, time);
}

function notYet({ player, names, listed }, time, cell, name) {
  const { from, order } = player.lists;
  const { kind, parent } = player.trace;
  for (let i = from[cell]; i < from[cell + 1]; i++) {
    const event = order[i];
    if (event < time || names[kind[event]] !== "generating") continue;
    const above = parent[event] < 0 || !listed ? "" : ` from ${name(parent[event])}`;
    return `${name(cell)} was not yet generated then; that happened at event ${count(event + 1)}${above}.`;
  }
  return `${name(cell)} was never generated, so it never was on the open list.`;
}

/** Both were on the list. */
function compare(thinking, own, waiting, name, time) {
  const { rule } = thinking.order;
  const [a, b] = [own, waiting].map((event) => thinking.valuesAt(event));
  if (rule === "queue" || rule === "queues") return inLine(thinking, own, waiting, name, a, b);
  if (rule === "stack") return `${name(b.cell)} lay below it on the stack: last in, first out.`;
  const both = `Then ${name(a.cell)} had ${short(a)} and ${name(b.cell)} ${short(b)}.`;
  if (thinking.compare(own, waiting) > 0) return `${both} ${AWAY[rule] ?? "The search had dropped its entry."}`;
  const newer = `of equals the newest comes first: ${name(a.cell)} was put on the list at event ${count(own + 1)}, ${name(b.cell)} at ${count(waiting + 1)}`;
  if (rule === "h") return byNumber(a.h, b.h, "h", "only h counts, and the least comes first", both, newer);
  if (rule === "gates" && thinking.key(own) < 0) return `${both} Its f had fallen below the current one, and such entries come first.`;
  if (RANGES.includes(rule)) {
    if (thinking.key(own) < thinking.key(waiting)) return byNumber(a.f, b.f, "f", "the least f comes first", both, newer);
    const wide = decimal(2 ** thinking.order.shift / thinking.unit, 3);
    const held = own > waiting || a.f === b.f ? "" : " or the best of its expansion";
    return `${both} Values of f in one range of ${wide} count as equal, and within it the newest${held} comes first.`;
  }
  return byNumber(a.f, b.f, "f", "the least f comes first", both, newer, thinking.key(own) === thinking.key(waiting));
}

function byNumber(mine, theirs, letter, rule, both, newer, equal = mine === theirs) {
  if (equal) return `${both} Their ${letter} are equal, and ${newer}.`;
  return `${both} ${rule[0].toUpperCase()}${rule.slice(1)}.`;
}

function inLine(thinking, own, waiting, name, a, b) {
  const [one, other] = [own, waiting].map((event) => count(event + 1));
  if (own < waiting)
    return `First in, first out: ${name(a.cell)} came into the queue at event ${one}, ${name(b.cell)} at ${other}.`;
  return `${name(a.cell)} belongs to the search from the other end, whose layer is expanded first: it has fewer cells.`;
}

const AWAY = {
  legs: "But the leg to the second one had turned out to be blocked, and it waited again with a larger f.",
  lines: "But a cheaper line had passed the second one, which took it off the list.",
};
