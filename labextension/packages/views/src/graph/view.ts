import { Disposer, format, h, on, type Dispose } from "@tapeviz/core";
import { graphsOf } from "@tapeviz/recording";
import { mountFrame, zoomButtons } from "../layered/frame";
import type { View, ViewContext } from "../view";
import { choicesOf, graphTitle } from "./choice";
import css from "./graph.css";
import { mountSteps } from "./stepper";
import { Stage } from "./stage";
import { faultsAt } from "./tips";
import { graphText } from "./text";

export const graph: View = {
  id: "graph",
  title: "Graph",
  key: "5",
  fits: ({ nodes }) => nodes.rows > 0,
  mount,
  text: graphText,
};

function mount(root: HTMLElement, context: ViewContext): Dispose {
  const { bar, note, picture, disposer } = mountFrame(root, "tv-graph", css);
  const stage = new Stage(picture, context);
  disposer.add(stage.dispose, graphChoice(bar, stage, context), mountSteps(bar, stage, context));
  disposer.add(zoomButtons(bar, stage, context), keys(stage, context), notes(note, stage));
  return disposer.dispose;
}

/** A list of more graphs nobody reads: others are reached from the traces, and by what is selected. */
const MOST = 400;

/** The list of graphs, where there are several. */
function graphChoice(bar: HTMLElement, stage: Stage, { recording, changed }: ViewContext): Dispose {
  const select = h("select", { "aria-label": "Graph" });
  on(select, "change", () => stage.subject.set({ ...stage.subject.value, graph: Number(select.value), step: 0 }));
  bar.append(select);
  const fill = (): void => {
    const shown = stage.subject.value.graph;
    const choices = choicesOf(recording).filter((choice, i) => i < MOST || choice.graph === shown);
    select.hidden = choices.length < 2;
    const indent = (depth: number): string => "\u2003".repeat(depth);
    select.replaceChildren(
      ...choices.map(({ graph: id, title, depth }) => h("option", { value: id }, `${indent(depth)}${title}`)),
    );
    select.value = String(stage.subject.value.graph);
  };
  fill();
  const follow = (): void => void (select.value = String(stage.subject.value.graph));
  return new Disposer().add(changed.on(fill), stage.subject.on(follow), () => select.remove()).dispose;
}

/** The arrows walk along the edges; Enter opens and closes, Esc goes up: both are the shell's own where that is not to be done. */
function keys(stage: Stage, { keys: bound }: ViewContext): Dispose {
  const typing = (): boolean => {
    const { activeElement } = stage.element.getRootNode() as Document | ShadowRoot;
    return activeElement instanceof HTMLInputElement && activeElement.type === "search";
  };
  return new Disposer().add(
    bound.bind("ArrowLeft", "Along an edge to an input", () => stage.walk("left")),
    bound.bind("ArrowRight", "Along an edge to what reads it", () => stage.walk("right")),
    bound.bind("ArrowUp", "Card above", () => stage.walk("up")),
    bound.bind("ArrowDown", "Card below, into an open group", () => stage.walk("down")),
    bound.bind("Enter", "Open or close a group; inspector", () => stage.toggle()),
    bound.bind("Backspace", "Close the group around", () => stage.close()),
    bound.bind("Escape", "Up to the group around; back", () => !typing() && stage.up()),
  ).dispose;
}

/** The line above the picture: which graph, or what the pass that is chosen did. */
function notes(note: HTMLElement, stage: Stage): Dispose {
  const say = (): void => void (note.textContent = noteText(stage));
  say();
  return stage.shown.on(say);
}

function noteText(stage: Stage): string {
  const { model } = stage.shown.value;
  const { step, graph: id } = model.subject;
  const { steps, graphs } = model;
  const chosen = steps[step];
  if (chosen.run) {
    const idle = chosen.fewer > 0 ? `${format.plural(chosen.fewer, "node")} not needed` : "every node needed";
    return `${capital(chosen.name)}: ${[chosen.text, idle].filter(Boolean).join("; ")}.`;
  }
  if (step > 0) {
    const count = format.plural(Math.abs(chosen.fewer), "node");
    const change = chosen.fewer === 0 ? "" : `${count} ${chosen.fewer > 0 ? "fewer" : "more"}`;
    const figures = [change, format.duration(chosen.took)].filter(Boolean).join(", ");
    return `${capital(chosen.name)}: ${chosen.text || "nothing to be said"} (${figures}).`;
  }
  const made = steps.filter(({ run }) => run === null);
  const last = made.at(-1)!;
  const passes =
    made.length > 1 ? `, ${format.count(last.nodes)} after ${format.plural(made.length - 1, "pass", "passes")}` : "";
  const runs = graphs.runs(id).length;
  const [fault] = faultsAt(model, [...model.nodes.keys()]);
  const lost = fault ? ` ${fault.replace(" ", "\u00a0")}.` : "";
  const ran = runs > 0 ? `; run ${runs === 1 ? "once" : `${format.count(runs)} times`}` : "";
  return `${graphTitle(graphsOf(model.recording), id)}: ${format.plural(chosen.nodes, "node")} as traced${passes}${ran}.${lost}`;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
