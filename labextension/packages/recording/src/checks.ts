// Cells that break the rules of the schema: the twin of row_checks.py. They are named and replaced by none where they
// stand, before anybody has seen them; the rest opens.

import type { Cells, NumberArray } from "./growable";
import { isFact, isJson, JSON_RULES } from "./json";
import { FACTS, SCHEMA, type ColumnSpec, type Tables } from "./tables.gen";

const EXACT = 2 ** 53;
const HISTOGRAM = 128;
const SHOWN = 40;
const STRETCH = 4096;
// eslint-disable-next-line no-control-regex
const HIDDEN = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

type Columns = Readonly<Record<string, Cells>> & { readonly rows: number };
type Name = keyof Tables;

/** A column that did not decode: its rows are none. */
export interface Fault {
  readonly table: string;
  readonly column: string;
  readonly first: number;
  readonly rows: number;
  readonly text: string;
}

/** Checks rows as they come; what is wrong is said once, with the first cell of each column. */
export class RowChecks {
  readonly #problems = new Map<string, string>();

  /** A line about what was malformed so far, null when nothing was. */
  get problem(): string | null {
    const [first] = this.#problems.values();
    if (first === undefined) return null;
    const columns = this.#problems.size - 1;
    const more = columns > 0 ? ` (and ${columns} more column${columns > 1 ? "s have" : " has"} such cells)` : "";
    return `malformed: ${first}${more}`;
  }

  /** Makes good the rows of each table from `first` on. They may point to any row that is there by now. */
  check(tables: Tables, first: ReadonlyMap<Name, number>, faults: readonly Fault[]): void {
    const one = new Check(tables, first, this.#problems, faults);
    for (const name of Object.keys(SCHEMA) as Name[]) one.table(name);
  }
}

/** One look at the rows that have come. A rule gives the rows that break it, and may say what to put there. */
class Check {
  readonly #keeps = new Map<string, boolean>();
  readonly #rules: Readonly<Record<string, (of: string, cells: Cells, spec: ColumnSpec, name: Name) => number[]>> = {
    row: (of, cells, [, , none]) => this.#outside(cells as NumberArray, this.#table(of as Name).rows, none),
    label: (of, cells, [, , none]) => this.#outside(cells as NumberArray, parseInt(of, 10), none),
    number: (_, cells, [, , none]) => this.#outside(cells as NumberArray, Infinity, none),
    finite: (_, cells) => this.#outside(cells as NumberArray, EXACT + 2, NaN),
    earlier: (_, cells, [, , none], name) => this.#notEarlier(cells as NumberArray, none, name),
    id: (_, cells) => this.#unnumbered(cells as Int32Array),
    counts: (_, cells) => this.#where(cells, (cell) => ![0, HISTOGRAM].includes((cell as Uint8Array).length)),
    text: (of, cells) => this.#odd(of, cells as NumberArray),
    json: (_, cells, __, name) => (name === "meta" ? this.#noFacts(cells as string[]) : this.#noJson("json", cells)),
    list: (_, cells) => this.#noJson("list", cells),
    lines: (_, cells) => this.#noJson("lines", cells),
  };
  #from = 0;

  constructor(
    private readonly tables: Tables,
    private readonly first: ReadonlyMap<Name, number>,
    private readonly problems: Map<string, string>,
    private readonly faults: readonly Fault[],
  ) {}

  #table(name: Name): Columns {
    return this.tables[name] as unknown as Columns;
  }

  table(name: Name): void {
    this.#from = this.first.get(name) ?? 0;
    if (this.#table(name).rows <= this.#from) return;
    for (const spec of SCHEMA[name]) {
      const fault = this.faults.find(({ table, column }) => table === name && column === spec[0]);
      const rows = fault && `rows ${grouped(fault.first)} to ${grouped(fault.first + fault.rows - 1)}`;
      const faulty = fault && `${name}, ${rows}, column ${spec[0]}: ${fault.text}`;
      this.#column(name, spec, fault && faulty ? [fault.first, faulty] : null);
    }
  }

  #column(name: Name, spec: ColumnSpec, fault: readonly [first: number, text: string] | null): void {
    const [column, , none, check] = spec;
    const cells = this.#table(name)[column];
    const [rule, of] = split(check);
    const wrong = rule ? (this.#rules[rule]?.(of, cells, spec, name) ?? []) : [];
    const key = `${name}.${column}`;
    if (fault && !(wrong[0] < fault[0])) this.#note(key, fault[1]);
    if (wrong.length === 0) return;
    const text = this.#said(rule, of, spec, cells[wrong[0]]);
    this.#note(key, `${name}, row ${grouped(wrong[0])}, column ${column}: ${text}`);
    if (rule === "id") this.#renumber(cells as Int32Array, wrong);
    else for (const row of wrong) put(cells, row, typeof cells[row] === "number" ? none : "");
    if (name === "meta") for (const row of wrong) this.#forget(row);
  }

  #note(key: string, text: string): void {
    if (!this.problems.has(key)) this.problems.set(key, text);
  }

  #forget(row: number): void {
    put(this.tables.meta.key, row, "");
    put(this.tables.meta.value, row, "null");
  }

  #where(cells: Cells, isWrong: (cell: number | string | Uint8Array, row: number) => boolean): number[] {
    const wrong: number[] = [];
    for (let row = this.#from; row < cells.length; row++) if (isWrong(cells[row], row)) wrong.push(row);
    return wrong;
  }

  #outside(cells: NumberArray, most: number, none: number): number[] {
    const wrong: number[] = [];
    // A stretch at a time as floats: a loop over cells of one type takes a fifth of the time of one that has met all.
    const stretch = new Float64Array(Math.min(STRETCH, cells.length - this.#from));
    for (let from = this.#from; from < cells.length; from += STRETCH) {
      const count = Math.min(STRETCH, cells.length - from);
      stretch.set(cells.subarray(from, from + count));
      for (let i = 0; i < count; i++) {
        if (!(stretch[i] >= 0 && stretch[i] < most) && stretch[i] !== none) wrong.push(from + i);
      }
    }
    return wrong;
  }

  #notEarlier(cells: NumberArray, none: number, name: Name): number[] {
    const ids = this.#table(name)["id"] as Int32Array;
    const wrong: number[] = [];
    for (let row = this.#from; row < cells.length; row++) {
      const cell = cells[row];
      if (cell !== none && (cell < none || cell >= ids[row])) wrong.push(row);
    }
    return wrong;
  }

  #unnumbered(ids: Int32Array): number[] {
    let isRising = true;
    for (let row = Math.max(1, this.#from); isRising && row < ids.length; row++) isRising = ids[row] > ids[row - 1];
    if (isRising && ids[0] >= -1) return [];
    const seen = seenNumbers(ids);
    const wrong: number[] = [];
    for (let row = 0; row < ids.length; row++) {
      const id = ids[row];
      const isKnown = id >= 0 && seen(id);
      if (row >= this.#from && (isKnown || id < -1)) wrong.push(row);
    }
    return wrong;
  }

  /** Gives rows the smallest numbers that are free. */
  #renumber(ids: Int32Array, wrong: readonly number[]): void {
    const bad = new Set(wrong);
    const known = new Set(ids.filter((_, row) => !bad.has(row)));
    let free = 0;
    for (const row of wrong) {
      while (known.has(free)) free += 1;
      ids[row] = free++;
    }
  }

  #odd(rule: string, cells: NumberArray): number[] {
    const { text } = this.tables.strings;
    // By row of strings, for many cells have the same one: 1 keeps the rule, 2 breaks it.
    const known = new Uint8Array(text.length);
    const wrong: number[] = [];
    for (let row = this.#from; row < cells.length; row++) {
      const cell = cells[row];
      if (cell === -1) continue;
      if (cell >= 0 && cell < known.length) known[cell] ||= isJson(rule, text[cell]) ? 1 : 2;
      if (known[cell] !== 1) wrong.push(row);
    }
    return wrong;
  }

  #noJson(rule: string, cells: Cells): number[] {
    return this.#where(cells, (text) => text !== "" && !this.#isJson(rule, text as string));
  }

  #noFacts(values: readonly string[]): number[] {
    const { key } = this.tables.meta;
    const known = (row: number) => (Object.hasOwn(FACTS, key[row]) ? FACTS[key[row]] : undefined);
    return this.#where(values, (text, row) => text !== "" && !isFact(known(row), text as string));
  }

  #isJson(rule: string, text: string): boolean {
    const key = `${rule} ${text}`;
    let keeps = this.#keeps.get(key);
    if (keeps === undefined) this.#keeps.set(key, (keeps = isJson(rule, text)));
    return keeps;
  }

  #said(rule: string, of: string, [column]: ColumnSpec, cell: number | string | Uint8Array): string {
    if (rule === "text") return this.#saidOfText(of, cell as number);
    if (rule === "row") return `${String(cell)} is no ${of} row`;
    if (rule === "label") return `${String(cell)} is no ${split(of)[1]}`;
    if (rule === "number") return `${String(cell)} is the number of no ${of}`;
    if (rule === "earlier") return `${String(cell)} is no earlier ${of}`;
    if (rule === "id") {
      return `${String(cell)} is ${(cell as number) < 0 ? "not a number from 0 up" : "the number of another row"}`;
    }
    if (rule === "finite") return `${amount(cell as number)} is no number of ${of}`;
    if (rule === "counts") return `${grouped((cell as Uint8Array).length)} bytes are no 32 counts`;
    const text = cell as string;
    if (column === "value" && isJson("json", text)) return `'${short(text)}' is not what the fact of this name is`;
    return `'${short(text)}' is no ${JSON_RULES[rule]}`;
  }

  #saidOfText(rule: string, row: number): string {
    const text = this.tables.strings.text[row];
    return text === undefined ? `${row} is no strings row` : `'${short(text)}' is no ${JSON_RULES[rule]}`;
  }
}

/** Whether a number, from 0 up, has been asked about before. A million of them stand in an array, not in a set. */
function seenNumbers(ids: Int32Array): (id: number) => boolean {
  let highest = 0;
  for (let row = 0; row < ids.length; row++) if (ids[row] > highest) highest = ids[row]!;
  if (highest > 4 * ids.length + 1024) {
    const known = new Set<number>();
    return (id) => known.has(id) || !known.add(id);
  }
  const known = new Uint8Array(highest + 1);
  return (id) => known[id] > 0 || !(known[id] = 1);
}

function put(cells: Cells, row: number, cell: number | string): void {
  if (cells[row] instanceof Uint8Array) (cells as Uint8Array[])[row] = new Uint8Array(0);
  else (cells as (number | string)[])[row] = cell;
}

/** The first word and the others. */
function split(text: string): [first: string, others: string] {
  const at = text.indexOf(" ");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** A number as both languages write it: 7, -3, nan, inf, 1.000e+300. */
function amount(cell: number): string {
  if (Number.isInteger(cell) && Math.abs(cell) < EXACT) return String(cell === 0 ? 0 : cell);
  if (Number.isNaN(cell)) return "nan";
  if (!Number.isFinite(cell)) return cell > 0 ? "inf" : "-inf";
  return cell.toExponential(3);
}

/** The beginning of a text, without what would command a terminal or turn the direction of writing. */
function short(text: string): string {
  const letters = [...text.slice(0, 2 * SHOWN + 2)];
  return letters.slice(0, SHOWN).join("").replace(HIDDEN, "\ufffd") + (letters.length > SHOWN ? "…" : "");
}

const grouped = (count: number): string => count.toLocaleString("en-US");
