import { format } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import type { View } from "../view";
import { factsOf } from "../facts";
import { faultText, gradientFaults } from "../gradientfaults";
import { gradientAbsence, statsAbsence, valuesAbsence, type Absence } from "./absence";
import { recordedCells } from "./cells";
import { gradientOf } from "./gradients";
import { ELEMENT_WORDS, health, statsOf } from "./layout";
import { namedTensors } from "./overview";
import { cutAxes, firstPlane, position, unflatten } from "./plane";
import { scalarText } from "./scalar";
import { seriesOf } from "./series";
import { recordedRuns } from "./source";
import { selectedTensor, siteText, related, subjectOf, type Subject } from "./subject";

const CORNER = { rows: 8, cols: 8 } as const;

/** The tensor view in words: what it is, how its elements are spread, the first of them, what is around it. */
export const tensorText: View["text"] = ({ recording, selection, matches }) => {
  const subject = subjectOf(recording, selectedTensor(recording, selection.selected.value));
  return subject ? one(recording, subject) : all(recording, matches.value);
};

function all(recording: Recording, flags: Uint8Array | null): string {
  const facts = factsOf(recording);
  const lines = namedTensors(recording, flags).map((tensor) => {
    const stats = statsOf(recording, tensor);
    const range = stats ? `${format.number(stats.min)} to ${format.number(stats.max)}` : statsAbsence(recording).word;
    return `  ${facts.name(tensor)}: ${format.spec(facts.shape(tensor), facts.dtype(tensor))}, ${range}, gradient ${slope(recording, tensor)}`;
  });
  const which = flags ? "The tensors with a name that match the filter:" : "The tensors with a name:";
  const faults = gradientFaults(recording).map((fault) => `${faultText(fault)}.`);
  return [...faults, `No tensor is selected. ${which}`, ...(lines.length > 0 ? lines : ["  none"])].join("\n");
}

function slope(recording: Recording, tensor: number): string {
  const gradient = gradientOf(recording, tensor);
  if (gradient === undefined || gradient < 0)
    return gradientAbsence(recording, tensor, gradient as -1 | undefined).word;
  const stats = statsOf(recording, gradient);
  return stats ? `norm ${format.number(stats.norm)}` : statsAbsence(recording).word;
}

function one(recording: Recording, subject: Subject): string {
  const location = siteText(recording, subject.site);
  const source = recording.sites.text[subject.site]?.trim();
  const { gradient } = subject;
  const there = gradient !== undefined && gradient >= 0;
  const absence = there ? null : gradientAbsence(recording, subject.tensor, gradient as -1 | undefined);
  return [
    `${subject.name}: ${subject.facts.join(", ")}`,
    `${subject.made}${location ? ` in ${location}` : ""}${source ? `: ${source}` : ""}`,
    "",
    ...summary(recording, "Value", subject.tensor, subject),
    "",
    ...(there ? summary(recording, "Gradient", gradient, subject) : [`Gradient: ${said(absence!)}`]),
    ...overTheRun(recording, subject.tensor),
    ...related(recording, subject).map(
      ({ title, members }) => `${title}: ${members.map(({ name, detail }) => `${name} (${detail})`).join(", ")}`,
    ),
  ].join("\n");
}

/** The same tensor at each step of the run, so many around this one. */
const STEPS = 40;

function overTheRun(recording: Recording, tensor: number): string[] {
  const series = seriesOf(recording, tensor);
  if (!series) return [];
  const { tensors, at, noun } = series;
  const from = Math.max(0, Math.min(at - STEPS / 2, tensors.length - STEPS));
  const lines = tensors.slice(from, from + STEPS).map((one, i) => {
    const stats = statsOf(recording, one);
    const range = stats
      ? `${format.number(stats.min)} to ${format.number(stats.max)}, mean ${format.number(stats.mean)}`
      : statsAbsence(recording).word;
    return `${from + i === at ? "> " : "  "}${noun} ${from + i + 1}: ${range}, gradient ${slope(recording, one)}`;
  });
  return [`over the run, ${noun} ${at + 1} of ${tensors.length}:`, ...lines];
}

const said = ({ word, text }: Absence): string => `${word}. ${text}`;

function summary(recording: Recording, title: string, tensor: number, subject: Subject): string[] {
  const stats = statsOf(recording, tensor);
  const lines: string[] = [];
  if (stats) {
    const counts = health(stats, subject.size, 100).map(
      ({ kind, count }) => `${format.count(count)} ${ELEMENT_WORDS[kind].word}`,
    );
    const figures = (["min", "max", "mean", "std", "norm"] as const).map(
      (name) => `${name} ${format.number(stats[name], 4)}`,
    );
    lines.push(`${title}: ${counts.join(", ")}`, `  ${figures.join(", ")}`);
    if (stats.bad >= 0)
      lines.push(`  the first element that is not finite is at [${unflatten(subject.shape, stats.bad).join(", ")}]`);
    if (stats.max > stats.min) lines.push(`  histogram in 32 bins from min to max: ${stats.bins.join(" ")}`);
  } else lines.push(`${title}: ${said(statsAbsence(recording))}`);
  return [...lines, ...corner(recording, tensor, subject)];
}

/** The first rows and columns, exactly. */
function corner(recording: Recording, tensor: number, subject: Subject): string[] {
  if (subject.size === 1) {
    const text = scalarText(recording, tensor);
    return [`  ${text ? `is ${text}` : said(valuesAbsence(recording, tensor))}`];
  }
  const plane = firstPlane(subject.shape);
  const [rows, cols] = [
    Math.min(plane.rows, plane.wrap ? 4 : CORNER.rows),
    Math.min(plane.cols, plane.wrap ? 10 : CORNER.cols),
  ];
  const cells = recordedCells(
    plane,
    { start: [0, 0], size: [rows, cols], stride: [1, 1] },
    recordedRuns(recording, tensor),
  );
  if (!cells || subject.size === 0)
    return [`  elements: ${subject.size === 0 ? "none" : said(valuesAbsence(recording, tensor))}`];
  const cut = cutAxes(plane).map((axis) => `axis ${axis} at 0`);
  const part = rows * cols < subject.size ? `the first ${rows} by ${cols}` : "all";
  const width = Math.max(...Array.from({ length: rows * cols }, (_, k) => cells.text(k).length));
  const lines = Array.from({ length: rows }, (_, r) => {
    const line = Array.from({ length: cols }, (_, c) => cells.text(r * cols + c).padStart(width)).join("  ");
    return `    [${position(plane, r, 0).join(", ")}]  ${line.trimEnd()}`;
  });
  return [`  elements (${[part, ...cut].join(", ")}):`, ...lines];
}
