// The search tree: a node for each expansion, below the expansion that found its cell.

const PAD = { left: 8, right: 8, top: 10, bottom: 10 };
const MOST_LINES = 30_000; // with more nodes only their places are drawn
const REACH_PX = 14; // so near to a node the mouse points at it

/** Parents and places of the nodes: {parent, depth, across, leaves, deepest}; `across` counts in leaves. */
export function layOutTree(player, moments) {
  const { expansions } = moments;
  const { node, parent: from } = player.trace;
  const number = expansions.length;
  const last = new Int32Array(player.states.length).fill(-1); // of each cell, its last expansion so far
  const parent = new Int32Array(number);
  const depth = new Int32Array(number);
  for (let i = 0; i < number; i++) {
    const event = expansions[i];
    const above = from[event];
    parent[i] = above >= 0 && above !== node[event] ? last[above] : -1;
    depth[i] = parent[i] < 0 ? 0 : depth[parent[i]] + 1;
    if (node[event] >= 0) last[node[event]] = i;
  }
  let deepest = 0;
  for (let i = 0; i < number; i++) if (depth[i] > deepest) deepest = depth[i];
  return { parent, depth, deepest, ...placeAcross(parent) };
}

/** Leaves stand side by side in the order of the tree; every other node above the middle of its children. */
function placeAcross(parent) {
  const number = parent.length;
  const first = new Int32Array(number + 1).fill(-1); // children as lists: the first, then the next; roots at the end
  const next = new Int32Array(number).fill(-1);
  for (let i = number - 1; i >= 0; i--) {
    const above = parent[i] < 0 ? number : parent[i];
    next[i] = first[above];
    first[above] = i;
  }
  const across = new Float32Array(number);
  const low = new Float32Array(number).fill(Infinity);
  const high = new Float32Array(number).fill(-Infinity);
  let leaves = 0;
  const stack = first[number] >= 0 ? [first[number]] : [];
  const seen = new Uint8Array(number);
  while (stack.length) {
    const i = stack.at(-1);
    if (!seen[i] && first[i] >= 0) {
      seen[i] = 1;
      stack.push(first[i]);
      continue;
    }
    across[i] = first[i] >= 0 ? (low[i] + high[i]) / 2 : leaves++;
    stack.pop();
    const above = parent[i];
    if (above >= 0) {
      low[above] = Math.min(low[above], across[i]);
      high[above] = Math.max(high[above], across[i]);
    }
    if (next[i] >= 0) stack.push(next[i]);
  }
  return { across, leaves };
}

export class Tree {
  #still = document.createElement("canvas"); // the whole tree, pale
  #grown = document.createElement("canvas"); // what is expanded so far
  #done = 0;
  #key = null;

  constructor(canvas) {
    this.canvas = canvas;
    this.layout = null;
  }

  set(layout) {
    this.layout = layout;
    this.#key = null;
  }

  get size() {
    return this.layout?.parent.length ?? 0;
  }

  x(i) {
    const { across, leaves } = this.layout;
    return PAD.left + ((this.canvas.clientWidth - PAD.left - PAD.right) * (across[i] + 0.5)) / Math.max(1, leaves);
  }

  y(i) {
    const { depth, deepest } = this.layout;
    return PAD.top + ((this.canvas.clientHeight - PAD.top - PAD.bottom) * depth[i]) / Math.max(1, deepest);
  }

  /** The node near a place of the canvas, or -1. */
  at(x, y) {
    let nearest = -1;
    let least = REACH_PX ** 2;
    for (let i = 0; i < this.size; i++) {
      const away = (this.x(i) - x) ** 2 + (this.y(i) - y) ** 2;
      if (away < least) [nearest, least] = [i, away];
    }
    return nearest;
  }

  /** Draw with `done` expansions behind us and the numbered ones pointed at, with their way from the root. */
  draw(done, pointed, { path, ink, strong, accent }) {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    const ratio = window.devicePixelRatio || 1;
    const size = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    for (const [i, side] of ["width", "height"].entries()) if (this.canvas[side] !== size[i]) this.canvas[side] = size[i];
    const key = [...size, strong, accent].join();
    if (this.#key !== key) {
      this.#clear(this.#still, size);
      this.#nodes(this.#still, ratio, 0, this.size, strong, 0.55);
      this.#done = Infinity;
    }
    this.#key = key;
    if (done < this.#done) {
      this.#clear(this.#grown, size);
      this.#done = 0;
    }
    this.#nodes(this.#grown, ratio, this.#done, done, accent);
    this.#done = done;
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, ...size);
    context.drawImage(this.#still, 0, 0);
    context.drawImage(this.#grown, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (done && done <= this.size) this.#dot(context, done - 1, 3.5, accent, ink);
    for (const i of pointed) this.#branch(context, i, path, ink);
  }

  #clear(canvas, [width, height]) {
    canvas.width = width; // this empties it too
    canvas.height = height;
  }

  #nodes(canvas, ratio, from, to, colour, alpha = 1) {
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = context.strokeStyle = colour;
    context.globalAlpha = alpha;
    const few = this.size <= MOST_LINES;
    if (!this.size) return;
    if (few) {
      const { parent } = this.layout;
      context.lineWidth = 1;
      context.beginPath();
      for (let i = from; i < to; i++) {
        if (parent[i] < 0) continue;
        context.moveTo(this.x(parent[i]), this.y(parent[i]));
        context.lineTo(this.x(i), this.y(i));
      }
      context.stroke();
    }
    const side = this.#spacing > 7 ? 4 : few && this.#spacing < 2 ? 0 : 1.5;
    if (side) for (let i = from; i < to; i++) context.fillRect(this.x(i) - side / 2, this.y(i) - side / 2, side, side);
  }

  /** Pixels between two leaves. */
  get #spacing() {
    return (this.canvas.clientWidth - PAD.left - PAD.right) / Math.max(1, this.layout?.leaves ?? 1);
  }

  #branch(context, i, path, ink) {
    const { parent } = this.layout;
    context.lineJoin = "round";
    for (const [style, width] of [
      [ink, 4],
      [path, 2],
    ]) {
      context.strokeStyle = style;
      context.lineWidth = width;
      context.beginPath();
      for (let node = i; node >= 0; node = parent[node]) {
        context[node === i ? "moveTo" : "lineTo"](this.x(node), this.y(node));
      }
      context.stroke();
    }
    this.#dot(context, i, 5, path, ink);
  }

  #dot(context, i, radius, fill, ink) {
    context.fillStyle = fill;
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(this.x(i), this.y(i), radius, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
}
