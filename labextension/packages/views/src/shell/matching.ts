import type { Recording } from "@tapeviz/recording";
import type { Matching } from "./filterbox";

/** Which events a filter's text matches. */
export function matchesOf(recording: Recording, text: string): Matching {
  if (text.trim() === "") return { flags: null, count: 0 };
  return { flags: new Uint8Array(recording.events.rows).fill(1), count: recording.events.rows };
}
