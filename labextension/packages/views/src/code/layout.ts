import { format } from "@tapeviz/core";
import type { Block } from "./blocks";
import { HEALTHS, type LineFigures } from "./figures";
import type { Token } from "./tokens";

export type ColumnName = "ops" | "forward" | "backward" | "time" | "bytes" | "gradient";

export interface Column {
  readonly name: ColumnName;
  readonly title: string;
  readonly width: number;
}

const WIDE: readonly Column[] = [
  { name: "ops", title: "ops", width: 56 },
  { name: "forward", title: "forward", width: 88 },
  { name: "backward", title: "backward", width: 88 },
  { name: "bytes", title: "made", width: 84 },
  { name: "gradient", title: "gradient", width: 112 },
];
const MIDDLE: readonly Column[] = [
  { name: "ops", title: "ops", width: 48 },
  { name: "time", title: "time", width: 88 },
  { name: "bytes", title: "made", width: 80 },
  { name: "gradient", title: "gradient", width: 108 },
];
const NARROW: readonly Column[] = [
  { name: "time", title: "time", width: 80 },
  { name: "gradient", title: "∇", width: 32 },
];

/** Width of a character of the code, and what line numbers and margins take. */
const EM = 7.3;
const MARGINS = 92;
/** Characters of code that have to fit beside the figures. */
const LEAST = 46;

/** The columns that leave the code enough characters. */
export function columnsFor(width: number): readonly Column[] {
  const room = (columns: readonly Column[]): number =>
    (width - MARGINS - columns.reduce((sum, c) => sum + c.width, 0)) / EM;
  return [WIDE, MIDDLE].find((columns) => room(columns) >= LEAST) ?? NARROW;
}

/** The text of a figure and the parts of its bar: solid for forward, hatched for backward, of the column's largest. */
export interface Cell {
  readonly text: string;
  readonly solid: number;
  readonly hatched: number;
}

export interface Largest {
  readonly ops: number;
  readonly time: number;
  readonly each: number;
  readonly bytes: number;
}

/** The largest figure of each column, over all blocks, so that bars compare. */
export function largest(blocks: readonly Block[]): Largest {
  const all = blocks.flatMap(({ lines }) => lines.flatMap(({ figures }) => (figures ? [figures] : [])));
  const most = (of: (line: LineFigures) => number): number => all.reduce((a, line) => Math.max(a, of(line)), 0);
  return {
    ops: most((l) => l.forward + l.backward),
    time: most((l) => l.forwardTime + l.backwardTime),
    each: most((l) => Math.max(l.forwardTime, l.backwardTime)),
    bytes: most((l) => l.bytes),
  };
}

const part = (value: number, most: number): number => (most > 0 ? value / most : 0);

/** What a cell of a column says of a line. */
export function cellOf(name: ColumnName, line: LineFigures, most: Largest): Cell {
  const { forward, backward, forwardTime, backwardTime, bytes } = line;
  switch (name) {
    case "ops": {
      const n = forward + backward;
      return { text: n > 0 ? format.count(n) : "", solid: part(forward, most.ops), hatched: part(backward, most.ops) };
    }
    case "forward":
      return { text: forward > 0 ? format.duration(forwardTime) : "", solid: part(forwardTime, most.each), hatched: 0 };
    case "backward":
      return {
        text: backward > 0 ? format.duration(backwardTime) : "",
        solid: 0,
        hatched: part(backwardTime, most.each),
      };
    case "time": {
      const text = forward + backward > 0 ? format.duration(forwardTime + backwardTime) : "";
      return { text, solid: part(forwardTime, most.time), hatched: part(backwardTime, most.time) };
    }
    case "bytes":
      return { text: bytes > 0 ? format.bytes(bytes) : "", solid: part(bytes, most.bytes), hatched: 0 };
    case "gradient":
      return { text: line.health ? HEALTHS[line.health].word : "", solid: 0, hatched: 0 };
  }
}

/** The sums that stand below the headings. */
export function totals(blocks: readonly Block[]): LineFigures {
  const sum = { file: "", line: 0, cell: -1, forward: 0, backward: 0, forwardTime: 0, backwardTime: 0, bytes: 0 };
  for (const { figures } of blocks.flatMap(({ lines }) => lines)) {
    if (!figures) continue;
    for (const key of ["forward", "backward", "forwardTime", "backwardTime", "bytes"] as const)
      sum[key] += figures[key];
  }
  return { ...sum, events: [], health: null, fault: null, lost: [] };
}

export interface MarkedToken extends Token {
  readonly called: boolean;
}

/** Tokens cut at the ends of a call, counted in characters; the parts in between are marked. */
export function markedTokens(tokens: readonly Token[], from: number, to: number): MarkedToken[] {
  const out: MarkedToken[] = [];
  let at = 0;
  for (const { kind, text } of tokens) {
    const letters = [...text];
    const cuts = [0, from - at, to - at, letters.length].map((cut) => Math.min(Math.max(cut, 0), letters.length));
    for (let i = 0; i < 3; i++) {
      const slice = letters.slice(cuts[i], cuts[i + 1]).join("");
      if (slice) out.push({ kind, text: slice, called: i === 1 });
    }
    at += letters.length;
  }
  return out;
}

/** A line and its figures in one sentence, for screen readers and tooltips. */
export function lineText(number: number, text: string, line: LineFigures | null): string {
  const parts = [`line ${number}`, text.trim() || "empty"];
  if (line && line.forward + line.backward > 0) {
    parts.push(`${format.plural(line.forward, "op")} forward in ${format.duration(line.forwardTime)}`);
    if (line.backward > 0)
      parts.push(`${format.count(line.backward)} backward in ${format.duration(line.backwardTime)}`);
    if (line.bytes > 0) parts.push(`${format.bytes(line.bytes)} made`);
  }
  if (line?.health) parts.push(`gradient ${HEALTHS[line.health].word}`);
  if (line?.fault) parts.push(`failed: ${line.fault.type}: ${line.fault.text}`);
  return parts.join("; ");
}
