import { select, type Recording } from "@tapeviz/recording";
import type { Matching } from "./filterbox";

/** Which events a filter's text matches, or what is wrong with the text. */
export function matchesOf(recording: Recording, text: string): Matching {
  if (text.trim() === "") return { flags: null, count: 0 };
  try {
    const { eventFlags, events } = select(recording, text);
    return { flags: eventFlags, count: events.length };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
