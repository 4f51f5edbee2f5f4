// A flag for each row of events or of tensors, and how flags of the one become flags of the other.

import type { Lists } from "./lists";
import type { Queries } from "./queries";

/** A byte a row: 1 or 0. */
export type Flags = Uint8Array;

/** What a term holds for. */
export interface Held {
  readonly events: Flags;
  readonly tensors: Flags;
}

export function flagsWhere(rows: number, holds: (row: number) => boolean): Flags {
  const flags = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) if (holds(row)) flags[row] = 1;
  return flags;
}

/** These events, and the tensors they made. */
export function heldByEvents(queries: Queries, events: Flags): Held {
  const { producer, rows } = queries.recording.tensors;
  return { events, tensors: flagsWhere(rows, (row) => events[queries.eventRow(producer[row])] === 1) };
}

/** These tensors, and the events that made one. */
export function heldByTensors(queries: Queries, tensors: Flags): Held {
  return { events: touching(queries, tensors, [queries.outputs]), tensors };
}

/** The events that have one of these tensors in one of the lists. */
export function touching(queries: Queries, tensors: Flags, of: readonly Lists[]): Flags {
  const { id, rows } = queries.recording.events;
  const isHeld = (tensor: number): boolean => tensors[queries.tensorRow(tensor)] === 1;
  return flagsWhere(rows, (row) => of.some((list) => list(id[row]).some(isHeld)));
}

/** These events and the backward partners of them. */
export function withPartners(queries: Queries, events: Flags): Flags {
  const { origin, rows } = queries.recording.events;
  return flagsWhere(rows, (row) => events[row] === 1 || events[queries.eventRow(origin[row])] === 1);
}
