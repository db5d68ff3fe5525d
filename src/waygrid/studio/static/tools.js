// Mouse, touch and pen on the boards: drag start and goal, draw walls and weights, move and zoom the map.

import { byId, say } from "./dom.js";

const CLICK_PX = 5;
const GRIP_PX = { mouse: 14, pen: 18, touch: 28 }; // start and goal can be gripped so far from their middle

export class Tools {
  #touches = new Map();
  #picks = new Map(); // who waits for a click on a cell, the last one first
  #gesture = null; // what the pressed pointer does: {kind, ...}

  constructor(app) {
    this.app = app;
    this.tool = "wall";
    this.brush = 1;
    this.weight = 4;
    for (const button of byId("toolbar").querySelectorAll("[data-tool]")) {
      button.addEventListener("click", () => this.choose(button.dataset.tool));
    }
    byId("brush").addEventListener("change", (event) => (this.brush = Number(event.target.value)));
    byId("weight").addEventListener("change", (event) => this.#setWeight(event.target));
    byId("undo").addEventListener("click", () => app.undo());
    byId("redo").addEventListener("click", () => app.redo());
    byId("zoom-in").addEventListener("click", () => this.zoom(1.4));
    byId("zoom-out").addEventListener("click", () => this.zoom(1 / 1.4));
    byId("fit").addEventListener("click", () => this.fit());
    for (const what of ["map", "result"]) app.on(what, () => this.#showUndo());
    app.letGo = () => this.#letGo();
  }

  #setWeight(input) {
    if (!input.checkValidity()) return input.reportValidity();
    this.weight = Math.round(Number(input.value));
  }

  #showUndo() {
    byId("undo").disabled = !this.app.model.canUndo;
    byId("redo").disabled = !this.app.model.canRedo;
  }

  choose(wished) {
    const tool = this.app.machine.fixed ? "hand" : wished;
    this.tool = tool;
    for (const button of byId("toolbar").querySelectorAll("[data-tool]")) {
      button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
    }
    byId("weight-label").hidden = tool !== "weight";
    byId("panes").dataset.tool = tool;
  }

  /** Give the next clicks on a board to `take(pane, cell)` instead of the tool; null: not any more. */
  picks(owner, take) {
    this.#picks.delete(owner);
    if (take) this.#picks.set(owner, take);
    byId("panes").classList.toggle("picking", this.#picks.size > 0);
  }

  get #pick() {
    return [...this.#picks.values()].at(-1) ?? null;
  }

  zoom(factor) {
    const { board } = this.app.active;
    this.app.camera.zoom(
      factor,
      board.view.map((side) => side / 2),
      board.view,
      board.geometry.size,
    );
  }

  fit() {
    this.app.active.board.fit();
  }

  /** Listen to a board. */
  attach(pane) {
    const { canvas } = pane;
    canvas.addEventListener("pointerdown", (event) => this.#down(pane, event));
    canvas.addEventListener("pointermove", (event) => this.#move(pane, event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.#up(pane, event));
    canvas.addEventListener("pointerleave", () => this.#hover(pane, null));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.#wheel(pane, event), { passive: false });
  }

  #wheel(pane, event) {
    event.preventDefault();
    const box = pane.canvas.getBoundingClientRect();
    const at = [event.clientX - box.left, event.clientY - box.top];
    const step = event.deltaMode === 1 ? event.deltaY * 20 : event.deltaY;
    this.app.camera.zoom(
      Math.exp(-Math.max(-240, Math.min(240, step)) / 400),
      at,
      pane.board.view,
      pane.board.geometry.size,
    );
  }

  #down(pane, event) {
    pane.canvas.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") {
      this.#touches.set(event.pointerId, [event.clientX, event.clientY]);
      if (this.#touches.size === 2) return this.#beginPinch(pane);
      if (this.#touches.size > 2) return undefined;
    }
    if (this.#gesture) return undefined;
    if (this.app.active !== pane) this.app.activate(pane);
    const cell = pane.board.cellAt(event.clientX, event.clientY);
    if (this.#pick && event.button === 0) return cell && this.#pick(pane, cell);
    const end = event.button === 0 ? this.#endAt(pane, event, cell) : null;
    const pan = event.button !== 0 || (this.tool === "hand" && !end);
    if (pan)
      this.#gesture = { kind: "pan", at: [event.clientX, event.clientY], from: [event.clientX, event.clientY], cell };
    else if (end) this.#beginDrag(pane, end);
    else if (cell) this.#beginStroke(pane, cell, this.tool === "wall" ? "walls" : "weights");
    return undefined;
  }

  /** "start" or "goal" under the pointer, or null. */
  #endAt(pane, event, cell) {
    const { model, machine } = this.app;
    if (!machine.can("grab")) return null;
    const grip = GRIP_PX[event.pointerType] ?? GRIP_PX.mouse;
    let nearest = null;
    let least = grip;
    for (const name of ["start", "goal"]) {
      if (cell && cell.join() === model[name].join()) return name;
      if (pane.board.camera.scale > grip) continue; // large cells: only the cell itself
      const [px, py] = pane.board.placeOf(...model[name]);
      const away = Math.hypot(px - event.clientX, py - event.clientY);
      if (away < least) [nearest, least] = [name, away];
    }
    return nearest;
  }

  /** End a stroke or a drag where it is; without a search, as whoever asks has something newer to show. */
  #letGo() {
    const { app } = this;
    const begun = { stroke: "lift", drag: "drop" }[this.#gesture?.kind];
    this.#gesture = null;
    if (!begun) return false;
    for (const { board } of app.panes) board.show({ lifted: null });
    app.machine.step(begun);
    app.model.end();
    return true;
  }

  // ---- start and goal

  #beginDrag(pane, end) {
    if (!this.app.machine.step("grab")) return;
    this.app.model.begin();
    this.#gesture = { kind: "drag", end };
    for (const each of this.app.panes) {
      each.beginLive();
      each.board.show({ lifted: end });
    }
    this.app.liveSearch();
    this.app.clock.show();
  }

  #drag(cell) {
    const { model } = this.app;
    const { end } = this.#gesture;
    if (!cell || !model.passable(cell) || model[end].join() === cell.join()) return;
    model[end] = cell;
    this.app.liveSearch();
  }

  #drop() {
    for (const { board } of this.app.panes) board.show({ lifted: null });
    this.app.machine.step("drop");
    this.app.model.end();
    this.app.tell("map");
    this.app.changed(true);
  }

  // ---- walls and weights

  #beginStroke(pane, cell, what) {
    const { model, machine, walk } = this.app;
    if (what === "weights") walk.end(); // agents go on when walls change, not when costs do
    if (!machine.step("stroke")) return;
    model.begin();
    const value =
      what === "walls" ? (model.passable(cell) ? 0 : 1) : model.weight(cell) === this.weight ? 1 : this.weight;
    const door = what === "walls" && model.isDoor(cell); // it is opened or closed, and nothing else drawn
    this.#gesture = { kind: "stroke", what, value, last: cell, door };
    for (const each of this.app.panes) each.stop();
    this.app.clock.show();
    this.#paint(pane, [cell]);
  }

  #stroke(pane, cell) {
    if (!cell || this.#gesture.door) return;
    const { last } = this.#gesture;
    if (cell.join() === last.join()) return;
    this.#gesture.last = cell;
    this.#paint(pane, pane.board.geometry.between(last, cell));
  }

  #paint(pane, cells) {
    const { model, walk } = this.app;
    const { what, value, door } = this.#gesture;
    const ends = new Set([model.start.join(), model.goal.join()]);
    const taken = walk.occupied();
    const seen = new Map();
    for (const cell of cells) {
      for (const each of pane.board.geometry.brush(cell, door ? 1 : this.brush)) {
        const free = ends.has(each.join()) || taken.has(model.number(each)); // start, goal and agents
        if (what === "walls" && value === 0 && free) continue;
        seen.set(model.number(each), each);
      }
    }
    const changed = model.put(seen.values(), { [what]: value });
    if (door && !changed.length) say("Someone stands in this door: it cannot be closed now.");
    if (what === "weights" && changed.length)
      this.app.repaint(); // the shades of all weights may change
    else for (const { board, player } of this.app.panes) board.patch(changed, player?.states);
  }

  #lift() {
    this.app.machine.step("lift");
    if (!this.app.model.end()) return this.app.edited(true);
    this.app.overlay = null;
    this.app.repaint();
    this.app.tell("map");
    return this.app.edited();
  }

  // ---- by keyboard

  /** Use the tool on one cell, as a click does. */
  press(pane, cell) {
    if (this.#gesture) return;
    if (this.#pick) this.#pick(pane, cell);
    else if (this.onPress?.(pane, cell)) return;
    else if (this.tool === "hand") this.onPin?.(cell);
    else this.#touch(pane, cell, this.tool === "wall" ? "walls" : "weights");
  }

  /** Open or close a door, whatever the tool. */
  toggleDoor(cell) {
    if (!this.#gesture) this.#touch(this.app.active, cell, "walls");
  }

  #touch(pane, cell, what) {
    this.#beginStroke(pane, cell, what);
    if (!this.#gesture) return;
    this.#gesture = null;
    this.#lift();
  }

  /** Put "start" or "goal" into a cell; returns whether it can be there. */
  place(end, cell) {
    const { model, machine } = this.app;
    if (!machine.can("grab") || !model.passable(cell)) return false;
    model.begin();
    model[end] = [...cell];
    if (!model.end()) return true;
    this.app.tell("map");
    this.app.changed(true);
    return true;
  }

  // ---- moving the map

  /** The first finger may have begun to draw or to drag: that was not meant. */
  #beginPinch(pane) {
    const { app } = this;
    const begun = { stroke: "lift", drag: "drop" }[this.#gesture?.kind];
    if (begun) {
      app.model.abandon();
      for (const { board } of app.panes) board.show({ lifted: null });
      app.machine.step(begun);
      app.repaint();
      app.tell("map");
      app.edited(true);
    }
    this.#gesture = { kind: "pinch", ...this.#pinched(pane) };
  }

  #pinched(pane) {
    const [[ax, ay], [bx, by]] = this.#touches.values();
    const box = pane.canvas.getBoundingClientRect();
    return { middle: [(ax + bx) / 2 - box.left, (ay + by) / 2 - box.top], gap: Math.hypot(bx - ax, by - ay) };
  }

  #pinch(pane) {
    const before = this.#gesture;
    const now = this.#pinched(pane);
    const { size } = pane.board.geometry;
    const { camera } = this.app;
    camera.pan(now.middle[0] - before.middle[0], now.middle[1] - before.middle[1], size);
    camera.zoom(now.gap / Math.max(1, before.gap), now.middle, pane.board.view, size);
    Object.assign(before, now);
  }

  #move(pane, event) {
    if (this.#touches.has(event.pointerId)) this.#touches.set(event.pointerId, [event.clientX, event.clientY]);
    const cell = pane.board.cellAt(event.clientX, event.clientY);
    const kind = this.#gesture?.kind;
    if (kind === "pinch" && this.#touches.size === 2) return this.#pinch(pane);
    if (kind === "pan") {
      const [x, y] = this.#gesture.at;
      this.#gesture.at = [event.clientX, event.clientY];
      this.app.camera.pan(event.clientX - x, event.clientY - y, pane.board.geometry.size);
    } else if (kind === "drag") this.#drag(cell);
    else if (kind === "stroke") this.#stroke(pane, cell);
    else if (!kind) pane.canvas.classList.toggle("grip", !this.#pick && this.#endAt(pane, event, cell) !== null);
    this.#hover(pane, cell);
    return undefined;
  }

  #up(pane, event) {
    this.#touches.delete(event.pointerId);
    const gesture = this.#gesture;
    if (gesture?.kind === "pinch" && this.#touches.size) return;
    this.#gesture = null;
    if (gesture?.kind === "drag") this.#drop();
    else if (gesture?.kind === "stroke") this.#lift();
    else if (gesture?.kind === "pan" && event.button !== 2) {
      const [x, y] = gesture.from;
      if (Math.hypot(event.clientX - x, event.clientY - y) < CLICK_PX) this.onPin?.(gesture.cell);
    }
  }

  #hover(pane, cell) {
    const drawing = cell && this.tool !== "hand" && this.brush > 1 && pane.board.camera.scale >= 4;
    const brush = drawing ? pane.board.geometry.brush(cell, this.brush) : [];
    for (const { board } of this.app.panes) board.show({ hover: cell, brush });
    this.onHover?.(cell);
  }
}
