// The panel: pages behind tabs, of which the first holds grid, algorithm and options as the registry describes them.

import { byId, keepFocus, make } from "./dom.js";
import { field, reasons, segments } from "./fields.js";
import { refusal, refusalOfAny } from "./rules.js";
import { facts } from "./table.js";

/** Tabs: [{id, title, element}]. */
export function tabs(pages) {
  const choose = (id, focus = false) => {
    for (const page of pages) {
      const chosen = page.id === id;
      page.tab.setAttribute("aria-selected", String(chosen));
      page.tab.tabIndex = chosen ? 0 : -1;
      page.element.hidden = !chosen;
      if (chosen && focus) page.tab.focus();
    }
  };
  for (const page of pages) {
    page.tab = make(
      "button",
      { type: "button", role: "tab", id: `tab-${page.id}`, "aria-controls": `page-${page.id}` },
      page.title,
    );
    page.tab.addEventListener("click", (event) => {
      choose(page.id);
      if (event.detail) page.tab.blur(); // by the mouse: the arrow keys then step through the replay
    });
    page.tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      choose(pages[(pages.indexOf(page) + step + pages.length) % pages.length].id, true);
    });
    page.element.id = `page-${page.id}`;
    page.element.setAttribute("role", "tabpanel");
    page.element.setAttribute("aria-labelledby", page.tab.id);
    byId("tabs").append(page.tab);
    byId("pages").append(page.element);
  }
  choose(pages[0].id);
  return choose;
}

const CORNERS = { never: "Never", one: "One wall", always: "Always" };

export class SearchPage {
  constructor(app) {
    this.app = app;
    this.grid = make("section", {});
    this.boards = make("section", {});
    this.options = make("div", { class: "fields" });
    this.facts = make("section", { class: "facts" });
    this.element = make("div", { class: "page" }, this.boards, this.facts, this.grid);
    app.on("panes", () => this.show());
    app.on("map", () => this.show());
    this.tags = make("p", { class: "tags" });
    app.on("settings", () => this.#showTags());
    app.on("result", () => {
      this.#showTags();
      this.#showFacts();
    });
  }

  show() {
    keepFocus(this.element, () => {
      this.#showBoards();
      this.#showGrid();
      this.#showFacts();
    });
  }

  // ---- the grid: every choice, those that a chosen algorithm does not know greyed out with the reason

  #showGrid() {
    const { model, registry, panes } = this.app;
    const chosen = panes.map(({ info }) => info);
    const { grid, weighted } = model;
    const shape = (topology) => ({ ...grid, topology });
    const topologies = registry.topologies.map((topology) => ({
      value: topology,
      text: topology[0].toUpperCase() + topology.slice(1),
      reason: topology === grid.topology ? null : refusalOfAny(chosen, shape(topology), weighted),
    }));
    const octile = grid.topology === "octile";
    const cornerless = octile ? null : `${grid.topology} grids have no diagonal moves to cut a corner.`;
    const corners = registry.corners.map((rule) => ({
      value: rule,
      text: CORNERS[rule] ?? rule,
      reason: cornerless ?? (rule === grid.corners ? null : refusalOfAny(chosen, { ...grid, corners: rule }, weighted)),
    }));
    const metric = make("select", { id: "metric", onchange: () => this.app.setGrid({ metric: metric.value }) });
    for (const name of registry.metrics)
      metric.append(make("option", { value: name, selected: name === grid.metric }, METRICS[name] ?? name));
    metric.disabled = !octile;
    const prices = octile
      ? "costs of a straight and a diagonal move"
      : "every move of this grid is straight and costs 1";
    this.grid.replaceChildren(
      make("h2", {}, "Grid"),
      segments("Grid", topologies, grid.topology, (topology) => this.app.setGrid({ topology })),
      reasons(topologies) ?? "",
      make("h3", {}, "Diagonal moves past the corner of a wall"),
      segments("Corner rule", corners, grid.corners, (rule) => this.app.setGrid({ corners: rule })),
      reasons(corners) ?? "",
      make("div", { class: "field" }, make("label", { for: "metric" }, "metric"), metric, make("small", {}, prices)),
    );
  }

  // ---- boards, algorithm, options

  #showBoards() {
    const { panes, active } = this.app;
    const chips = make("div", { class: "chips", role: "group", "aria-label": "Boards" });
    for (const pane of panes.length > 1 ? panes : []) {
      const pressed = String(pane === active);
      chips.append(
        make(
          "button",
          {
            type: "button",
            "aria-pressed": pressed,
            "aria-label": `Settings of board ${pane.letter}`,
            onclick: () => this.app.activate(pane),
          },
          pane.letter,
        ),
      );
    }
    const add = make(
      "button",
      { type: "button", class: "button", id: "compare", disabled: this.app.full, onclick: () => this.#compare() },
      "+ Compare",
    );
    add.title = this.app.full ? "At most six boards" : "Add another board";
    chips.append(add);
    this.boards.replaceChildren(
      make("div", { class: "head" }, make("h2", {}, panes.length > 1 ? `Board ${active.letter}` : "Algorithm"), chips),
      this.#algorithms(),
      this.#about(),
      this.options,
      this.#searching(),
    );
    this.#showOptions();
  }

  #compare() {
    const { panes, registry, model } = this.app;
    const used = new Set(panes.map(({ algorithm }) => algorithm));
    const wished = ["dijkstra", "jps", "best-first", "bfs", ...registry.algorithms.map(({ name }) => name)];
    const free = wished.find((name) => {
      const info = this.app.algorithm(name);
      return info && !used.has(name) && !info.index && !refusal(info, model.grid, model.weighted);
    });
    this.app.addPane({ algorithm: free ?? panes[0].algorithm });
  }

  #algorithms() {
    const { registry, model, active } = this.app;
    const select = make("select", {
      id: "algorithm",
      "aria-label": "Algorithm",
      onchange: () => this.app.setAlgorithm(select.value),
    });
    const groups = [
      ["Search on the map", ({ index, real_time }) => !index && !real_time],
      ["With an index", ({ index, real_time }) => index && !real_time],
      ["Real-time", ({ real_time }) => real_time],
    ];
    for (const [label, fits] of groups) {
      const group = make("optgroup", { label });
      for (const info of registry.algorithms.filter(fits)) {
        const reason = refusal(info, model.grid, model.weighted);
        const text = reason ? `${info.name} – ${shortReason(info, model)}` : info.name;
        group.append(
          make(
            "option",
            {
              value: info.name,
              disabled: Boolean(reason),
              title: reason ?? info.summary,
              selected: info.name === active.algorithm,
            },
            text,
          ),
        );
      }
      if (group.children.length) select.append(group);
    }
    select.value = active.algorithm;
    return make("div", { class: "algorithm" }, select);
  }

  #about() {
    const { info } = this.app.active;
    this.#showTags();
    const paper = info.paper ? make("small", {}, info.paper) : null;
    return make("div", { class: "about" }, this.tags, make("p", {}, info.summary), paper);
  }

  /** What is to be known of the search; whether it is optimal says the finder, which knows the options too. */
  #showTags() {
    if (!this.app.active) return;
    const { info, optimal } = this.app.active;
    const tags = [
      [optimal === true, "optimal", "its paths are optimal with these options"],
      [optimal === false, "not optimal", "its paths may not be optimal with these options"],
      [info.index, "index", "preprocesses the map"],
      [info.real_time, "real-time", "moves before it knows the whole path"],
    ];
    const shown = tags.filter(([applies]) => applies).map(([, text, title]) => make("span", { title }, text));
    this.tags.replaceChildren(...shown);
  }

  #showOptions() {
    const { active } = this.app;
    const rows = active.info.options.map((option) => {
      const value = option.name in active.options ? active.options[option.name] : option.default;
      return field(option, value, (next) => this.app.setOption(option.name, next));
    });
    this.options.replaceChildren(...rows);
  }

  #searching() {
    const { app } = this;
    const box = make("input", {
      type: "checkbox",
      id: "auto",
      checked: app.auto,
      onchange: () => (app.auto = box.checked),
    });
    const anyway = make("input", {
      type: "checkbox",
      id: "anyway",
      checked: app.anyway,
      onchange: () => app.setAnyway(anyway.checked),
    });
    return make(
      "div",
      { class: "row" },
      make("button", { type: "button", class: "button primary", id: "search", onclick: () => app.search() }, "Search"),
      make("label", { class: "check" }, box, "after every change"),
      make("label", { class: "check", title: ANYWAY }, anyway, "even if no path exists"),
    );
  }

  // ---- outcome

  #showFacts() {
    const { active } = this.app;
    const list = make("dl", {});
    if (active?.result?.stats) {
      const { moves, truncated } = active.result;
      const rows = [["Outcome", outcome(active.result)]];
      rows.push(["Moves", moves.toLocaleString("en")], ...facts(active.result));
      if (truncated) rows.push(["Replay", "the first events only"]);
      for (const [name, value, title = ""] of rows)
        list.append(make("dt", { title }, name), make("dd", { title }, value));
    }
    this.facts.replaceChildren(make("h2", {}, "Result"), list);
    this.facts.hidden = !list.children.length;
  }
}

const ANYWAY =
  "If start and goal are in different connected components there is no search. " +
  "This searches anyway and shows all cells that the start reaches.";

function outcome({ status, anyway }) {
  if (anyway === "searched" && status === "CUTOFF") return "no path exists; search stopped";
  if (anyway === "searched") return "no path exists; searched anyway";
  const words = { FOUND: "path found", UNREACHABLE: "no path exists", CUTOFF: "stopped after the time limit" };
  return { ...words, PARTIAL: "partial path" }[status] ?? status;
}

const METRICS = {
  octile: "octile: 1 and √2",
  dba: "dba: 10 and 14",
  kumar: "kumar: 10 and 14",
  bg: "bg: 100 and 150",
  unit: "unit: 1 and 1",
};

function shortReason(info, { grid }) {
  if (!info.topologies.includes(grid.topology)) return `not on ${grid.topology} grids`;
  if (grid.topology === "octile" && !info.corners.includes(grid.corners)) return `not with corners ${grid.corners}`;
  return "not with weights";
}
