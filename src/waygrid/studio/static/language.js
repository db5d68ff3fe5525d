// The language of the page: English as it is written in the modules, or another one by the table in words.js.
//
// What is shown is translated in the page itself: every text and label that the table knows is replaced when it appears,
// and its English is remembered, so that modules need not know of languages. `t` is for sentences that are put together.

import { byId, make } from "./dom.js";
import { LANGUAGES, WORDS } from "./words.js";

const LABELS = ["aria-label", "title", "placeholder"];
const SKIPPED = "SCRIPT, STYLE, TEXTAREA, [translate=no], #about, .lesson-text, .map-name b, .caption"; // words of people
const KEPT = "waygrid.language";
const LONGEST = 400; // characters of a text that may be a sentence of the table

const number = (text) => Number(text.replace(/\D/g, ""));
const patterns = Object.keys(WORDS)
  .filter((english) => english.includes("{"))
  .map((english) => ({ english, pattern: patternOf(english) }));

let language = "en";
let watching = null;
const written = new WeakMap(); // of a text or element: {name: {english, shown}}

/** A sentence with places {0}, {1}, ... as a pattern of the texts that it makes. */
function patternOf(english) {
  const parts = english.split(/\{\d\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("(.+?)")}$`, "s");
}

const fill = (sentence, values) => sentence.replace(/\{(\d)\}/g, (_, place) => values[number(place)]);

/** The sentence of the table in the language of the page; {0}, {1}, ... are replaced by the values. */
export function t(english, ...values) {
  if (!(english in WORDS)) throw new Error(`words.js has no entry for “${english}”`);
  return fill(WORDS[english][language] ?? english, values);
}

/** A text of the page in its language; null where the table does not know it. */
function translated(text) {
  const bare = text.trim();
  if (!bare || bare.length > LONGEST) return null;
  const around = (found) => text.replace(bare, () => found);
  if (Object.hasOwn(WORDS, bare)) return around(WORDS[bare][language]);
  for (const { english, pattern } of patterns) {
    const found = pattern.exec(bare);
    if (found) return around(fill(WORDS[english][language], found.slice(1).map(inner)));
  }
  return null;
}

/** What stands in a sentence may itself be in the table. */
const inner = (text) => (Object.hasOwn(WORDS, text) ? WORDS[text][language] : text);

/** Translate one text or label, unless it is what was written here before. */
function put(node, name, text, write) {
  const known = written.get(node) ?? {};
  if (known[name]?.shown === text) return;
  const shown = translated(text);
  if (shown === null || shown === text) return;
  written.set(node, { ...known, [name]: { english: text, shown } });
  write(shown);
}

function translate(node) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (!node.parentElement?.closest(SKIPPED)) put(node, "text", node.data, (text) => (node.data = text));
    return;
  }
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(SKIPPED)) return;
  for (const name of LABELS)
    if (node.hasAttribute(name)) put(node, name, node.getAttribute(name), (text) => node.setAttribute(name, text));
  for (const child of node.childNodes) translate(child);
}

/** Back to English: only what still shows a translation. */
function restore(node) {
  const known = written.get(node) ?? {};
  for (const [name, { english, shown }] of Object.entries(known)) {
    if (name === "text") {
      if (node.data === shown) node.data = english;
    } else if (node.getAttribute(name) === shown) node.setAttribute(name, english);
  }
  written.delete(node);
  for (const child of node.childNodes) restore(child);
}

function watch(records) {
  for (const { type, target, addedNodes, attributeName } of records) {
    if (type === "childList") addedNodes.forEach(translate);
    else if (type === "characterData") translate(target);
    else if (!target.matches(SKIPPED))
      put(target, attributeName, target.getAttribute(attributeName) ?? "", (text) => target.setAttribute(attributeName, text));
  }
}

/** Show the page in a language. */
export function speak(chosen) {
  watching?.disconnect();
  watching = null;
  if (language !== "en") restore(document.body);
  language = Object.hasOwn(LANGUAGES, chosen) ? chosen : "en";
  document.documentElement.lang = language;
  if (language === "en") return;
  translate(document.body);
  watching = new MutationObserver(watch);
  watching.observe(document.body, {
    ...{ subtree: true, childList: true, characterData: true },
    ...{ attributes: true, attributeFilter: LABELS },
  });
}

/** The menu, and the language that the address (?lang=de) or an earlier choice says. */
export function languageMenu() {
  const select = make("select", { id: "language", "aria-label": "Language" });
  for (const [code, name] of Object.entries(LANGUAGES)) select.append(make("option", { value: code, lang: code }, name));
  const asked = new URLSearchParams(location.search).get("lang");
  let kept = null;
  try {
    kept = localStorage.getItem(KEPT);
  } catch {
    // No storage: the page begins in English.
  }
  select.addEventListener("change", () => {
    speak(select.value);
    try {
      localStorage.setItem(KEPT, select.value);
    } catch {
      // The choice holds for this page only.
    }
  });
  select.setAttribute("translate", "no");
  byId("style").closest("label").after(select);
  speak(asked ?? kept ?? "en");
  select.value = language;
}
