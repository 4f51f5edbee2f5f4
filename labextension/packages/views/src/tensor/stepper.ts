import { format, h, on, type Disposer } from "@tapeviz/core";
import type { ViewContext } from "../view";
import type { Series } from "./series";

/** A slider over the run: which of a tensor's values, or of a call's results, is shown. */
export function stepper(context: ViewContext, series: Series, disposer: Disposer): HTMLElement {
  const { tensors, at, noun } = series;
  const go = (to: number): void => goToStep(context, series, to);
  const said = (k: number): string => `${noun} ${format.count(k + 1)} of ${format.count(tensors.length)}`;
  const range = h("input", {
    type: "range",
    min: 1,
    max: tensors.length,
    step: 1,
    value: at + 1,
    "aria-label": `which ${noun} over the run`,
    "aria-valuetext": said(at),
    "data-name": "run",
  });
  const shown = h("output", {}, said(at));
  const button = (text: string, title: string, to: number): HTMLButtonElement => {
    const made = h(
      "button",
      { type: "button", class: "tvt-small", title, "aria-label": title, disabled: to < 0 || to >= tensors.length },
      text,
    );
    disposer.add(on(made, "click", () => go(to)));
    return made;
  };
  disposer.add(
    on(range, "change", () => go(Number(range.value) - 1)),
    on(range, "input", () => (shown.textContent = said(Number(range.value) - 1))),
    // The arrows are the slider's while it has the focus.
    on<KeyboardEvent>(range, "keydown", (event) => event.key.startsWith("Arrow") && event.stopPropagation()),
  );
  return h(
    "div",
    { class: "tvt-run", role: "group", "aria-label": "over the run" },
    button("‹", `previous ${noun} ([)`, at - 1),
    range,
    button("›", `next ${noun} (])`, at + 1),
    shown,
  );
}

/** Selects the same tensor at another time. */
export function goToStep({ selection }: ViewContext, { tensors }: Series, to: number): void {
  if (to < 0 || to >= tensors.length) return;
  selection.select({ tensor: tensors[to] });
}
