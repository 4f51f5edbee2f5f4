// JSON in the cells of a recording: the twin of json_rules.py, which says what counts. Python writes NaN and Infinity into
// it, which are null here.

const DEEPEST = 100;
const AXES = 64;
const STRING = /"(?:[^"\\]|\\.)*"/gs;
const DIGITS = /[0-9]{400}/;
const SIZES = /^\[(?: *(?:0|[1-9][0-9]{0,15})(?: *, *(?:0|[1-9][0-9]{0,15}))*)? *\]$/;
const NO_NUMBER = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs;

/** What texts are said not to be, by the rule that they break. */
export const JSON_RULES: Readonly<Record<string, string>> = {
  json: "JSON",
  list: "JSON list",
  lines: "list of lines",
  object: "JSON object",
  sizes: "shape",
};

type Fact = string | Readonly<Record<string, string>> | undefined;

/** The value that a text says; undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  if (text.length > DEEPEST && !isModest(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.includes("N") || text.includes("I") ? parseNumbers(text) : undefined;
  }
}

/** The same, where Python wrote numbers that JSON has no form for. */
function parseNumbers(text: string): unknown {
  try {
    return JSON.parse(text.replace(NO_NUMBER, (part) => (part.startsWith('"') ? part : "null"))) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a text keeps a rule: `json` (any), `list`, `lines`, `object` or `sizes` (a shape). */
export function isJson(rule: string, text: string): boolean {
  if (rule === "sizes") return isShape(text);
  const value = parseJson(text);
  return value !== undefined && (rule === "json" || isKind(rule, value));
}

/** Whether a fact of meta is what its declaration says; without one any JSON is. */
export function isFact(known: Fact, text: string): boolean {
  const value = parseJson(text);
  if (value === undefined || value === null || known === undefined) return value !== undefined;
  if (typeof known === "string") return isKind(known, value);
  if (!isKind("object", value)) return false;
  const fields = value as Record<string, unknown>;
  return Object.entries(known).every(
    ([field, kind]) => !Object.hasOwn(fields, field) || fields[field] === null || isKind(kind, fields[field]),
  );
}

function isKind(kind: string, value: unknown): boolean {
  if (kind === "text") return typeof value === "string";
  if (kind === "number" || kind === "amount") return typeof value === "number";
  if (kind === "list") return Array.isArray(value);
  if (kind === "lines") return Array.isArray(value) && value.every(isPair);
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is two whole numbers from 0 up. */
function isPair(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length === 2 && value.every((line: number) => Number.isInteger(line) && isLine(line))
  );
}

const isLine = (line: number): boolean => line >= 0 && line < 2 ** 31;

function isModest(text: string): boolean {
  const bare = text.replace(STRING, "");
  let [depth, deepest] = [0, 0];
  for (const letter of bare) {
    if (letter === "[" || letter === "{") depth += 1;
    else if (letter === "]" || letter === "}") depth -= 1;
    if (depth > deepest) deepest = depth;
  }
  return deepest <= DEEPEST && !DIGITS.test(bare);
}

function isShape(text: string): boolean {
  if (!SIZES.test(text)) return false;
  const sizes = JSON.parse(text) as number[];
  let elements = 1;
  for (const size of sizes) {
    elements *= size;
    if (elements >= 2 ** 53) return false;
  }
  return sizes.length <= AXES;
}
