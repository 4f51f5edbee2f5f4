import { Disposer, Signal, format, h, on, type Dispose } from "@tapeviz/core";

const HINT = "op: name: line: shape: dtype: |g|< nan dur> module: wrt:";

/** What a filter gives: a flag an event, or what is wrong with its text. */
export type FilterResult =
  { readonly flags: Uint8Array | null; readonly count: number; readonly nodes: number } | { readonly error: string };

/** The one filter box of all views. Its text is a trait; what matches goes to the views as flags. */
export function filterBox(
  text: Signal<string>,
  result: Signal<FilterResult>,
): { element: HTMLElement; input: HTMLInputElement; dispose: Dispose } {
  const input = h("input", {
    type: "search",
    class: "tv-filter",
    placeholder: "Filter  op:matmul  |g|<1e-6",
    "aria-label": `Filter the ops: ${HINT}`,
    title: HINT,
    spellcheck: "false",
    autocomplete: "off",
  });
  const status = h("span", { class: "tv-matches", role: "status" });
  const element = h("div", { class: "tv-filterbox" }, status, input);
  const disposer = new Disposer();
  disposer.add(
    text.watch((value) => {
      if (input.value !== value) input.value = value;
    }),
    result.watch((found) => {
      const wrong = "error" in found;
      input.setAttribute("aria-invalid", String(wrong));
      status.textContent = wrong ? found.error : found.flags ? countsOf(found) : "";
      status.classList.toggle("tv-wrong", wrong);
    }),
    on(input, "input", () => text.set(input.value)),
  );
  return { element, input, dispose: disposer.dispose };
}

const countsOf = ({ count, nodes }: { readonly count: number; readonly nodes: number }): string =>
  format.plural(count, "match", "matches") + (nodes > 0 ? `, ${format.plural(nodes, "node")}` : "");
