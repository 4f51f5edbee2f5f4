import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";

/** What the empty half below the middle line says when nothing ran backward; null when something did. */
export function note(recording: Recording): { text: string; fault: boolean } | null {
  const { events, messages } = recording;
  if (events.phase.includes(1)) return null;
  const row = messages.event.findIndex((event) => events.status[factsOf(recording).eventRow(event)] !== 0);
  if (row < 0) return { text: "No backward pass was recorded.", fault: false };
  return { text: `✕ Stopped before the backward pass: ${messages.text[row]}`, fault: true };
}
