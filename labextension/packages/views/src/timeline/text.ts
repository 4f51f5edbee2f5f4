import { format } from "@tapeviz/core";
import { KIND, poolsOf, type Recording } from "@tapeviz/recording";
import { pagesOf, type View } from "../view";
import { factsOf, type Facts } from "../facts";
import { faultText, gradientFaults } from "../gradientfaults";
import { setupTitle } from "./model";
import { NORMS_OF, blockNorms, normsText } from "./norms";
import { repeatsOf } from "./repeats";
import { outermostRepeats } from "./spans";

const PAGE = 1000;

/** The timeline in words: every event in the order of starting, indented by its span; a page of them. */
export const timelineText: View["text"] = ({ recording, selection, matches }, page = 0) => {
  const { events } = recording;
  const facts = factsOf(recording);
  const chosen = selection.selected.value.event;
  const rows = listed(recording, matches.value);
  const shown = rows.subarray(page * PAGE, (page + 1) * PAGE);
  const lines = [...shown].map((row) => `${events.id[row] === chosen ? "> " : "  "}${line(facts, row)}`);
  return [
    heading(recording),
    ...gradientFaults(recording).map((fault) => `${faultText(fault)}.`),
    ...pools(recording),
    ...setups(recording),
    ...repeatLines(recording),
    "",
    ...lines,
    "",
  ].join("\n");
};

export const timelinePages: View["pages"] = ({ recording, selection, matches }) => {
  const rows = listed(recording, matches.value);
  const chosen = selection.selected.value.event;
  return pagesOf(rows.length, chosen < 0 ? -1 : rows.indexOf(factsOf(recording).eventRow(chosen)), PAGE);
};

/** Rows of the events that are listed: those that the filter lets through, and the spans around them. */
function listed({ events }: Recording, flags: Uint8Array | null): Int32Array {
  const all = Int32Array.from({ length: events.rows }, (_, row) => row);
  return flags ? all.filter((row) => flags[row] === 1 || events.kind[row] === KIND.span) : all;
}

function heading(recording: Recording): string {
  const { events } = recording;
  const ops = [0, 0];
  for (let row = 0; row < events.rows; row++) if (events.kind[row] === KIND.op) ops[events.phase[row]] += 1;
  return `Timeline: ${format.plural(ops[0], "forward op")}, ${format.plural(ops[1], "backward op")}`;
}

const pools = (recording: Recording): string[] =>
  poolsOf(recording).map(({ device, used, total }) => {
    const most = (bytes: Float64Array): string => format.bytes(bytes.reduce((a, b) => Math.max(a, b), 0));
    return `${device} pool: at most ${most(used)} used, ${most(total)} taken from the device`;
  });

/** What was done once beside the ops, as that of the lane "setup". */
function setups(recording: Recording): string[] {
  const { setups: table, sites } = recording;
  return [...table.t0.keys()].map((row) => {
    const where = table.site[row] < 0 ? "" : `  line ${sites.line[table.site[row]]}`;
    return `(${setupTitle(recording, row)}  ${format.duration(table.dur[row])}${where})`;
  });
}

/** What repeats, as the bars of the closed timeline: with its first and last event and the gradients over its blocks. */
function repeatLines(recording: Recording): string[] {
  const [facts, found] = [factsOf(recording), repeatsOf(recording)];
  const { id } = recording.events;
  return outermostRepeats(recording).map((repeat) => {
    const { title, times, items } = repeat;
    const { of, blocks } = blockNorms(facts, found, repeat);
    const known = blocks.some((one) => one !== null);
    const from = `events ${id[found.first(items[0])]} to ${id[found.last(items[items.length - 1])]}`;
    const norms = known ? `  |g| ${normsText(blocks)} (${NORMS_OF[of]})` : "";
    return `[${title} ×${times}]  ${from}${norms}`;
  });
}

function line(facts: Facts, row: number): string {
  const { events } = facts.recording;
  const event = events.id[row];
  const indent = "  ".repeat(facts.spans(event).length);
  const location = facts.location(event);
  const where = location ? `  line ${location.line}` : "";
  if (events.kind[row] === KIND.span)
    return `${indent}[${facts.title(event)}]  ${format.duration(facts.duration(event))}${where}`;
  if (events.kind[row] !== KIND.op) return `${indent}(${facts.title(event)}  ${format.duration(events.dur[row])})`;
  const names = (tensors: Int32Array): string => [...tensors].map((t) => facts.name(t)).join(", ");
  const shape = [...facts.outputs(event)].map((t) => format.shape(facts.shape(t))).join(", ");
  const failed = events.status[row] === 0 ? "" : "  ✕ failed";
  const partner =
    facts.isBackward(event) && facts.partners(event).length > 0 ? `  of #${facts.partners(event)[0]}` : "";
  const title = `${facts.isStep(event) ? "∇ " : ""}${facts.title(event)}(${names(facts.inputs(event))})`;
  return `${indent}#${event} ${title} → ${shape || "nothing"}  ${format.duration(facts.duration(event))}${where}${partner}${failed}`;
}
