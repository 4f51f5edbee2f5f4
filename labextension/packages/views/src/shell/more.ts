import { format, h, on } from "@tapeviz/core";

/** The first of a list's entries, and a button "and N more" that puts further ones in its place; in a list it is an entry. */
export function withMore(entries: readonly (() => HTMLElement)[], most: number, inList = false): HTMLElement[] {
  const first = entries.slice(0, most).map((entry) => entry());
  const rest = entries.slice(most);
  if (rest.length === 0) return first;
  const button = h(
    "button",
    { type: "button", class: inList ? "tv-link" : "tv-link tv-rest" },
    `and ${format.count(rest.length)} more`,
  );
  const last = inList ? h("li", { class: "tv-rest" }, button) : button;
  on(button, "click", () => {
    const next = withMore(rest, most * 4, inList);
    last.replaceWith(...next);
    (next[0].matches("button") ? next[0] : next[0].querySelector("button"))?.focus();
  });
  return [...first, last];
}
