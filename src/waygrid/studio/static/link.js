// Links that restore map, query and settings. All of it is in the fragment, which browsers do not send to servers.
//
// The fragment is "s1." and, compressed and in base64url: length of the JSON (4 bytes), the JSON, and for a map that
// was drawn its walls as bits and its weights as 16-bit numbers.

import { readPlace } from "./world.js";

const MARK = "s1.";
const LONGEST = 60_000; // characters; longer links break in mails and chats
const TOO_LARGE =
  "The map is too large for a link: this link works only while this server has the map in memory. " +
  "Export the map to keep it.";

const DAMAGED = "it is damaged or cut short. Copy it again from where it came.";

const MOST_JSON = 1 << 20; // bytes
const MOST_DOORS = 200;

/** Send bytes through a stream, which may not make more than so many of them. */
export async function through(stream, bytes, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      reader.cancel().catch(() => {});
      throw new Error("it is larger than the largest map");
    }
    parts.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function toText(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export function fromText(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

function packMap({ walls, weights }, weighted) {
  const bits = new Uint8Array(Math.ceil(walls.length / 8));
  for (let i = 0; i < walls.length; i++) if (walls[i]) bits[i >> 3] |= 1 << (i & 7);
  if (!weighted) return bits;
  const bytes = new Uint8Array(bits.length + 2 * weights.length);
  bytes.set(bits);
  for (let i = 0; i < weights.length; i++) {
    bytes[bits.length + i] = weights[i] & 255; // low and high bytes apart compress better
    bytes[bits.length + weights.length + i] = weights[i] >> 8;
  }
  return bytes;
}

function unpackMap({ width, height, weighted }, bytes) {
  const cells = width * height;
  const start = Math.ceil(cells / 8);
  if (bytes.length !== start + (weighted ? 2 * cells : 0)) throw new Error("the map in the link is not complete");
  const walls = new Uint8Array(cells);
  for (let i = 0; i < cells; i++) walls[i] = (bytes[i >> 3] >> (i & 7)) & 1;
  const weights = weighted ? new Uint16Array(cells) : null;
  for (let i = 0; weighted && i < cells; i++) weights[i] = bytes[start + i] | (bytes[start + cells + i] << 8);
  return { walls, weights };
}

/** Length of the JSON, the JSON, and the map. */
function join(state, data) {
  const json = new TextEncoder().encode(JSON.stringify(state));
  const bytes = new Uint8Array(4 + json.length + data.length);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  bytes.set(data, 4 + json.length);
  return bytes;
}

const compress = async (state, data) =>
  MARK + toText(await through(new CompressionStream("deflate-raw"), join(state, data)));

function drawn({ terrain: { width, height, name, doors = [], place = null }, weighted }) {
  return { drawn: { width, height, name, weighted, ...(doors.length ? { doors } : {}), ...(place ? { place } : {}) } };
}

/** The state and the whole map as text, at once and uncompressed: what the browser keeps when a page goes. */
export const pack = (state, model) =>
  toText(join({ ...state, map: drawn(model) }, packMap(model.terrain, model.weighted)));

/** What `pack` wrote. */
export const unpack = (text, most) => split(fromText(text), most);

/** The fragment for a state, and a note when it does not carry the whole map: {fragment, note}. */
export async function write(state, model) {
  const { source, edited, terrain } = model;
  const recipe = !edited && (source.example || source.generate);
  if (recipe) return { fragment: await compress({ ...state, map: source }, new Uint8Array()), note: null };
  const fragment = await compress({ ...state, map: drawn(model) }, packMap(terrain, model.weighted));
  if (fragment.length <= LONGEST) return { fragment, note: null };
  const id = await model.mapId();
  return {
    fragment: await compress({ ...state, map: { id, name: terrain.name } }, new Uint8Array()),
    note: TOO_LARGE,
  };
}

/** Read a fragment: the state, with `terrain` where the link carries a map; null without one. */
export async function read(fragment, most) {
  const text = fragment.replace(/^#/, "");
  if (!text.startsWith(MARK)) return null;
  const largest = 4 + MOST_JSON + Math.ceil(most / 8) + 2 * most;
  let bytes;
  try {
    bytes = await through(new DecompressionStream("deflate-raw"), fromText(text.slice(MARK.length)), largest);
  } catch (error) {
    throw error instanceof TypeError || error instanceof DOMException ? new Error(DAMAGED) : error;
  }
  return split(bytes, most);
}

/** Take apart what `join` put together. */
function split(bytes, most) {
  let state = null;
  let length = 0;
  try {
    length = new DataView(bytes.buffer).getUint32(0, true);
    state = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  } catch {
    // What is no state is refused below.
  }
  // Whatever else is wrong in a state is refused where it is used.
  if (!state?.map || typeof state.map !== "object" || !Array.isArray(state.panes ?? [])) throw new Error(DAMAGED);
  const { drawn } = state.map;
  if (!drawn) return state;
  const { width, height, name = "map" } = drawn;
  if (!(Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0 && width * height <= most)) {
    throw new Error("the map in the link has an invalid size");
  }
  const doors = readDoors(drawn);
  const map = unpackMap(drawn, bytes.subarray(4 + length));
  return { ...state, terrain: { width, height, name: String(name), doors, place: readPlace(drawn.place), ...map } };
}

/** The doors of a map in a link that are cells of it. */
function readDoors({ doors, width, height }) {
  if (!Array.isArray(doors)) return [];
  const inside = (value, side) => Number.isInteger(value) && value >= 0 && value < side;
  const fits = (door) => Array.isArray(door) && inside(door[0], width) && inside(door[1], height);
  return doors.slice(0, MOST_DOORS).filter(fits).map(([x, y]) => [x, y]);
}
