// The page for keeping: pictures, animations, maps, traces and links.

import * as api from "./api.js";
import { download, make, say } from "./dom.js";
import * as link from "./link.js";

const LONGER_SIDE = 1800; // pixels of a picture
const GAP = 24;

/** Letters, digits and dashes only. */
const plain = (text) =>
  text
    .replace(/[^\w+-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);

/** Date and time as in 20260131-235959. */
function timeStamp(time) {
  const two = (number) => String(number).padStart(2, "0");
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("");
  return `${date}-${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join("")}`;
}

export class KeepPage {
  #names = new Set();

  constructor(app) {
    this.app = app;
    this.more = () => ({}); // what other parts of the page add to a link
    const button = (id, title, summary, action) => {
      const element = make(
        "button",
        { type: "button", class: "button wide", id },
        make("b", {}, title),
        make("small", {}, summary),
      );
      element.addEventListener("click", () => this.#busy(element, action));
      return element;
    };
    this.format = make("select", { id: "map-format", "aria-label": "Format of the map" });
    for (const format of [".map", ".png", ".tmx", ".npy", ".txt", ".tif", ".json"]) this.format.append(make("option", {}, format));
    this.format.append(make("option", { value: ".yaml" }, ".yaml and .pgm"));
    this.lessonTitle = make("input", { type: "text", placeholder: "title", "aria-label": "Title of the lesson" });
    const placeholder = "text beside the boards; an empty line begins a paragraph";
    this.lessonText = make("textarea", { rows: 4, placeholder, "aria-label": "Text of the lesson" });
    this.element = make(
      "div",
      { class: "page" },
      make(
        "section",
        {},
        make("h2", {}, "Export"),
        button("export-png", "Picture", "PNG of all boards at this moment", () => this.picture()),
        button("export-gif", "Animation", "GIF of the search on the selected board", () =>
          this.#file("gif", "animation", ".gif", { frames: 60 }),
        ),
        button("export-trace", "Search trace", "for Posthoc, of the selected board", () =>
          this.#file("trace", "search", ".trace.yaml", {}),
        ),
        make(
          "div",
          { class: "row" },
          button("export-map", "Map", "as a file to open again", () => this.#map()),
          this.format,
        ),
        make(
          "details",
          { class: "lesson" },
          make("summary", {}, "Lesson: one file that needs no server"),
          this.lessonTitle,
          this.lessonText,
          button("export-lesson", "Export lesson", "HTML with these boards, to open, mail or put on a site", () =>
            this.#lesson(),
          ),
        ),
        button("copy-link", "Link", "restores map, query, settings and the event shown", () => this.copyLink()),
      ),
    );
  }

  async #busy(button, action) {
    button.disabled = true;
    try {
      await action();
    } catch (error) {
      say(error.message, "error");
    } finally {
      button.disabled = false;
    }
  }

  /** A name that no other file of this page has: map, algorithms, kind, time. */
  #name(kind, suffix, panes = []) {
    const { name = "map" } = this.app.model.terrain;
    const searched = panes.length > 3 ? `${panes.length} boards` : panes.map(({ choice }) => choice).join(" ");
    const parts = [plain(name.replace(/\.[a-z]+$/i, "")) || "map", plain(searched), kind, timeStamp(new Date())];
    const stem = parts.filter(Boolean).join("-");
    let file = `${stem}${suffix}`;
    for (let number = 2; this.#names.has(file); number++) file = `${stem}-${number}${suffix}`;
    this.#names.add(file);
    return file;
  }

  async #file(path, kind, suffix, more) {
    const { active, model } = this.app;
    const question = { ...active.question(), ...more, pane: `export ${path}`, token: api.newToken() };
    const name = this.#name(kind, suffix, [active]); // of what is asked for, whatever is chosen meanwhile
    download(await api.file(model, `/api/export/${path}`, question), name);
  }

  /** The boards as a page of their own; the server searches once more for it. */
  async #lesson() {
    const { model, panes, choices } = this.app;
    const { start, goal, grid, terrain } = model;
    const words = { title: this.lessonTitle.value.trim() || terrain.name, text: this.lessonText.value };
    const boards = choices.filter(({ algorithm }) => !this.app.algorithm(algorithm).imported);
    if (boards.length < choices.length) say("The lesson has the searches of this studio: traces from files are not in it.");
    const question = { start, goal, grid, boards, ...words, pane: "export lesson", token: api.newToken() };
    const name = this.#name("lesson", ".html", panes);
    download(await api.file(model, "/api/export/lesson", question), name);
  }

  async #map() {
    const { model } = this.app;
    const format = this.format.value;
    const question = { grid: model.grid, format, pane: "export map", token: api.newToken() };
    const name = this.#name("map", format === ".yaml" ? ".zip" : format); // of ROS: two files
    download(await api.file(model, "/api/export/map", question), name);
  }

  /** All boards side by side, the whole map each, whatever part of it is on the screen. */
  async picture() {
    const { panes } = this.app;
    const { size } = panes[0].board.geometry;
    const columns = panes.length > 3 ? Math.ceil(panes.length / 2) : panes.length;
    const rows = Math.ceil(panes.length / columns);
    const scale = Math.max(0.25, Math.min(64, LONGER_SIDE / Math.max(size[0] * columns, size[1] * rows)));
    const one = size.map((side) => Math.max(1, Math.round(side * scale)));
    const title = panes.length > 1 ? 40 : 0;
    const sheet = make("canvas", {
      width: columns * one[0] + (columns - 1) * GAP,
      height: rows * (one[1] + title) + (rows - 1) * GAP,
    });
    const context = sheet.getContext("2d");
    const page = getComputedStyle(document.body);
    context.fillStyle = page.backgroundColor;
    context.fillRect(0, 0, sheet.width, sheet.height);
    panes.forEach((pane, i) => {
      const canvas = make("canvas", { width: one[0], height: one[1] });
      pane.board.paintOn(canvas.getContext("2d"), one, { x: size[0] / 2, y: size[1] / 2 }, scale, false);
      pane.board.redraw();
      const x = (i % columns) * (one[0] + GAP);
      const y = Math.floor(i / columns) * (one[1] + title + GAP);
      context.drawImage(canvas, x, y + title);
      context.fillStyle = page.color;
      context.font = `600 20px ${page.fontFamily}`;
      if (title) context.fillText(`${pane.letter}  ${pane.label}`, x, y + 26, one[0]);
    });
    const name = this.#name("picture", ".png", panes);
    download(await new Promise((done) => sheet.toBlob(done, "image/png")), name);
  }

  /** What a link restores. */
  get state() {
    const { model, choices, style, theme, anyway } = this.app;
    const query = { start: model.start, goal: model.goal, grid: model.grid };
    return { ...query, panes: choices, style, theme, anyway, ...this.more() };
  }

  async copyLink() {
    const { fragment, note } = await link.write(this.state, this.app.model);
    const url = `${location.origin}${location.pathname}#${fragment}`;
    history.replaceState(null, "", `#${fragment}`);
    let copied = true;
    try {
      await navigator.clipboard.writeText(url);
    } catch {
      copied = false; // not allowed here; the address bar has it
    }
    say(
      copied
        ? "The link is copied; the address bar has it too."
        : "The address bar has the link now: copy it from there.",
    );
    if (note) say(note, "warning");
    return url;
  }
}
