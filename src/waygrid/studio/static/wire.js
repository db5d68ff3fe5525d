// The envelope of binary answers: a JSON header, then arrays that begin at multiples of eight bytes.

const TYPES = {
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array,
};
const NAMES = new Map(Object.entries(TYPES).map(([name, type]) => [type, name]));

/** Read an ArrayBuffer: {header, arrays: {name: typed array}, shapes: {name: [..]}}; the arrays are views. */
export function decode(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  const shapes = {};
  for (const { name, dtype, shape, offset } of header.arrays ?? []) {
    const type = TYPES[dtype];
    if (!type) throw new Error(`the answer holds an array of unknown type ${dtype}`);
    const count = shape.reduce((product, side) => product * side, 1);
    arrays[name] = new type(buffer, 4 + length + offset, count);
    shapes[name] = shape;
  }
  return { header, arrays, shapes };
}

/** Write an envelope; `arrays` maps names to [typed array, shape]. */
export function encode(header, arrays) {
  const entries = [];
  let offset = 0;
  for (const [name, [values, shape]] of Object.entries(arrays)) {
    entries.push({ name, dtype: NAMES.get(values.constructor), shape, offset });
    offset = Math.ceil((offset + values.byteLength) / 8) * 8;
  }
  let text = JSON.stringify({ ...header, arrays: entries });
  let bytes = new TextEncoder().encode(text);
  text += " ".repeat((8 - ((4 + bytes.length) % 8)) % 8);
  bytes = new TextEncoder().encode(text);
  const buffer = new ArrayBuffer(4 + bytes.length + offset);
  new DataView(buffer).setUint32(0, bytes.length, true);
  new Uint8Array(buffer, 4, bytes.length).set(bytes);
  entries.forEach(({ offset: at }, i) => {
    const [values] = Object.values(arrays)[i];
    const source = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    new Uint8Array(buffer, 4 + bytes.length + at, values.byteLength).set(source);
  });
  return buffer;
}
