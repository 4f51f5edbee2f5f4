// How long events ran, without the garbage collector's pauses within them: the twin of op_times.py.

import type { Recording } from "./recording";
import { KIND } from "./tables.gen";

const known = new WeakMap<Recording, { readonly version: number; readonly times: ArrayLike<number> }>();

/** How long each row of `events` ran, in ns, less the pauses that fell into it: a pause is not the work of an op. */
export function opTimesOf(recording: Recording): ArrayLike<number> {
  let found = known.get(recording);
  if (found?.version !== recording.version) {
    found = { version: recording.version, times: timed(recording) };
    known.set(recording, found);
  }
  return found.times;
}

function timed({ events }: Recording): ArrayLike<number> {
  const pauses: number[] = [];
  for (let row = 0; row < events.rows; row++) if (events.kind[row] === KIND.gc) pauses.push(row);
  if (pauses.length === 0) return events.dur;
  pauses.sort((a, b) => events.t0[a] - events.t0[b]);
  const starts = pauses.map((row) => events.t0[row]);
  const ends = pauses.map((row) => events.t0[row] + events.dur[row]);
  const times = new Float64Array(events.dur);
  // The first pause that ends after an event begins. Events come nearly in the order of time: it moves little.
  let first = 0;
  for (let row = 0; row < times.length; row++) {
    if (events.kind[row] === KIND.gc) continue;
    const start = events.t0[row];
    const end = start + events.dur[row];
    while (first > 0 && ends[first - 1] > start) first -= 1;
    while (first < ends.length && ends[first] <= start) first += 1;
    for (let pause = first; pause < ends.length && starts[pause] < end; pause++)
      times[row] = Math.max(times[row] - Math.min(end, ends[pause]) + Math.max(start, starts[pause]), 0);
  }
  return times;
}
