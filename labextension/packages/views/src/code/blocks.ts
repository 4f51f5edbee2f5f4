import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import { figuresOf, lineKey, type LineFigures } from "./figures";
import { tokenize, type Token } from "./tokens";

export interface CodeLine {
  /** As tracebacks count; 0 or below for the magic line of a cell. */
  readonly number: number;
  readonly key: string;
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly figures: LineFigures | null;
  /** Where the call that failed is, in characters; [-1, -1] when none did. */
  readonly fault: readonly [from: number, to: number];
  /** True where lines before it are left out: nothing of theirs was recorded. */
  readonly gap: boolean;
}

/** A cell, or the lines of another file that ran ops. */
export interface Block {
  readonly title: string;
  readonly detail: string;
  readonly lines: readonly CodeLine[];
}

/** The source that the recording knows: cells in the order they ran, then files. */
export function blocksOf(recording: Recording): readonly Block[] {
  const before = counted.get(recording);
  if (before?.version === recording.version) return before.blocks;
  const figures = figuresOf(recording);
  const blocks = [...cellBlocks(recording, figures), ...fileBlocks(recording, figures)];
  counted.set(recording, { version: recording.version, blocks });
  return blocks;
}

// Counting a million ops takes a second: once, however often the view is opened and its width changes.
const counted = new WeakMap<Recording, { readonly version: number; readonly blocks: readonly Block[] }>();

function known(
  recording: Recording,
  figures: ReadonlyMap<string, LineFigures>,
  key: string,
): Pick<CodeLine, "figures" | "fault"> {
  const line = figures.get(key) ?? null;
  const call = line?.fault ? callSpan(recording, line.fault.event) : null;
  return { figures: line, fault: [call?.from ?? -1, call?.to ?? -1] };
}

function cellBlocks(recording: Recording, figures: ReadonlyMap<string, LineFigures>): Block[] {
  const { cells } = recording;
  return Array.from({ length: cells.rows }, (_, row) => {
    const [number, first, file] = [cells.number[row], cells.first[row], cells.file[row]];
    const tokens = tokenize(cells.text[row].replace(/\s+$/, ""));
    const lines = tokens.map((line, i): CodeLine => {
      const at = i + 2 - first;
      const key = lineKey(file, number, at);
      return {
        number: at,
        key,
        text: line.map(({ text }) => text).join(""),
        tokens: line,
        ...known(recording, figures, key),
        gap: false,
      };
    });
    return { title: number >= 0 ? `cell ${number}` : "cell", detail: "", lines };
  });
}

/** Of files only the lines are known that something was recorded on. */
function fileBlocks(recording: Recording, figures: ReadonlyMap<string, LineFigures>): Block[] {
  const { sites } = recording;
  const files = new Map<string, Map<number, number>>();
  for (let site = 0; site < sites.rows; site++) {
    if (sites.cell[site] >= 0) continue;
    const lines = files.get(sites.file[site]) ?? new Map<number, number>();
    files.set(sites.file[site], lines.set(sites.line[site], site));
  }
  return [...files].map(([file, found]) => {
    const numbers = [...found.keys()].sort((a, b) => a - b);
    const lines = numbers.map((number, i): CodeLine => {
      const text = sites.text[found.get(number)!].replace(/\s+$/, "");
      const key = lineKey(file, -1, number);
      return {
        number,
        key,
        text,
        tokens: tokenize(text)[0],
        ...known(recording, figures, key),
        gap: i > 0 && number > numbers[i - 1] + 1,
      };
    });
    const functions = [...new Set([...found.values()].map((site) => sites.function[site]))].filter(
      (name) => name !== "<module>",
    );
    return { title: file.split(/[\\/]/).at(-1) ?? file, detail: functions.join(", "), lines };
  });
}

/** The event to select next on a line: after the one selected when that is on the line, else the first. */
export function nextEventOnLine(
  events: readonly number[],
  selected: number,
  matching: ((event: number) => boolean) | null,
  by: 1 | -1,
): number {
  const wanted = matching && events.some(matching) ? events.filter(matching) : events;
  const at = wanted.indexOf(selected);
  if (wanted.length === 0) return -1;
  return at < 0 ? wanted[by > 0 ? 0 : wanted.length - 1] : wanted[(at + by + wanted.length) % wanted.length];
}

/** Where on its line a call is, in characters; null when it is not known. */
export function callSpan(recording: Recording, event: number): { key: string; from: number; to: number } | null {
  const location = factsOf(recording).location(event);
  if (!location) return null;
  const { sites, cells } = recording;
  const key = lineKey(sites.file[location.site], cells.number[sites.cell[location.site]] ?? -1, location.line);
  const [from, to] = [sites.column[location.site], sites.end_column[location.site]];
  return { key, from, to: from >= 0 && to > from ? to : from };
}
