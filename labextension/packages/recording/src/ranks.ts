// The ranks of a merged recording: which rows are of which process.

import type { Recording } from "./recording";

/** The rank that a row of `events` is of, as a row of `ranks`; -1 where the recording is of one process. */
export const rankOfEvent = (recording: Recording, row: number): number =>
  rankOfThread(recording, recording.events.thread[row]);

/** The same of a row of `setups`. */
export const rankOfSetup = (recording: Recording, row: number): number =>
  rankOfThread(recording, recording.setups.thread[row]);

const rankOfThread = ({ threads }: Recording, thread: number): number => threads.rank[thread] ?? -1;

/** What a rank is called; "" for the one process of a recording that is not merged. */
export const rankName = ({ ranks }: Recording, rank: number): string => (rank < 0 ? "" : `rank ${ranks.number[rank]}`);
