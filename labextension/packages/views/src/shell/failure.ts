import { h } from "@tapeviz/core";

/** What can be done about it: show the part again, or the same in words. */
interface Ways {
  readonly again?: () => void;
  readonly words?: () => void;
}

/** In the place of a part that failed: that it did, what it ran into, and what is left to do. */
export function failureNotice(title: string, error: unknown, { again, words }: Ways = {}): HTMLElement {
  const button = (text: string, run?: () => void): HTMLElement | null => {
    if (!run) return null;
    const made = h("button", { type: "button" }, text);
    made.onclick = run;
    return made;
  };
  return h(
    "div",
    { class: "tv-failed", role: "alert" },
    h("h3", {}, `✕ ${title} cannot be shown`),
    h("p", {}, `It failed with ${String(error)}. The rest still works; the page's log says more.`),
    h("div", { class: "tv-ways" }, button("Show it in words", words), button("Try again", again)),
  );
}
