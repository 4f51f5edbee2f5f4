import { format } from "@tapeviz/core";
import { opTimesOf, waitsOf, type Recording } from "@tapeviz/recording";
import { factsOf, type Facts } from "../facts";
import type { LabelCandidates } from "./labels";
import { functionAt, setupTitle } from "./model";
import type { RepeatBar } from "./spans";

/** The words on the timeline's blocks. */
export function labelCandidates(recording: Recording): LabelCandidates {
  const facts = factsOf(recording);
  const { events } = recording;
  const took = opTimesOf(recording);
  return (row, lane, bar) => {
    if (bar) return { ...labelOf(bar), sub: [], took: "" };
    if (lane.kind === "setup") return { label: setupTitle(recording, row), short: "", sub: [], took: "" };
    const event = events.id[row];
    if (lane.kind === "function")
      return { label: `${functionAt(recording, facts.site(event))}()`, short: "", sub: [], took: "" };
    if (lane.kind === "span") return { label: facts.title(event), short: "", sub: [], took: "" };
    if (lane.kind === "line") return { label: lineTitle(facts, event), short: "", sub: [], took: "" };
    const title = facts.title(event);
    const label = facts.isStep(event) ? `∇ ${title}` : title;
    const sub = [...waiting(recording, event), ...output(facts, event)];
    return { label, short: title, sub, took: format.duration(took[row]) };
  };
}

/** How long an op waited for another process, at length and shorter. */
export function waiting(recording: Recording, event: number): string[] {
  const wait = waitsOf(recording).get(event);
  if (!wait || wait.took < LEAST_WAIT) return [];
  const took = `waits ${format.duration(wait.took)}`;
  return [`${took} for ${wait.rank}`, took];
}

/** Less than this, in ns, is the time that messages take. */
const LEAST_WAIT = 100_000;

/** "▸ block" and "×12" for all blocks of a repeat, "3 of 12" or "3" for one. */
function labelOf({ repeat: { title, times }, isOpen, block }: RepeatBar): { label: string; short: string } {
  if (block >= 0) return { label: `${block + 1} of ${times}`, short: String(block + 1) };
  return { label: `${isOpen ? "▾" : "▸"} ${title}`, short: `×${times}` };
}

function lineTitle(facts: Facts, event: number): string {
  const location = facts.location(event);
  return location ? `${location.line}  ${location.text.trim()}` : "";
}

/** What an op made, at length and shorter: the user's name for it where there is one, and the shape. */
function output(facts: Facts, event: number): string[] {
  const [first, ...rest] = facts.outputs(event);
  if (first === undefined) return [];
  const shape = format.shape(facts.shape(first));
  const more = rest.length > 0 ? ` +${rest.length}` : "";
  return facts.isNamed(first)
    ? [`${facts.name(first)} ${shape}${more}`, facts.name(first)]
    : [`${shape}${more}`, shape];
}
