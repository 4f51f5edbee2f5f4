import { format, type Key } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";

/** A selection as a sentence for screen readers. */
export function selectionText(recording: Recording, { event, tensor }: Key): string {
  const facts = factsOf(recording);
  if (event < 0 && tensor < 0) return "Nothing selected";
  const what = tensor < 0 ? "" : `${facts.name(tensor)}, ${format.shape(facts.shape(tensor))} ${facts.dtype(tensor)}`;
  if (event < 0 || facts.eventRow(event) < 0) return what;
  const location = facts.location(event);
  const phase = facts.isBackward(event) ? "backward " : "";
  const failed = recording.events.status[facts.eventRow(event)] === 0 ? "" : ", failed";
  const op = `${phase}${facts.title(event)}, ${format.duration(facts.duration(event))}${location ? `, line ${location.line}` : ""}${failed}`;
  return what === "" ? op : `${what}, of ${op}`;
}
