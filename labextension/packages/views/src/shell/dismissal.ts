import { h, on } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { copy } from "./clipboard";
import type { Problem } from "../problems";

const dismissed = new WeakMap<Recording, Set<string>>();

/** The comment that dismisses findings like this one on their line; empty where there is no line to write it on. */
export function comment(recording: Recording, problem: Problem): string {
  const row = recording.verdicts.text.indexOf(problem.text);
  return row < 0 || problem.line < 0 ? "" : `# tapeviz: expected ${recording.verdicts.kind[row]}`;
}

/**
 * Gives each finding a button that says "not a problem here": it is dismissed as long as the page is open, is counted,
 * and comes back by a click; the comment that does it for good is shown to copy.
 */
export function withDismissal(
  recording: Recording,
  shown: readonly { problem: Problem; item: HTMLElement }[],
): HTMLLIElement {
  const gone = dismissed.get(recording) ?? new Set<string>();
  dismissed.set(recording, gone);
  const said = h("li", { class: "tv-fine", role: "status" });
  const update = (latest?: Problem): void => {
    for (const { problem, item } of shown) item.classList.toggle("tv-dismissed", gone.has(problem.text));
    said.hidden = gone.size === 0;
    said.replaceChildren(...(gone.size ? words(recording, gone, update, latest) : []));
  };
  for (const { problem, item } of shown) {
    if (!comment(recording, problem)) continue;
    const label = "Not a problem here";
    const button = h(
      "button",
      { type: "button", class: "tv-dismiss", title: label, "aria-label": label, "aria-description": problem.text },
      "×",
    );
    on(button, "click", () => {
      gone.add(problem.text);
      update(problem);
      said.querySelector("button")?.focus();
    });
    item.append(button);
  }
  update();
  return said;
}

function words(recording: Recording, gone: Set<string>, update: () => void, latest?: Problem): (Node | string)[] {
  const again = h("button", { type: "button", class: "tv-chip" }, "Show again");
  on(again, "click", () => {
    gone.clear();
    update();
  });
  const parts: (Node | string)[] = [h("span", {}, `${gone.size} expected, on this page`)];
  if (latest) {
    const text = comment(recording, latest);
    const button = h("button", { type: "button", class: "tv-chip" }, "Copy");
    on(button, "click", () => void copy(text, button.parentElement ?? button));
    parts.push(h("span", {}, `For good: end line ${latest.line} with `, h("code", {}, text)), button);
  }
  return [...parts, again];
}
