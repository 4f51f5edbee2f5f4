import { breakable, familyIcon, format, h, on, type Disposer } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import type { ViewContext } from "../view";
import { gradientFaults } from "../gradientfaults";
import { faultLine } from "../severity";
import { gradientAbsence, statsAbsence } from "./absence";
import { gradientOf } from "./gradients";
import { health, statsOf } from "./layout";
import { sizeOf } from "./plane";
import { familyOfTensor, siteText, subjectOf } from "./subject";

const MOST = 200;

/** The tensors that have a name of the user's and the filter lets through: variables first, then in the order of their making. */
export function namedTensors(recording: Recording, flags: Uint8Array | null = null): number[] {
  const { tensors } = recording;
  const facts = factsOf(recording);
  const first = new Map<number, number>();
  const others: number[] = [];
  for (let row = 0; row < tensors.rows; row++) {
    const [id, variable] = [tensors.id[row], tensors.variable[row]];
    if (variable >= 0) {
      if (!first.has(variable)) first.set(variable, id);
    } else if (facts.isNamed(id)) others.push(id);
  }
  return [...first.values(), ...others].filter((tensor) => isMatching(recording, tensor, flags));
}

/** What is shown while nothing is selected: the named tensors, to begin from one of them. */
export function overview(context: ViewContext, disposer: Disposer): HTMLElement {
  const { recording, matches } = context;
  const home = h("div", { class: "tvt-overview" });
  disposer.add(matches.watch(() => home.replaceChildren(...listing(context, namedTensors(recording, matches.value)))));
  return home;
}

function listing(context: ViewContext, tensors: readonly number[]): HTMLElement[] {
  const { recording, matches } = context;
  const facts = factsOf(recording);
  if (tensors.length === 0) {
    const why = matches.value
      ? "None of the named tensors matches the filter."
      : "Select an op or a tensor in another view.";
    return [h("h2", {}, "No tensor selected"), h("p", { class: "tv-muted" }, why)];
  }
  const common = commonScope(tensors.map((tensor) => facts.name(tensor)));
  const origins = tensors.slice(0, MOST).some((tensor) => origin(recording, tensor).length > 0);
  const heads = ["name", "shape", "type", "elements", "from", "to", "gradient norm", ...(origins ? ["made in"] : [])];
  const body = h("tbody");
  const table = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, ...heads.map((name) => h("th", { scope: "col" }, name)))),
    body,
  );
  const holder = h("div", {}, table);
  const go = (event: number): void => context.selection.select({ event });
  const parts = [
    ...gradientFaults(recording).map((fault) => faultLine(fault, go)),
    h("h2", {}, "Named tensors"),
    h(
      "p",
      { class: "tv-muted" },
      `Choose one, or select an op in another view.${common ? ` All are of ${common.slice(0, -1)}.` : ""}`,
    ),
    holder,
  ];
  const fill = (from: number): void => {
    const shown = tensors.slice(from, from + MOST);
    body.append(...shown.map((tensor) => row(context, tensor, common.length, origins)));
    const left = tensors.length - from - shown.length;
    if (left === 0) return;
    const more = h("button", { type: "button", class: "tvt-link" }, `and ${format.count(left)} more`);
    on(more, "click", () => {
      more.remove();
      fill(from + MOST);
      body.rows[from + MOST].querySelector("button")?.focus();
    });
    table.after(more);
  };
  fill(0);
  return parts;
}

/** What all names begin with, up to a "/": it is said once. */
export function commonScope(names: readonly string[]): string {
  if (names.length < 2) return "";
  let common = names[0].slice(0, names[0].lastIndexOf("/") + 1);
  while (common !== "" && !names.every((name) => name.startsWith(common)))
    common = common.slice(0, common.slice(0, -1).lastIndexOf("/") + 1);
  return common;
}

function row({ recording, selection }: ViewContext, tensor: number, cut: number, withOrigin: boolean): HTMLElement {
  const made = entry(recording, tensor, cut, withOrigin);
  on(made, "click", () => selection.select({ tensor }));
  on(made.querySelector("button")!, "focus", () => selection.hover({ tensor }));
  on(made, "pointerenter", () => selection.hover({ tensor }));
  on(made, "pointerleave", () => selection.hover());
  return made;
}

/** Whether the filter holds for the op that made a tensor; for one from outside, for an op that reads it. */
function isMatching(recording: Recording, tensor: number, flags: Uint8Array | null): boolean {
  if (flags === null) return true;
  const facts = factsOf(recording);
  const producer = facts.producer(tensor);
  const events = producer >= 0 ? [producer] : facts.consumers(tensor);
  return events.some((event) => flags[facts.eventRow(event)] === 1);
}

function entry(recording: Recording, tensor: number, cut: number, withOrigin: boolean): HTMLElement {
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
        h("span", {}, ...breakable(facts.name(tensor).slice(cut))),
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
    h("td", { class: gradientOf(recording, tensor) === -1 ? "tvt-bad" : undefined }, slope(recording, tensor)),
    withOrigin && h("td", { "data-text-may-be-cut": "" }, ...origin(recording, tensor)),
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
