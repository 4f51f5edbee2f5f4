// Both programs as two lanes, op beside op: where one has no partner the other lane has a gap, and between them stands how
// far apart they are. `columnsOf` is pure; `drawAlignment` paints.
import { clamp, type Theme } from "@tapeviz/core";
import type { DiffRow } from "./data";
import { stateOf, type State } from "./rows";

export interface Column {
  /** The rows that share it, first and one behind the last: many rows have less than a pixel each. */
  readonly from: number;
  readonly to: number;
  readonly x: number;
  readonly width: number;
  /** The gravest state of its rows. */
  readonly state: State;
  readonly a: boolean;
  readonly b: boolean;
  /** How far apart, 0 to 1: ULP on a logarithmic scale up to 2 ** 24, and 1 for what has no number. */
  readonly error: number;
}

const GRAVEST: readonly State[] = ["own", "inherited", "unknown", "rounding", "equal"];
const LEAST = 3;
const WIDEST = 26;

export function columnsOf(rows: readonly DiffRow[], width: number): Column[] {
  if (rows.length === 0 || width <= 0) return [];
  const columns = Math.max(1, Math.min(rows.length, Math.floor(width / LEAST)));
  const step = Math.min(WIDEST, width / columns);
  return Array.from({ length: columns }, (_, at) => {
    const from = Math.floor((at * rows.length) / columns);
    const to = Math.max(from + 1, Math.floor(((at + 1) * rows.length) / columns));
    const own = rows.slice(from, to);
    const states = new Set(own.map(stateOf));
    return {
      from,
      to,
      x: at * step,
      width: step,
      state: GRAVEST.find((state) => states.has(state)) ?? "equal",
      a: own.some(({ what }) => what !== "only_b"),
      b: own.some(({ what }) => what !== "only_a"),
      error: Math.max(...own.map(errorOf)),
    };
  });
}

function errorOf(row: DiffRow): number {
  const state = stateOf(row);
  if (state === "equal" || state === "unknown") return 0;
  if (row.ulp === null) return 1;
  return clamp(Math.log2(1 + row.ulp) / 24, 0.06, 1);
}

/** The column of a place, -1 beside them all. */
export const columnAt = (columns: readonly Column[], x: number): number =>
  columns.findIndex((column) => x >= column.x && x < column.x + column.width);

export const colorOf = (state: State, theme: Theme): string =>
  ({ own: theme.fault, inherited: theme.warn, rounding: theme.info, equal: theme.edge, unknown: theme.line })[state];

/** Two lanes of `LANE` px with the errors between them, from the left edge on. */
export const LANE = 11;

export function drawAlignment(
  pen: CanvasRenderingContext2D,
  columns: readonly Column[],
  height: number,
  chosen: number,
  theme: Theme,
): void {
  const [top, bottom] = [LANE + 2, height - LANE - 2];
  for (const { x, width, state, a, b, error } of columns) {
    const wide = Math.max(1, width - (width > 5 ? 2 : width > 2.5 ? 1 : 0));
    pen.fillStyle = colorOf(state, theme);
    if (a) pen.fillRect(x, 0, wide, LANE);
    if (b) pen.fillRect(x, height - LANE, wide, LANE);
    const [half, middle] = [(error * (bottom - top)) / 2, (top + bottom) / 2];
    if (error > 0) pen.fillRect(x, middle - half, wide, 2 * half);
  }
  const at = columns.find(({ from, to }) => chosen >= from && chosen < to);
  if (!at) return;
  pen.strokeStyle = theme.accent;
  pen.lineWidth = 2;
  pen.strokeRect(Math.max(1, at.x - 1), 1, Math.max(3, at.width), height - 2);
}
