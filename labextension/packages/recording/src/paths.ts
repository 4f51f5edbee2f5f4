// The ways of a gradient: what lies between a source and what was differentiated. The twin of paths.py.

import { maskWhere, withPartners, type Mask, type Masks } from "./masks";
import type { Queries } from "./queries";
import { PHASE } from "./tables.gen";

/**
 * The events and tensors on the way from the sources to the targets asked for, and back: forward events that the
 * sources reach and, where a gradient by a source was asked for, that reach its target; their backward partners; the
 * tensors they hand on; and the gradients of these.
 */
export function onPath(queries: Queries, sources: Mask): Masks {
  const { events, tensors } = queries.recording;
  const reached = reachedFrom(queries, sources);
  const targets = targetsOf(queries, sources);
  const isAsked = targets.some(Boolean);
  const needed = isAsked ? neededFor(queries, targets) : null;
  const forward = maskWhere(events.rows, (row) => reached[row] === 1 && (!needed || needed[row] === 1));
  const read = isAsked ? readBy(queries, forward, targets) : null;
  const own = maskWhere(tensors.rows, (row) => {
    const isReached = sources[row] === 1 || reached[queries.eventRow(tensors.producer[row])] === 1;
    return isReached && (!read || read[row] === 1);
  });
  return { events: withPartners(queries, forward), tensors: withGradients(queries, own) };
}

function isForward(queries: Queries, row: number): boolean {
  return queries.recording.events.phase[row] !== PHASE.backward;
}

/** The forward events that read a source, or what such an event made. */
function reachedFrom(queries: Queries, sources: Mask): Mask {
  const { events, tensors } = queries.recording;
  const reached = new Uint8Array(events.rows);
  const isReached = (tensor: number): boolean => {
    const row = queries.tensorRow(tensor);
    return row >= 0 && (sources[row] === 1 || reached[queries.eventRow(tensors.producer[row])] === 1);
  };
  for (let row = 0; row < events.rows; row++) {
    if (isForward(queries, row) && queries.inputs(events.id[row]).some(isReached)) reached[row] = 1;
  }
  return reached;
}

/** The forward events whose tensors go into a target. */
function neededFor(queries: Queries, targets: Mask): Mask {
  const { events, tensors } = queries.recording;
  const needed = new Uint8Array(events.rows);
  const need = (tensorRow: number): void => {
    const row = queries.eventRow(tensors.producer[tensorRow] ?? -1);
    if (row >= 0) needed[row] = 1;
  };
  targets.forEach((isTarget, row) => isTarget && need(row));
  for (let row = events.rows - 1; row >= 0; row--) {
    if (!needed[row] || !isForward(queries, row)) continue;
    for (const tensor of queries.inputs(events.id[row])) need(queries.tensorRow(tensor));
  }
  return needed;
}

/** The targets, and the tensors that these events read. */
function readBy(queries: Queries, events: Mask, targets: Mask): Mask {
  const read = targets.slice();
  events.forEach((isOn, row) => {
    if (!isOn) return;
    for (const tensor of queries.inputs(queries.recording.events.id[row])) read[queries.tensorRow(tensor)] = 1;
  });
  return read;
}

/** The tensors whose gradients by a source were asked for. */
function targetsOf(queries: Queries, sources: Mask): Mask {
  const { requests, tensors } = queries.recording;
  const variables = new Set([...tensors.variable].filter((variable, row) => variable >= 0 && sources[row] === 1));
  const targets = new Uint8Array(tensors.rows);
  for (let i = 0; i < requests.rows; i++) {
    const isAsked = sources[queries.tensorRow(requests.source[i])] === 1 || variables.has(requests.variable[i]);
    if (isAsked) targets[queries.tensorRow(requests.target[i])] = 1;
  }
  return targets;
}

/** These tensors, their gradients and what those are sums of. */
function withGradients(queries: Queries, tensors: Mask): Mask {
  const { gradients } = queries.recording;
  const all = tensors.slice();
  for (let i = 0; i < gradients.rows; i++) {
    if (!tensors[queries.tensorRow(gradients.tensor[i])]) continue;
    all[queries.tensorRow(gradients.gradient[i])] = 1;
    all[queries.tensorRow(gradients.addend[i])] = 1;
  }
  return all;
}
