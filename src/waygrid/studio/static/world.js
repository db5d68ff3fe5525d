// Maps that know where they lie: coordinates of cells, and figures that an overlay has for a cell.

import { decimal } from "./dom.js";

const MOST_DIGITS = 6;

/** The side of a cell, in the units of the coordinates. */
export const cellSize = ({ transform: [a, , , d] }) => Math.hypot(a, d);

/** The unit of the coordinates: robots' maps are in metres, others are as their coordinate system says. */
export const unitOf = ({ crs }) => (crs ? "" : " m");

/** The middle of a cell in the world. */
export function toWorld({ transform: [a, b, c, d, e, f] }, [x, y]) {
  return [a * (x + 0.5) + b * (y + 0.5) + c, d * (x + 0.5) + e * (y + 0.5) + f];
}

/** As many digits as tell neighbouring cells apart. */
const digits = (place) => Math.max(0, Math.min(MOST_DIGITS, 1 + Math.ceil(-Math.log10(cellSize(place)))));

/** Rows of the inspector: where a cell lies in the world, and what the overlay says of it. */
export function worldRows({ model, overlay }, cell) {
  const rows = [];
  const { place } = model.terrain;
  if (place) {
    const at = toWorld(place, cell).map((side) => decimal(side, digits(place)));
    rows.push(["world", `${at.join(", ")}${unitOf(place)}`]);
  }
  for (const { type, array, name } of overlay?.header.layers ?? [])
    if (type === "values") rows.push([name, decimal(overlay.arrays[array][model.number(cell)], 3)]);
  return rows;
}

/** Size of the map in the world, for the page of the map. */
export function sizeInWorld({ width, height, place }) {
  if (!place) return "";
  const size = cellSize(place);
  const sides = [width, height].map((side) => decimal(side * size, 2));
  return `${decimal(size, digits(place) + 1)}${unitOf(place)} per cell, ${sides.join(" × ")}${unitOf(place)}`;
}

/** A place as links and drafts have it; null where it is none. */
export function readPlace(place) {
  const { transform, crs = null } = place ?? {};
  if (!Array.isArray(transform) || transform.length !== 6 || !transform.every(Number.isFinite)) return null;
  const [a, b, , d, e] = transform;
  return a * e === b * d ? null : { transform, crs: typeof crs === "string" ? crs : null };
}
