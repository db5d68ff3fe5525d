// Conditions that people write, as `f > 20 and x == 5`: tokens, a parser that checks types, and an evaluator made of
// closures. Nothing is ever run as JavaScript, and an expression reads no other names than it is given.
//
// or, and, not; < <= > >= == !=, also in chains as in 3 < g <= 5; + - * / %; abs, min, max; numbers and names.

const LONGEST = 300; // characters
const DEEPEST = 40; // brackets and signs within each other
const NEAR = 1e-4; // numbers closer than that are equal: costs of a trace have seven digits

const TOKEN = /\s*(?:(\d+(?:\.\d+)?|\.\d+)|([A-Za-z_]\w*)|(<=|>=|==|!=|&&|\|\||[-+*/%<>=!(),]))/y;
const SAME = { "=": "==", "&&": "and", "||": "or", "!": "not" };
const WORDS = new Set(["and", "or", "not"]);
const KINDS = { number: "a number", truth: "a condition" };

const near = (a, b) =>
  a === b || (Number.isFinite(a - b) && Math.abs(a - b) <= NEAR * Math.max(1, Math.abs(a), Math.abs(b)));

/** Whether two values count as the same; numbers within a ten-thousandth do. */
export const same = (a, b) => (typeof a === "number" ? near(a, b) : a === b);

const COMPARE = {
  "<": (a, b) => a < b && !near(a, b),
  "<=": (a, b) => a < b || near(a, b),
  ">": (a, b) => a > b && !near(a, b),
  ">=": (a, b) => a > b || near(a, b),
  "==": same,
  "!=": (a, b) => !same(a, b),
};

const CALCULATE = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

const FUNCTIONS = {
  abs: { least: 1, most: 1, run: Math.abs },
  min: { least: 2, most: 8, run: Math.min },
  max: { least: 2, most: 8, run: Math.max },
};

/** What is wrong with an expression, in one sentence; `place` is the character, counted from 1. */
export class ExpressionError extends Error {
  constructor(text, what, place) {
    super(`“${text.length > 60 ? `${text.slice(0, 57)}…` : text}”: ${what} at character ${place}.`);
    this.place = place;
  }
}

/** The tokens of a text: [{kind: "number", "name", "sign" or "end", value, place}]. */
export function tokenize(text) {
  if (text.length > LONGEST) throw new ExpressionError(text, `more than the ${LONGEST} allowed characters end`, LONGEST);
  const tokens = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; text.slice(at).trim(); at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const place = at + text.slice(at).search(/\S/) + 1;
    const found = TOKEN.exec(text);
    if (!found) throw new ExpressionError(text, `there is a ${text[place - 1]} that means nothing`, place);
    const [, number, name, sign] = found;
    if (number !== undefined) tokens.push({ kind: "number", value: Number(number), place });
    else if (name !== undefined) tokens.push({ kind: WORDS.has(name) ? "sign" : "name", value: name, place });
    else tokens.push({ kind: "sign", value: SAME[sign] ?? sign, place });
  }
  tokens.push({ kind: "end", value: "the end", place: text.length + 1 });
  return tokens;
}

/** Recursive descent. A part is {type, run, token}: `run` computes it from the values, `token` is where it begins. */
class Parser {
  #at = 0;
  #depth = 0;

  constructor(text, names) {
    this.text = text;
    this.known = names;
    this.tokens = tokenize(text);
    this.used = new Set();
  }

  get #next() {
    return this.tokens[this.#at];
  }

  #fail(what, { place } = this.#next) {
    throw new ExpressionError(this.text, what, place);
  }

  /** Take the next token where it is one of these signs. */
  #take(...signs) {
    const token = this.#next;
    if (token.kind !== "sign" || !signs.includes(token.value)) return null;
    this.#at++;
    return token;
  }

  #want(part, type, token, why) {
    if (part.type !== type) this.#fail(`${why} ${KINDS[type]}, and there is ${KINDS[part.type]}`, part.token ?? token);
    return part.run;
  }

  whole() {
    if (this.#next.kind === "end") this.#fail("a condition is missing");
    const part = this.#or();
    if (this.#next.kind !== "end") this.#fail(`“${this.#next.value}” does not continue what is before it,`);
    return part;
  }

  #or() {
    return this.#joined("or", () => this.#and(), (a, b) => (values) => a(values) || b(values));
  }

  #and() {
    return this.#joined("and", () => this.#not(), (a, b) => (values) => a(values) && b(values));
  }

  #joined(word, operand, join) {
    let left = operand();
    for (let sign = this.#take(word); sign; sign = this.#take(word)) {
      const why = `“${word}” needs on both sides`;
      const right = operand();
      const run = join(this.#want(left, "truth", sign, why), this.#want(right, "truth", sign, why));
      left = { type: "truth", run, token: left.token };
    }
    return left;
  }

  #not() {
    const sign = this.#take("not");
    if (!sign) return this.#comparison();
    const run = this.#deeper(() => this.#want(this.#not(), "truth", sign, "“not” needs"));
    return { type: "truth", run: (values) => !run(values), token: sign };
  }

  #comparison() {
    const first = this.#sum();
    const tests = [];
    let left = first;
    for (let sign = this.#take(...Object.keys(COMPARE)); sign; sign = this.#take(...Object.keys(COMPARE))) {
      const right = this.#sum();
      tests.push(this.#compared(left, sign, right));
      left = right;
    }
    if (!tests.length) return first;
    const run = tests.length === 1 ? tests[0] : (values) => tests.every((test) => test(values));
    return { type: "truth", run, token: first.token };
  }

  #compared(left, sign, right) {
    const ordered = !["==", "!="].includes(sign.value);
    const type = ordered ? "number" : left.type;
    const why = `“${sign.value}” compares ${type === "number" ? "numbers" : "two of a kind"}: it needs`;
    const [a, b] = [this.#want(left, type, sign, why), this.#want(right, type, sign, why)];
    const compare = COMPARE[sign.value];
    return (values) => compare(a(values), b(values));
  }

  #sum() {
    return this.#calculated(["+", "-"], () => this.#product());
  }

  #product() {
    return this.#calculated(["*", "/", "%"], () => this.#signed());
  }

  #calculated(signs, operand) {
    let left = operand();
    for (let sign = this.#take(...signs); sign; sign = this.#take(...signs)) {
      const why = `“${sign.value}” needs on both sides`;
      const right = operand();
      const [a, b] = [this.#want(left, "number", sign, why), this.#want(right, "number", sign, why)];
      const calculate = CALCULATE[sign.value];
      left = { type: "number", run: (values) => calculate(a(values), b(values)), token: left.token };
    }
    return left;
  }

  #signed() {
    const sign = this.#take("-", "+");
    if (!sign) return this.#single();
    const run = this.#deeper(() => this.#want(this.#signed(), "number", sign, `“${sign.value}” needs`));
    return { type: "number", run: sign.value === "-" ? (values) => -run(values) : run, token: sign };
  }

  #single() {
    const token = this.#next;
    if (this.#take("(")) {
      const part = this.#deeper(() => this.#or());
      if (!this.#take(")")) this.#fail(`there is no ) for the bracket of character ${token.place}`);
      return { ...part, token };
    }
    if (token.kind === "end") this.#fail("something is missing");
    if (token.kind === "sign") this.#fail(`“${token.value}” stands where a number or a name is expected,`);
    this.#at++;
    if (token.kind === "name") return this.#named(token);
    return { type: token.kind, run: () => token.value, token };
  }

  #named(token) {
    const { value: name } = token;
    if (Object.hasOwn(FUNCTIONS, name)) return this.#called(token);
    if (!Object.hasOwn(this.known, name)) {
      this.#fail(`unknown name ${name.slice(0, 20)} (allowed are ${Object.keys(this.known).join(", ")})`, token);
    }
    this.used.add(name);
    return { type: this.known[name], run: (values) => values[name], token };
  }

  #called(token) {
    const { least, most, run } = FUNCTIONS[token.value];
    if (!this.#take("(")) this.#fail(`“${token.value}” needs brackets around its numbers, and there are none`);
    const parts = [];
    this.#deeper(() => {
      do parts.push(this.#want(this.#or(), "number", token, `“${token.value}” needs`));
      while (this.#take(","));
    });
    if (!this.#take(")")) this.#fail(`there is no ) for the bracket of “${token.value}”`);
    const number = least === most ? least : `${least} to ${most}`;
    if (parts.length < least || parts.length > most) {
      this.#fail(`“${token.value}” takes ${number} numbers, and there are ${parts.length},`, token);
    }
    return { type: "number", run: (values) => run(...parts.map((part) => part(values))), token };
  }

  #deeper(parse) {
    if (++this.#depth > DEEPEST) this.#fail(`more than ${DEEPEST} brackets or signs within each other`);
    const part = parse();
    this.#depth--;
    return part;
  }
}

/**
 * Parse an expression. `names` gives the type of every name that it may use: "number" or "truth"; `type` the
 * type that it must have. Returns {text, run, names}: `run` takes an object of values, `names` are those that it uses.
 */
export function parse(text, names, type = "truth") {
  const parser = new Parser(text, names);
  const part = parser.whole();
  if (part.type !== type) {
    throw new ExpressionError(text, `${KINDS[type]} is needed, and there is ${KINDS[part.type]}`, 1);
  }
  return { text: text.trim(), run: part.run, names: parser.used };
}
