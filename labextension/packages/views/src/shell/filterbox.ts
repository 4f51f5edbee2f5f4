import { Disposer, Signal, format, h, on, type Dispose } from "@tapeviz/core";
import type { FilterResult } from "./filter";

const HINT = "op: name: line: shape: dtype: |g|< nan dur> module: wrt:";

export interface FilterBoxOptions {
  /** What is typed. */
  readonly text: Signal<string>;
  readonly result: Signal<FilterResult>;
  /** Which match is selected, counted from 0; -1 for none. */
  readonly at: Signal<number>;
  /** Goes to the next or the previous match. */
  readonly step: (by: 1 | -1) => void;
}

/** The one filter box of all views. Its text is a trait; what matches goes to the views as flags. */
export function filterBox({ text, result, at, step }: FilterBoxOptions): {
  element: HTMLElement;
  input: HTMLInputElement;
  dispose: Dispose;
} {
  const input = h("input", {
    type: "search",
    class: "tv-filter",
    placeholder: "Filter  op:matmul  |g|<1e-6",
    "aria-label": `Filter the ops: ${HINT}. Enter goes to the next match`,
    title: `${HINT}\nEnter: next match, Shift+Enter: previous`,
    spellcheck: "false",
    autocomplete: "off",
  });
  const status = h("span", { class: "tv-matches", role: "status" });
  const arrow = (sign: string, title: string, by: 1 | -1): HTMLButtonElement => {
    const button = h("button", { type: "button", class: "tv-step", title, "aria-label": title }, sign);
    disposer.add(on(button, "click", () => step(by)));
    return button;
  };
  const disposer = new Disposer();
  const arrows = h(
    "span",
    { class: "tv-steps" },
    arrow("↑", "Previous match (Shift+Enter in the box)", -1),
    arrow("↓", "Next match (Enter in the box)", 1),
  );
  const element = h("div", { class: "tv-filterbox" }, status, arrows, input);
  const say = (): void => {
    const found = result.value;
    input.setAttribute("aria-invalid", String(found.isWrong));
    status.textContent = [countsOf(found, at.value), found.note].filter(Boolean).join(" · ");
    status.classList.toggle("tv-wrong", found.isWrong);
    arrows.hidden = found.rows.length === 0;
  };
  disposer.add(
    text.watch((value) => {
      if (input.value !== value) input.value = value;
    }),
    result.watch(say),
    at.on(say),
    on(input, "input", () => text.set(input.value)),
    on<KeyboardEvent>(input, "keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    }),
  );
  return { element, input, dispose: disposer.dispose };
}

/** "3 of 17", or how many there are while none of them is selected. */
function countsOf({ flags, rows, kind, nodes }: FilterResult, at: number): string {
  if (flags === null) return "";
  if (at >= 0) return `${format.count(at + 1)} of ${format.count(rows.length)}`;
  const events = kind === "event" ? rows.length : 0;
  return format.plural(events, "match", "matches") + (nodes > 0 ? `, ${format.plural(nodes, "node")}` : "");
}
