import { Disposer, SEVERITIES, format, h, on, type Dispose } from "@tapeviz/core";
import type { View, ViewContext } from "../view";
import { factsOf } from "../facts";
import { countsOf, titleOf } from "./cardcontent";
import { lineOf } from "../figures";
import { placeOf } from "./faults";
import { MAX_OPS } from "./graph";
import { legend } from "./legend";
import { mountFrame, zoomButtons } from "../layered/frame";
import css from "./flow.css";
import { MODES, type Mode } from "./marks";
import type { Model } from "./model";
import { passSpans, readPass } from "./passes";
import { mountLadder } from "./ladderview";
import { Stage } from "./stage";
import { flowText } from "./text";

export const flow: View = { id: "flow", title: "Gradient flow", key: "2", mount, text: flowText };

function mount(root: HTMLElement, context: ViewContext): Dispose {
  const side = h("div", { class: "tv-ladder", role: "group", "aria-label": "Ladder of sources" });
  const { bar, note, picture, disposer } = mountFrame(root, "tv-flow", css, side);
  const stage = new Stage(picture, context);
  disposer.add(stage.dispose, mountLadder(side, stage, context));
  disposer.add(modeSwitch(bar, stage, context), passChoice(bar, stage, context));
  bar.append(legend());
  disposer.add(zoomButtons(bar, stage, context));
  disposer.add(keys(stage, context), notes(note, stage, context));
  return disposer.dispose;
}

const TITLES: Readonly<Record<Mode, string>> = { flow: "Flow", why: "Why None", nan: "NaN", sum: "Sums" };

/** How many gradients are None. */
const lostIn = ({ gaps }: Model): number => gaps.reduce((sum, { sources }) => sum + sources.length, 0);

/** How many things a mode has to show, and what to say where there is none. */
function contents(model: Model, mode: Mode): { count: number; none: string } {
  if (mode === "why") return { count: lostIn(model), none: "No gradient is None" };
  const { values, gradients } = model.nonfinite;
  if (mode === "nan")
    return { count: new Set([...values, ...gradients]).size, none: "Every value and gradient is finite" };
  const sums = [...model.graph.edgesOf.values()].filter(
    (edges) => edges.reduce((n, edge) => n + edge.addends.length, 0) > 1,
  );
  if (mode === "sum") return { count: sums.length, none: "No gradient is a sum of several addends" };
  return { count: -1, none: "" };
}

function modeSwitch(bar: HTMLElement, stage: Stage, context: ViewContext): Dispose {
  const disposer = new Disposer();
  const segment = h("div", { class: "tv-segment", role: "group", "aria-label": "Mode" });
  const buttons = MODES.map((mode) => {
    const button = h("button", { type: "button" });
    on(button, "click", () => stage.mode.set(mode));
    segment.append(button);
    disposer.add(stage.mode.watch((now) => button.setAttribute("aria-pressed", String(now === mode))));
    return { mode, button };
  });
  const label = (model: Model): void =>
    buttons.forEach(({ mode, button }) => {
      const { count, none } = contents(model, mode);
      button.textContent = count > 0 ? `${TITLES[mode]} ${format.count(count)}` : TITLES[mode];
      button.disabled = count === 0;
      button.title = count === 0 ? none : `${TITLES[mode]} (m: next mode)`;
      if (count === 0 && stage.mode.value === mode) stage.mode.set("flow");
    });
  const next = (): void => {
    const free = buttons.filter(({ button }) => !button.disabled).map(({ mode }) => mode);
    stage.mode.set(free[(free.indexOf(stage.mode.value) + 1) % free.length]);
    context.announce(`mode: ${TITLES[stage.mode.value]}`);
  };
  bar.append(segment);
  return disposer.add(stage.model.watch(label), context.keys.bind("m", "Next mode", next)).dispose;
}

/** A choice where there are several backward passes. */
function passChoice(bar: HTMLElement, stage: Stage, context: ViewContext): Dispose {
  const select = h("select", { "aria-label": "Backward pass" });
  on(select, "change", () => stage.pass.set(Number(select.value)));
  bar.append(select);
  const fill = (): void => {
    const facts = factsOf(context.recording);
    const spans = passSpans(facts);
    select.hidden = spans.length < 2;
    if (select.hidden) return;
    // Reading a pass takes its gradients in; of many only the last ones are offered.
    const offered = spans.slice(-50);
    const first = spans.length - offered.length + 1;
    const title = (span: number): string => readPass(facts, span)?.title ?? "gradient";
    select.replaceChildren(...offered.map((span, i) => h("option", { value: span }, `${first + i}: ${title(span)}`)));
    select.value = String(stage.pass.value);
  };
  const choose = (pass: number): void => void (select.value = String(pass));
  fill();
  return new Disposer().add(context.changed.on(fill), stage.pass.on(choose), () => select.remove()).dispose;
}

/** The arrows walk along the edges; Enter opens a closed group, and is the shell's own elsewhere. */
function keys(stage: Stage, { keys, selection }: ViewContext): Dispose {
  let unbind: Dispose = () => undefined;
  const rebind = (): void => {
    unbind();
    const tile = stage.selected;
    unbind = stage.model.value.tiles[tile]?.group
      ? keys.bind("Enter", "Open the group", () => stage.open(tile))
      : () => undefined;
  };
  rebind();
  return new Disposer().add(
    keys.bind("ArrowLeft", "Along the wire to an input", () => stage.walk("left")),
    keys.bind("ArrowRight", "Along the wire to what reads it", () => stage.walk("right")),
    keys.bind("ArrowUp", "Card above", () => stage.walk("up")),
    keys.bind("ArrowDown", "Card below", () => stage.walk("down")),
    keys.bind("Backspace", "Close the group around", () => stage.close(stage.selected)),
    selection.selected.on(rebind),
    stage.model.on(rebind),
    () => unbind(),
  ).dispose;
}

/** The line above the picture: what is None and why, where NaN begins, or that nothing went backward. */
function notes(note: HTMLElement, stage: Stage, { selection }: ViewContext): Dispose {
  const say = (): void => {
    const text = noteText(stage);
    note.textContent = text;
    note.classList.toggle("tv-fault", /^[▲✕]/.test(text));
  };
  say();
  return new Disposer().add(stage.model.on(say), stage.mode.on(say), selection.selected.on(say)).dispose;
}

function noteText(stage: Stage): string {
  const model = stage.model.value;
  const { graph, nonfinite } = model;
  const { facts } = graph;
  const [gap] = stage.gaps;
  if (gap) {
    const { verdicts } = facts.recording;
    const said =
      gap.verdict < 0 ? `${facts.name(gap.source)}: gradient None, ${gap.title}` : verdicts.text[gap.verdict];
    const fix = gap.verdict < 0 ? "" : verdicts.fix[gap.verdict];
    return `▲ ${said}${fix ? `. To fix it: ${fix}` : ""}`;
  }
  const { sum } = stage;
  if (sum !== "") return sum;
  if (stage.mode.value === "nan" && nonfinite.first >= 0) {
    return `✕ Not finite from here on: ${nonfinite.backward ? "the gradient of " : ""}${titleOf(graph, nonfinite.first)}`;
  }
  if (graph.nodes.length === 0) return "No op was recorded.";
  const failed = graph.nodes.find((node) => node.failed);
  if (failed && !graph.pass) {
    const { messages } = facts.recording;
    const said = messages.text[messages.event.indexOf(failed.event)] ?? facts.title(failed.event);
    return `✕ Stopped before the backward pass, at ${lineOf(facts, failed.event) || facts.title(failed.event)}: ${said}`;
  }
  const cut = graph.cut ? ` Only the last ${format.count(MAX_OPS)} ops are here.` : "";
  if (!graph.pass) return `No backward pass was recorded: this is the forward graph, without gradients.${cut}`;
  return `${summary(model)}.${cut}${where(model)}`;
}

/** Where gradients are lost, in words: behind what comes before the first gap, or at the op of the gravest finding. */
function where({ graph, root, gaps, faults }: Model): string {
  const [gap] = gaps;
  if (gap) {
    const way = gap.near < 0 ? "" : ` after ${placeOf(graph, root, gap.near)}`;
    return ` ▲ Lost${way}: ${[gap.title, gap.detail].filter(Boolean).join(", ")}.`;
  }
  const [fault] = faults;
  return fault ? ` ${SEVERITIES[fault.severity].glyph} ${fault.text}.` : "";
}

/** What is shown, in a line: "Gradient of loss, line 9: 7 ops, 5 sources, 1 of 5 gradients is None". */
function summary(model: Model): string {
  const { graph, gaps } = model;
  const asked = graph.pass?.requests.length ?? 0;
  const none =
    gaps.length === 0
      ? format.plural(asked, "gradient")
      : `${lostIn(model)} of ${format.plural(asked, "gradient")} None`;
  const { title } = graph.pass!;
  return `${title[0].toUpperCase()}${title.slice(1)}: ${countsOf(graph)}, ${none}`;
}
