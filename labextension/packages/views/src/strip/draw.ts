import { cividis, format, measurer, parse, type Theme } from "@tapeviz/core";
import { FIRST, INFINITE, LAST, NOT_A_NUMBER, UNKNOWN, ZERO, type Mark, type Strip } from "./data";
import { lossLine, rowTop, type Axis, type Layout } from "./layout";

export const FAULT = "#D55E00";
const FONT = 11;
/** A shape for each kind of mark besides its colour. */
export const GLYPHS: Readonly<Record<Mark["kind"], string>> = {
  nan: "▲",
  rate: "◆",
  retrace: "↻",
  trigger: "▼",
  tape: "●",
  measured: "○",
};

/** Which colour a byte has, as RGBA; nothing where nothing was measured. */
export function palette(theme: Theme): Uint8ClampedArray {
  const colors = new Uint8ClampedArray(256 * 4);
  const set = (code: number, color: string): void => {
    const [r, g, b] = parse(color) ?? [128, 128, 128];
    colors.set([r, g, b, 255], code * 4);
  };
  for (let code = FIRST; code <= LAST; code++) set(code, cividis((code - FIRST) / (LAST - FIRST)));
  set(ZERO, theme.dark ? "#5b6168" : "#d4d7da");
  set(INFINITE, FAULT);
  set(NOT_A_NUMBER, FAULT);
  return colors;
}

export interface Cursor {
  readonly row: number;
  readonly column: number;
}

/** What of a strip is drawn: which quantity, and which curve below it on what axis. */
export interface Choice {
  readonly quantity: string;
  readonly curve: string;
  readonly axis: Axis;
}

/** Paints all that is not text in the page: names, strip, marks, curve, axis. */
export function draw(
  context: CanvasRenderingContext2D,
  strip: Strip,
  choice: Choice,
  where: Layout,
  theme: Theme,
  cursor: Cursor | null,
): void {
  context.font = `${FONT}px ${theme.sans}`;
  context.textBaseline = "middle";
  drawNames(context, strip, where, theme);
  drawCells(context, strip, choice.quantity, where, theme);
  drawEpochs(context, where, theme);
  drawMarks(context, where, theme);
  drawWords(context, strip, where, theme);
  drawCurve(context, strip, choice, where, theme);
  drawAxis(context, where, theme);
  if (cursor) drawCursor(context, where, theme, cursor);
}

function drawNames(context: CanvasRenderingContext2D, strip: Strip, where: Layout, theme: Theme): void {
  context.fillStyle = theme.text;
  context.textAlign = where.above ? "left" : "right";
  const x = where.above ? where.plot.left : where.plot.left - 7;
  for (const { row, y } of where.labels) context.fillText(strip.rows[row] ?? "", x, y);
}

const sheets: HTMLCanvasElement[] = [];

/** A picture of a pixel a cell: what was measured, or what is held of it until the next time. */
function sheet(strip: Strip, quantity: string, colors: Uint8ClampedArray, isHeld: boolean): HTMLCanvasElement {
  const [columns, rows] = [strip.used, strip.rows.length];
  const image = new ImageData(columns, rows);
  const cells = strip.cells[quantity];
  for (let row = 0; row < rows; row++) {
    let last = UNKNOWN;
    for (let column = 0; column < columns; column++) {
      const i = row * columns + column;
      const code = cells[i];
      if (code !== UNKNOWN) last = code;
      const shown = isHeld === (code === UNKNOWN) ? last : UNKNOWN;
      image.data.set(colors.subarray(shown * 4, shown * 4 + 4), i * 4);
    }
  }
  const paper = (sheets[Number(isHeld)] ??= document.createElement("canvas"));
  Object.assign(paper, { width: columns, height: rows });
  paper.getContext("2d")?.putImageData(image, 0, 0);
  return paper;
}

function drawCells(
  context: CanvasRenderingContext2D,
  strip: Strip,
  quantity: string,
  where: Layout,
  theme: Theme,
): void {
  const { left, width } = where.plot;
  const { rowHeight } = where.heat;
  const [columns, rows] = [strip.used, strip.rows.length];
  context.fillStyle = theme.band;
  for (let row = 0; row < rows; row++) context.fillRect(left, rowTop(where, row), width, rowHeight);
  const cells = strip.cells[quantity];
  if (!cells || columns === 0 || rows === 0 || cells.length !== columns * rows) return;
  const colors = palette(theme);
  context.imageSmoothingEnabled = false;
  const [whole, thin] = [sheet(strip, quantity, colors, false), sheet(strip, quantity, colors, true)];
  // What is held is a line as thin as a third of the row: told from what was measured without its colour, too.
  const third = Math.max(Math.round(rowHeight / 3), 1);
  for (let row = 0; row < rows; row++) {
    const y = rowTop(where, row);
    context.drawImage(thin, 0, row, columns, 1, left, y + (rowHeight - third) / 2, columns * where.columnWidth, third);
    context.drawImage(whole, 0, row, columns, 1, left, y, columns * where.columnWidth, rowHeight);
  }
  if (rowHeight >= 9 && !where.above) drawGaps(context, where, theme, rows);
}

/** Hair lines between the rows, so that each is told from its neighbours. */
function drawGaps(context: CanvasRenderingContext2D, where: Layout, theme: Theme, rows: number): void {
  context.fillStyle = theme.background;
  for (let row = 1; row < rows; row++) context.fillRect(where.plot.left, rowTop(where, row) - 1, where.plot.width, 1);
}

/** Where the picture shouts, the word for it, at the right end of the row. */
function drawWords(context: CanvasRenderingContext2D, strip: Strip, where: Layout, theme: Theme): void {
  const { rowHeight } = where.heat;
  if (rowHeight < FONT) return; // the words are below the strip, too
  context.textAlign = "right";
  const right = where.plot.left + where.plot.width - 4;
  strip.rows.forEach((name, row) => {
    const word = strip.words[name];
    if (!word) return;
    const y = rowTop(where, row) + rowHeight / 2;
    const wide = context.measureText(word).width + 8;
    context.fillStyle = theme.background;
    context.fillRect(right - wide + 4, y - Math.min(rowHeight, 16) / 2, wide, Math.min(rowHeight, 16));
    context.fillStyle = theme.fault;
    context.fillText(word, right, y);
  });
}

function drawEpochs(context: CanvasRenderingContext2D, where: Layout, theme: Theme): void {
  context.fillStyle = theme.background;
  const bottom = where.loss.top + where.loss.height;
  for (const x of where.epochs) context.fillRect(Math.round(x) - 0.5, where.heat.top, 1, where.heat.height);
  context.fillStyle = theme.line;
  for (const x of where.epochs) context.fillRect(Math.round(x) - 0.5, where.loss.top, 1, bottom - where.loss.top);
}

function drawMarks(context: CanvasRenderingContext2D, where: Layout, theme: Theme): void {
  for (const { mark, x } of where.marks) {
    if (mark.tape === 0 && (mark.kind === "tape" || mark.kind === "measured")) continue; // which is no longer kept
    context.fillStyle = mark.kind === "nan" ? theme.fault : theme.muted;
    if (mark.kind === "nan")
      context.fillRect(Math.round(x) - 1, where.heat.top, 2, where.loss.top + where.loss.height - where.heat.top);
    // Without a tape it is a mark on the rail; a dot opens one, and is a button.
    if (mark.tape === 0) context.fillRect(Math.round(x), where.rail.top + where.rail.height - 6, 1, 6);
  }
}

function drawCurve(
  context: CanvasRenderingContext2D,
  strip: Strip,
  { curve, axis }: Choice,
  where: Layout,
  theme: Theme,
): void {
  const { top, height } = where.loss;
  const { left, width } = where.plot;
  const line = lossLine(strip, where.loss, curve, axis);
  context.textAlign = "right";
  context.fillStyle = theme.text;
  context.fillText(curve, left - 7, top + height / 2);
  context.fillStyle = theme.line;
  context.fillRect(left, top + height, width, 1);
  if (Number.isNaN(line.low)) return;
  context.fillStyle = theme.muted;
  context.fillText(format.number(line.high), left - 7, top + 6);
  if (line.high > line.low) context.fillText(format.number(line.low), left - 7, top + height - 6);
  context.strokeStyle = theme.accent;
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.beginPath();
  let down = false;
  line.y.forEach((y, column) => {
    const x = left + (column + 0.5) * where.columnWidth;
    if (Number.isNaN(y)) down = false;
    else if (down) context.lineTo(x, y);
    else context.moveTo(x, y);
    down ||= !Number.isNaN(y);
  });
  context.stroke();
}

function drawAxis(context: CanvasRenderingContext2D, where: Layout, theme: Theme): void {
  const { left, width } = where.plot;
  context.textAlign = "center";
  context.fillStyle = theme.muted;
  const y = where.axis.y + 11;
  const room = measurer(context, context.font)("steps") + 8;
  for (const { step, x } of where.axis.ticks) {
    const text = format.count(step);
    const half = context.measureText(text).width / 2;
    if (x + half > left + width - room) continue;
    context.fillRect(Math.round(x), where.axis.y, 1, 4);
    context.fillText(text, x, y);
  }
  context.textAlign = "right";
  context.fillText("steps", left + width, y);
}

function drawCursor(context: CanvasRenderingContext2D, where: Layout, theme: Theme, { row, column }: Cursor): void {
  const x = where.plot.left + column * where.columnWidth;
  const size = Math.max(where.columnWidth, 2);
  context.strokeStyle = theme.text;
  context.lineWidth = 1;
  const bottom = where.loss.top + where.loss.height;
  context.strokeRect(x - 0.5, where.heat.top - 0.5, size + 1, bottom - where.heat.top + 1);
  if (row < 0) return;
  context.lineWidth = 2;
  context.strokeRect(x - 1, rowTop(where, row) - 1, size + 2, where.heat.rowHeight + 1);
}
