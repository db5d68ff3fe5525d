// Which part of the map is seen: the place in the middle of the view and the height of a cell in pixels.

const LARGEST = 96;

/** The height of a cell in pixels when a whole map is shown, with a margin around it. */
export function fittedScale([width, height], view) {
  const margin = Math.min(28, 0.06 * Math.min(...view));
  return Math.min((view[0] - 2 * margin) / width, (view[1] - 2 * margin) / height, 64);
}

export class Camera {
  #listeners = [];

  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 10;
    this.fitted = true; // until someone pans or zooms, the map stays fitted when sizes change
    this.least = 0.05;
  }

  /** Call `listener` after every change; returns what ends that. */
  onChange(listener) {
    this.#listeners.push(listener);
    return () => (this.#listeners = this.#listeners.filter((other) => other !== listener));
  }

  #changed() {
    for (const listener of this.#listeners) listener();
  }

  /** Show the whole map in a view of so many pixels. */
  fit(size, view) {
    const [width, height] = size;
    this.scale = Math.max(0.01, fittedScale(size, view));
    this.least = Math.min(this.scale / 4, 1);
    this.x = width / 2;
    this.y = height / 2;
    this.fitted = true;
    this.#changed();
  }

  /** Keep the part of the map in sight that was in sight. */
  #hold(size) {
    this.x = Math.max(0, Math.min(size[0], this.x));
    this.y = Math.max(0, Math.min(size[1], this.y));
    this.fitted = false;
    this.#changed();
  }

  pan(dx, dy, size) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.#hold(size);
  }

  /** Zoom by a factor so that the place under (px, py) of the view stays where it is. */
  zoom(factor, [px, py], view, size) {
    const [wx, wy] = this.toMap(px, py, view);
    this.scale = Math.max(this.least, Math.min(LARGEST, this.scale * factor));
    this.x = wx - (px - view[0] / 2) / this.scale;
    this.y = wy - (py - view[1] / 2) / this.scale;
    this.#hold(size);
  }

  toMap(px, py, view) {
    return [this.x + (px - view[0] / 2) / this.scale, this.y + (py - view[1] / 2) / this.scale];
  }

  toView(wx, wy, view) {
    return [(wx - this.x) * this.scale + view[0] / 2, (wy - this.y) * this.scale + view[1] / 2];
  }
}
