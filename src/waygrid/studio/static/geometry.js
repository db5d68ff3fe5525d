// Where cells lie, in units of a cell's height; the same shapes as the library's pictures.
//
//            _____
//           /     \      pitch  from one column to the next
//     _____/  1,0  \     drop   how much lower the even columns lie
//    /     \       /     point  how far the corner of a hex reaches into the next column
//   /  0,0  \_____/
//   \       /     \
//    \_____/  1,1  \

const HALF_ROOT_3 = Math.sqrt(3) / 2;
const SQUARE = { pitch: 1, point: 0, drop: 0 };
const SHAPES = {
  tile: SQUARE,
  octile: SQUARE,
  hex: { pitch: HALF_ROOT_3, point: HALF_ROOT_3 / 3, drop: 0.5 },
  tex: { pitch: 1, point: 0, drop: 0.5 },
};

const SQUARE_STEPS = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
  [1, -1],
  [1, 1],
  [-1, 1],
  [-1, -1],
];
const EVEN_STEPS = [
  [0, -1],
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
];
const ODD_STEPS = [
  [0, -1],
  [1, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
  [-1, -1],
];

export class Geometry {
  constructor(topology, width, height) {
    Object.assign(this, { topology, width, height }, SHAPES[topology] ?? SQUARE);
  }

  get square() {
    return this.drop === 0;
  }

  /** Width and height of the whole map. */
  get size() {
    return [this.width * this.pitch + this.point, this.height + this.drop];
  }

  /** The middle of a cell; between columns, where overlays have points, the drop is shared out. */
  centre(x, y) {
    const even = Math.abs((((x % 2) + 2) % 2) - 1);
    return [x * this.pitch + (this.pitch + this.point) / 2, y + 0.5 + even * this.drop];
  }

  /** The cell at a place, [x, y], or null outside the map. */
  cellAt(px, py) {
    let column = Math.floor(px / this.pitch);
    const lower = (c) => ((c & 1) === 0 ? this.drop : 0);
    if (this.point) {
      const down = py - lower(column);
      const slope = this.point * Math.abs(2 * (down - Math.floor(down)) - 1);
      if (px - column * this.pitch < slope) column -= 1;
    }
    const row = Math.floor(py - lower(column));
    if (column < 0 || row < 0 || column >= this.width || row >= this.height) return null;
    return [column, row];
  }

  /** The steps of the moves at a column, in the order of the bits of a direction mask. */
  steps(x) {
    if (this.square) return this.topology === "tile" ? SQUARE_STEPS.slice(0, 4) : SQUARE_STEPS;
    return x % 2 === 0 ? EVEN_STEPS : ODD_STEPS;
  }

  /** The corners of a cell, as places in order around it. */
  outline(x, y) {
    const left = x * this.pitch;
    const top = y + (x % 2 === 0 ? this.drop : 0);
    const right = left + this.pitch;
    if (!this.point)
      return [
        [left, top],
        [right, top],
        [right, top + 1],
        [left, top + 1],
      ];
    const p = this.point;
    return [
      [left + p, top],
      [right, top],
      [right + p, top + 0.5],
      [right, top + 1],
      [left + p, top + 1],
      [left, top + 0.5],
    ];
  }

  /** All cells on the way from one cell to another, for strokes of a fast mouse. */
  between(from, to) {
    const [ax, ay] = this.centre(...from);
    const [bx, by] = this.centre(...to);
    const parts = Math.max(1, Math.ceil(Math.hypot(bx - ax, by - ay) * 2));
    const cells = [];
    for (let i = 0; i <= parts; i++) {
      const cell = this.cellAt(ax + ((bx - ax) * i) / parts, ay + ((by - ay) * i) / parts);
      const last = cells.at(-1);
      if (cell && !(last && last[0] === cell[0] && last[1] === cell[1])) cells.push(cell);
    }
    return cells;
  }

  /** The cells under a round brush of so many cells across. */
  brush([x, y], size) {
    if (size <= 1) return [[x, y]];
    const [cx, cy] = this.centre(x, y);
    const reach = size / 2;
    const cells = [];
    const columns = Math.ceil(reach / this.pitch) + 1;
    const rows = Math.ceil(reach) + 1;
    for (let row = y - rows; row <= y + rows; row++) {
      for (let column = x - columns; column <= x + columns; column++) {
        if (column < 0 || row < 0 || column >= this.width || row >= this.height) continue;
        const [px, py] = this.centre(column, row);
        if (Math.hypot(px - cx, py - cy) < reach + 0.01) cells.push([column, row]);
      }
    }
    return cells;
  }
}
