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
  const rows: number[] = [];
  for (let row = 0; row < events.rows; row++) if (events.kind[row] === KIND.gc) rows.push(row);
  if (rows.length === 0) return events.dur;
  rows.sort((a, b) => events.t0[a]! - events.t0[b]!);
  const sums = [0];
  for (const row of rows) sums.push(sums[sums.length - 1]! + events.dur[row]!);
  /** For how long the collector had run before a moment. */
  const paused = (t: number): number => {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (events.t0[rows[middle]!]! < t) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return 0;
    const last = rows[low - 1]!;
    return sums[low - 1]! + Math.min(events.dur[last]!, t - events.t0[last]!);
  };
  const times = Float64Array.from({ length: events.rows }, (_, row) => events.dur[row]!);
  for (let row = 0; row < events.rows; row++) {
    const [start, took] = [events.t0[row]!, times[row]!];
    if (events.kind[row] !== KIND.gc && took > 0) times[row] = Math.max(took - paused(start + took) + paused(start), 0);
  }
  return times;
}
