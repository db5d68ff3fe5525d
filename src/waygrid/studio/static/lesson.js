// The beginning of an exported page, which has no server: its answers are in the page, and main.js asks as always.
//
// The page holds blocks of compressed data (elements `block-0`, ...) and an index of them: the registry, and for each
// search that was recorded the request and its block. studio/lesson.py writes them.

import { answerWith } from "./api.js";
import { readTrace } from "./columns.js";
import { byId } from "./dom.js";
import { fromText, through } from "./link.js";
import { changed } from "./rules.js";
import { decode, encode } from "./wire.js";

const NOT_HERE =
  "This page has only the searches that were exported with it. `waygrid studio` opens the map and searches anew.";

/** The bytes of a block. */
const block = (name) => through(new DecompressionStream("deflate-raw"), fromText(byId(name).textContent.trim()));

const json = (value, status = 200) => new Response(JSON.stringify(value), { status });

/** A message as the server sends it; the columns of a trace are decoded. */
async function message(number) {
  const bytes = await block(`block-${number}`);
  const { header, arrays, shapes } = decode(bytes.buffer);
  const { coded, ...rest } = header;
  if (!coded) return new Response(bytes);
  const trace = readTrace(arrays, coded);
  const entry = (name) => (name in trace ? [trace[name], [trace[name].length]] : [arrays[name], shapes[name]]);
  return new Response(encode(rest, Object.fromEntries(Object.keys(arrays).map((name) => [name, entry(name)]))));
}

/** What decides a search, as one text. */
function keyOf({ map, grid, algorithm, options, start, goal, anyway }, registry) {
  const declared = registry.algorithms.find(({ name }) => name === algorithm)?.options ?? [];
  const chosen = Object.entries(changed(declared, options ?? {})).sort(([a], [b]) => (a < b ? -1 : 1));
  const { topology, corners, metric } = grid;
  return JSON.stringify([map, topology, corners, metric, algorithm, chosen, start, goal, Boolean(anyway)]);
}

/** Answer the requests of the page. */
function answers({ registry, pages, searches }) {
  const recorded = new Map(searches.map(({ question, block: number }) => [keyOf(question, registry), number]));
  const search = (asked) => {
    const number = recorded.get(keyOf(asked, registry));
    return number === undefined ? json({ error: NOT_HERE }, 404) : message(number);
  };
  return async (path, { body } = {}) => {
    const [place] = path.split("?");
    if (place === "/api/registry") return json(registry);
    if (place.startsWith("/api/examples/")) {
      const name = decodeURIComponent(place.slice(14));
      return Object.hasOwn(pages, name) ? message(pages[name]) : json({ error: NOT_HERE }, 404);
    }
    if (place === "/api/search") return search(JSON.parse(body));
    if (place === "/api/progress") return json({ state: "unknown", share: 0, what: "" });
    if (place === "/api/cancel") return json({ cancelled: false });
    return json({ error: NOT_HERE }, 404);
  };
}

const index = JSON.parse(new TextDecoder().decode(await block("lesson-index")));
answerWith(answers(index));
globalThis.fetch = async (path) => (path in index.files ? new Response(index.files[path]) : json({ error: NOT_HERE }, 404));
document.documentElement.dataset.lesson = "";
await import("./main.js");
