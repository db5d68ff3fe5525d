// Keys and the help that lists them.

import { byId, make } from "./dom.js";
import { explainColours } from "./legend.js";

const KEYS = [
  ["Space", "play or pause"],
  ["← →", "one event back or forward"],
  ["Shift ← →", "one update cycle back or forward"],
  ["Home End", "to the beginning, to the end"],
  ["N B", "run to the next breakpoint, back to the last one"],
  ["P", "show or hide the plots: search tree and f over time"],
  ["+ −", "zoom in, zoom out; or the mouse wheel"],
  ["F", "fit the map"],
  ["W T M", "walls, terrain weights, move and inspect"],
  ["Ctrl-Z Ctrl-Y", "undo, redo"],
  ["S", "search"],
  ["L", "large type for a room; then PageDown and PageUp step, with Shift they turn pages"],
  ["?", "this help"],
];

const BOARD_KEYS = [
  ["Enter", "show the cell cursor; then: use the tool on its cell (draw or erase, or pin it in the inspector)"],
  ["← → ↑ ↓", "move the cursor; with Shift ten cells"],
  ["S G", "place the start here, place the goal here"],
  ["Escape", "hide the cursor"],
];

const about = ({ start, goal }) => [
  `Drag the ${start} start and the ${goal} goal: the path follows while you drag.`,
  "Drag elsewhere to draw walls; start on a wall to erase.",
  "Draw or erase walls while agents walk: they go on from where they are. Who is cut off waits for a way to open.",
  "Units of a crowd never collide. “Select and send” on the Walk page: click units or drag a box, then click a free cell.",
  "Two fingers, or the right mouse button, move the map; the wheel zooms.",
  "Point at a cell to see its g, h and f, its parent and when it was expanded.",
  "Zoom in: each cell shows g and h above, f below, and an arrow to its parent.",
  "The Think page shows pseudo-code, the open list in its order, and why one cell was expanded before another.",
  "An update cycle is one expansion. Nodes in memory are the cells generated so far.",
  "If no path exists there is no search; “Search anyway” shows all cells that the start reaches.",
  "A map that you draw on is saved in this browser: a reload shows it again, and the Map page lists older ones.",
];

/** Write the help for the colours that the boards have now. */
export function showHelp(app) {
  const dialog = byId("help");
  const list = (rows) =>
    make(
      "dl",
      {},
      ...rows.flatMap(([names, what]) => [
        make("dt", {}, ...names.split(" ").map((key) => make("kbd", {}, key))),
        make("dd", {}, what),
      ]),
    );
  const close = make("button", { type: "button", class: "button primary", onclick: () => dialog.close() }, "Close");
  const text = make("ul", {}, ...about(app.colours.words).map((line) => make("li", {}, line)));
  dialog.replaceChildren(
    make("header", {}, make("h2", { id: "help-title" }, "How to use the studio"), close),
    make("div", {}, text, make("h3", {}, "Colours"), explainColours(app)),
    make(
      "div",
      {},
      make("h3", {}, "Keys"),
      list(KEYS),
      make("h3", {}, "Keys on a board (reach it with Tab)"),
      list(BOARD_KEYS),
    ),
  );
}

/** Open the help as it is right for the boards as they are. */
function openHelp(app) {
  showHelp(app);
  byId("help").showModal();
}

export function help(app) {
  const dialog = byId("help");
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  byId("help-button").addEventListener("click", () => openHelp(app));
}

const typing = (element) =>
  element.isContentEditable ||
  ["SELECT", "TEXTAREA"].includes(element.tagName) ||
  (element.tagName === "INPUT" && !["range", "checkbox", "radio"].includes(element.type));

/** Keys work everywhere but where someone types, or where a control has its own use for them. */
export function keys(app, tools, learn) {
  const { clock } = app;
  const plain = {
    " ": () => clock.toggle(),
    ArrowLeft: (event) => clock.step(-1, event.shiftKey),
    ArrowRight: (event) => clock.step(1, event.shiftKey),
    Home: () => clock.seek(0),
    End: () => clock.end(),
    "+": () => tools.zoom(1.4),
    "=": () => tools.zoom(1.4),
    "-": () => tools.zoom(1 / 1.4),
    f: () => tools.fit(),
    w: () => tools.choose("wall"),
    t: () => tools.choose("weight"),
    m: () => tools.choose("hand"),
    s: () => app.search(),
    n: () => learn.stops.run(1),
    b: () => learn.stops.run(-1),
    p: () => learn.plots.show(!learn.plots.shown),
    "?": () => openHelp(app),
  };
  const controlled = { z: (event) => (event.shiftKey ? app.redo() : app.undo()), y: () => app.redo() };
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.altKey || byId("help").open || typing(target)) return;
    const control = event.ctrlKey || event.metaKey;
    const action = (control ? controlled : plain)[key.length === 1 ? key.toLowerCase() : key];
    if (!action) return;
    if (key === " " && target.closest("button, input, summary, [role=tab]")) return; // it presses them
    if (target.type === "range" && target.id !== "scrub" && key.length > 1) return;
    if (target.type === "radio" && key.startsWith("Arrow")) return;
    event.preventDefault();
    action(event);
  });
}
