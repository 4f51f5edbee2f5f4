import { clamp, ticks } from "@tapeviz/core";
import { UNKNOWN, type Mark, type Strip } from "./data";

/** Where everything is, in pixels. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly plot: { readonly left: number; readonly width: number };
  /** How many columns the width is for: what there is, or what there will be soon. */
  readonly columns: number;
  readonly columnWidth: number;
  readonly rail: { readonly top: number; readonly height: number };
  readonly heat: {
    readonly top: number;
    /** How high a row of the picture is. */
    readonly rowHeight: number;
    /** From one row to the next: more than that where the names stand above the rows. */
    readonly pitch: number;
    readonly height: number;
  };
  /** Whether the names stand above their rows. */
  readonly above: boolean;
  /** Rows with a label: every so-manieth where they are low. */
  readonly labels: readonly { readonly row: number; readonly y: number }[];
  readonly loss: { readonly top: number; readonly height: number };
  readonly axis: { readonly y: number; readonly ticks: readonly { readonly step: number; readonly x: number }[] };
  readonly epochs: readonly number[];
  readonly marks: readonly { readonly mark: Mark; readonly x: number }[];
}

const RAIL = 16;
const NAME = 14;
const GAP = 8;
const LOSS = 60;
const AXIS = 20;
const RIGHT = 10;
const HEAT = 300;
const FEWEST = 40;
const LABEL = 12;
const WIDE = 0.4; // of the width, for names at the side

/** The layout for a width; `label` is how wide the names of the layers are, `narrow` how wide those of the curves. */
export function layout(strip: Strip, width: number, label: number, narrow = 60): Layout {
  // Names are never cut: where there is no room for them at the side, each stands above its row.
  const above = label > Math.max(width * WIDE, 40);
  const left = Math.round(Math.max(above ? narrow : label, narrow, 40)) + 8;
  const plot = { left, width: Math.max(width - left - RIGHT, 10) };
  const columns = columnsOf(strip);
  const columnWidth = plot.width / columns;
  const rows = Math.max(strip.rows.length, 1);
  const rowHeight = clamp(Math.floor(HEAT / rows), 5, 24);
  const pitch = above ? Math.max(rowHeight, LABEL - 2) + NAME : rowHeight;
  const heat = { top: RAIL, rowHeight: above ? pitch - NAME : rowHeight, pitch, height: pitch * rows };
  const loss = { top: heat.top + heat.height + GAP, height: LOSS };
  const y = loss.top + loss.height;
  const x = (step: number): number => left + (step / strip.stride) * columnWidth;
  return {
    width,
    height: y + AXIS,
    plot,
    columns,
    columnWidth,
    rail: { top: 0, height: RAIL },
    heat,
    labels: above
      ? strip.rows.map((_, row) => ({ row, y: heat.top + row * pitch + NAME / 2 }))
      : labelsOf(strip.rows.length, heat.top, rowHeight),
    above,
    loss,
    axis: {
      y,
      ticks: ticks(0, columns * strip.stride, Math.max(2, plot.width / 90))
        .filter(whole)
        .map((step) => ({ step, x: x(step) })),
    },
    epochs: strip.epochs.length > plot.width / 12 ? [] : strip.epochs.filter((step) => step > 0).map(x),
    marks: strip.marks.map((mark) => ({ mark, x: x(mark.step + 0.5) })),
  };
}

const whole = (step: number): boolean => Number.isInteger(step);

/** The top of a row of the picture. */
export const rowTop = ({ heat }: Layout, row: number): number =>
  heat.top + row * heat.pitch + (heat.pitch - heat.rowHeight);

/** While training runs there is room for as many again, so that the strip grows and seldom jumps. */
export function columnsOf({ used, stride, progress }: Strip): number {
  if (progress?.state !== "running" && progress?.state !== "paused") return Math.max(used, 1);
  const total = Math.ceil((Math.max(progress.epochs, 1) * progress.batches) / stride);
  let room = FEWEST;
  while (room < used) room *= 2;
  return Math.max(used, 1, total > 0 ? Math.min(room, total) : room);
}

function labelsOf(rows: number, top: number, rowHeight: number): Layout["labels"] {
  const every = Math.max(1, Math.ceil(LABEL / rowHeight));
  return Array.from({ length: Math.ceil(rows / every) }, (_, i) => ({
    row: i * every,
    y: top + (i * every + 0.5) * rowHeight,
  }));
}

/** The row and the column under a point; null outside of the strip. The row is -1 over the loss. */
export function cellAt(strip: Strip, where: Layout, x: number, y: number): { row: number; column: number } | null {
  const column = Math.floor((x - where.plot.left) / where.columnWidth);
  if (column < 0 || column >= strip.used || y < where.heat.top || y > where.loss.top + where.loss.height) return null;
  const row = Math.floor((y - where.heat.top) / where.heat.pitch);
  return { row: row < strip.rows.length ? row : -1, column };
}

/** The steps that a column stands for, counted from 1: "step 5", "steps 9–12". */
export function stepsText({ stride, steps }: Strip, column: number): string {
  const [first, last] = [column * stride + 1, Math.min((column + 1) * stride, steps)];
  return first === last ? `step ${first}` : `steps ${first}–${last}`;
}

/** The last column up to this one in which something was measured of a row; -1: there is none. */
export function measuredAt({ cells, used }: Strip, quantity: string, row: number, column: number): number {
  const of = cells[quantity];
  if (!of) return -1;
  let at = column;
  while (at >= 0 && of[row * used + at] === UNKNOWN) at--;
  return at;
}

/** How the axis of a curve is chosen: by the data, or by hand. */
export type Axis = "auto" | "linear" | "log";

/** A curve: where it lies (NaN where there is none), by itself on a logarithmic scale where it spans decades. */
export interface LossLine {
  readonly low: number;
  readonly high: number;
  readonly log: boolean;
  /** A y for each column; NaN where there is no number. */
  readonly y: Float32Array;
}

const DECADES = 30;

export function lossLine(
  { loss, curves, used }: Strip,
  { top, height }: Layout["loss"],
  name = "loss",
  axis: Axis = "auto",
): LossLine {
  const values = (curves[name] ?? loss).subarray(0, used);
  const all = [...values].filter(Number.isFinite);
  // On a logarithmic axis there is no place for what is 0 or below.
  const finite = axis === "log" ? all.filter((v) => v > 0) : all;
  const [low, high] = finite.length > 0 ? [Math.min(...finite), Math.max(...finite)] : [NaN, NaN];
  const log = axis === "auto" ? low > 0 && high / low > DECADES : axis === "log";
  const to = (v: number): number => (log ? Math.log10(v) : v);
  const span = to(high) - to(low) || 1;
  const y = Float32Array.from(values, (v) =>
    Number.isFinite(v) && (!log || v > 0) ? top + 4 + (height - 8) * (1 - (to(v) - to(low)) / span) : NaN,
  );
  return { low, high, log, y };
}

/** How much of all is done, 0 to 1; null where nobody knows how much there is. */
export function fractionDone({ progress }: Strip): number | null {
  if (!progress || progress.batches <= 0) return null;
  const { epoch, epochs, batch, batches, state } = progress;
  if (state === "done") return 1;
  return clamp(epochs > 0 ? (epoch - 1 + batch / batches) / epochs : batch / batches, 0, 1);
}
