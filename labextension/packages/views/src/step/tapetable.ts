import { format, h } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { factsOf, type Facts } from "../facts";
import { cellText } from "./matrix";
import type { Values } from "./values";
import { adjointsAt, type Step } from "./walk";

/** A line of the tape: a tensor that ops read, or what an op made. */
export interface Entry {
  readonly tensor: number;
  /** The step that makes it; -1 for what was there before. */
  readonly step: number;
  /** The step from which on it is on the tape: for what was there before the first that reads it. */
  readonly since: number;
  readonly op: string;
  readonly inputs: readonly number[];
}

/** So many lines are drawn around the one that the step is about. */
const WINDOW = 120;

/** The tape: what ops read that none made, first; then what each op made, in order. */
export function entriesOf(recording: Recording, steps: readonly Step[]): Entry[] {
  const facts = factsOf(recording);
  const made = new Set(steps.flatMap(({ kind, result }) => (kind === "forward" ? [result] : [])));
  const sources = new Map<number, number>();
  const ops: Entry[] = [];
  steps.forEach(({ kind, op, inputs, result }, step) => {
    if (kind !== "forward") return;
    for (const input of inputs)
      if (!made.has(input) && !sources.has(input) && facts.tensorRow(input) >= 0) sources.set(input, step);
    ops.push({ tensor: result, step, since: step, op, inputs });
  });
  return [
    ...Array.from(sources, ([tensor, since]): Entry => ({ tensor, step: -1, since, op: "", inputs: [] })),
    ...ops,
  ];
}

/** The tape as it is after a step: # · op · inputs · value · adjoint. */
export function tapeTable(
  recording: Recording,
  steps: readonly Step[],
  entries: readonly Entry[],
  at: number,
  values: Values,
  hidden: boolean,
  matches: Uint8Array | null,
  go: (step: number) => void,
): HTMLElement {
  const facts = factsOf(recording);
  const step = steps[at];
  const adjoints = adjointsAt(steps, hidden ? at - 1 : at);
  const before = adjointsAt(steps, at - 1);
  const written = entries.filter(({ since }) => since <= at);
  const focus = written.findIndex(({ tensor }) => tensor === step.subject);
  const from = Math.max(0, Math.min(focus - WINDOW / 2, written.length - WINDOW));
  const rows = written.slice(from, from + WINDOW).map((entry) => {
    const { tensor } = entry;
    const isNow = tensor === step.subject;
    const adjoint = adjoints.get(tensor);
    const isLeft = !matches || (entry.step >= 0 && matches[facts.eventRow(steps[entry.step].event)] === 1);
    const marks = [
      isLeft ? "" : "tv-faint",
      isNow ? "tvw-now" : "",
      step.kind !== "forward" && step.inputs.includes(tensor) ? "tvw-read" : "",
    ];
    const value = hidden && isNow && step.kind === "forward" ? "?" : brief(facts, values, tensor);
    const gradient =
      hidden && isNow && step.kind !== "forward" ? "?" : adjoint === undefined ? "—" : brief(facts, values, adjoint);
    const isNew = adjoint !== before.get(tensor);
    const row = h(
      "tr",
      { class: marks.filter(Boolean).join(" ") || undefined, "data-step": entry.step },
      h("td", { class: "tvw-count" }, entry.step < 0 ? "" : String(entry.step + 1)),
      h("th", { scope: "row", title: facts.name(tensor) }, ...breakable(label(facts, values, tensor))),
      h(
        "td",
        {},
        entry.step < 0
          ? h("i", {}, sourceWord(facts, tensor))
          : h("span", {}, ...breakable(callText(facts, values, entry))),
      ),
      h("td", { class: `tvw-number${values.isMoved(tensor) ? " tvw-moved" : ""}` }, value),
      h(
        "td",
        { class: `tvw-number${isNew ? " tvw-new" : ""}${values.isMoved(adjoint) ? " tvw-moved" : ""}` },
        gradient,
      ),
    );
    if (entry.step >= 0) row.addEventListener("click", () => go(entry.step));
    return row;
  });
  const left = written.length - rows.length;
  const titles = ["#", "tensor", "op", "value", "adjoint"].map((title) => h("th", { scope: "col" }, title));
  // Rows scroll under the heading.
  const table = h(
    "table",
    { class: "tvw-tape" },
    h("thead", { "data-text-may-be-cut": true }, h("tr", {}, ...titles)),
    h("tbody", {}, ...rows),
  );
  const more =
    left > 0 ? [h("p", { class: "tv-muted" }, `${format.count(left)} more lines before or after these`)] : [];
  return h("div", { class: "tvw-tape-box" }, table, ...more);
}

const sourceWord = (facts: Facts, tensor: number): string =>
  (facts.recording.tensors.variable[facts.tensorRow(tensor)] ?? -1) >= 0 ? "variable" : "input";

const callText = (facts: Facts, values: Values, { op, inputs }: Pick<Entry, "op" | "inputs">): string =>
  `${op}(${inputs.map((input) => label(facts, values, input)).join(", ")})`;

/** A tensor's name; a number that has none and that no op made is called by its value. */
export function label(facts: Facts, values: Values, tensor: number): string {
  const isPlain = !facts.isNamed(tensor) && facts.producer(tensor) < 0 && facts.shape(tensor).length === 0;
  const matrix = isPlain ? values.matrix(tensor) : null;
  return matrix ? cellText(matrix, 0) : shortName(facts.name(tensor));
}

/** A name of layers within layers by its last two parts. */
export const shortName = (name: string): string => name.split("/").slice(-2).join("/");

/** A text that may go on in the next line after a bracket, a slash or an underscore. */
function breakable(text: string): (HTMLElement | string)[] {
  return text.split(/(?<=[(/_])/).flatMap((part, i) => (i > 0 ? [h("wbr"), part] : [part]));
}

/** A tensor in one line: a number, a short row of numbers, or its shape. */
export function brief(facts: Facts, values: Values, tensor: number): string {
  const shape = facts.shape(tensor);
  const size = shape.reduce((product, n) => product * n, 1);
  const matrix = size <= 4 ? values.matrix(tensor) : null;
  if (!matrix) return shape.length === 0 ? "…" : format.shape(shape);
  const texts = Array.from(matrix.numbers, (_, i) => cellText(matrix, i));
  return shape.length === 0 ? texts[0] : `[${texts.join("  ")}]`;
}
