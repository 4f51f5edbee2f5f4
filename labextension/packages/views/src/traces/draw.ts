import { format, h, on } from "@tapeviz/core";
import type { Argument, Recording } from "@tapeviz/recording";
import { faultLine } from "../severity";
import { effectText } from "../nodes";
import { costParts, sizeText, type SessionRun, type TraceCard, type Traced } from "./cards";

export interface Actions {
  readonly graph: ((graph: number) => void) | null;
  readonly code: ((graph: number) => void) | null;
  readonly run: (event: number) => void;
}

/** A function with its cards; the cards are found by `data-graph`. */
export function sectionOf(recording: Recording, traced: Traced, most: number, actions: Actions): HTMLElement {
  const cards = traced.traces.map((card) => h("li", {}, cardOf(recording, card, most, actions)));
  const runs = traced.runs.map((run, i) => h("li", {}, runOf(run, i, actions)));
  return h(
    "section",
    { class: "tvt-function" },
    h("h3", {}, h("code", {}, traced.name)),
    h("p", { class: "tv-muted" }, traced.facts.join(" · ")),
    cards.length > 0 && h("ol", { class: "tvt-cards" }, ...cards),
    runs.length > 0 && h("ol", { class: "tvt-runs" }, ...runs),
  );
}

function cardOf(recording: Recording, card: TraceCard, most: number, actions: Actions): HTMLElement {
  const call = card.site < 0 ? "" : recording.sites.text[card.site].trim();
  return h(
    "article",
    { class: `tvt-card tvt-${card.kind}`, tabindex: -1, "data-graph": card.graph, "aria-label": card.title },
    h("h4", {}, h("span", { class: "tvt-sign", "aria-hidden": "true" }, SIGNS[card.kind]), card.title),
    card.reason && h("p", { class: "tvt-reason" }, sentence(card)),
    card.fix && h("p", { class: "tvt-fix" }, h("b", {}, "To avoid it: "), card.fix),
    card.where &&
      h("p", { class: "tvt-call" }, h("span", { class: "tv-muted" }, `${card.where} `), call && h("code", {}, call)),
    ...card.faults.map((fault) => faultLine(fault, null)),
    card.arguments.length > 0 && signature(card.arguments),
    ...card.effects.map(({ text, where }) => h("p", { class: "tvt-effect" }, effectText(text), where && ` (${where})`)),
    costs(card, most),
    h("p", { class: "tvt-foot" }, h("span", { class: "tv-muted" }, capital(sizeText(card))), ...buttons(card, actions)),
  );
}

const SIGNS: Readonly<Record<TraceCard["kind"], string>> = { first: "●", again: "↻", retrace: "≠" };
/** The reason as a sentence; a name that it begins with stays as it is. */
function sentence({ reason, arguments: all }: TraceCard): string {
  const named = all.some(({ name }) => reason.startsWith(`${name} `));
  return `${named ? reason : capital(reason)}${/[.!?]$/.test(reason) ? "" : "."}`;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The arguments; what is another one than in the trace before it is struck and its new value marked. */
function signature(all: readonly Argument[]): HTMLElement {
  const rows = all.map(({ name, before, after, changed }) =>
    h(
      "tr",
      { class: changed ? "tvt-changed" : undefined },
      h("th", { scope: "row" }, h("code", {}, name)),
      h(
        "td",
        {},
        changed && before !== null && h("del", {}, h("code", {}, before)),
        changed && before !== null && after !== null && h("span", { class: "tvt-arrow" }, " → "),
        after !== null && h(changed ? "ins" : "span", {}, h("code", {}, after)),
        changed && before === null && h("span", { class: "tv-muted" }, " new"),
        changed && after === null && h("span", { class: "tv-muted" }, " gone"),
      ),
    ),
  );
  return h("table", { class: "tvt-signature", "aria-label": "Signature" }, h("tbody", {}, ...rows));
}

/** What it cost: a bar with a part for each of the three, as long as the time compared with the longest trace. */
function costs({ costs: all }: TraceCard, most: number): HTMLElement | null {
  const parts = costParts(all);
  if (parts.length === 0) return null;
  const bars = parts.map(({ name, ns }) =>
    h("i", { class: `tvt-${name.toLowerCase()}`, style: `width:${(100 * ns) / Math.max(most, 1)}%` }),
  );
  const words = parts.map(({ name, ns }) =>
    h(
      "span",
      {},
      h("i", { class: `tvt-${name.toLowerCase()}`, "aria-hidden": "true" }),
      `${name} ${format.duration(ns)}`,
    ),
  );
  return h(
    "div",
    { class: "tvt-costs" },
    h("div", { class: "tvt-bar", "aria-hidden": "true" }, ...bars),
    h("p", {}, ...words),
  );
}

function buttons({ graph, nodes }: TraceCard, actions: Actions): HTMLElement[] {
  const button = (text: string, run: () => void): HTMLElement => {
    const made = h("button", { type: "button", tabindex: -1, class: "tvt-go" }, text);
    on(made, "click", run);
    return made;
  };
  const { graph: toGraph, code: toCode } = actions;
  return [
    ...(toGraph && nodes > 0 ? [button("Graph", () => toGraph(graph))] : []),
    ...(toCode ? [button("Code", () => toCode(graph))] : []),
  ];
}

function runOf({ event, fed, fetched, pruned }: SessionRun, i: number, actions: Actions): HTMLElement {
  const button = h("button", { type: "button", class: "tvt-go" }, `Run ${i + 1}`);
  on(button, "click", () => actions.run(event));
  const list = (title: string, names: readonly string[]): (HTMLElement | string | false)[] => [
    names.length > 0 && h("b", {}, ` ${title} `),
    names.join(", "),
  ];
  return h(
    "p",
    { class: "tvt-run" },
    button,
    ...list("fed", fed),
    ...list("fetched", fetched),
    pruned > 0 && h("span", { class: "tv-muted" }, ` ${format.plural(pruned, "node")} not needed`),
  );
}
