// Where boards stand: as many rows as let the map be largest, and no empty place among them.

import { fittedScale } from "./camera.js";

const HEAD_PX = 58; // above a board: its name, and its counters below
const WIDE_HEAD_PX = 37; // both in one line
const WIDE_PX = 480; // a board so wide has room for that; studio.css has the same number
const GAP_PX = 10;
const RAGGED = 0.95; // what boards of different widths are worth: alike they are compared more easily

const divisor = (a, b) => (b ? divisor(b, a % b) : a);

/** Columns of the grid for so many boards with a map of this size, and how many of them each board takes. */
export function layOut(count, size, [boxWidth, boxHeight]) {
  const worth = (columns) => {
    const rows = Math.ceil(count / columns);
    const across = (boxWidth - (columns - 1) * GAP_PX) / columns;
    const down = (boxHeight - (rows - 1) * GAP_PX) / rows - (across >= WIDE_PX ? WIDE_HEAD_PX : HEAD_PX);
    return fittedScale(size, [across, down]) * (count % columns ? RAGGED : 1);
  };
  let columns = 1;
  for (let more = 2; more <= count; more++) if (worth(more) > 1.02 * worth(columns)) columns = more;
  const last = count % columns || columns; // boards in the last row, which share its whole width
  const tracks = (columns * last) / divisor(columns, last);
  const spans = Array.from({ length: count }, (_, i) => tracks / (i < count - last ? columns : last));
  return { tracks, spans };
}
