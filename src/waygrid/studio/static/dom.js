// Small helpers for elements, numbers and files.

export const byId = (id) => document.getElementById(id);

/** Make an element: properties (and `class`, `data`, `aria-...`, `on...`), then children. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (name === "class") element.className = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.includes("-") || name === "role" || name === "for") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Build a part of the page anew without taking the focus from the control that someone uses. */
export function keepFocus(part, build) {
  const { activeElement: used } = document;
  const path =
    part.contains(used) && (used.id ? `#${used.id}` : used.dataset.value && `[data-value="${used.dataset.value}"]`);
  build();
  if (path) part.querySelector(path)?.focus();
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const count = (number) => (number === null || number === undefined ? "–" : whole.format(number));

export function decimal(number, digits = 2) {
  if (number === null || number === undefined || !Number.isFinite(number)) return "–";
  return number.toLocaleString("en", { minimumFractionDigits: 0, maximumFractionDigits: digits });
}

export function bytes(number) {
  if (number === null || number === undefined) return "–";
  if (number === 0) return "0";
  const units = ["B", "KB", "MB", "GB"];
  const power = Math.min(3, Math.floor(Math.log(number) / Math.log(1000)));
  return `${decimal(number / 1000 ** power, power ? 1 : 0)} ${units[power]}`;
}

/** A time given in microseconds. */
export function duration(micros) {
  if (micros === null || micros === undefined) return "–";
  if (micros < 1000) return `${decimal(micros, micros < 10 ? 1 : 0)} µs`;
  if (micros < 1e6) return `${decimal(micros / 1e3, micros < 1e4 ? 1 : 0)} ms`;
  return `${decimal(micros / 1e6, 1)} s`;
}

export const place = (cell) => (cell ? `${cell[0]}, ${cell[1]}` : "–");

/** Give a file to the person. */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const NOTE_MS = 6000;
const OFFER_MS = 20_000; // a note with something to choose

/** A short line that can be dismissed; errors stay, notes go by themselves. `actions`: buttons, {text: function}. */
export function say(text, kind = "note", actions = {}) {
  const box = byId("messages");
  const line = make("div", { class: `message ${kind}` }, make("span", {}, text));
  for (const [name, action] of Object.entries(actions)) {
    const press = () => {
      line.remove();
      action();
    };
    line.append(make("button", { type: "button", class: "action", onclick: press }, name));
  }
  line.append(make("button", { type: "button", "aria-label": "Dismiss", onclick: () => line.remove() }, "×"));
  for (const old of [...box.children].slice(0, -2)) old.remove();
  for (const old of [...box.children]) if (old.firstChild.textContent === text) old.remove();
  box.append(line);
  if (kind === "note") setTimeout(() => line.remove(), Object.keys(actions).length ? OFFER_MS : NOTE_MS);
  return line;
}
