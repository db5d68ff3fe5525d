// Requests to the server: errors as sentences, maps sent again when the server forgot them, newest request wins.

import { decode, encode } from "./wire.js";

export class Refused extends Error {
  constructor(message, status, code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const client = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
  byte.toString(16).padStart(2, "0"),
).join("");
let tokens = 0;

export const newToken = () => `${client}-${++tokens}`;

let ask = (path, init) => fetch(path, init);

/** Take answers from elsewhere: a page without a server has its own. */
export const answerWith = (answer) => (ask = answer);

async function send(path, init = {}) {
  let response;
  try {
    response = await ask(path, init);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("The server does not respond; is `waygrid studio` still running?", 0, "offline");
  }
  if (response.ok) return response;
  let said = {};
  try {
    said = await response.json();
  } catch {
    // Not a sentence of ours: the status has to do.
  }
  throw new Refused(said.error ?? `The server answered ${response.status}.`, response.status, said.code);
}

const asJson = (body, signal) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
  signal,
});

const asBytes = (body) => ({ method: "POST", headers: { "content-type": "application/octet-stream" }, body });

async function envelope(response) {
  return decode(await response.arrayBuffer());
}

export const registry = async () => (await send("/api/registry")).json();

function terrainOf({ header, arrays }) {
  const { width, height, id, name = "map", notes = [], example = null, topology = null, doors = [], place = null } = header;
  return { width, height, id, name, notes, example, topology, doors, place, walls: arrays.walls, weights: arrays.weights ?? null };
}

export const openFile = async (name, bytes) =>
  terrainOf(await envelope(await send(`/api/open?name=${encodeURIComponent(name)}`, asBytes(bytes))));

/** Open a robot's map: its description and the image beside it, [name, bytes] each; the image may be missing. */
export async function openRobot([name, text], image, unknown) {
  const bytes = (data) => [new Uint8Array(data), [data.byteLength]];
  const arrays = image ? { text: bytes(text), image: bytes(image[1]) } : { text: bytes(text) };
  const body = encode({ image: image?.[0] ?? null, unknown }, arrays);
  return terrainOf(await envelope(await send(`/api/robot?name=${encodeURIComponent(name)}`, asBytes(body))));
}

export const generate = async (recipe) => terrainOf(await envelope(await send("/api/generate", asJson(recipe))));

export const example = async (name) =>
  terrainOf(await envelope(await send(`/api/examples/${encodeURIComponent(name)}`)));

export const knownMap = async (id) => terrainOf(await envelope(await send(`/api/maps/${encodeURIComponent(id)}`)));

/** Send a terrain; returns its id. */
export async function sendTerrain({ width, height, walls, weights, place = null }) {
  const arrays = { walls: [walls, [height, width]] };
  if (weights) arrays.weights = [weights, [height, width]];
  const response = await send("/api/terrain", asBytes(encode({ width, height, place }, arrays)));
  return (await response.json()).id;
}

/** Make a request about the model's map; when the server does not know it, send the map and ask again. */
async function aboutMap(model, ask) {
  const id = await model.mapId();
  try {
    return await ask(id);
  } catch (error) {
    if (error.code !== "unknown-map") throw error;
    model.forgetId(id);
    return ask(await model.mapId());
  }
}

export const scenario = (model, bytes) =>
  aboutMap(model, async (id) => (await send(`/api/scenario?map=${id}`, asBytes(bytes))).json());

const post = (path) => (model, body, signal) =>
  aboutMap(model, async (map) => envelope(await send(path, asJson({ client, ...body, map }, signal))));

const asked = post("/api/search");
const given = new Map(); // searches that came from files, by what their boards call the algorithm

/** Answer searches of this name from a file: `answer(question)`. */
export const give = (name, answer) => given.set(name, answer);

export async function search(model, body, signal) {
  const answer = given.get(body.algorithm);
  return answer ? answer(body) : asked(model, body, signal);
}

export const agents = post("/api/agents");
export const crowd = post("/api/crowd");
export const overlay = post("/api/overlay");
export const detail = post("/api/detail");

/** A search trace of another program, as the answer to a search. */
export const importTrace = async (name, bytes) =>
  envelope(await send(`/api/import/trace?name=${encodeURIComponent(name)}`, asBytes(bytes)));

/** A dynamic scenario with its patches, both as bytes. */
export const importDynamic = (model, scenario, patches) =>
  aboutMap(model, async (id) => {
    const arrays = { scenario: [scenario, [scenario.length]], patches: [patches, [patches.length]] };
    return envelope(await send(`/api/import/dynamic?map=${id}`, asBytes(encode({}, arrays))));
  });

export const checkPaths = post("/api/import/paths");

/** Ask for a file; returns a Blob. */
export const file = (model, path, body) =>
  aboutMap(model, async (map) => (await send(path, asJson({ client, ...body, map }))).blob());

export const progress = async (token) => (await send(`/api/progress?token=${encodeURIComponent(token)}`)).json();

export const cancel = async (token) => (await send("/api/cancel", asJson({ token }))).json();

/** One request at a time; while one is under way only the newest question waits, older ones are dropped. */
export class Latest {
  #running = false;
  #waiting = null;

  constructor(ask) {
    this.ask = ask;
  }

  get busy() {
    return this.#running;
  }

  drop() {
    this.#waiting = null;
  }

  async put(question) {
    this.#waiting = question;
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#waiting !== null) {
        const next = this.#waiting;
        this.#waiting = null;
        await this.ask(next);
      }
    } finally {
      this.#running = false;
    }
  }
}
