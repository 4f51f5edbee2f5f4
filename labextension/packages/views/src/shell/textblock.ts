import { h, type Dispose } from "@tapeviz/core";
import type { View, ViewContext } from "../view";

/** A view's text twin in the place of the view; follows the selection. */
export function mountText(root: HTMLElement, view: View, context: ViewContext): Dispose {
  const block = h("pre", { class: "tv-text", tabindex: "0", "aria-label": `${view.title} in words` });
  root.append(block);
  const fill = (): void => void (block.textContent = view.text(context));
  fill();
  const offs = [context.selection.selected.on(fill), context.matches.on(fill), context.changed.on(fill)];
  return () => {
    for (const off of offs) off();
    block.remove();
  };
}
