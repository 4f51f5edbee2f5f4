import { h } from "@tapeviz/core";
import type { Block, CodeLine } from "./blocks";
import { HEALTHS, type LineFigures } from "./figures";
import { severityIcon } from "../severity";
import type { GradientFault } from "../gradientfaults";
import { cellOf, lineText, markedTokens, totals, type Column, type Largest } from "./layout";

/** What a line of the view is made of, for the view to mark and to listen to. */
export interface Row {
  readonly line: CodeLine;
  readonly element: HTMLTableRowElement;
  readonly button: HTMLButtonElement;
  readonly code: HTMLElement;
}

/** The whole table: headings with totals, and a body a block. */
export function table(
  blocks: readonly Block[],
  columns: readonly Column[],
  most: Largest,
): { element: HTMLTableElement; rows: Row[] } {
  const rows: Row[] = [];
  const widths = [
    h("col", { style: "width:52px" }),
    h("col"),
    ...columns.map(({ width }) => h("col", { style: `width:${width}px` })),
  ];
  const bodies = blocks.map((block) => {
    const title = h(
      "th",
      { colspan: 2 + columns.length, scope: "rowgroup" },
      h("b", {}, block.title),
      block.detail && h("span", {}, block.detail),
    );
    const body = h("tbody", {}, h("tr", { class: "tvc-title" }, title));
    for (const line of block.lines) {
      if (line.gap) body.append(h("tr", { class: "tvc-gap", "aria-hidden": "true" }, h("td", {}, "⋯")));
      const row = lineRow(line, columns, most);
      rows.push(row);
      body.append(row.element);
      if (line.figures?.fault) body.append(faultRow(line.figures.fault, columns.length));
      for (const found of line.figures?.lost ?? []) body.append(lostRow(found, columns.length));
    }
    return body;
  });
  const element = h(
    "table",
    { class: "tvc-table" },
    h("colgroup", {}, ...widths),
    heading(blocks, columns, most),
    ...bodies,
  );
  return { element, rows };
}

function heading(blocks: readonly Block[], columns: readonly Column[], most: Largest): HTMLElement {
  const sums = totals(blocks);
  const cells = columns.map((column) =>
    h(
      "th",
      { scope: "col", class: `tvc-${column.name}` },
      column.title,
      h("small", {}, cellOf(column.name, sums, most).text || " "),
    ),
  );
  return h(
    "thead",
    {},
    h(
      "tr",
      {},
      h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "line")),
      h(
        "th",
        { scope: "col" },
        h("span", { class: "visually-hidden" }, "code"),
        columns.some(({ name }) => name === "time") && key(),
      ),
      ...cells,
    ),
  );
}

/** What the two looks of a bar are, where one column holds both. */
function key(): HTMLElement {
  const sample = (look: string): HTMLElement => h("i", { class: `tvc-${look}`, "aria-hidden": "true" });
  return h("span", { class: "tvc-key" }, sample("solid"), "forward", sample("hatched"), "backward");
}

function lineRow(line: CodeLine, columns: readonly Column[], most: Largest): Row {
  const { number, text, figures } = line;
  const button = h(
    "button",
    { type: "button", tabindex: -1, class: "tvc-number", "aria-label": lineText(number, text, figures) },
    figures?.fault ? "✕ " : "",
    number > 0 ? String(number) : " ",
  );
  const code = h("td", { class: "tvc-code" });
  fillCode(code, line, ...line.fault);
  const element = h(
    "tr",
    { class: `tvc-line${figures ? " tvc-live" : ""}${figures?.fault ? " tvc-failed" : ""}` },
    h("th", { scope: "row" }, button),
    code,
    ...columns.map((column) => figureCell(column, figures, most)),
  );
  return { line, element, button, code };
}

/** Writes a line's code, with the characters from `from` to `to` underlined; wrapped lines hang under their indent. */
export function fillCode(
  code: HTMLElement,
  { text, tokens }: Pick<CodeLine, "text" | "tokens">,
  from: number,
  to: number,
): void {
  const indent = (/^ */.exec(text)?.[0].length ?? 0) + 2;
  const spans = markedTokens(tokens, from, to).map(({ kind, text: part, called }) => {
    const inner = kind === "plain" ? breakable(part) : h("span", { class: `tvc-py-${kind}` }, part);
    return called ? h("mark", {}, inner) : inner;
  });
  code.replaceChildren(h("code", { style: `padding-left:${indent}ch;text-indent:-${indent}ch` }, ...spans));
}

/** A long call may go on in the next line after a bracket, a dot or a comma, not in the middle of a name. */
function breakable(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  text.split(/(?<=[([{.,=])(?=\S)/).forEach((part, i) => fragment.append(...(i > 0 ? [h("wbr"), part] : [part])));
  return fragment;
}

function figureCell({ name, width }: Column, figures: LineFigures | null, most: Largest): HTMLElement {
  const cell = h("td", { class: `tvc-figure tvc-${name}` });
  if (!figures) return cell;
  if (name === "gradient") {
    if (figures.health) cell.append(healthMark(figures, width < 60));
    return cell;
  }
  const { text, solid, hatched } = cellOf(name, figures, most);
  if (!text) return cell;
  cell.append(
    text,
    h("span", { class: "tvc-bar", "aria-hidden": "true" }, bar("solid", solid), bar("hatched", hatched)),
  );
  return cell;
}

const bar = (look: string, part: number): HTMLElement | false =>
  part > 0 && h("i", { class: `tvc-${look}`, style: `width:${part * 100}%` });

function healthMark({ health }: LineFigures, brief: boolean): HTMLElement {
  const { glyph, word } = HEALTHS[health!];
  return h(
    "span",
    { class: `tvc-health tvc-${health}`, title: word },
    h("i", { "aria-hidden": "true" }, glyph),
    h("span", { class: brief ? "visually-hidden" : undefined }, word),
  );
}

function faultRow({ type, text }: { type: string; text: string }, columns: number): HTMLElement {
  return h(
    "tr",
    { class: "tvc-fault" },
    h("td", {}),
    h("td", { colspan: 1 + columns }, h("p", {}, h("b", {}, type), text && `: ${text}`)),
  );
}

/** Below its line, what a finding says of the gradients there, and what to do. */
function lostRow({ severity, text, fix }: GradientFault, columns: number): HTMLElement {
  const words = [text, fix && `To do: ${fix}.`].filter(Boolean).join(". ");
  return h(
    "tr",
    { class: "tvc-lost" },
    h("td", {}),
    h("td", { colspan: 1 + columns }, h("p", {}, severityIcon(severity), h("span", {}, words))),
  );
}
