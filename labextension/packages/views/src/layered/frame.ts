import { Disposer, h, on, style, type Dispose } from "@tapeviz/core";
import type { ViewContext } from "../view";
import layered from "./layered.css";
import type { LayeredStage } from "./stage";

/** What stands around a drawing of cards: a bar and a line of text above it, and what is beside it. */
export function mountFrame(root: HTMLElement, name: string, css: string, ...beside: HTMLElement[]) {
  // Each goes before those there are: what is particular comes last.
  style(root, css);
  style(root, layered);
  const bar = h("div", { class: "tv-bar" });
  const note = h("p", { class: "tv-note", role: "status" });
  const picture = h("div", { class: "tv-picture" });
  const both = h("div", { class: "tv-both" }, ...beside, picture);
  const element = h("div", { class: `${name} tv-layered` }, bar, note, both);
  root.append(element);
  return { bar, note, picture, disposer: new Disposer().add(() => element.remove()) };
}

/** The buttons and keys that zoom. */
export function zoomButtons(
  bar: HTMLElement,
  stage: Pick<LayeredStage<never, never>, "fit" | "zoomIn" | "zoomOut">,
  { keys }: ViewContext,
): Dispose {
  const group = h("div", { class: "tv-segment tv-zoom", role: "group", "aria-label": "Zoom" });
  const disposer = new Disposer();
  const add = (text: string, title: string, bound: string, run: () => void): void => {
    const label = `${title} (${bound[0]})`;
    const button = h("button", { type: "button", title: label, "aria-label": label }, text);
    on(button, "click", run);
    group.append(button);
    for (const key of bound) disposer.add(keys.bind(key, title, run));
  };
  add("−", "Zoom out", "-", () => stage.zoomOut());
  add("Fit", "Fit", "f", () => stage.fit());
  add("+", "Zoom in", "+=", () => stage.zoomIn());
  bar.append(group);
  return disposer.dispose;
}
