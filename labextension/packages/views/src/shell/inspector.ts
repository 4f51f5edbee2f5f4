import {
  Boundary,
  Disposer,
  ERROR,
  SEVERITIES,
  familyIcon,
  format,
  formula,
  h,
  on,
  type Dispose,
  type Signal,
} from "@tapeviz/core";
import { factsOf } from "../facts";
import { selectedNode } from "../nodes";
import { isPlaceless, problems, type Problem } from "../problems";
import { failureNotice } from "./failure";
import { severityIcon } from "../severity";
import type { ViewContext } from "../view";
import { backwardFormulas } from "../step/walk";
import { selectedTensor } from "../tensor/subject";
import { lens, markDigits } from "./lens";
import { markChanged, whatIf } from "./whatif";
import { withMore } from "./more";
import { nodeCard } from "./nodecard";
import { overview } from "./overview";
import { sourceLine } from "./source";
import { tensorCard } from "./tensorcard";

const MOST = 8;
const MOST_LINKS = 20;

/** The side panel: all about what is selected; with nothing selected, the recording as a whole. */
export function inspector(
  context: ViewContext,
  view: Signal<string>,
  whose: string,
): { element: HTMLElement; dispose: Dispose } {
  const element = h("aside", { class: "tv-inspector", "aria-label": `Inspector ${whose}`, tabindex: "0" });
  const { selection, recording, changed } = context;
  const fill = (): void => {
    // What cannot be said of one thing is no reason to be silent on the next.
    const boundary = new Boundary((error) => {
      console.error("tapeviz: Inspector failed:", error);
      element.replaceChildren(failureNotice("Inspector", error));
    });
    boundary.run(show);
  };
  const { experiments } = context;
  let shown = new Disposer();
  const mark = (): void => {
    if (!experiments) return;
    markChanged(element, experiments);
    markDigits(element, experiments);
  };
  const show = (): void => {
    shown.dispose();
    shown = new Disposer();
    const { event, tensor } = selection.selected.value;
    // A choice made in the panel rebuilds it: focus goes back to the same tensor.
    const active = (element.getRootNode() as Document | ShadowRoot).activeElement;
    const held = active instanceof HTMLElement && element.contains(active) ? active.dataset["tensor"] : undefined;
    const known = event >= 0 && factsOf(recording).eventRow(event) >= 0;
    const node = selectedNode(recording, selection);
    const gone = context.finding?.value ?? null;
    const about = known
      ? [...aboutEvent(context, event), ...(node >= 0 ? nodeCard(context, node, false) : [])]
      : tensor >= 0
        ? aboutTensor(context, tensor)
        : node >= 0
          ? nodeCard(context, node, true)
          : overview(context, view.value);
    if (known || node < 0) {
      const last = about.findLastIndex((part) => part.classList.contains("tv-tensors"));
      const edited = selectedTensor(recording, selection.selected.value);
      about.splice(last < 0 ? about.length : last + 1, 0, ...whatIf(context, edited, shown));
    }
    element.replaceChildren(...(gone && isPlaceless(gone) ? [remedy(gone)] : []), ...about, ...lens(context, shown));
    mark();
    // What has to be scrolled has to be reached by keys.
    for (const box of element.querySelectorAll<HTMLElement>(".tv-formula")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    }
    if (held !== undefined) element.querySelector<HTMLElement>(`[data-tensor="${held}"]`)?.focus();
  };
  fill();
  const disposer = new Disposer().add(selection.selected.on(fill), selection.node.on(fill), changed.on(fill));
  disposer.add(
    view.on(() => {
      const { event, tensor } = selection.selected.value;
      if (event < 0 && tensor < 0 && selectedNode(recording, selection) < 0) fill();
    }),
  );
  if (context.finding) disposer.add(context.finding.on(fill));
  if (experiments) disposer.add(experiments.outcome.on(mark), experiments.digits.on(mark), () => shown.dispose());
  return { element, dispose: disposer.dispose };
}

function aboutEvent(context: ViewContext, event: number): HTMLElement[] {
  const { recording } = context;
  const facts = factsOf(recording);
  const row = facts.eventRow(event);
  const failed = recording.events.status[row] !== 0;
  const backward = facts.isBackward(event);
  const title = `${facts.isStep(event) ? "∇ " : ""}${facts.title(event)}`;
  const scopes = facts
    .spans(event)
    .map((span) => facts.title(span))
    .reverse()
    .join(" › ");
  const head = h(
    "div",
    { class: "tv-inspector-head" },
    h("h3", {}, facts.isSpan(event) ? null : familyIcon(failed ? ERROR : facts.family(event), 13), title),
    h(
      "p",
      { class: "tv-muted" },
      [backward ? "backward" : "forward", `#${event}`, format.duration(facts.duration(event)), scopes]
        .filter(Boolean)
        .join("  ·  "),
    ),
  );
  return [
    head,
    ...codeButton(context, event),
    ...message(context, event),
    ...remedies(context, event),
    ...formulas(context, event),
    ...tensors(context, event, "Inputs", facts.inputs(event)),
    ...tensors(context, event, "Outputs", facts.outputs(event)),
    ...partnerLine(context, event),
    ...sourceLine(recording, event),
  ];
}

/** Copies an op as a cell that runs. */
function codeButton(context: ViewContext, event: number): HTMLElement[] {
  const { experiments, copy, announce } = context;
  const facts = factsOf(context.recording);
  if (!experiments || !copy || !facts.isOp(event)) return [];
  const button = h(
    "button",
    { type: "button", class: "tv-do tv-code", disabled: experiments.noCode !== "", title: experiments.noCode },
    "Copy as Python",
  );
  const why = h("p", { class: "tv-muted", role: "status" }, experiments.noCode);
  on(button, "click", () => {
    void experiments.code([event]).then((found) => {
      why.textContent = found.state === "error" ? found.text : "";
      if (found.state === "ok") copy(found.answer.text);
      else announce(why.textContent);
    });
  });
  return [button, why];
}

function message({ recording }: ViewContext, event: number): HTMLElement[] {
  const row = recording.messages.event.indexOf(event);
  if (row < 0) return [];
  return [
    h("p", { class: "tv-error" }, h("b", {}, `✕ ${recording.messages.type[row]}`), ` ${recording.messages.text[row]}`),
  ];
}

/** The findings about an op that say what to do: what a chip has in its tooltip alone. */
function remedies({ recording, selection }: ViewContext, event: number): HTMLElement[] {
  const { tensor } = selection.selected.value;
  return problems(recording)
    .filter((problem) => problem.event === event && problem.fix !== "")
    .filter((problem) => tensor < 0 || problem.tensor < 0 || problem.tensor === tensor)
    .map(remedy);
}

function remedy({ severity, text, fix, line }: Problem): HTMLElement {
  return h(
    "section",
    { class: "tv-remedy", "aria-label": SEVERITIES[severity].text },
    h("p", {}, severityIcon(severity), line > 0 ? `Line ${line}: ${text}` : text),
    fix !== "" && h("p", {}, h("b", {}, "Fix: "), fix),
  );
}

/** What the op computes; for a backward step how each input's gradient comes about. */
function formulas({ recording }: ViewContext, event: number): HTMLElement[] {
  const { events, ops } = recording;
  const facts = factsOf(recording);
  const op = events.op[facts.eventRow(event)];
  const text = op < 0 ? "" : facts.isBackward(event) ? ops.vjp_formula[op] : ops.formula[op];
  const taken = facts.isStep(event) ? backwardFormulas(facts, event) : [];
  const lines = (taken.length > 0 ? taken : text.split("\n")).filter((line) => line.trim() !== "");
  return lines.length === 0
    ? []
    : [h("div", { class: "tv-formula" }, ...lines.map((line) => h("div", {}, formula(line) as HTMLElement)))];
}

function tensors(context: ViewContext, event: number, title: string, all: Int32Array): HTMLElement[] {
  if (all.length === 0) return [];
  const { selection, recording } = context;
  const chosen = selection.selected.value.tensor;
  // What is selected is in sight, however many there are.
  const order = [...all].indexOf(chosen) < MOST ? [...all] : [chosen, ...[...all].filter((one) => one !== chosen)];
  const cards = order.map(
    (tensor) => () => tensorCard(recording, tensor, chosen === tensor, () => selection.select({ event, tensor })),
  );
  return [h("h4", {}, title), h("div", { class: "tv-tensors" }, ...withMore(cards, MOST))];
}

function partnerLine({ recording, selection }: ViewContext, event: number): HTMLElement[] {
  const facts = factsOf(recording);
  const partners = facts.partners(event);
  if (partners.length === 0) return [];
  const took = facts.duration(event);
  const buttons = partners.map((other) => {
    const [backward, forward] = facts.isBackward(event) ? [took, facts.duration(other)] : [facts.duration(other), took];
    const ratio = forward > 0 ? `, ${format.number(backward / forward, 2)}× forward` : "";
    const name = `${facts.isStep(other) ? "∇ " : ""}${facts.title(other)}`;
    const button = h("button", { type: "button", class: "tv-link" }, `${name} #${other}`);
    on(button, "click", () => selection.select({ event: other }));
    return h("div", {}, button, h("span", { class: "tv-muted" }, `${format.duration(facts.duration(other))}${ratio}`));
  });
  return [
    h("h4", {}, facts.isBackward(event) ? "Forward partner" : "Backward partner"),
    h("div", { class: "tv-links" }, ...buttons),
  ];
}

/** A tensor selected without an op: a variable, an input. */
function aboutTensor(context: ViewContext, tensor: number): HTMLElement[] {
  const { recording, selection } = context;
  const facts = factsOf(recording);
  const link = (event: number): HTMLElement => {
    const button = h(
      "button",
      { type: "button", class: "tv-link" },
      `${facts.isStep(event) ? "∇ " : ""}${facts.title(event)} #${event}`,
    );
    on(button, "click", () => selection.select({ event, tensor }));
    return h("div", {}, button);
  };
  const producer = facts.producer(tensor);
  const readers = [...facts.consumers(tensor)].map((event) => () => link(event));
  return [
    h(
      "div",
      { class: "tv-inspector-head" },
      h("h3", {}, facts.name(tensor)),
      h("p", { class: "tv-muted" }, `${format.spec(facts.shape(tensor), facts.dtype(tensor))}`),
    ),
    h(
      "div",
      { class: "tv-tensors" },
      tensorCard(recording, tensor, true, () => selection.select({ tensor })),
    ),
    ...(producer < 0 ? [] : [h("h4", {}, "Made by"), h("div", { class: "tv-links" }, link(producer))]),
    ...(readers.length === 0
      ? []
      : [h("h4", {}, "Read by"), h("div", { class: "tv-links" }, ...withMore(readers, MOST_LINKS))]),
  ];
}
