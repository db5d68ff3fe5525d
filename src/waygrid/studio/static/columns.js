// Reads the columns of a trace as studio/columns.py writes them: each number is a distance from what was to be expected.

const [GENERATING, EXPANDING, UPDATING] = [2, 3, 4]; // as in the registry's list of events

const EXACT = 2 ** 23; // multiples below this can be told apart in 32 bits, as in studio/thinking.py

/** A reader of whole numbers: seven bits a byte, the lowest first; the lowest of all bits is the sign. */
function reader(bytes) {
  let at = 0;
  return () => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) break;
      scale *= 128;
    }
    return value % 2 ? -(value + 1) / 2 : value / 2;
  };
}

/** The cells and their parents: {node, parent, nearest}; `nearest` is the event that g and h are told from, or -1. */
function readCells(kind, nodes, parents) {
  const [nextNode, nextParent] = [reader(nodes), reader(parents)];
  const count = kind.length;
  const [node, parent, nearest] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  const last = new Map(); // the last event of each cell
  let expanded = 0;
  for (let i = 0; i < count; i++) {
    const cell = nextNode() + expanded;
    const before = last.get(cell) ?? -1;
    const given = kind[i] === GENERATING || kind[i] === UPDATING;
    const from = nextParent() + (given ? expanded : before < 0 ? -1 : parent[before]);
    node[i] = cell;
    parent[i] = from;
    nearest[i] = before < 0 ? (last.get(from) ?? -1) : before;
    last.set(cell, i);
    if (kind[i] === EXPANDING) expanded = cell;
  }
  return { node, parent, nearest };
}

function readValues(bytes, nearest, unit) {
  const next = reader(bytes);
  const whole = new Float64Array(nearest.length);
  for (let i = 0; i < whole.length; i++) whole[i] = next() + (nearest[i] < 0 ? 0 : whole[nearest[i]]);
  if (!unit) return new Float32Array(Int32Array.from(whole).buffer); // these are the bits
  const kept = whole.some((value) => Math.abs(value) >= EXACT) ? Float64Array : Float32Array;
  return kept.from(whole, (value) => value / unit);
}

/** The arrays of a trace: `arrays` has its columns as bytes, `units` those of g and h. */
export function readTrace(arrays, units) {
  const kind = Uint8Array.from(arrays.kind);
  const { node, parent, nearest } = readCells(kind, arrays.node, arrays.parent);
  const [g, h] = ["g", "h"].map((name) => readValues(arrays[name], nearest, units[name]));
  return { kind, node, parent, g, h };
}
