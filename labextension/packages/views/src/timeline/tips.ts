import { format } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import { glyphText } from "../figures";
import type { Hit } from "./layout";
import { waiting } from "./labeltexts";
import { functionAt, setupTitle, type Model } from "./model";
import { NORMS_OF, normsText, type BlockNorms } from "./norms";
import { mirrored, type RepeatBar } from "./spans";

interface Said {
  readonly title: string;
  readonly lines: readonly string[];
}

/** What the pointer is on, in a few lines; `at` is where on the x-axis. */
export function tipFor(recording: Recording, model: Model, hit: Hit, at: number): Said {
  const { lane, row, among, bar } = hit;
  if (bar) return describeRepeat(model.norms(bar.repeat), bar, at);
  if (lane.kind === "setup") return describeSetup(recording, row, among);
  if (lane.stretches && hit.index >= 0) return describeStretch(recording, hit);
  return describe(recording, row, among);
}

/** The blocks of a repeat, their gradients, and the one that the pointer is on. */
function describeRepeat(norms: BlockNorms, bar: RepeatBar, at: number): Said {
  const { repeat, isOpen, block, edges } = bar;
  const { title, times, period } = repeat;
  const here = block >= 0 ? block : mirrored(bar, blockAt(edges, at));
  const norm = norms.blocks[here];
  const said = norm ? `|g| ${glyphText(norm)}` : "no gradient recorded";
  if (block >= 0) return { title: `${title}: ${block + 1} of ${times}`, lines: [said, NORMS_OF[norms.of]] };
  const known = norms.blocks.filter((one) => one !== null);
  const lines = [
    `${times} blocks alike, one after the other${period > 1 ? `, of ${format.plural(period, "part")} each` : ""}`,
    known.length === 0 ? "no gradients recorded" : `|g| ${normsText(known)}, ${NORMS_OF[norms.of]}`,
    known.length > 0 ? `${here + 1} of ${times}: ${said}` : "",
    `A click ${isOpen ? "closes" : "opens"} it (r)`,
  ];
  return { title: `${title} ×${times}`, lines: lines.filter(Boolean) };
}

/** Which block a place on the x-axis is in. */
function blockAt(edges: Float64Array, at: number): number {
  let [low, high] = [0, edges.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Neighbouring ops of a function or a line: how many, how long, where. */
function describeStretch(recording: Recording, { lane, row, index, among }: Hit): Said {
  const facts = factsOf(recording);
  const { ops, busy, from, to, often } = lane.stretches!;
  const event = recording.events.id[row];
  const lines = from[index] === to[index] ? `line ${from[index]}` : `lines ${from[index]}–${to[index]}`;
  const isFunction = lane.kind === "function";
  const text = isFunction ? "" : `  ${facts.location(event)?.text.trim()}`;
  const elsewhere = often(index) - 1;
  return {
    title: isFunction ? `${functionAt(recording, facts.site(event))}()` : lines,
    lines: [
      `${format.plural(ops[index], "op")}  ·  ${format.duration(busy[index])} in ${ops[index] === 1 ? "it" : "them"}`,
      `${isFunction ? lines : ""}${text}`.trim(),
      elsewhere > 0 ? `and in ${format.plural(elsewhere, "other place")} of this lane` : "",
      isFunction ? "how often it was called is not recorded" : "",
      ...crowd(among),
    ].filter(Boolean),
  };
}

/** A setup in a few lines, for the tooltip. */
function describeSetup(recording: Recording, row: number, among: number): Said {
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
function describe(recording: Recording, row: number, among: number): Said {
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
    lines: [`#${event}  ·  ${took}${ratio}`, ...waiting(recording, event).slice(0, 1), ...made, ...said, ...where],
  };
}
