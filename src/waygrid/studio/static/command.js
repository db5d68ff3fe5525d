// The mouse on a board while units are drawn or commanded: clicks, strokes and boxes that no tool gets to see.

const CLICK_PX = 6;

export class Command {
  #gesture = null; // {pane, from, cell, adding, last}

  constructor(crowd, tools) {
    this.crowd = crowd;
    this.tools = tools;
    tools.onPress = (pane, cell) => this.#press(cell);
  }

  /** Listen to a board, before its tools do. */
  attach(pane) {
    const frame = pane.canvas.parentElement;
    const listen = (name, action) => frame.addEventListener(name, (event) => this.#take(pane, event, action), true);
    listen("pointerdown", (event) => this.#down(pane, event));
    listen("pointermove", (event) => this.#move(pane, event));
    listen("pointerup", (event) => this.#up(pane, event));
    listen("pointercancel", () => this.#drop(pane));
  }

  #take(pane, event, action) {
    const begins = event.type === "pointerdown" && this.crowd.mode !== null && event.button === 0;
    if (event.target !== pane.canvas || (!begins && this.#gesture?.pointer !== event.pointerId)) return;
    event.stopPropagation();
    action(event);
  }

  #down(pane, event) {
    const cell = pane.board.cellAt(event.clientX, event.clientY);
    if (!cell) return;
    pane.canvas.setPointerCapture(event.pointerId);
    const { mode, drawn } = this.crowd;
    const drawing = mode !== "command";
    const adding = drawing && !drawn[mode].some((one) => one.join() === cell.join());
    this.#gesture = { pointer: event.pointerId, at: [event.clientX, event.clientY], cell, last: cell, drawing, adding };
    if (drawing) this.crowd.draw(pane.board.geometry.brush(cell, this.tools.brush), adding);
  }

  #move(pane, event) {
    const { board } = pane;
    const gesture = this.#gesture;
    const cell = board.cellAt(event.clientX, event.clientY);
    if (!cell || cell.join() === gesture.last.join()) return;
    if (gesture.drawing) {
      const cells = board.geometry.between(gesture.last, cell).flatMap((one) => board.geometry.brush(one, this.tools.brush));
      this.crowd.draw(cells, gesture.adding);
    } else if (this.#far(event)) board.show({ box: [gesture.cell, cell] });
    gesture.last = cell;
  }

  #far(event) {
    const [x, y] = this.#gesture.at;
    return Math.hypot(event.clientX - x, event.clientY - y) > CLICK_PX;
  }

  #up(pane, event) {
    const { cell, last, drawing } = this.#gesture;
    const far = this.#far(event);
    this.#drop(pane);
    if (drawing || !this.crowd.track) return;
    if (far && cell.join() !== last.join()) this.crowd.selectBox(cell, last);
    else this.crowd.click(cell);
  }

  #drop(pane) {
    this.#gesture = null;
    pane.board.show({ box: null });
  }

  /** Enter on a cell, by keyboard; returns whether it was meant for the crowd. */
  #press(cell) {
    const { mode, drawn } = this.crowd;
    if (mode === null) return false;
    if (mode === "command") this.crowd.click(cell);
    else this.crowd.draw([cell], !drawn[mode].some((one) => one.join() === cell.join()));
    return true;
  }
}
