import { STATUS, type Recording } from "@tapeviz/recording";

/** What the empty half below the middle line says when nothing ran backward; null when something did. */
export function backwardNote(recording: Recording): { text: string; fault: boolean } | null {
  const { events } = recording;
  if (events.phase.includes(1)) return null;
  if (events.status.includes(STATUS.failed)) return { text: "✕ Stopped before the backward pass.", fault: true };
  return { text: "No backward pass was recorded.", fault: false };
}
