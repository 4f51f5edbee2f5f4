import { factsOf } from "../facts";
import { effectText } from "../nodes";
import type { View } from "../view";
import { blocksOf, callSpan, type CodeLine } from "./blocks";
import { tracedCode, tracedTexts, shownTrace, type OpChip, type SourceLine } from "./tracedcode";
import { cellOf, largest, totals, type ColumnName } from "./layout";
import { faultText } from "../gradientfaults";

const COLUMNS: readonly ColumnName[] = ["ops", "forward", "backward", "bytes", "gradient"];
const HEADS = ["line", "ops", "forward", "backward", "made", "gradient"];

/** The source with its figures as columns of text. The selected line begins with ">", a failed one with "✕". */
export const codeText: View["text"] = (context) => {
  const traced = tracedWords(context);
  const lines = linesText(context);
  return traced === "" ? lines : `${lines}\n\n${traced}`;
};

const linesText: View["text"] = ({ recording, selection }) => {
  const blocks = blocksOf(recording);
  if (blocks.length === 0) return "The recording has no source.";
  const { event, tensor } = selection.selected.value;
  const selected = callSpan(recording, event >= 0 ? event : factsOf(recording).producer(tensor))?.key;
  const most = largest(blocks);
  const sums = totals(blocks);
  const rows: string[][] = [
    ["", ...HEADS, "source"],
    ["", "all", ...COLUMNS.map((name) => cellOf(name, sums, most).text), ""],
  ];
  const figures = (line: CodeLine): string[] =>
    COLUMNS.map((name) => (line.figures ? cellOf(name, line.figures, most).text : ""));
  for (const { title, detail, lines } of blocks) {
    rows.push([`${title}${detail ? `: ${detail}` : ""}`]);
    for (const line of lines) {
      if (line.gap) rows.push(["", "⋯"]);
      const sign = line.figures?.fault ? "✕" : line.key === selected ? ">" : " ";
      rows.push([sign, line.number > 0 ? String(line.number) : "", ...figures(line), line.text]);
      const fault = line.figures?.fault;
      if (fault) rows.push([`    ${fault.type}: ${fault.text}`]);
      for (const found of line.figures?.lost ?? []) rows.push([`    ${faultText(found)}`]);
    }
  }
  return aligned(rows);
};

/** Columns right-aligned but for the last; a row of one cell stands alone. */
function aligned(rows: readonly (readonly string[])[]): string {
  const full = rows.filter((row) => row.length > 2);
  const widths = full[0].map((_, i) => Math.max(...full.map((row) => row[i].length)));
  return rows
    .map((row) => {
      if (row.length <= 2) return row.length === 1 ? row[0] : `  ${row[1].padStart(widths[1])}`;
      return row
        .map((cell, i) => (i === row.length - 1 ? cell : cell.padStart(widths[i])))
        .join("  ")
        .trimEnd();
    })
    .join("\n");
}

/** A trace's text with what AutoGraph made of each line, the nodes it made, and what ran once; "" without one. */
function tracedWords({ recording, selection }: Parameters<View["text"]>[0]): string {
  const texts = tracedTexts(recording);
  if (texts.length === 0) return "";
  const code = tracedCode(recording, shownTrace({ recording, selection }, texts));
  const generated = (line: number): string[] =>
    code.generated
      .filter((one) => one.line === line)
      .map(({ number, text }) => `      AutoGraph ${number}: ${text.trim()}`);
  const words = ({ line, number, text, chips, effects }: SourceLine): string[] => [
    `${String(number).padStart(4)}  ${text}`.trimEnd(),
    ...effects.map((effect) => `      ${effectText(effect)}`),
    ...generated(line),
    ...(chips.length > 0 ? [`      nodes: ${chips.map(chipText).join(", ")}`] : []),
  ];
  const elsewhere =
    code.elsewhere.length > 0 ? [`      of no line of it: ${code.elsewhere.map(chipText).join(", ")}`] : [];
  const head = `${code.title}, ${code.location}: each line with what AutoGraph made of it and the nodes that it made`;
  return [head, ...code.source.flatMap(words), ...elsewhere, ""].join("\n");
}

function chipText({ op, region, rows }: OpChip): string {
  return `${region ? `${region}: ` : ""}${op}${rows.length > 1 ? ` ×${rows.length}` : ""}`;
}
