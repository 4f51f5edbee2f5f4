// A flag for each row of events or of tensors, and how flags of the one become flags of the other.

import type { GroupedRows } from "./lists";
import type { Queries } from "./queries";

/** A byte a row: 1 or 0. */
export type Mask = Uint8Array;

/** What a term holds for. */
export interface Masks {
  readonly events: Mask;
  readonly tensors: Mask;
}

export function maskWhere(rows: number, holds: (row: number) => boolean): Mask {
  const flags = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) if (holds(row)) flags[row] = 1;
  return flags;
}

/** These events, and the tensors they made. */
export function masksOfEvents(queries: Queries, events: Mask): Masks {
  const { producer, rows } = queries.recording.tensors;
  return { events, tensors: maskWhere(rows, (row) => events[queries.eventRow(producer[row])] === 1) };
}

/** These tensors, and the events that made one. */
export function masksOfTensors(queries: Queries, tensors: Mask): Masks {
  return { events: eventsTouching(queries, tensors, [queries.outputs]), tensors };
}

/** The events that have one of these tensors in one of the lists. */
export function eventsTouching(queries: Queries, tensors: Mask, of: readonly GroupedRows[]): Mask {
  const { id, rows } = queries.recording.events;
  const isHeld = (tensor: number): boolean => tensors[queries.tensorRow(tensor)] === 1;
  return maskWhere(rows, (row) => of.some((list) => list(id[row]).some(isHeld)));
}

/** These events and the backward partners of them. */
export function withPartners(queries: Queries, events: Mask): Mask {
  const { origin, rows } = queries.recording.events;
  return maskWhere(rows, (row) => events[row] === 1 || events[queries.eventRow(origin[row])] === 1);
}
