import { Disposer, format, h, on, type Dispose } from "@tapeviz/core";
import type { ViewContext } from "../view";
import type { Stage } from "./stage";
import { changesAt, type Step } from "./steps";

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
  const idle = h("span", { class: "tv-idle" });
  list.after(idle);
  let [filled, changes] = [-1, [] as boolean[]];
  const go = (step: number): void => {
    const { steps } = stage.shown.value.model;
    if (step < 0 || step >= steps.length) return;
    stage.subject.set({ ...stage.subject.value, step });
    const { name, text, nodes } = steps[step];
    announce([name, format.plural(nodes, "node"), text].filter(Boolean).join(", "));
  };
  const near = (by: 1 | -1): void => {
    let step = stage.subject.value.step + by;
    while (changes[step] === false) step += by;
    go(step);
  };
  const fill = (): void => {
    const { graphs, steps, subject } = stage.shown.value.model;
    list.hidden = bare.hidden = steps.length < 2;
    box.checked = subject.bare;
    if (filled !== subject.graph) {
      filled = subject.graph;
      changes = changesAt(graphs, subject.graph, steps);
      list.replaceChildren(...steps.flatMap((_, i) => (changes[i] ? [stepButton(stage, i, go)] : [])));
      idle.textContent = idleText(steps.filter((_, i) => !changes[i]));
    }
    list.querySelectorAll("button").forEach((button) => {
      button.setAttribute("aria-pressed", String(button.value === String(subject.step)));
    });
  };
  fill();
  return new Disposer().add(
    stage.shown.on(fill),
    keys.bind("]", "After the next pass that changed something", () => near(1)),
    keys.bind("[", "Before this pass", () => near(-1)),
    keys.bind("h", "Without what is gone, or with it", () =>
      stage.subject.set({ ...stage.subject.value, bare: !stage.subject.value.bare }),
    ),
  ).dispose;
}

/** Of the passes that changed nothing the names: there is nothing to be seen of them. */
function idleText(idle: readonly Step[]): string {
  return idle.length > 0 ? `no change: ${idle.map(({ name }) => name).join(", ")}` : "";
}

function stepButton(stage: Stage, step: number, go: (step: number) => void): HTMLElement {
  const { name, nodes, text } = stage.shown.value.model.steps[step];
  const count = h("span", { class: "tv-count" }, format.count(nodes));
  const button = h(
    "button",
    { type: "button", value: String(step), title: text || "The graph as it was traced" },
    name,
    count,
  );
  on(button, "click", () => go(step));
  return button;
}
