// The values of cells in a zoomed view: g and h above, f below, and in the middle an arrow to the parent.

export const ARROWS_FROM = 14; // pixels per cell
export const VALUES_FROM = 42;
const FINE_FROM = 54; // with room for two decimals of f

const DARK = "#12161d";
const LIGHT = "#f7f9fc";

/**
 * Draw the values of all cells in view; returns how many have some. `shown`: {thinking, time, fields, arrows};
 * `colourOf(cell)`: the colour of a cell as a pixel.
 */
export function drawValues(context, shown, geometry, at, scale, seen, colourOf) {
  if (scale < ARROWS_FROM) return 0;
  const found = collect(shown, geometry, at, seen, colourOf);
  for (const [ink, own] of [
    [DARK, found.filter(({ dark }) => !dark)],
    [LIGHT, found.filter(({ dark }) => dark)],
  ]) {
    if (shown.arrows) drawArrows(context, own, scale, ink);
    if (scale >= VALUES_FROM) drawTexts(context, own, geometry, scale, ink, shown.fields);
  }
  return found.length;
}

/** The cells in view that have values: their places and those of their parents on the canvas, and the values. */
function collect({ thinking, time }, geometry, at, seen, colourOf) {
  const { player } = thinking;
  const { width } = geometry;
  const found = [];
  for (let y = seen.top; y <= seen.bottom; y++) {
    for (let x = seen.left; x <= seen.right; x++) {
      const cell = y * width + x;
      const event = player.states[cell] ? player.valued(cell, time) : -1;
      if (event < 0) continue;
      const { g, h, f, parent } = thinking.valuesAt(event);
      const [px, py] = at.cell(x, y);
      const [qx, qy] = parent < 0 ? [px, py] : at.cell(parent % width, Math.floor(parent / width));
      found.push({ px, py, qx, qy, g, h, f, dark: isDark(colourOf(cell)) });
    }
  }
  return found;
}

/** Whether light letters are read better on a colour. */
function isDark(pixel) {
  const [red, green, blue] = [pixel & 255, (pixel >>> 8) & 255, (pixel >>> 16) & 255];
  return 0.299 * red + 0.587 * green + 0.114 * blue < 118;
}

function drawArrows(context, found, scale, ink) {
  const [back, tip, wing] = [0.11 * scale, 0.15 * scale, 0.07 * scale];
  context.strokeStyle = ink;
  context.lineWidth = Math.max(1, scale / 34);
  context.lineCap = "butt";
  context.lineJoin = "miter";
  context.setLineDash([]);
  context.beginPath();
  for (const { px, py, qx, qy } of found) {
    const length = Math.hypot(qx - px, qy - py);
    if (!length) continue;
    const [ux, uy] = [(qx - px) / length, (qy - py) / length];
    const [ex, ey] = [px + tip * ux, py + tip * uy];
    context.moveTo(px - back * ux, py - back * uy);
    context.lineTo(ex, ey);
    context.moveTo(ex - wing * (ux - uy), ey - wing * (uy + ux));
    context.lineTo(ex, ey);
    context.lineTo(ex - wing * (ux + uy), ey - wing * (uy - ux));
  }
  context.stroke();
}

function drawTexts(context, found, geometry, scale, ink, fields) {
  const size = Math.min(0.175 * scale, 15);
  const [aside, above, below] = [(geometry.point ? 0.36 : 0.45) * scale, 0.3 * scale, 0.31 * scale];
  context.fillStyle = ink;
  context.textBaseline = "middle";
  const all = fields.length === 3;
  context.font = `${size}px system-ui, sans-serif`;
  if (all) {
    context.textAlign = "left";
    for (const { px, py, g } of found) context.fillText(short(g, 1), px - aside, py - above);
    context.textAlign = "right";
    for (const { px, py, h } of found) context.fillText(short(h, 1), px + aside, py - above);
  }
  context.font = `600 ${1.2 * size}px system-ui, sans-serif`;
  context.textAlign = "center";
  const main = all ? "f" : fields[0];
  const decimals = scale < FINE_FROM ? 1 : 2;
  for (const values of found) context.fillText(short(values[main], decimals), values.px, values.py + below);
}

const texts = [new Map(), new Map()];

/** A number with so many decimals at most; numbers repeat from cell to cell, so their texts are kept. */
function short(number, decimals) {
  const kept = texts[decimals - 1];
  let text = kept.get(number);
  if (text !== undefined) return text;
  if (kept.size > 20_000) kept.clear();
  const room = Math.abs(number) >= 10_000 ? 0 : Math.abs(number) >= 100 ? decimals - 1 : decimals;
  text = String(Number(number.toFixed(room)));
  kept.set(number, text);
  return text;
}

/** Which values a search has: of all, g alone where nothing is estimated, or h alone where it is learned. */
export function fieldsOf(player, info) {
  if (info.details.some(({ name }) => name === "learned")) return ["h"];
  return player.trace.h.some((h) => h !== 0) ? ["g", "h", "f"] : ["g"];
}
