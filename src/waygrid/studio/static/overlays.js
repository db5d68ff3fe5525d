// Layers of an overlay, drawn by their type; nothing here knows what a particular overlay means.

const OUTLINES_FROM = 3; // pixels per cell
const TICKS_FROM = 9;

/** The zones that colour the ground: the first layer of labels, or null. */
export function zonesOf(shown) {
  const layer = shown?.header.layers.find(({ type }) => type === "labels");
  return layer ? shown.arrays[layer.array] : null;
}

/** Draw all layers. `at(x, y)` turns cell coordinates into pixels, `scale` is the height of a cell in pixels. */
export function drawLayers(context, shown, geometry, at, scale, seen, colours) {
  for (const layer of shown.header.layers) {
    const values = shown.arrays[layer.array];
    if (!values) continue;
    const draw = DRAW[layer.type];
    context.save();
    if (draw) draw(context, { values, layer, geometry, at, scale, seen, colours });
    context.restore();
  }
}

// Others are not drawn: "values" are for the inspector, "walls" and "weights" can become the map.
const DRAW = { labels, cells, points, lines, boxes, directions };

/** Lines where neighbouring numbers differ. */
function labels(context, { values, geometry, at, scale, seen, colours }) {
  if (scale < OUTLINES_FROM) return;
  context.strokeStyle = colours.ink;
  context.globalAlpha = 0.55;
  context.lineWidth = Math.max(1, Math.min(scale / 14, 2.5));
  context.beginPath();
  for (let y = seen.top; y <= seen.bottom; y++) {
    for (let x = seen.left; x <= seen.right; x++) {
      const own = values[y * geometry.width + x];
      const corners = geometry.outline(x, y);
      // The sides below and to the right; those above and to the left belong to the neighbours.
      for (const [dx, dy, from, to] of sides(geometry, x)) {
        const nx = x + dx;
        const ny = y + dy;
        if (nx < 0 || nx >= geometry.width || ny < 0 || ny >= geometry.height) continue;
        const other = values[ny * geometry.width + nx];
        if (own === other) continue;
        context.moveTo(...at.place(...middle(corners, from)));
        context.lineTo(...at.place(...middle(corners, to)));
      }
    }
  }
  context.stroke();
}

const middle = (corners, [a, b]) => [(corners[a][0] + corners[b][0]) / 2, (corners[a][1] + corners[b][1]) / 2];
const corner = (number) => [number, number];

/** The shared sides towards later neighbours: [dx, dy, from, to], each end the middle of two corners. */
function sides(geometry, x) {
  if (geometry.square)
    return [
      [1, 0, corner(1), corner(2)],
      [0, 1, corner(2), corner(3)],
    ];
  const up = x % 2 === 0 ? 0 : -1;
  if (geometry.point) {
    return [
      [1, up, corner(1), corner(2)],
      [1, up + 1, corner(2), corner(3)],
      [0, 1, corner(3), corner(4)],
    ];
  }
  return [
    [1, up, corner(1), [1, 2]],
    [1, up + 1, [1, 2], corner(2)],
    [0, 1, corner(2), corner(3)],
  ];
}

function cells(context, { values, layer, geometry, at, seen, scale }) {
  context.fillStyle = layer.colour;
  context.globalAlpha = layer.opacity ?? 0.6;
  for (const cell of values) {
    const x = cell % geometry.width;
    const y = Math.floor(cell / geometry.width);
    if (x < seen.left || x > seen.right || y < seen.top || y > seen.bottom) continue;
    if (geometry.point && scale > 3) {
      fillOutline(context, geometry.outline(x, y), at);
    } else {
      const [px, py] = at.place(...geometry.outline(x, y)[0]);
      context.fillRect(px, py, Math.max(1, geometry.pitch * scale), Math.max(1, scale));
    }
  }
}

function fillOutline(context, corners, at) {
  context.beginPath();
  for (const place of corners) context.lineTo(...at.place(...place));
  context.fill();
}

function points(context, { values, layer, at, scale }) {
  const radius = (layer.size ?? 3) * Math.max(0.5, Math.min(scale / 10, 2));
  context.fillStyle = layer.colour;
  context.beginPath();
  for (let i = 0; i < values.length; i += 2) {
    const [px, py] = at.cell(values[i], values[i + 1]);
    context.moveTo(px + radius, py);
    context.arc(px, py, radius, 0, 2 * Math.PI);
  }
  context.fill();
}

function lines(context, { values, layer, at, scale }) {
  context.strokeStyle = layer.colour;
  context.lineWidth = (layer.width ?? 2) * Math.max(0.35, Math.min(scale / 14, 1.4));
  context.lineCap = "round";
  context.beginPath();
  for (let i = 0; i < values.length; i += 4) {
    context.moveTo(...at.cell(values[i], values[i + 1]));
    context.lineTo(...at.cell(values[i + 2], values[i + 3]));
  }
  context.stroke();
}

function boxes(context, { values, layer, geometry, at, scale }) {
  context.strokeStyle = layer.colour;
  context.fillStyle = layer.colour;
  context.lineWidth = Math.max(1.5, Math.min(scale / 6, 3));
  for (let i = 0; i < values.length; i += 4) {
    const [x0, y0, x1, y1] = values.subarray(i, i + 4);
    if (x1 < x0 || y1 < y0) continue;
    const lowest = geometry.drop && (x1 > x0 || x0 % 2 === 0) ? geometry.drop : 0;
    const highest = geometry.drop && x1 === x0 && x0 % 2 === 0 ? geometry.drop : 0;
    const [left, top] = at.place(x0 * geometry.pitch, y0 + highest);
    const [right, bottom] = at.place((x1 + 1) * geometry.pitch + geometry.point, y1 + 1 + lowest);
    context.globalAlpha = 0.12;
    context.fillRect(left, top, right - left, bottom - top);
    context.globalAlpha = 0.95;
    context.strokeRect(left, top, right - left, bottom - top);
  }
}

/** A tick from the middle of the cell towards each neighbour of the bit mask. */
function directions(context, { values, layer, geometry, at, scale, seen, colours }) {
  if (scale < TICKS_FROM) return;
  context.strokeStyle = layer.colour ?? colours.ink;
  context.lineWidth = Math.max(1, scale / 16);
  context.beginPath();
  for (let y = seen.top; y <= seen.bottom; y++) {
    for (let x = seen.left; x <= seen.right; x++) {
      const mask = values[y * geometry.width + x];
      if (!mask) continue;
      const [px, py] = at.cell(x, y);
      geometry.steps(x).forEach(([dx, dy], bit) => {
        if (!(mask & (1 << bit))) return;
        const [qx, qy] = at.cell(x + dx, y + dy);
        context.moveTo(px, py);
        context.lineTo(px + 0.42 * (qx - px), py + 0.42 * (qy - py));
      });
    }
  }
  context.stroke();
}
