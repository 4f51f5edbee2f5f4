import { Disposer, Signal, familyIcon, format, h, on, type Dispose } from "@tapeviz/core";
import { matchingNodes } from "../nodematches";
import { effectText, selectNode, selectedNode } from "../nodes";
import type { ViewContext } from "../view";
import { nextEventOnLine } from "./blocks";
import { fillCode } from "./draw";
import type { OpChip, GeneratedLine, SourceLine, TracedCode } from "./tracedcode";

/** A line of a column: the line of the source that it belongs to, and what is marked. */
interface Row {
  readonly line: number;
  readonly element: HTMLElement;
  readonly button: HTMLElement;
}

interface Column {
  readonly title: string;
  readonly detail: string;
  readonly element: HTMLElement;
  readonly rows: readonly Row[];
}

const NARROW = ["Source", "AutoGraph", "Graph"];

/** Source, AutoGraph's output and graph side by side: a line that is chosen or pointed at lights up in all of them. */
export function mountColumns(parent: HTMLElement, code: TracedCode, context: ViewContext): Dispose {
  const disposer = new Disposer();
  const [line, hovered] = [new Signal(0), new Signal(0)];
  const columns = columnsOf(code, context);
  const element = h("div", { class: "tvc-columns", "data-count": columns.length }, ...columns.map((c) => c.element));
  parent.append(tabs(columns, element, disposer), element);
  disposer.add(() => parent.replaceChildren());
  const rows = columns.flatMap((column) => column.rows);
  for (const row of rows) {
    disposer.add(
      on(row.element, "pointerenter", () => hovered.set(row.line)),
      on(row.element, "pointerleave", () => hovered.set(0)),
      on<MouseEvent>(row.element, "click", (event) => {
        line.set(row.line);
        if (!(event.target as Element).closest(".tvc-chip")) nextNode(code, context, row.line, event.shiftKey ? -1 : 1);
      }),
    );
  }
  const mark = (attribute: string, at: number): void => {
    for (const row of rows) row.element.toggleAttribute(attribute, at !== 0 && row.line === at);
  };
  const follow = (): void => {
    const row = selectedNode(context.recording, context.selection);
    const at = row < 0 ? 0 : code.lineOf(row);
    if (at !== 0) line.set(at);
    for (const chip of element.querySelectorAll<HTMLElement>(".tvc-chip"))
      chip.setAttribute("aria-pressed", String((chip.dataset["rows"] ?? "").split(",").includes(String(row))));
  };
  disposer.add(
    line.on((at) => {
      mark("data-selected", at);
      for (const column of columns) reveal(column, at);
    }),
    hovered.on((at) => mark("data-lit", at)),
    context.selection.selected.on(follow),
    context.selection.node.on(follow),
    on<KeyboardEvent>(element, "keydown", (event) => walk(event, columns)),
  );
  const dim = (): void => {
    const matching = matchingNodes(context);
    const isFaint = (chip: HTMLElement): boolean =>
      matching !== null && !(chip.dataset["rows"] ?? "").split(",").some((row) => matching[Number(row)] === 1);
    for (const chip of element.querySelectorAll<HTMLElement>(".tvc-chip"))
      chip.classList.toggle("tv-faint", isFaint(chip));
  };
  disposer.add(context.matches.on(dim));
  for (const { rows: own } of columns) if (own[0]) own[0].button.tabIndex = 0;
  dim();
  follow();
  return disposer.dispose;
}

function columnsOf(code: TracedCode, context: ViewContext): Column[] {
  const source = column("Source", code.location, code.source.map(sourceRow));
  const generated = column(
    "What AutoGraph made of it",
    format.plural(code.generated.length, "line"),
    code.generated.map(generatedRow),
  );
  const outline = column("Graph", format.plural(code.nodes, "node"), outlineRows(code, context));
  return code.generated.length > 0 ? [source, generated, outline] : [source, outline];
}

function column(title: string, detail: string, rows: readonly Row[]): Column {
  const list = h("ol", { class: "tvc-list" }, ...rows.map((row) => row.element));
  const head = h("header", {}, h("h3", {}, title), h("span", { class: "tv-muted" }, detail));
  const element = h("div", { class: "tvc-column", role: "group", "aria-label": title }, head, list);
  return { title, detail, element, rows };
}

/** At a narrow width one column is seen, and these choose it. */
function tabs(columns: readonly Column[], element: HTMLElement, disposer: Disposer): HTMLElement {
  const shown = new Signal(0);
  const names = columns.length === 3 ? NARROW : [NARROW[0], NARROW[2]];
  const buttons = columns.map((_, i) => {
    const button = h("button", { type: "button" }, names[i]);
    on(button, "click", () => shown.set(i));
    return button;
  });
  disposer.add(
    shown.watch((at) => {
      element.dataset["shown"] = String(at);
      buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === at)));
    }),
  );
  return h("div", { class: "tvc-tabs", role: "group", "aria-label": "Columns" }, ...buttons);
}

function codeRow(line: number, number: number, code: Pick<SourceLine, "text" | "tokens">, label: string): Row {
  const button = h(
    "button",
    { type: "button", tabindex: -1, class: "tvc-number", "aria-label": label },
    String(number),
  );
  const text = h("div", { class: "tvc-code" });
  fillCode(text, code, -1, -1);
  const element = h("li", { class: "tvc-row" }, button, text);
  return { line, element, button };
}

function sourceRow(line: SourceLine): Row {
  const nodes = line.chips.reduce((n, { rows }) => n + rows.length, 0);
  const said = [
    `line ${line.number}`,
    line.text.trim() || "empty",
    nodes > 0 ? `made ${format.plural(nodes, "node")}` : "",
    ...line.effects.map(effectText),
  ];
  const row = codeRow(line.line, line.number, line, said.filter(Boolean).join("; "));
  if (nodes > 0) row.element.classList.add("tvc-made");
  for (const text of line.effects) {
    row.element.classList.add("tvc-once");
    row.element.append(h("p", { class: "tvc-effect" }, effectText(text)));
  }
  return row;
}

function generatedRow({ number, line, text, tokens }: GeneratedLine): Row {
  const from = line > 0 ? `from line ${line} of the function` : "of AutoGraph's own";
  return codeRow(line, number, { text, tokens }, `generated line ${number}, ${from}; ${text.trim() || "empty"}`);
}

function outlineRows(code: TracedCode, context: ViewContext): Row[] {
  const groups = [
    ...code.source.map(({ line, number, chips }) => ({ line, title: String(number), label: `line ${number}`, chips })),
    { line: -1, title: "–", label: "lines elsewhere", chips: code.elsewhere },
  ];
  return groups
    .filter(({ chips }) => chips.length > 0)
    .map(({ line, title, label, chips }) => {
      const count = chips.reduce((n, { rows }) => n + rows.length, 0);
      const said = `${label}: ${format.plural(count, "node")}`;
      const button = h("button", { type: "button", tabindex: -1, class: "tvc-number", "aria-label": said }, title);
      const inner = h("div", { class: "tvc-chips" }, ...byRegion(chips).map((part) => regionOf(part, context)));
      return { line, button, element: h("li", { class: "tvc-row" }, button, inner) };
    });
}

function byRegion(chips: readonly OpChip[]): OpChip[][] {
  const parts = new Map<string, OpChip[]>();
  for (const chip of chips) parts.set(chip.region, [...(parts.get(chip.region) ?? []), chip]);
  return [...parts.values()];
}

function regionOf(chips: readonly OpChip[], context: ViewContext): HTMLElement {
  const [{ region }] = chips;
  return h("div", {}, region && h("i", {}, `${region} `), ...chips.map((chip) => chipButton(chip, context)));
}

/** All nodes of an op on a line; pressed again and again it selects one after the other. */
function chipButton({ op, family, rows }: OpChip, { recording, selection, announce }: ViewContext): HTMLElement {
  const times = rows.length > 1 ? ` ×${format.count(rows.length)}` : "";
  const button = h(
    "button",
    {
      type: "button",
      tabindex: -1,
      class: "tvc-chip",
      "data-rows": rows.join(","),
      title: recording.nodes.name[rows[0]],
    },
    familyIcon(family, 10),
    ` ${op}${times}`,
  );
  on(button, "click", () => {
    const next = nextEventOnLine(rows, selectedNode(recording, selection), null, 1);
    selectNode(recording, selection, next);
    announce(`${recording.nodes.name[next]}, ${rows.indexOf(next) + 1} of ${rows.length}`);
  });
  return button;
}

/** Selects the next node that a line made. */
function nextNode(code: TracedCode, { recording, selection, announce }: ViewContext, line: number, by: 1 | -1): void {
  const rows = code.source[line - 1]?.chips.flatMap((chip) => chip.rows) ?? [];
  const next = nextEventOnLine(rows, selectedNode(recording, selection), null, by);
  if (next < 0) return announce(line > 0 ? "no node was made on this line" : "no line of the function");
  selectNode(recording, selection, next);
  announce(`${recording.nodes.name[next]}, ${rows.indexOf(next) + 1} of ${rows.length}`);
}

/** Scrolls a column, and nothing else, to the rows of a line. */
function reveal({ element, rows }: Column, line: number): void {
  const row = rows.find((one) => one.line === line);
  const list = element.querySelector<HTMLElement>(".tvc-list");
  if (!row || !list) return;
  const [outer, inner] = [list.getBoundingClientRect(), row.element.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top + 8;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + 8;
}

/** The arrows go through a column's lines, and over to the same line of the column beside. */
function walk(event: KeyboardEvent, columns: readonly Column[]): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  const at = columns.findIndex(({ element }) => element.contains(target));
  const own = columns[at]?.rows ?? [];
  const here = own.findIndex(({ element }) => element.contains(target));
  const by = { ArrowUp: -1, ArrowDown: 1, Home: -own.length, End: own.length }[event.key];
  const over = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (here < 0 || (by === undefined && over === undefined)) return;
  event.preventDefault();
  event.stopPropagation();
  const chips = [...own[here].element.querySelectorAll<HTMLElement>("button")];
  const beside = over === undefined ? null : chips[chips.indexOf(target) + over];
  const column = columns[at + (over ?? 0)];
  const next = over === undefined ? own[clampTo(here + by!, own.length)] : nearest(column, own[here].line);
  const to = beside ?? next?.button;
  if (!to) return;
  for (const { button } of own) button.tabIndex = -1;
  target.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

const clampTo = (at: number, count: number): number => Math.min(Math.max(at, 0), count - 1);

/** The row of a line in a column, or the one that comes nearest before it. */
function nearest(column: Column | undefined, line: number): Row | undefined {
  const own = column?.rows ?? [];
  return own.find((row) => row.line === line) ?? own.findLast((row) => row.line > 0 && row.line < line) ?? own[0];
}
