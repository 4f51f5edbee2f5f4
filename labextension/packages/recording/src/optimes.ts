// How long events ran themselves, without pauses of the garbage collector, imports and setups within them: the twin of
// op_times.py.

import { rankOfEvent, rankOfSetup } from "./ranks";
import type { Recording } from "./recording";
import { KIND } from "./tables.gen";

const known = new WeakMap<Recording, { readonly version: number; readonly times: ArrayLike<number> }>();

/** How long each row of `events` ran, in ns, less its process's pauses and setups within it: those are not its work. */
export function opTimesOf(recording: Recording): ArrayLike<number> {
  let found = known.get(recording);
  if (found?.version !== recording.version) {
    found = { version: recording.version, times: timed(recording) };
    known.set(recording, found);
  }
  return found.times;
}

function timed(recording: Recording): ArrayLike<number> {
  const { events, ranks, setups } = recording;
  if (setups.rows === 0 && !events.kind.includes(KIND.gc)) return events.dur;
  const times = new Float64Array(events.dur);
  for (let rank = ranks.rows > 0 ? 0 : -1; rank < ranks.rows; rank++) takePauses(recording, rank, times);
  return times;
}

function takePauses(recording: Recording, rank: number, times: Float64Array): void {
  const { events } = recording;
  const pauses = pausesOf(recording, rank);
  if (pauses.length === 0) return;
  // The first pause that ends after an event begins. Events come nearly in the order of time: it moves little.
  let first = 0;
  for (let row = 0; row < times.length; row++) {
    if (events.kind[row] === KIND.gc || rankOfEvent(recording, row) !== rank) continue;
    const start = events.t0[row];
    const end = start + events.dur[row];
    while (first > 0 && pauses[first - 1][1] > start) first -= 1;
    while (first < pauses.length && pauses[first][1] <= start) first += 1;
    for (let at = first; at < pauses.length && pauses[at][0] < end; at++)
      times[row] = Math.max(times[row] - Math.min(end, pauses[at][1]) + Math.max(start, pauses[at][0]), 0);
  }
}

/** The stretches, as [start, end], that a rank's pauses and setups cover: the collector may run within an import. */
function pausesOf(recording: Recording, rank: number): [number, number][] {
  const { events, setups } = recording;
  const pauses: [number, number][] = [];
  for (let row = 0; row < events.rows; row++)
    if (events.kind[row] === KIND.gc && rankOfEvent(recording, row) === rank)
      pauses.push([events.t0[row], events.t0[row] + events.dur[row]]);
  for (let row = 0; row < setups.rows; row++)
    if (rankOfSetup(recording, row) === rank) pauses.push([setups.t0[row], setups.t0[row] + setups.dur[row]]);
  const united: [number, number][] = [];
  for (const [start, end] of pauses.sort(([a], [b]) => a - b)) {
    const last = united.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else united.push([start, end]);
  }
  return united;
}
