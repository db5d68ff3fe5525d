// window.studio: what the page shows, to read from tests and from the console. Only the moment of the replay can be
// changed through it, by `jump`.

import { CLOSED, OPEN, PRUNED, STATE, SUBGOAL, UPDATED } from "./player.js";
import { changed } from "./rules.js";

const NAMES = { [OPEN]: "open", [UPDATED]: "updated", [PRUNED]: "pruned", [SUBGOAL]: "subgoal" };

const pairs = (flat) => Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);

export function hook(app, { inspector, walk, tools, learn }) {
  const pane = (letter) => app.panes.find((one) => one.letter === letter) ?? app.panes[0];
  const studio = {
    /** State of the controller: ready, searching, playing, paused, finished, modified, dragging, drawing. */
    get state() {
      return app.machine.state;
    },
    get time() {
      return app.clock.time;
    },
    get length() {
      return app.clock.length;
    },
    get map() {
      const { width, height, name } = app.model.terrain;
      return { width, height, name, edited: app.model.edited, weighted: app.model.weighted };
    },
    get query() {
      return { start: [...app.model.start], goal: [...app.model.goal], grid: { ...app.model.grid } };
    },
    get tool() {
      return tools.tool;
    },
    /** Scale (pixels per cell) and middle of the view. */
    get view() {
      const { x, y, scale } = app.camera;
      return { x, y, scale };
    },
    /**
     * Per board: letter, algorithm, options that differ from the defaults, status, cost, optimum, whether the search is
     * optimal, what became of a goal in another component (see studio/searches.py), runs that were timed, number of
     * events, update cycles and nodes in memory at this moment, frames drawn.
     */
    get panes() {
      return app.panes.map(({ letter, algorithm, options, info, result, player, error, board }) => ({
        letter,
        algorithm,
        options: changed(info.options, options),
        error,
        status: result?.status ?? null,
        cost: result?.cost ?? null,
        optimum: result?.optimum ?? null,
        optimal: result?.optimal ?? null,
        anyway: result?.anyway ?? null,
        runs: result?.runs ?? null,
        stats: result?.stats ? { ...result.stats } : null,
        events: player?.length ?? 0,
        cycles: player?.cycles ?? 0,
        memory: player?.memory ?? 0,
        frames: board.frames,
      }));
    },
    /** The path of the finished search, and the line that is drawn at this moment. */
    path: (letter) => pairs(pane(letter).result?.path ?? []),
    drawn(letter) {
      const { path, current } = pane(letter).board.shown;
      return pairs(path.length ? path : current);
    },
    wall: (x, y) => !app.model.passable([x, y]),
    weight: (x, y) => app.model.weight([x, y]),
    /** What a cell is at this moment: "wall", "free", "open", "closed", "updated", "pruned" or "subgoal". */
    cell(x, y, letter) {
      if (!app.model.passable([x, y])) return "wall";
      const state = (pane(letter).player?.states[app.model.number([x, y])] ?? 0) & STATE;
      return state >= CLOSED ? "closed" : (NAMES[state] ?? "free");
    },
    /** One event of the trace: {kind, cell, parent, g, h}. */
    event(number, letter) {
      const { player } = pane(letter);
      const { kind, node, parent, g, h } = player.trace;
      const at = (cell) =>
        cell < 0 ? null : [cell % app.model.terrain.width, Math.floor(cell / app.model.terrain.width)];
      return {
        kind: player.names[kind[number]],
        cell: at(node[number]),
        parent: at(parent[number]),
        g: g[number],
        h: h[number],
      };
    },
    /** Where the middle of a cell is on the page. */
    place: (x, y, letter) => pane(letter).board.placeOf(x, y),
    /** The names of the layers that the overlay shows, with how many values each has. */
    get overlay() {
      const { overlay } = app;
      if (!overlay) return null;
      const layers = overlay.header.layers.map(({ type, array }) => ({ type, size: overlay.arrays[array].length }));
      return { title: overlay.header.title, layers };
    },
    inspect: (x, y, letter) => Object.fromEntries(inspector.rows(pane(letter), [x, y])),
    get walk() {
      const walkers = app.panes.map(({ board }) => board.shown.walkers.length);
      const { time, steps, edits, planning } = walk;
      return { time, steps, edits, planning, walkers, edited: app.differs.length };
    },
    /** Of each board's agents: their cells after a step, how many walk, wait, arrived or gave up, and the figures. */
    agents(step) {
      const now = step ?? Math.floor(walk.time);
      return walk.tracks.map((track) => ({
        cells: Array.from({ length: track.agents }, (_, agent) => track.at(now, agent)),
        ...track.tally(now),
        figures: Object.fromEntries(track.facts(now, walk.edits)),
      }));
    },
    /** The doors of the map: {cell, open}. */
    get doors() {
      return (app.model.terrain.doors ?? []).map((cell) => ({ cell: [...cell], open: app.model.passable(cell) }));
    },
    /** Breakpoints, as links carry them, and where the replay stopped at one. */
    get stops() {
      const { hit } = learn.breakpoints;
      return { list: learn.breakpoints.state, hit: hit && { event: hit.event, pane: hit.pane.letter } };
    },
    /** Guesses of the next expansion: {on, right, wrong, near, streak, best, percent, last}. */
    get predict() {
      const { on, counted, last } = learn.predict;
      return { on, ...counted, percent: counted.percent, last };
    },
    /** The exercise on the page: {title, question, answered}, or null. */
    get exercise() {
      const { exercise, number, answered } = learn.exercise;
      return exercise && { title: exercise.title, question: number, answered: [...answered] };
    },
    /** The plots: nodes of the tree, expansions pointed at, and where on the page a node and a value are. */
    get plots() {
      const { shown, tree, plot, pointed } = learn.plots;
      return { shown, nodes: tree.size, deepest: tree.layout?.deepest ?? 0, values: plot.values.length, pointed };
    },
    node: (i) => learn.plots.placeOf("tree", i),
    value: (i) => learn.plots.placeOf("plot", i),
    /** The marks on a board: {cell, look}. */
    flags: (letter) => pane(letter).board.shown.flags.map(({ cell, look }) => ({ cell, look })),
    /** Answers to questions asked while start or goal was dragged, since the page was opened. */
    get lives() {
      return app.lives;
    },
    /** The first entries of the open list at this moment, in order: [[x, y], g, h, f]; their number, and the next one. */
    open(most = 10, letter) {
      const { thinking } = pane(letter);
      if (!thinking?.listed) return null;
      const { width } = app.model.terrain;
      const { size, entries, next, passed } = thinking.open(thinking.player.time, most);
      const place = (cell) => [cell % width, Math.floor(cell / width)];
      return { size, next, passed, entries: entries.map(({ cell, g, h, f }) => [place(cell), g, h, f]) };
    },
    /** The layers of the details that a board shows: how many values each has; and the lines of their legends. */
    details(letter) {
      const shown = pane(letter).board.shown.detail ?? [];
      return shown.map(({ header, arrays }) => ({
        sizes: header.layers.map(({ array }) => arrays[array].length),
        legend: header.legend.map(({ text }) => text),
      }));
    },
    /** Milliseconds that drawing a board takes, and how many cells show values. */
    draw(letter) {
      const { board } = pane(letter);
      return { ms: board.time(), cells: board.labelled };
    },
    /** Milliseconds that a jump to a moment takes, drawing of the cells included. */
    jump(time) {
      const before = performance.now();
      app.clock.seek(time);
      return performance.now() - before;
    },
  };
  Object.defineProperty(window, "studio", { value: Object.freeze(studio) });
}
