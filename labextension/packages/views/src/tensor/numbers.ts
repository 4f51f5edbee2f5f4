import { h } from "@tapeviz/core";
import { ROW_HEIGHT, type Viewport } from "./viewport";
import type { Cells } from "./cells";
import { columnLabel, rowLabel, TOP_MARGIN } from "./paint";
import type { IsChanged } from "./pane";
import { flattener } from "./plane";

/** Pixels that the longest exact element of a dtype takes. */
export function columnWidth(dtype: string): number {
  const letters: Record<string, number> = {
    float16: 9,
    bfloat16: 10,
    float32: 13,
    float64: 22,
    int8: 6,
    uint8: 6,
    int16: 8,
    uint16: 8,
    int32: 12,
    uint32: 12,
    int64: 20,
    uint64: 20,
    bool: 7,
    complex64: 26,
    complex128: 44,
  };
  return Math.round((letters[dtype] ?? 13) * 7.3 + 18);
}

/** The elements in view as a table of exact numbers, with the index along both edges. */
export function numbersTable(
  host: HTMLElement,
  viewport: Viewport,
  cells: Cells,
  left: number,
  changed: IsChanged | null,
): void {
  const { plane, cursor, column } = viewport;
  const {
    slice: { start, size },
  } = cells;
  const [rows, cols] = [
    Math.min(size[0], Math.floor(viewport.box.height / ROW_HEIGHT)),
    Math.min(size[1], Math.floor(viewport.box.width / column) || 1),
  ];
  const head = h("tr", { style: `height:${TOP_MARGIN}px` }, h("td", {}));
  for (let j = 0; j < cols; j++) {
    const c = start[1] + j;
    head.append(h("th", { scope: "col" }, columnLabel(plane, c)));
  }
  const body: HTMLElement[] = [];
  const name = rowLabel(plane);
  const exists = flattener(plane);
  for (let i = 0; i < rows; i++) {
    const r = start[0] + i;
    const row = h("tr", { style: `height:${ROW_HEIGHT}px` }, h("th", { scope: "row" }, name(r)));
    for (let j = 0; j < cols; j++) {
      const c = start[1] + j;
      const k = i * size[1] + j;
      const marks = [cursor?.[0] === r && cursor[1] === c && "tvt-cursor", changed?.(k) && "tvt-changed"];
      row.append(exists(r, c) < 0 ? h("td", {}) : cell(cells, k, marks));
    }
    body.push(row);
  }
  const widths = h(
    "colgroup",
    {},
    h("col", { style: `width:${left}px` }),
    ...Array.from({ length: cols }, () => h("col", { style: `width:${column}px` })),
  );
  host.replaceChildren(
    h("table", { style: `width:${left + cols * column}px` }, widths, h("thead", {}, head), h("tbody", {}, ...body)),
  );
}

function cell(cells: Cells, k: number, marks: readonly (string | false | undefined)[]): HTMLElement {
  if (cells.missing?.[k]) return h("td", { class: "tvt-gone", title: "not kept" }, "·");
  const x = cells.numbers[k];
  const kind = !Number.isFinite(x) ? "tvt-bad" : x === 0 ? "tvt-zero" : "";
  return h(
    "td",
    { class: [kind, ...marks].filter(Boolean).join(" ") },
    `${Number.isNaN(x) ? "✕ " : ""}${cells.text(k)}`,
  );
}
