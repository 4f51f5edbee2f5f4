import { familyIcon, format, h, on, type Disposer } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import type { ViewContext } from "../view";
import { gradientAbsence, statsAbsence } from "./absence";
import { gradientOf } from "./gradients";
import { health, statsOf } from "./layout";
import { sizeOf } from "./plane";
import { familyOfTensor, siteText, subjectOf } from "./subject";

const MOST = 200;

/** The tensors that have a name of the user's: variables first, then in the order of their making. */
export function namedTensors(recording: Recording): number[] {
  const { tensors } = recording;
  const facts = factsOf(recording);
  const latest = new Map<number, number>();
  const others: number[] = [];
  for (let row = 0; row < tensors.rows && others.length < MOST; row++) {
    const [id, variable] = [tensors.id[row], tensors.variable[row]];
    if (variable >= 0) {
      if (!latest.has(variable)) latest.set(variable, id);
    } else if (facts.isNamed(id)) others.push(id);
  }
  return [...latest.values(), ...others].slice(0, MOST);
}

/** What is shown while nothing is selected: the named tensors, to begin from one of them. */
export function overview({ recording, selection, matches }: ViewContext, disposer: Disposer): HTMLElement {
  const tensors = namedTensors(recording);
  const rows = tensors.map((tensor) => {
    const row = entry(recording, tensor);
    const button = row.querySelector("button")!;
    disposer.add(
      on(row, "click", () => selection.select({ tensor })),
      on(button, "focus", () => selection.hover({ tensor })),
      on(row, "pointerenter", () => selection.hover({ tensor })),
      on(row, "pointerleave", () => selection.hover()),
    );
    return row;
  });
  const dim = (): void =>
    tensors.forEach((tensor, i) => rows[i].classList.toggle("tv-faint", !isMatching(recording, tensor, matches.value)));
  disposer.add(matches.watch(dim));
  const none = h("p", { class: "tv-muted" }, "Select an op or a tensor in another view.");
  if (rows.length === 0) return h("div", { class: "tvt-overview" }, h("h2", {}, "No tensor selected"), none);
  const heads = ["name", "shape", "type", "elements", "from", "to", "gradient norm", "made in"];
  return h(
    "div",
    { class: "tvt-overview" },
    h("h2", {}, "Named tensors"),
    h("p", { class: "tv-muted" }, "Choose one, or select an op in another view."),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...heads.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...rows),
    ),
  );
}

/** Whether the filter holds for the op that made a tensor; for one from outside, for an op that reads it. */
function isMatching(recording: Recording, tensor: number, flags: Uint8Array | null): boolean {
  if (flags === null) return true;
  const facts = factsOf(recording);
  const producer = facts.producer(tensor);
  const events = producer >= 0 ? [producer] : facts.consumers(tensor);
  return events.some((event) => flags[facts.eventRow(event)] === 1);
}

function entry(recording: Recording, tensor: number): HTMLElement {
  const facts = factsOf(recording);
  const shape = facts.shape(tensor);
  const stats = statsOf(recording, tensor);
  const bar = h("div", { class: "tvt-health" });
  const empty = shape.includes(0);
  if (stats && !empty) {
    bar.append(
      ...health(stats, sizeOf(shape), 96)
        .filter(({ width }) => width > 0)
        .map(({ kind, width }) => h("span", { class: `tvt-part tvt-${kind}`, style: `width:${width}px` })),
    );
  }
  const missing = statsAbsence(recording);
  const bad = stats ? stats.nan + stats.posinf + stats.neginf : 0;
  return h(
    "tr",
    {},
    h(
      "td",
      {},
      h(
        "button",
        { type: "button", title: facts.name(tensor) },
        familyIcon(familyOfTensor(recording, tensor), 10),
        h("span", { "data-text-may-be-cut": "" }, h("bdi", {}, facts.name(tensor))),
      ),
    ),
    h("td", {}, format.shape(shape)),
    h("td", {}, facts.dtype(tensor)),
    h(
      "td",
      {},
      ...(stats && !empty
        ? [bar]
        : [h("span", { class: "tv-muted" }, empty ? "no elements" : `${missing.glyph} ${missing.word}`)]),
      bad > 0 && h("span", { class: "tvt-bad" }, `✕ ${format.count(bad)} not finite`),
    ),
    h("td", {}, bound(stats?.min)),
    h("td", {}, bound(stats?.max)),
    h("td", {}, slope(recording, tensor)),
    h("td", { "data-text-may-be-cut": "" }, ...origin(recording, tensor)),
  );
}

const bound = (x: number | undefined): string => (x === undefined || Number.isNaN(x) ? "–" : format.number(x));

function origin(recording: Recording, tensor: number): (string | HTMLElement)[] {
  const site = subjectOf(recording, tensor)?.site ?? -1;
  const location = siteText(recording, site);
  return location
    ? [h("span", { class: "tv-muted" }, `${location}  `), h("code", {}, recording.sites.text[site].trim())]
    : [];
}

function slope(recording: Recording, tensor: number): string {
  const gradient = gradientOf(recording, tensor);
  if (gradient === undefined) return "–";
  if (gradient < 0) {
    const { glyph, word } = gradientAbsence(recording, tensor, -1);
    return `${glyph} ${word}`;
  }
  const stats = statsOf(recording, gradient);
  return stats ? `${Number.isFinite(stats.norm) ? "" : "✕ "}${format.number(stats.norm)}` : "⋯";
}
