import { Disposer, h, on, style, type Dispose } from "@tapeviz/core";
import { graphsOf } from "@tapeviz/recording";
import { matchingNodes } from "../nodematches";
import { nodesOfKey } from "../nodes";
import type { View, ViewContext } from "../view";
import { tracedFunctions } from "./cards";
import { sectionOf, type Actions } from "./draw";
import { tracesText } from "./text";
import css from "./traces.css";

export const traces: View = {
  id: "traces",
  title: "Traces",
  key: "6",
  fits: ({ graphs }) => graphs.function.some((of) => of >= 0) || /session|cell/.test(graphs.sort.join(" ")),
  mount,
  text: tracesText,
};

function mount(root: HTMLElement, context: ViewContext): Dispose {
  style(root, css);
  const element = h("div", { class: "tvt", tabindex: -1 });
  root.append(element);
  const { selection, changed, matches, recording } = context;
  const cards = (): HTMLElement[] => [...element.querySelectorAll<HTMLElement>(".tvt-card")];
  const mark = (): void => {
    const chosen = graphOf(context);
    for (const card of cards()) card.toggleAttribute("aria-current", Number(card.dataset["graph"]) === chosen);
    const current = element.querySelector<HTMLElement>("[aria-current]");
    current?.setAttribute("aria-current", "true");
    cards().forEach((card, i) => (card.tabIndex = (current ? card === current : i === 0) ? 0 : -1));
  };
  /** A trace none of whose nodes matches the filter is faint. */
  const dim = (): void => {
    const matching = matchingNodes(context);
    const { nodes } = recording;
    const matched = new Set<number>();
    for (let row = 0; matching && row < nodes.rows; row++) if (matching[row] === 1) matched.add(nodes.graph[row]);
    for (const card of cards())
      card.classList.toggle("tv-faint", matching !== null && !matched.has(Number(card.dataset["graph"])));
  };
  const fill = (): void => {
    const all = tracedFunctions(recording);
    const most = Math.max(...all.flatMap((traced) => traced.traces.map(({ costs }) => costs.total)), 0);
    const actions = actionsOf(context);
    element.replaceChildren(...all.map((traced) => sectionOf(recording, traced, most, actions)));
    mark();
    dim();
  };
  fill();
  const choose = (card: HTMLElement): void => {
    selection.selectNode({ graph: Number(card.dataset["graph"]), node: -1 });
    card.focus({ preventScroll: false });
    context.announce(card.getAttribute("aria-label") ?? "");
  };
  return new Disposer().add(
    () => element.remove(),
    changed.on(fill),
    matches.on(dim),
    selection.node.on(mark),
    selection.selected.on(mark),
    on<MouseEvent>(element, "click", (event) => {
      const target = event.target as Element;
      const card = target.closest<HTMLElement>(".tvt-card");
      if (card && !target.closest("button")) choose(card);
    }),
    ...keys(context, cards, choose),
  ).dispose;
}

/** The trace that the selection is about: chosen itself, or with a node of its, or run by what is selected. */
function graphOf({ recording, selection }: ViewContext): number {
  const { graph } = selection.node.value;
  if (graph >= 0) return graph;
  const { event } = selection.selected.value;
  const run = recording.graph_runs.event.indexOf(event);
  if (event >= 0 && run >= 0) return recording.graph_runs.graph[run];
  const [row] = nodesOfKey(recording, selection.selected.value);
  return row === undefined ? -1 : recording.nodes.graph[row];
}

function actionsOf({ recording, selection, show }: ViewContext): Actions {
  const go = (view: string) => (graph: number) => {
    selection.selectNode({ graph, node: -1 });
    show?.(view);
  };
  const hasCode = recording.graphs.source.some((source) => source >= 0);
  return {
    graph: show ? go("graph") : null,
    code: show && hasCode ? go("code") : null,
    run: (event) => selection.select({ event }),
  };
}

/** The arrows go from card to card; Enter shows the chosen trace's graph. */
function keys(context: ViewContext, cards: () => HTMLElement[], choose: (card: HTMLElement) => void): Dispose[] {
  const { keys: bound, selection, recording, show } = context;
  const step = (by: 1 | -1): void => {
    const all = cards();
    const at = all.findIndex((card) => card.hasAttribute("aria-current"));
    const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1);
    if (all[next]) choose(all[next]);
  };
  const enter = (): unknown => {
    const { graph } = selection.node.value;
    if (!show || graph < 0 || graphsOf(recording).nodes(graph).length === 0) return false;
    return show("graph");
  };
  return [
    bound.bind("ArrowDown", "Next trace", () => step(1)),
    bound.bind("ArrowUp", "Trace before", () => step(-1)),
    bound.bind("Enter", "The trace's graph; inspector", enter),
  ];
}
