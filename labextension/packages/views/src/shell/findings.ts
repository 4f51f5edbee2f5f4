import { Disposer, SEVERITIES, h, on, type Dispose, type Selection, type Signal } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { withDismissal } from "./dismissal";
import { stopOf } from "./headline";
import { NOT_JUDGED, lookedFor, type LookedFor } from "../health";
import { isPlaceless, isSame, problems, type Problem } from "../problems";
import { severityIcon } from "../severity";

const MOST = 4;
const FAULT = 3;

/** What stopped a recording, with what to do about it, and the findings besides. */
export function findings(recording: Recording): { stop: { event: number; text: string } | null; all: Problem[] } {
  const stop = stopOf(recording);
  const isStop = ({ event, severity }: Problem): boolean => stop?.event === event && severity === FAULT;
  const found = problems(recording);
  const fix = found.find(isStop)?.fix;
  return {
    stop: stop && { event: stop.event, text: fix ? `${stop.text}. To do: ${fix}.` : stop.text },
    all: found.filter((problem) => !isStop(problem)),
  };
}

/** What was found, gravest first: a shape besides the colour, and a click that goes to the evidence. */
export function findingsBar(
  recording: Recording,
  selection: Selection,
  finding: Signal<Problem | null>,
  go: (problem: Problem) => void,
): {
  element: HTMLElement;
  dispose: Dispose;
} {
  const { stop, all } = findings(recording);
  const list = h("ul", { class: "tv-verdicts", "aria-label": "Findings" });
  const shown = all.map((problem) => ({ problem, item: chip(problem, go) }));
  const looked = lookedFor(recording);
  if (shown.length === 0 && !stop) list.append(nothing(looked));
  list.append(...shown.map(({ item }) => item));
  if (shown.length > MOST) list.append(more(shown.slice(MOST).map(({ item }) => item)));
  if (!looked && shown.length > 0)
    list.append(h("li", { class: "tv-fine" }, severityIcon(1), h("span", {}, NOT_JUDGED)));
  if (shown.length > 0) list.append(withDismissal(recording, shown));
  if (looked?.expected) list.append(h("li", { class: "tv-fine" }, looked.expected));
  list.append(...(looked?.unseen ?? []).map(unseen));
  const mark = (): void => {
    const { event, tensor } = selection.selected.value;
    for (const { problem, item } of shown) {
      const here = finding.value
        ? isSame(problem, finding.value)
        : !isPlaceless(problem) && problem.event === event && problem.tensor === tensor;
      item.firstElementChild?.setAttribute("aria-current", String(here));
    }
  };
  mark();
  return {
    element: h("div", { class: "tv-strip" }, stop && banner(stop, selection), list.childElementCount > 0 && list),
    dispose: new Disposer().add(selection.selected.on(mark), finding.on(mark)).dispose,
  };
}

/** What "no finding" means: what was looked for, or that nobody has looked yet. */
function nothing(looked: LookedFor | null): HTMLLIElement {
  const text = looked?.text ?? NOT_JUDGED;
  return h("li", { class: "tv-fine", title: looked?.not ?? "" }, severityIcon(0), h("span", {}, text));
}

const unseen = (sentence: string): HTMLLIElement =>
  h("li", { class: "tv-fine" }, severityIcon(1), h("span", {}, `Not looked at: ${sentence}`));

function chip(problem: Problem, go: (problem: Problem) => void): HTMLLIElement {
  const title = [SEVERITIES[problem.severity].text, problem.fix].filter(Boolean).join(": ");
  const button = h(
    "button",
    { type: "button", class: "tv-chip", title },
    severityIcon(problem.severity),
    h("span", {}, problem.text),
  );
  on(button, "click", () => go(problem));
  return h("li", {}, button);
}

function banner(stop: { event: number; text: string }, selection: Selection): HTMLElement {
  const button = h("button", { type: "button", class: "tv-stopped" }, severityIcon(FAULT), h("span", {}, stop.text));
  on(button, "click", () => selection.select({ event: stop.event }));
  return button;
}

/** The button that shows the rest. */
function more(rest: readonly HTMLElement[]): HTMLLIElement {
  for (const item of rest) item.hidden = true;
  const button = h("button", { type: "button", class: "tv-chip tv-more" }, `${rest.length} more`);
  const item = h("li", {}, button);
  on(button, "click", () => {
    for (const other of rest) other.hidden = false;
    item.remove();
    rest[0].querySelector("button")?.focus();
  });
  return item;
}
