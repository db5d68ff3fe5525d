// The beginning: read the registry, build the page, show the first example or what a link says.

import { WalkPage } from "./agents.js";
import * as api from "./api.js";
import { App } from "./app.js";
import { classroom } from "./classroom.js";
import { Command } from "./command.js";
import { Cursor } from "./cursor.js";
import { Doors } from "./doors.js";
import { byId, say } from "./dom.js";
import { describe, Drafts } from "./drafts.js";
import { hook } from "./hook.js";
import { ImportPart } from "./imports.js";
import { InsidePage } from "./inside.js";
import { Inspector } from "./inspector.js";
import { KeepPage } from "./keep.js";
import { help, keys, showHelp } from "./keys.js";
import { LearnPage } from "./learn.js";
import * as link from "./link.js";
import { MapPage } from "./maps.js";
import { SearchPage, tabs } from "./panel.js";
import { offered, ReadingPage } from "./reading.js";
import { Table } from "./table.js";
import { ThinkPage } from "./think.js";
import { Tools } from "./tools.js";
import { worldRows } from "./world.js";

function looks(app, inside) {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const show = () => {
    document.documentElement.dataset.theme = app.theme;
    byId("style").value = app.style;
    if (app.panes.length) app.repaint();
    inside.legend();
    if (byId("help").open) showHelp(app);
  };
  app.theme = dark.matches ? "dark" : "light";
  app.setLooks = ({ theme, style }) => {
    if (["light", "dark"].includes(theme)) app.theme = theme;
    if (["standard", "safe"].includes(style)) app.style = style;
    show();
  };
  dark.addEventListener("change", () => app.setLooks({ theme: dark.matches ? "dark" : "light" }));
  byId("theme").addEventListener("click", () => app.setLooks({ theme: app.theme === "dark" ? "light" : "dark" }));
  byId("style").addEventListener("change", (event) => app.setLooks({ style: event.target.value }));
  show();
}

/** The rules of a link's grid that there are; links can be written by anyone. */
function rulesOf({ topology, corners, metric } = {}, { topologies, corners: rules, metrics }) {
  const known = [
    ["topology", topology, topologies],
    ["corners", corners, rules],
    ["metric", metric, metrics],
  ].filter(([, value, values]) => values.includes(value));
  return Object.fromEntries(known);
}

/** Show what a link says; false where it cannot be shown. */
async function restore(app, maps, fragment, newest) {
  const state = await link.read(fragment, app.registry.limits.cells);
  if (!state) return false;
  if (!newest()) return true;
  return showState(app, maps, state, newest);
}

/** Show what a link or a draft says. */
async function showState(app, maps, state, newest) {
  const shown = await showMapOf(app, maps, state, newest);
  if (shown && newest()) app.learn.restore(state);
  return shown;
}

function showMapOf(app, maps, state, newest) {
  const { start, goal, terrain, map, event: moment } = state;
  const grid = rulesOf(state.grid, app.registry);
  const panes = (state.panes ?? []).filter(({ algorithm }) => app.algorithm(algorithm));
  const query = { start, goal, grid, moment, panes: panes.length ? panes : [{ algorithm: "astar" }] };
  app.setLooks(state);
  app.anyway = state.anyway === true;
  if (map.example) return maps.example(map.example, query, newest);
  if (map.generate) return maps.restore(map.generate, query, newest);
  const name = String(map.name ?? "map");
  const ask = async () => terrain ?? { ...(await api.knownMap(map.id)), name };
  return maps.bring(ask, (shown) => kept(app, maps, shown, query, state.edited), newest);
}

/** A map that is neither an example nor generated. */
function kept(app, maps, terrain, query, edited = false) {
  maps.leave();
  app.showMap(terrain, { file: terrain.name, edited }, query);
}

/** Show a map that the browser kept; false where it cannot be read. */
async function showDraft(app, maps, drafts, slot, newest = maps.newest()) {
  const state = drafts.read(slot);
  if (!state || !(await showState(app, maps, state, newest))) return false;
  if (newest()) drafts.take(slot.key);
  return true;
}

/** A note with something to choose, as long as the map is shown that it is about. */
function offer(app, text, actions) {
  const line = say(text, "note", actions);
  app.on("leave", () => line.remove());
}

/** What the page begins with: the map from before a reload, what the address says, or an example. */
async function begun(app, maps, drafts) {
  const { own } = drafts;
  if (own && (await showDraft(app, maps, drafts, own))) {
    const discard = () => {
      drafts.discard(own.key);
      return first(app, maps);
    };
    if (own.edited) offer(app, `“${own.name}” is shown as you left it.`, { Discard: discard });
    return;
  }
  await first(app, maps);
  const [kept] = drafts.offered;
  if (!kept || location.hash) return;
  offer(app, `The browser has saved a map that you drew: “${kept.name}”, ${describe(kept)}.`, {
    Show: () => showDraft(app, maps, drafts, kept),
    Discard: () => drafts.discard(kept.key),
  });
}

async function first(app, maps) {
  const newest = maps.newest();
  try {
    if (location.hash && (await restore(app, maps, location.hash, newest))) return;
  } catch (error) {
    if (!newest()) return;
    say(`The link cannot be shown: ${error.message}`, "error");
  }
  const { opened, examples } = app.registry;
  if (opened) {
    const ask = async () => ({ ...(await api.knownMap(opened.id)), name: opened.name });
    await maps.bring(ask, (terrain) => kept(app, maps, terrain, { panes: [{ algorithm: "astar" }] }), newest);
  } else await maps.example(examples[0].name, null, newest);
}

async function begin() {
  const app = new App(await api.registry());
  const tools = new Tools(app);
  const inspector = new Inspector(app, tools);
  const search = new SearchPage(app);
  const maps = new MapPage(app);
  const inside = new InsidePage(app);
  const walk = new WalkPage(app);
  app.walk = walk;
  const doors = new Doors(app, tools);
  walk.element.prepend(doors.element);
  const keep = new KeepPage(app);
  const base = () => `${location.hash} ${app.registry.opened?.id ?? ""}`;
  const drafts = new Drafts(app, { state: () => keep.state, base });
  drafts.onShow = (slot) => showDraft(app, maps, drafts, slot);
  const imports = new ImportPart(app, maps);
  maps.onImport = (files) => imports.take(files);
  maps.element.append(imports.element, drafts.element);
  const learn = new LearnPage(app, { tools, maps });
  app.learn = learn;
  keep.more = () => learn.state;
  maps.onChoice = (name) => learn.choose(name);
  new Table(app);
  const cursor = new Cursor(app, tools);
  const command = new Command(walk.crowd, tools);
  app.onPane = (pane) => {
    tools.attach(pane);
    cursor.attach(pane);
    command.attach(pane);
  };
  inspector.more.push((cell) => worldRows(app, cell), (cell) => walk.crowd.rows(cell));
  inspector.onHover = (cell) => {
    inside.hover(cell);
    learn.plots.hover(cell);
  };
  const think = new ThinkPage(app, tools);
  const reading = new ReadingPage(app, maps);
  const all = [
    { id: "reading", title: "Lesson", element: reading.element },
    { id: "search", title: "Search", element: search.element },
    { id: "think", title: "Think", element: think.element },
    { id: "map", title: "Map", element: maps.element },
    { id: "inside", title: "Inside", element: inside.element },
    { id: "walk", title: "Walk", element: walk.element },
    { id: "learn", title: "Learn", element: learn.element },
    { id: "keep", title: "Export", element: keep.element },
  ];
  const openPage = tabs(all.filter(({ id }) => offered(app.registry, id)));
  maps.onOverlay = (name) => {
    inside.lend(name);
    openPage("inside");
    inside.rest.scrollIntoView({ block: "center" });
  };
  learn.openPage = openPage;
  maps.onWalk = (wished) => {
    walk.choose(wished);
    openPage("walk");
    if (wished.crowd) walk.crowd.element.scrollIntoView();
  };
  byId("link").addEventListener("click", () => keep.copyLink().catch((error) => say(error.message, "error")));
  window.addEventListener("hashchange", () => first(app, maps));
  maps.listExamples();
  learn.listExercises();
  help(app);
  keys(app, tools, learn);
  looks(app, inside);
  hook(app, { inspector, walk, tools, learn });
  classroom(app, tools);
  drafts.show();
  if (app.registry.lesson) {
    app.machine.fix();
    tools.choose("hand");
  }
  await begun(app, maps, drafts);
}

begin().catch((error) => say(error.message, "error"));
