import { Disposer, format, h, on, type Dispose, type Signal } from "@tapeviz/core";
import type { DiffData, DiffRow } from "./data";
import { SIGNS, stateOf } from "./rows";

/** Columns of `cells` that the list shows: line, op, run, what differs, ULP, relative. */
const SHOWN = [0, 1, 3, 4, 5] as const;

/** The rows as a list: one is chosen, by the pointer or with the arrows; those that agree can be left out. */
export function rowList(
  data: DiffData,
  chosen: Signal<number>,
  onlyDiffering: Signal<boolean>,
): { element: HTMLElement; dispose: Dispose } {
  const disposer = new Disposer();
  const heads = SHOWN.map((at) => h("span", {}, data.columns[at] ?? ""));
  const options = data.rows.map((row, at) => option(row, at));
  const box = h(
    "div",
    { class: "tvd-rows", role: "listbox", tabindex: "0", "aria-label": "Ops of both tapes" },
    ...options,
  );
  const rest =
    data.leftOut > 0
      ? `… and ${format.count(data.leftOut)} more, not known to differ by more than rounding: diff.rows`
      : "";
  const note = h("p", { class: "tv-muted tvd-rest", hidden: rest === "" }, rest);
  const element = h(
    "div",
    { class: "tvd-list" },
    h("div", { class: "tvd-head", "aria-hidden": "true" }, h("span"), ...heads),
    box,
    note,
  );
  let marked: HTMLElement | undefined = undefined;
  const mark = (at: number): void => {
    marked?.setAttribute("aria-selected", "false");
    marked = options[at];
    marked?.setAttribute("aria-selected", "true");
    if (!marked) return;
    box.setAttribute("aria-activedescendant", marked.id);
    const [top, bottom] = [marked.offsetTop, marked.offsetTop + marked.offsetHeight];
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 3;
  };
  disposer.add(
    onlyDiffering.watch((only) => box.classList.toggle("tvd-only", only)),
    chosen.watch(mark),
    on<MouseEvent>(box, "click", (event) => {
      const row = (event.target as Element).closest<HTMLElement>("[role=option]");
      if (row) chosen.set(Number(row.dataset["at"]));
    }),
  );
  // What is not laid out yet has no place to scroll to.
  const frame = requestAnimationFrame(() => mark(chosen.value));
  disposer.add(() => cancelAnimationFrame(frame));
  return { element, dispose: disposer.dispose };
}

function option(row: DiffRow, at: number): HTMLElement {
  const state = stateOf(row);
  const [sign, title] = SIGNS[state];
  const spoken = h("span", { class: "visually-hidden" }, `${title}, line`);
  const mark = h("span", { class: "tvd-sign", title }, h("span", { "aria-hidden": "true" }, sign), spoken);
  const cells = SHOWN.map((column) => h("span", { title: row.cells[column] ?? "" }, row.cells[column] ?? ""));
  const run = row.cells[2] ? h("small", {}, ` run ${row.cells[2]}`) : "";
  cells[1].append(run);
  return h(
    "div",
    {
      role: "option",
      id: `tvd-row-${at}`,
      "data-at": at,
      "aria-selected": "false",
      class: `tvd-row tvd-${state}`,
    },
    mark,
    ...cells,
  );
}
