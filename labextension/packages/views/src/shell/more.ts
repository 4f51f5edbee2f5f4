import { format, h, on } from "@tapeviz/core";

/** The first of a list's entries, and a button "and N more" that puts the next as many in its place. */
export function withMore(entries: readonly (() => HTMLElement)[], most: number): HTMLElement[] {
  const first = entries.slice(0, most).map((entry) => entry());
  const rest = entries.slice(most);
  if (rest.length === 0) return first;
  const button = h("button", { type: "button", class: "tv-link tv-rest" }, `and ${format.count(rest.length)} more`);
  on(button, "click", () => {
    const next = withMore(rest, most * 4);
    button.replaceWith(...next);
    (next[0].matches("button") ? next[0] : next[0].querySelector("button"))?.focus();
  });
  return [...first, button];
}
