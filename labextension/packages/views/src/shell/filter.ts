import { draftOf, selectEvents, selectNodes, type Draft, type Recording } from "@tapeviz/recording";
import type { Key, NodeKey } from "@tapeviz/core";
import { factsOf } from "../facts";

/** What the text in the filter box gives. */
export interface FilterResult extends Draft {
  /** A flag an event; null where every event is let through. */
  readonly flags: Uint8Array | null;
  /** Rows of the events that match, in their order; of the nodes of graphs where no event does. */
  readonly rows: Int32Array;
  readonly kind: "event" | "node";
  /** How many nodes of graphs match. */
  readonly nodes: number;
}

export const NO_FILTER: FilterResult = {
  text: "",
  note: "",
  isWrong: false,
  flags: null,
  rows: new Int32Array(),
  kind: "event",
  nodes: 0,
};

/** Which events a filter's text matches, which nodes of graphs, and what is to be said of the text. */
export function applyFilter(recording: Recording, typed: string): FilterResult {
  const draft = draftOf(recording, typed);
  if (draft.text === "") return { ...NO_FILTER, ...draft };
  const eventFlags = selectEvents(recording, draft.text);
  const events = rowsOf(eventFlags);
  const nodes = recording.nodes.rows > 0 ? rowsOf(selectNodes(recording, draft.text)) : new Int32Array();
  const found = events.length > 0 ? { rows: events, kind: "event" as const } : { rows: nodes, kind: "node" as const };
  return { ...draft, flags: eventFlags, ...found, nodes: nodes.length };
}

function rowsOf(flags: Uint8Array): Int32Array {
  let count = 0;
  for (let row = 0; row < flags.length; row++) count += flags[row];
  const rows = new Int32Array(count);
  for (let row = 0, at = 0; at < count; row++) if (flags[row] === 1) rows[at++] = row;
  return rows;
}

/** What is selected, as a row of what is searched. */
export function selectedRow(recording: Recording, { kind }: FilterResult, key: Key, node: number): number {
  if (kind === "node") return node;
  const facts = factsOf(recording);
  return facts.eventRow(key.event >= 0 ? key.event : facts.producer(key.tensor));
}

/** Which match is at a row, counted from 0; -1 where none is. */
export function matchAt({ rows }: FilterResult, row: number): number {
  const at = firstFrom(rows, row);
  return row >= 0 && rows[at] === row ? at : -1;
}

/** The match after or before a row, round and round; -1 where there is none. */
export function nextMatch({ rows }: FilterResult, row: number, by: 1 | -1): number {
  if (rows.length === 0) return -1;
  const after = by > 0 ? firstFrom(rows, row + 1) : (row < 0 ? rows.length : firstFrom(rows, row)) - 1;
  return (after + rows.length) % rows.length;
}

/** The place of the first number that is not below another, in numbers that ascend. */
function firstFrom(rows: Int32Array, least: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The key of a match. */
export const keyOfMatch = (
  { nodes, events }: Recording,
  { kind, rows }: FilterResult,
  at: number,
): Partial<Key> & { node?: NodeKey } =>
  kind === "node"
    ? { node: { graph: nodes.graph[rows[at]], node: nodes.number[rows[at]] } }
    : { event: events.id[rows[at]] };
