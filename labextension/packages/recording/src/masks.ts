// A flag for each row of events or of tensors, and how flags of the one become flags of the other.

import type { Queries } from "./queries";
import { ROLE } from "./tables.gen";

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

/** These events, and the tensors they made, which are looked for when somebody asks for them. */
export function masksOfEvents(queries: Queries, events: Mask): Masks {
  const { producer, rows } = queries.recording.tensors;
  let tensors: Mask | null = null;
  return {
    events,
    get tensors() {
      return (tensors ??= maskWhere(rows, (row) => events[queries.eventRow(producer[row])] === 1));
    },
  };
}

/** These tensors, and the events that made one. */
export function masksOfTensors(queries: Queries, tensors: Mask): Masks {
  return { events: eventsTouching(queries, tensors, [ROLE.out]), tensors };
}

/** The events that have one of these tensors in one of the roles. */
export function eventsTouching(queries: Queries, tensors: Mask, roles: readonly number[]): Mask {
  const { edges, events } = queries.recording;
  const flags = new Uint8Array(events.rows);
  // A plain loop over the edges: a list for each of a million events would be felt while somebody types.
  for (let edge = 0; edge < edges.rows; edge++) {
    if (tensors[queries.tensorRow(edges.tensor[edge])] !== 1 || !roles.includes(edges.role[edge])) continue;
    const row = queries.eventRow(edges.event[edge]);
    if (row >= 0) flags[row] = 1;
  }
  return flags;
}

/** These events and the backward partners of them. */
export function withPartners(queries: Queries, events: Mask): Mask {
  const { origin, rows } = queries.recording.events;
  return maskWhere(rows, (row) => events[row] === 1 || events[queries.eventRow(origin[row])] === 1);
}
