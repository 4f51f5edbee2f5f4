// The ranks of a merged recording: which rows are of which process.

import type { Recording } from "./recording";

/** The rank that a row of `events` is of, as a row of `ranks`; -1 where the recording is of one process. */
export const rankOfEvent = (recording: Recording, row: number): number =>
  rankOfThread(recording, recording.events.thread[row]);

/** The same of a row of `setups`. */
export const rankOfSetup = (recording: Recording, row: number): number =>
  rankOfThread(recording, recording.setups.thread[row]);

const rankOfThread = ({ threads }: Recording, thread: number): number => threads.rank[thread] ?? -1;

/** The rank that a variable is of, as a row of `ranks`; -1 where the recording is of one process. */
export const rankOfVariable = ({ ranks }: Recording, id: number): number =>
  ranks.variable.findLastIndex((first) => first <= id);

/** What a rank is called; "" for the one process of a recording that is not merged. */
export const rankName = ({ ranks }: Recording, rank: number): string => (rank < 0 ? "" : `rank ${ranks.number[rank]}`);

/** How long an op stood still for another process, in ns, and what that one is called. */
export interface Wait {
  readonly took: number;
  readonly rank: string;
}

const known = new WeakMap<Recording, { readonly version: number; readonly waits: ReadonlyMap<number, Wait> }>();

/** The waits of a merged recording, by event. */
export function waitsOf(recording: Recording): ReadonlyMap<number, Wait> {
  const found = known.get(recording);
  if (found?.version === recording.version) return found.waits;
  const { event, dur, rank } = recording.waits;
  const waits = new Map<number, Wait>();
  event.forEach((id, row) => waits.set(id, { took: dur[row], rank: rankName(recording, rank[row]) }));
  known.set(recording, { version: recording.version, waits });
  return waits;
}
