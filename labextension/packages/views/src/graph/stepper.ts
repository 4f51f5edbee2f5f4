import { Disposer, format, h, on, type Dispose } from "@tapeviz/core";
import type { ViewContext } from "../view";
import type { Stage } from "./stage";

/** Before and after each pass: buttons in order, and whether what is gone by then is left out. */
export function mountSteps(bar: HTMLElement, stage: Stage, { keys, announce }: ViewContext): Dispose {
  const list = h("div", { class: "tv-steps", role: "group", "aria-label": "Passes and runs" });
  const box = h("input", { type: "checkbox" });
  const bare = h(
    "label",
    { class: "tv-bare", title: "Leave out what is gone by then (h)" },
    box,
    "without what is gone",
  );
  on(box, "change", () => stage.subject.set({ ...stage.subject.value, bare: box.checked }));
  bar.append(list, bare);
  const go = (step: number): void => {
    const { steps } = stage.shown.value.model;
    if (step < 0 || step >= steps.length) return;
    stage.subject.set({ ...stage.subject.value, step });
    const { name, text, nodes } = steps[step];
    announce([name, format.plural(nodes, "node"), text].filter(Boolean).join(", "));
  };
  let filled = -1;
  const fill = (): void => {
    const { model } = stage.shown.value;
    const { steps, subject } = model;
    list.hidden = bare.hidden = steps.length < 2;
    box.checked = subject.bare;
    if (filled !== subject.graph) {
      filled = subject.graph;
      list.replaceChildren(...steps.map((_, i) => stepButton(stage, i, go)));
    }
    list.querySelectorAll("button").forEach((button, i) => {
      button.setAttribute("aria-pressed", String(i === subject.step));
    });
  };
  fill();
  return new Disposer().add(
    stage.shown.on(fill),
    keys.bind("]", "After the next pass", () => go(stage.subject.value.step + 1)),
    keys.bind("[", "Before this pass", () => go(stage.subject.value.step - 1)),
    keys.bind("h", "Without what is gone, or with it", () =>
      stage.subject.set({ ...stage.subject.value, bare: !stage.subject.value.bare }),
    ),
  ).dispose;
}

function stepButton(stage: Stage, step: number, go: (step: number) => void): HTMLElement {
  const { name, nodes, text } = stage.shown.value.model.steps[step];
  const count = h("span", { class: "tv-count" }, format.count(nodes));
  const button = h("button", { type: "button", title: text || "The graph as it was traced" }, name, count);
  on(button, "click", () => go(step));
  return button;
}
