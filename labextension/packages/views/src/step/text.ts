import { format } from "@tapeviz/core";
import { factsOf } from "../facts";
import { lineOf } from "../figures";
import { faultText, gradientFaults } from "../gradientfaults";
import { pagesOf, type View } from "../view";
import { workingOf } from "./contribution";
import { titleOf, noteOf } from "./explanation";
import { cellText } from "./matrix";
import { workedElement } from "./element";
import { stepAt } from "./place";
import { brief } from "./tapetable";
import { Values } from "./values";
import { MOST_EVENTS, resultName, stepsOf, type Step } from "./walk";

const PAGE = 1000;

/** The steps as a table, the one shown marked with ">", and then that one with its numbers; a page of the table. */
export const stepText: View["text"] = ({ recording, selection }, page = 0) => {
  const steps = stepsOf(recording);
  if (steps.length === 0) return "Nothing ran: there are no steps.";
  const facts = factsOf(recording);
  const values = new Values({ recording }, () => undefined);
  const at = Math.max(0, stepAt(steps, selection.selected.value));
  const from = page * PAGE;
  const rows = steps
    .slice(from, from + PAGE)
    .map((step, i) => [
      from + i === at ? ">" : " ",
      String(from + i + 1),
      step.kind,
      lineOf(facts, step.event),
      resultName(facts, step),
      step.kind === "forward" ? step.op : step.kind === "backward" ? `through ${step.op}` : "",
      format.shape(facts.shape(step.result)),
      brief(facts, values, step.result),
    ]);
  const widths = (rows[0] ?? []).map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  const lines = rows.map((row) => row.map((cell, c) => cell.padEnd(widths[c])).join("  ").trimEnd()); // prettier-ignore
  const isCut = recording.events.rows > MOST_EVENTS;
  const first = isCut ? [`The steps of the first ${format.count(MOST_EVENTS)} events.`] : [];
  const cut = steps.length > PAGE ? [`steps ${from + 1} to ${from + rows.length} of ${steps.length}`] : [];
  const faults = gradientFaults(recording).map((fault) => `${faultText(fault)}.`);
  return [...faults, ...first, ...cut, ...lines, "", ...told(recording, steps[at], values, at, steps.length)].join(
    "\n",
  );
};

export const stepPages: View["pages"] = ({ recording, selection }) => {
  const steps = stepsOf(recording);
  return pagesOf(steps.length, stepAt(steps, selection.selected.value), PAGE);
};

function told(recording: Parameters<typeof stepsOf>[0], step: Step, values: Values, at: number, of: number): string[] {
  const facts = factsOf(recording);
  const working = workingOf(step, values);
  const made = values.matrix(step.result);
  const note = noteOf(recording, step, working);
  const worked =
    made && [...made.numbers.keys()].slice(0, 24).flatMap((i) => workedElement(step, working, values, i)?.text ?? []);
  const rows = made
    ? Array.from({ length: Math.min(made.rows, 8) }, (_, r) =>
        Array.from({ length: Math.min(made.cols, 8) }, (_, c) => cellText(made, r * made.cols + c)).join("  "),
      )
    : ["—"];
  return [
    `Step ${at + 1} of ${of}: ${titleOf(recording, values, step)}`,
    ...(step.formula.trim() === "" ? [] : [`formula: ${step.formula}`]),
    ...(note === "" ? [] : [note]),
    `${resultName(facts, step)}, ${format.spec(facts.shape(step.result), facts.dtype(step.result))}:`,
    ...rows.map((row) => `  ${row}`),
    ...(worked && worked.length > 0 ? ["how each element is made:", ...worked.map((line) => `  ${line}`)] : []),
  ];
}
