import { Disposer, format, h, on, type Dispose } from "@tapeviz/core";
import type { View, ViewContext } from "../view";

/** A view's text twin in the place of the view, page by page; follows the selection. */
export function mountText(root: HTMLElement, view: View, context: ViewContext): Dispose {
  const block = h("pre", { class: "tv-text", tabindex: "0", "aria-label": `${view.title} in words` });
  const said = h("span", { role: "status" });
  const button = (text: string, key: string, by: number): HTMLButtonElement => {
    const made = h("button", { type: "button", title: `${text} page (${key})` }, text);
    disposer.add(
      on(made, "click", () => turn(by)),
      context.keys.bind(key, `${text} page of the view in words`, () => turn(by)),
    );
    return made;
  };
  let page = 0;
  const pages = (): { count: number; selected: number } => view.pages?.(context) ?? { count: 1, selected: 0 };
  const fill = (): void => {
    const { count } = pages();
    page = Math.min(page, count - 1);
    said.textContent = `Page ${format.count(page + 1)} of ${format.count(count)}`;
    [back.disabled, next.disabled] = [page === 0, page === count - 1];
    bar.hidden = count < 2;
    block.textContent = view.text(context, page);
  };
  const follow = (): void => {
    const { selected } = pages();
    if (selected >= 0) page = selected;
    fill();
  };
  const turn = (by: number): void => {
    page = Math.max(0, Math.min(pages().count - 1, page + by));
    fill();
    block.scrollTop = 0;
  };
  const disposer = new Disposer();
  const back = button("Previous", "[", -1);
  const next = button("Next", "]", 1);
  const bar = h("nav", { class: "tv-pages", "aria-label": "Pages" }, back, said, next);
  root.append(bar, block);
  follow();
  const { selection, matches, changed } = context;
  disposer.add(selection.selected.on(follow), matches.on(follow), changed.on(fill));
  return () => {
    disposer.dispose();
    bar.remove();
    block.remove();
  };
}

/** A view in words from beginning to end. */
export function wholeText(view: View, context: ViewContext): string {
  const { count } = view.pages?.(context) ?? { count: 1 };
  return Array.from({ length: count }, (_, page) => view.text(context, page)).join("\n");
}
