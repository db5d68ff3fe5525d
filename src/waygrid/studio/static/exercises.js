// Exercises: a map, algorithms and questions in a JSON file that a teacher writes. docs/exercises.md explains the format;
// `readExercise` checks every part of it and says in one sentence what is wrong and where.

import { parse, same } from "./expression.js";

export const VERSION = 1;
const MOST = { questions: 50, choices: 10, guesses: 50, boards: 6, bytes: 1_000_000, text: 4000, doors: 200 };

const FIGURES = ["cost", "moves", "expanded", "generated"]; // of a finished search
const LETTERS = ["A", "B", "C", "D", "E", "F"];

/** What the answer of a question for a number may use; with _A to _F behind it that of another board. */
export const RESULT_NAMES = Object.fromEntries(
  FIGURES.flatMap((name) => [name, ...LETTERS.map((letter) => `${name}_${letter}`)]).map((name) => [name, "number"]),
);

/** What the condition on a clicked cell may use. */
export const CELL_NAMES = {
  ...Object.fromEntries(["g", "h", "f", "x", "y", "order", "weight"].map((name) => [name, "number"])),
  ...Object.fromEntries(["is_open", "is_closed", "is_reached", "is_path", "is_wall"].map((name) => [name, "truth"])),
};

const KEYS = {
  exercise: ["exercise", "title", "text", "map", "start", "goal", "grid", "boards", "questions"],
  map: ["rows", "example", "generate"],
  grid: ["topology", "corners", "metric"],
  board: ["algorithm", "options", "title"],
  question: ["kind", "ask", "at", "board", "why", "hint"],
  predict: ["guesses", "needed"],
  choice: ["choices", "answer"],
  number: ["answer", "tolerance"],
  cell: ["where"],
};

const show = (value) => {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
};

function fail(where, value, allowed) {
  throw new Error(`${where} is ${show(value)}; allowed ${allowed}.`);
}

function checkKeys(where, value, allowed) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) fail(where, value, "is an object in { }");
  const unknown = Object.keys(value).find((key) => !allowed.includes(key));
  if (unknown) throw new Error(`${where} has the unknown key ${show(unknown)}; allowed are ${allowed.join(", ")}.`);
}

function text(where, value, { optional = false } = {}) {
  if (value === undefined && optional) return "";
  if (typeof value !== "string" || !value.trim()) fail(where, value, "is a text");
  if (value.length > MOST.text) throw new Error(`${where} has ${value.length} characters; at most ${MOST.text} are allowed.`);
  return value;
}

function integer(where, value, least, most, standard) {
  if (value === undefined && standard !== undefined) return standard;
  if (!Number.isInteger(value) || value < least || value > most) fail(where, value, `are the integers ${least} to ${most}`);
  return value;
}

function oneOf(where, value, allowed) {
  if (!allowed.includes(value)) fail(where, value, `are ${allowed.join(", ")}`);
  return value;
}

function list(where, value, most) {
  if (!Array.isArray(value) || !value.length || value.length > most) fail(where, value, `is a list of 1 to ${most} entries`);
  return value;
}

/** An expression, with the place in the file before what is wrong with it. */
function expression(where, value, names, type) {
  try {
    return parse(String(value), names, type);
  } catch (error) {
    throw new Error(`${where}: ${error.message}`);
  }
}

// ---- the map

const WALLS = "#@";

/** A drawing in rows of text, as in .txt maps: . is floor, # or @ a wall, a digit 1 to 9 floor of that weight. */
function drawing(rows, most) {
  list("map.rows", rows, most);
  const width = typeof rows[0] === "string" ? rows[0].length : 0;
  if (!width || width * rows.length > most) fail("map.rows[0]", rows[0], `is a row of text; at most ${most} cells`);
  const walls = new Uint8Array(width * rows.length);
  const weights = new Uint16Array(width * rows.length).fill(1);
  rows.forEach((row, y) => {
    if (typeof row !== "string" || row.length !== width) fail(`map.rows[${y}]`, row, `are rows of ${width} characters, as the first`);
    [...row].forEach((character, x) => {
      const weight = character === "." ? 1 : Number(character);
      const wall = WALLS.includes(character);
      if (!wall && !(weight >= 1 && weight <= 9)) {
        throw new Error(`map.rows[${y}] has ${show(character)} at character ${x + 1}; allowed are . # @ and digits 1 to 9.`);
      }
      walls[y * width + x] = wall ? 0 : 1;
      if (!wall) weights[y * width + x] = weight;
    });
  });
  return { width, height: rows.length, walls, weights: weights.some((weight) => weight > 1) ? weights : null };
}

function readMap(map, registry) {
  checkKeys("map", map, KEYS.map);
  const given = KEYS.map.filter((key) => map[key] !== undefined);
  if (given.length !== 1) fail("map", map, `is one of ${KEYS.map.join(", ")}`);
  if (map.rows !== undefined) return { terrain: drawing(map.rows, registry.limits.cells) };
  if (map.example !== undefined) {
    const names = registry.examples.map(({ name }) => name);
    return { example: oneOf("map.example", map.example, names) };
  }
  const { generate } = map;
  checkKeys("map.generate", generate, Object.keys(generate ?? {}));
  oneOf("map.generate.kind", generate.kind, registry.generators.map(({ kind }) => kind));
  for (const side of ["width", "height"]) integer(`map.generate.${side}`, generate[side], 2, 65_535);
  return { generate: { seed: 0, ...generate } };
}

function readCell(where, cell, terrain) {
  if (!Array.isArray(cell) || cell.length !== 2) fail(where, cell, "is a cell [x, y]");
  const [width, height] = terrain ? [terrain.width, terrain.height] : [65_535, 65_535];
  cell.forEach((side, i) => integer(`${where}[${i}]`, side, 0, (i ? height : width) - 1));
  if (terrain && !terrain.walls[cell[1] * width + cell[0]]) fail(where, cell, "are cells that are no walls");
  return [...cell];
}

function readBoards(boards, registry) {
  const algorithms = registry.algorithms.map(({ name }) => name);
  return list("boards", boards, MOST.boards).map((board, i) => {
    const where = `boards[${i}]`;
    checkKeys(where, board, KEYS.board);
    const algorithm = oneOf(`${where}.algorithm`, board.algorithm, algorithms);
    const { options } = registry.algorithms.find(({ name }) => name === algorithm);
    checkKeys(`${where}.options`, board.options ?? {}, options.map(({ name }) => name));
    return { algorithm, options: board.options ?? {}, title: text(`${where}.title`, board.title, { optional: true }) || null };
  });
}

// ---- questions

const READ = {
  predict(where, { guesses, needed }) {
    const number = integer(`${where}.guesses`, guesses, 1, MOST.guesses, 5);
    return { guesses: number, needed: integer(`${where}.needed`, needed, 1, number, Math.ceil(number / 2)) };
  },
  choice(where, { choices, answer }) {
    list(`${where}.choices`, choices, MOST.choices).forEach((choice, i) => text(`${where}.choices[${i}]`, choice));
    if (!choices.includes(answer)) fail(`${where}.answer`, answer, `are the choices: ${choices.map(show).join(", ")}`);
    return { choices, answer };
  },
  number(where, { answer, tolerance = 0 }) {
    if (!["number", "string"].includes(typeof answer)) fail(`${where}.answer`, answer, "is a number or an expression in quotes");
    if (!(typeof tolerance === "number" && tolerance >= 0)) fail(`${where}.tolerance`, tolerance, "are numbers from 0");
    return { answer: expression(`${where}.answer`, answer, RESULT_NAMES, "number"), tolerance };
  },
  cell(where, question) {
    text(`${where}.where`, question.where);
    return { where: expression(`${where}.where`, question.where, CELL_NAMES, "truth") };
  },
};

function readQuestion(question, i, boards) {
  const where = `questions[${i}]`;
  const kinds = Object.keys(READ);
  checkKeys(where, question, [...new Set([...KEYS.question, ...kinds.flatMap((kind) => KEYS[kind])])]);
  const kind = oneOf(`${where}.kind`, question.kind, kinds);
  checkKeys(where, question, [...KEYS.question, ...KEYS[kind]]);
  const { at = kind === "predict" ? "start" : "end", board = "A" } = question;
  if (!["start", "end"].includes(at)) integer(`${where}.at`, at, 0, 2 ** 31 - 1);
  return {
    kind,
    at,
    board: oneOf(`${where}.board`, board, LETTERS.slice(0, boards)),
    ask: text(`${where}.ask`, question.ask),
    why: text(`${where}.why`, question.why, { optional: true }),
    hint: text(`${where}.hint`, question.hint, { optional: true }),
    ...READ[kind](where, question),
  };
}

/** Check an exercise; `registry` says which algorithms, examples and rules there are. */
export function readExercise(data, registry) {
  checkKeys("the exercise", data, KEYS.exercise);
  if (data.exercise !== VERSION) fail("exercise", data.exercise, `is ${VERSION}, the version of the format`);
  const map = readMap(data.map, registry);
  const own = registry.examples.find(({ name }) => name === map.example);
  const grid = data.grid ?? {};
  checkKeys("grid", grid, KEYS.grid);
  const rules = { topology: registry.topologies, corners: registry.corners, metric: registry.metrics };
  for (const [name, value] of Object.entries(grid)) oneOf(`grid.${name}`, value, rules[name]);
  const ends = ["start", "goal"].map((end) => (data[end] === undefined && own ? own[end] : readCell(end, data[end], map.terrain)));
  const shown = own ? (own.compare ?? [{ algorithm: own.algorithm, options: own.options }]) : null;
  const boards = data.boards === undefined && shown ? shown : readBoards(data.boards, registry);
  return {
    title: text("title", data.title),
    text: text("text", data.text, { optional: true }),
    map,
    query: { start: ends[0], goal: ends[1], grid: { ...own?.grid, ...grid }, panes: boards },
    questions: list("questions", data.questions, MOST.questions).map((question, i) =>
      readQuestion(question, i, boards.length),
    ),
    data,
  };
}

/** The exercise in a JSON file; null where the file is JSON but no exercise, as a map may be. */
export function parseExercise(name, bytes, registry) {
  const meant = name.toLowerCase().endsWith(".exercise.json");
  if (bytes.byteLength > MOST.bytes) {
    if (!meant) return null;
    throw new Error(`${name} has ${bytes.byteLength} bytes; at most ${MOST.bytes} are allowed.`);
  }
  let data;
  try {
    data = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!meant) return null;
    throw new Error(`${name} is not JSON: ${error.message}.`);
  }
  if (!meant && !(data !== null && typeof data === "object" && "exercise" in data)) return null;
  try {
    return readExercise(data, registry);
  } catch (error) {
    throw new Error(`${name}: ${error.message}`);
  }
}

// ---- answers

/** The values of RESULT_NAMES for a question about one board. */
export function figuresOf(panes, letter) {
  const values = {};
  for (const { letter: one, result } of panes) {
    const { cost, moves, stats } = result ?? {};
    const figures = { cost, moves, expanded: stats?.expanded, generated: stats?.generated };
    for (const name of FIGURES) {
      const value = figures[name] ?? NaN;
      values[`${name}_${one}`] = value;
      if (one === letter) values[name] = value;
    }
  }
  return values;
}

/** Whether a number is the answer, within the tolerance: {right, answer}. */
export function checkNumber({ answer, tolerance }, given, figures) {
  const expected = answer.run(figures);
  return { right: same(given, expected) || Math.abs(given - expected) <= tolerance, answer: expected };
}
