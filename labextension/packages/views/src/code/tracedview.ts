import { Disposer, Signal, h, on, type Dispose } from "@tapeviz/core";
import { selectedNode } from "../nodes";
import type { ViewContext } from "../view";
import { mountColumns } from "./columns";
import { tracedCode, tracedTexts, shownTrace } from "./tracedcode";

/** Lines with what they did, or a trace's source, AutoGraph's output and graph: a bar to choose, and what is chosen. */
export function mountTraced(
  root: HTMLElement,
  context: ViewContext,
  mountLines: (area: HTMLElement) => Dispose,
): Dispose {
  const { recording, selection, keys, announce, changed } = context;
  const area = h("div", { class: "tvc-area" });
  const select = h("select", { "aria-label": "Trace" });
  const bar = h("div", { class: "tvc-bar-top" });
  root.append(h("div", { class: "tvc-traced" }, bar, area));
  const texts = tracedTexts(recording);
  const graph = new Signal(shownTrace(context, texts));
  // An op that no node ran is on a line that only the other mode shows.
  const { event } = selection.selected.value;
  const apart = event >= 0 && selectedNode(recording, selection) < 0;
  const mode = new Signal<"lines" | "traced">(apart ? "lines" : "traced");
  const disposer = new Disposer().add(() => root.replaceChildren());
  bar.append(modeSwitch(mode, disposer), select);
  select.replaceChildren(...texts.map(({ graph: id, title }) => h("option", { value: id }, title)));
  on(select, "change", () => graph.set(Number(select.value)));
  let unmount: Dispose = () => undefined;
  const show = (): void => {
    unmount();
    area.replaceChildren();
    select.hidden = mode.value === "lines";
    select.value = String(graph.value);
    unmount =
      mode.value === "lines" ? mountLines(area) : mountColumns(area, tracedCode(recording, graph.value), context);
  };
  show();
  const next = (): void => {
    mode.set(mode.value === "lines" ? "traced" : "lines");
    announce(mode.value === "lines" ? "lines with what they did" : "source, AutoGraph's output and graph");
  };
  return disposer.add(
    () => unmount(),
    mode.on(show),
    graph.on(show),
    changed.on(() => mode.value === "traced" && show()),
    selection.node.on(() => graph.set(shownTrace(context, texts, graph.value))),
    selection.selected.on(() => graph.set(shownTrace(context, texts, graph.value))),
    keys.bind("m", "Lines or traces", next),
  ).dispose;
}

function modeSwitch(mode: Signal<"lines" | "traced">, disposer: Disposer): HTMLElement {
  const button = (is: "lines" | "traced", text: string, title: string): HTMLElement => {
    const made = h("button", { type: "button", title }, text);
    on(made, "click", () => mode.set(is));
    disposer.add(mode.watch((now) => made.setAttribute("aria-pressed", String(now === is))));
    return made;
  };
  return h(
    "div",
    { class: "tvc-modes", role: "group", "aria-label": "Mode" },
    button("lines", "Lines", "Each line with what it did (m)"),
    button("traced", "Traces", "Source, AutoGraph's output and graph side by side (m)"),
  );
}
