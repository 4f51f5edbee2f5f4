import { format } from "@tapeviz/core";
import { opTimesOf, type Recording } from "@tapeviz/recording";
import { factsOf, type Facts } from "../facts";
import type { LabelCandidates } from "./labels";
import { functionAt, setupTitle } from "./model";

/** The words on the timeline's blocks. */
export function labelCandidates(recording: Recording): LabelCandidates {
  const facts = factsOf(recording);
  const { events } = recording;
  const took = opTimesOf(recording);
  return (row, lane) => {
    if (lane.kind === "setup") return { label: setupTitle(recording, row), short: "", sub: [], took: "" };
    const event = events.id[row];
    if (lane.kind === "function")
      return { label: `${functionAt(recording, facts.site(event))}()`, short: "", sub: [], took: "" };
    if (lane.kind === "span") return { label: facts.title(event), short: "", sub: [], took: "" };
    if (lane.kind === "line") return { label: lineTitle(facts, event), short: "", sub: [], took: "" };
    const title = facts.title(event);
    const label = facts.isStep(event) ? `∇ ${title}` : title;
    return { label, short: title, sub: output(facts, event), took: format.duration(took[row]) };
  };
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

/** A setup in a few lines, for the tooltip. */
export function describeSetup(recording: Recording, row: number, among: number): { title: string; lines: string[] } {
  const { setups, sites } = recording;
  const site = setups.site[row];
  const why =
    setups.kind[row] === "first_use"
      ? "the op's function is made once, when it is first called"
      : "a module is loaded once, when it is first imported";
  const where = site < 0 ? [] : [`line ${sites.line[site]}  ${sites.text[site].trim()}`];
  return {
    title: setupTitle(recording, row),
    lines: [format.duration(setups.dur[row]), why, ...where, ...crowd(among)],
  };
}

/** Of how many in the same place something is one. */
const crowd = (among: number): string[] =>
  among > 1 ? [`one of ${format.count(among)} here; double-click to zoom`] : [];

/** An event in a few lines, for the tooltip: a title, then facts, and of how many in the same place it is one. */
export function describe(recording: Recording, row: number, among: number): { title: string; lines: string[] } {
  const facts = factsOf(recording);
  const event = recording.events.id[row];
  const took = format.duration(facts.duration(event));
  const location = facts.location(event);
  const where = [...(location ? [`line ${location.line}  ${location.text.trim()}`] : []), ...crowd(among)];
  if (!facts.isOp(event)) return { title: facts.title(event), lines: [took, ...where] };
  const made = [...facts.outputs(event)].map(
    (t) => `→ ${facts.name(t)}  ${format.spec(facts.shape(t), facts.dtype(t))}`,
  );
  const partner = facts.partners(event)[0];
  const ratio =
    partner === undefined
      ? ""
      : `  ·  ${facts.isBackward(event) ? "forward" : "backward"} ${format.duration(facts.duration(partner))}`;
  const error = recording.messages.event.indexOf(event);
  const said = error < 0 ? [] : [`✕ ${recording.messages.type[error]}: ${recording.messages.text[error]}`];
  return {
    title: `${facts.isStep(event) ? "∇ " : ""}${facts.title(event)}`,
    lines: [`#${event}  ·  ${took}${ratio}`, ...made, ...said, ...where],
  };
}
