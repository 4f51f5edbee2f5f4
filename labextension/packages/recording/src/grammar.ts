// The filter's grammar, the twin of grammar.py; docs/filter.md explains it. Both are held to the same cases.

import { DTYPES, PHASES } from "./tables.gen";

/** A filter that cannot be read; its message is one line with a hint. */
export class FilterError extends Error {
  override readonly name = "FilterError";
}

export type MatchedKey = "op" | "name" | "line" | "shape" | "dtype" | "device" | "module" | "phase" | "rank" | "wrt";
export type ComparedKey = "|g|" | "dur";
export type Comparison = "<" | "<=" | ">" | ">=";

/**
 * One condition. `values` are alternatives: text with * and ?, `first-last` for line and rank, dimensions joined by commas for
 * shape. `number` is in ns for dur.
 */
export type Term = { readonly negated: boolean } & (
  | { readonly key: MatchedKey | "word"; readonly values: readonly string[] }
  | { readonly key: ComparedKey; readonly comparison: Comparison; readonly number: number }
  | { readonly key: "nan" }
);

const MATCHED: Readonly<Record<MatchedKey, string>> = {
  op: "op:matmul",
  name: "name:w1",
  line: "line:9",
  shape: "shape:[32,64]",
  dtype: "dtype:float32",
  device: "device:CPU:0",
  module: "module:dense",
  phase: "phase:backward",
  rank: "rank:1",
  wrt: "wrt:w1",
};
const COMPARED: Readonly<Record<ComparedKey, string>> = { "|g|": "|g|<1e-6", dur: "dur>1ms" };
const FLAG = "nan";
/** Every key, in the order in which they are explained. */
export const KEYS: readonly string[] = [...Object.keys(MATCHED), ...Object.keys(COMPARED), FLAG];

const TERM = /^([^\s:<>="]+)(:|<=|>=|<|>)(.*)$/s;
const NUMBER = /^([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?/i;
const LINES = /^([0-9]{1,9})(?:-([0-9]{1,9}))?$/;
const DIMENSION = /^([0-9]{1,15}|\*|\.\.\.)$/;
const NANOSECONDS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };
const FAR = 2;

/** The terms of a filter; throws a `FilterError` with a hint. */
export function parseFilter(text: string): Term[] {
  const { tokens, unclosed } = tokensOf(text);
  if (unclosed) {
    const sign = unclosed === '"' ? "quote" : "[";
    throw new FilterError(`a ${sign} is not closed in ${tokens[tokens.length - 1]}`);
  }
  return tokens.filter(Boolean).map(term);
}

/**
 * The parts between spaces; a space between quotes or brackets is no end. The last one is empty where the text ends with
 * a space. `unclosed` is the sign that waits for its partner.
 */
export function tokensOf(text: string): { readonly tokens: string[]; readonly unclosed: '"' | "[" | "" } {
  const found: string[] = [];
  let start = 0;
  let isQuoted = false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === "[") depth += 1;
    else if (!isQuoted && character === "]") depth = Math.max(0, depth - 1);
    if (!isQuoted && depth === 0 && /\s/.test(character)) {
      found.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return { tokens: [...found, text.slice(start)], unclosed: isQuoted ? '"' : depth ? "[" : "" };
}

function term(token: string): Term {
  const negated = token.length > 1 && token[0] === "-";
  const body = negated ? token.slice(1) : token;
  const lower = body.toLowerCase();
  if (lower === FLAG) return { key: FLAG, negated };
  if (isCompared(lower)) throw new FilterError(wrongKey(lower, body));
  const parts = TERM.exec(body);
  if (!parts) return { key: "word", negated, values: [body.replaceAll('"', "")] };
  const [key, sign, value] = [parts[1].toLowerCase(), parts[2], parts[3]];
  if (isMatched(key) && sign === ":") return { key, negated, values: valuesOf(key, value) };
  if (isCompared(key) && sign !== ":") {
    return { key, negated, comparison: sign as Comparison, number: numberOf(key, value) };
  }
  throw new FilterError(wrongKey(key, body));
}

function isMatched(key: string): key is MatchedKey {
  return Object.hasOwn(MATCHED, key);
}

function isCompared(key: string): key is ComparedKey {
  return Object.hasOwn(COMPARED, key);
}

function wrongKey(key: string, body: string): string {
  if (isCompared(key)) return `${key} is compared, as in ${COMPARED[key]}`;
  if (isMatched(key)) return `${key} takes a colon, as in ${MATCHED[key]}`;
  if (key === FLAG) return `${key} stands alone`;
  const near = nearest(key, KEYS);
  if (near) return `unknown key '${key}' in ${body}; did you mean '${near}'?`;
  return `unknown key '${key}' in ${body}; the keys are ${KEYS.join(", ")}; quotes make it a word`;
}

function valuesOf(key: MatchedKey, text: string): string[] {
  const values = split(text, key === "shape" ? "|" : "|,").filter(Boolean);
  if (values.length === 0) throw new FilterError(`${key}: needs a value, as in ${MATCHED[key]}`);
  if (key === "line" || key === "rank") return values.map((value) => rangeOf(key, value));
  if (key === "shape") return values.map(shapePattern);
  if (key === "dtype") return values.map((value) => oneOf(key, value, DTYPES));
  if (key === "phase") return values.map((value) => oneOf(key, value, PHASES));
  return values;
}

/** The alternatives of a value, without their quotes. */
function split(text: string, separators: string): string[] {
  const values = [""];
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && separators.includes(character)) values.push("");
    else values[values.length - 1] += character;
  }
  return values;
}

function rangeOf(key: string, value: string): string {
  const parts = LINES.exec(value);
  if (!parts) throw new FilterError(`${key}: '${value}' is no ${key}; write ${key}:9 or ${key}:9-12`);
  return `${Number(parts[1])}-${Number(parts[2] ?? parts[1])}`;
}

function shapePattern(value: string): string {
  const inner = value.trim().replace(/^\[/, "").replace(/\]$/, "");
  const dimensions = inner.trim() ? inner.split(/[,x]/).map((part) => part.trim()) : [];
  if (!dimensions.every((part) => DIMENSION.test(part))) {
    throw new FilterError(`shape: '${value}' is no shape; write [32,64], with * for any size and ... for any rest`);
  }
  return dimensions.join(",");
}

function oneOf(key: string, given: string, choices: readonly string[]): string {
  const value = given.toLowerCase();
  if (choices.includes(value) || /[*?]/.test(value)) return value;
  const near = nearest(value, choices);
  const hint = near ? `did you mean '${near}'?` : `there are ${choices.join(", ")}`;
  throw new FilterError(`${key}: no ${key} is called '${value}'; ${hint}`);
}

function numberOf(key: ComparedKey, value: string): number {
  const parts = NUMBER.exec(value);
  const unit = parts ? value.slice(parts[0].length).trim().toLowerCase() : "";
  const isTime = key === "dur";
  if (!parts || (isTime ? !Object.hasOwn(NANOSECONDS, unit) : unit)) {
    const takes = isTime ? "a time with its unit (ns, us, ms, s)" : "a number";
    throw new FilterError(`${key} is compared with ${takes}, as in ${COMPARED[key]}; got '${value}'`);
  }
  return Number(parts[0]) * (NANOSECONDS[unit] ?? 1);
}

/** The known name that the fewest single changes make of this one; empty when all are far. */
export function nearest(name: string, names: Iterable<string>): string {
  let best = "";
  let least = FAR + 1;
  for (const candidate of names) {
    const distance = distanceOf(name, candidate);
    if (distance < least && distance < name.length) [best, least] = [candidate, distance];
  }
  return best;
}

/** How many letters to add, remove or change from one text to the other. */
function distanceOf(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0];
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = Math.min(row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1));
      diagonal = row[j]!;
      row[j] = cost;
    }
  }
  return row[b.length];
}
