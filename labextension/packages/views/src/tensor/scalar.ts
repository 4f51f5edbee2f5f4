import { h } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import type { ViewContext } from "../view";
import { gradientAbsence, valuesAbsence, type Absence } from "./absence";
import type { Compare } from "./viewport";
import { shortestText } from "./elements";
import { statsOf } from "./layout";
import { absenceNote } from "./side";
import { recordedRuns } from "./source";
import type { Subject } from "./subject";

/** The only element of a tensor: kept, or known from its statistics, whose smallest is its largest. */
export function scalarText(recording: Recording, tensor: number): string {
  const kept = recordedRuns(recording, tensor)[0];
  if (kept && kept.elements.length > 0) return kept.elements.text(0);
  const stats = statsOf(recording, tensor);
  const dtype = factsOf(recording).dtype(tensor);
  if (!stats || dtype.startsWith("complex")) return "";
  if (stats.nan > 0) return "NaN";
  if (stats.posinf > 0 || stats.neginf > 0) return stats.posinf > 0 ? "+inf" : "-inf";
  return dtype === "bool" ? (stats.min ? "True" : "False") : shortestText(stats.min, dtype);
}

/** A scalar shown big, with its gradient. */
export function scalarPanel({ recording, experiments }: ViewContext, subject: Subject, compare: Compare): HTMLElement {
  const { tensor, gradient } = subject;
  const parts: HTMLElement[] = [];
  if (compare !== "gradient")
    parts.push(figure("Value", scalarText(recording, tensor), valuesAbsence(recording, tensor)));
  const there = gradient !== undefined && gradient >= 0;
  const absence = there
    ? valuesAbsence(recording, gradient)
    : gradientAbsence(recording, tensor, gradient as -1 | undefined);
  parts.push(figure("Gradient", there ? scalarText(recording, gradient) : "", absence));
  parts.push(...edited(recording, experiments, compare === "gradient" ? (gradient ?? -1) : tensor));
  return h("div", { class: "tvt-scalar" }, ...parts);
}

/** What a scalar is in the run with the edits, where that is other. */
function edited(recording: Recording, experiments: ViewContext["experiments"], tensor: number): HTMLElement[] {
  const { value } = experiments?.outcome ?? {};
  const now = value?.state === "ok" ? value.answer.values[tensor]?.[0] : undefined;
  if (now === undefined || now === null) return [];
  const text = String(now) === "nan" ? "NaN" : typeof now === "number" ? String(Number(now.toPrecision(9))) : now;
  return [h("div", { class: "tvt-changed" }, figure("With the edit", text, valuesAbsence(recording, tensor)))];
}

/** What is shown of a tensor without elements. */
export function emptyPanel({ shape }: Subject): HTMLElement {
  const text = `Axis ${shape.indexOf(0)} has length 0.`;
  return h("div", { class: "tvt-scalar" }, absenceNote({ state: "empty", glyph: "–", word: "no elements", text }));
}

function figure(title: string, text: string, absence: Absence): HTMLElement {
  const bad = /NaN|inf/.test(text);
  const exactly = text === "0" || text === "-0" ? h("p", { class: "tv-muted" }, "exactly 0") : null;
  return h(
    "section",
    {},
    h("h3", {}, title),
    text
      ? h("p", { class: `tvt-big${bad ? " tvt-bad" : ""}` }, text === "NaN" ? "✕ NaN" : text.replace(/-/g, "−"))
      : absenceNote(absence),
    exactly,
  );
}
