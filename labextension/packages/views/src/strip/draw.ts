import { cividis, ellipsizeMiddle, format, measurer, parse, type Theme } from "@tapeviz/core";
import { FIRST, INFINITE, LAST, NOT_A_NUMBER, ZERO, type Mark, type Strip } from "./data";
import { lossLine, type Layout } from "./layout";

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

/** Paints all that is not text in the page: names, strip, marks, loss, axis. */
export function draw(
  context: CanvasRenderingContext2D,
  strip: Strip,
  quantity: string,
  where: Layout,
  theme: Theme,
  cursor: Cursor | null,
): void {
  context.font = `${FONT}px ${theme.sans}`;
  context.textBaseline = "middle";
  drawNames(context, strip, where, theme);
  drawCells(context, strip, quantity, where, theme);
  drawEpochs(context, where, theme);
  drawMarks(context, where, theme);
  drawLoss(context, strip, where, theme);
  drawAxis(context, where, theme);
  if (cursor) drawCursor(context, where, theme, cursor);
}

function drawNames(context: CanvasRenderingContext2D, strip: Strip, where: Layout, theme: Theme): void {
  const measure = measurer(context, context.font);
  context.fillStyle = theme.text;
  context.textAlign = "right";
  for (const { row, y } of where.labels) {
    const name = ellipsizeMiddle(strip.rows[row] ?? "", where.plot.left - 8, measure);
    context.fillText(name, where.plot.left - 7, y);
  }
}

let sheet: HTMLCanvasElement | null = null;

function drawCells(
  context: CanvasRenderingContext2D,
  strip: Strip,
  quantity: string,
  where: Layout,
  theme: Theme,
): void {
  const { left, width } = where.plot;
  const { top, height } = where.heat;
  context.fillStyle = theme.band;
  context.fillRect(left, top, width, height);
  const cells = strip.cells[quantity];
  const [columns, rows] = [strip.used, strip.rows.length];
  if (!cells || columns === 0 || rows === 0 || cells.length !== columns * rows) return;
  const colors = palette(theme);
  const image = new ImageData(columns, rows);
  cells.forEach((code, i) => image.data.set(colors.subarray(code * 4, code * 4 + 4), i * 4));
  sheet ??= document.createElement("canvas");
  Object.assign(sheet, { width: columns, height: rows });
  sheet.getContext("2d")?.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(sheet, left, top, columns * where.columnWidth, height);
  if (where.heat.rowHeight >= 9) drawGaps(context, where, theme, rows);
}

/** Hair lines between the rows, so that each is told from its neighbours. */
function drawGaps(context: CanvasRenderingContext2D, where: Layout, theme: Theme, rows: number): void {
  context.fillStyle = theme.background;
  for (let row = 1; row < rows; row++) {
    context.fillRect(where.plot.left, where.heat.top + row * where.heat.rowHeight - 1, where.plot.width, 1);
  }
}

function drawEpochs(context: CanvasRenderingContext2D, where: Layout, theme: Theme): void {
  context.fillStyle = theme.background;
  const bottom = where.loss.top + where.loss.height;
  for (const x of where.epochs) context.fillRect(Math.round(x) - 0.5, where.heat.top, 1, where.heat.height);
  context.fillStyle = theme.line;
  for (const x of where.epochs) context.fillRect(Math.round(x) - 0.5, where.loss.top, 1, bottom - where.loss.top);
}

function drawMarks(context: CanvasRenderingContext2D, where: Layout, theme: Theme): void {
  context.textAlign = "center";
  for (const { mark, x } of where.marks) {
    const fault = mark.kind === "nan";
    context.fillStyle = fault ? theme.fault : theme.muted;
    if (fault)
      context.fillRect(Math.round(x) - 1, where.heat.top, 2, where.loss.top + where.loss.height - where.heat.top);
    context.fillText(GLYPHS[mark.kind], Math.min(x, where.width - 6), where.rail.top + where.rail.height / 2);
  }
}

function drawLoss(context: CanvasRenderingContext2D, strip: Strip, where: Layout, theme: Theme): void {
  const { top, height } = where.loss;
  const { left, width } = where.plot;
  const line = lossLine(strip, where.loss);
  context.textAlign = "right";
  context.fillStyle = theme.text;
  context.fillText("loss", left - 7, top + height / 2);
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
  context.strokeRect(x - 1, where.heat.top + row * where.heat.rowHeight - 1, size + 2, where.heat.rowHeight + 1);
}
