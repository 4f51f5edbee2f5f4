import { format } from "@tapeviz/core";
import { INFINITE, NOT_A_NUMBER, UNKNOWN, valueOf, ZERO, type Strip } from "./data";
import { stepsText } from "./layout";

/** Where training is: "epoch 3 of 10 · batch 4 of 57 · 2.1 s". */
export function progressText({ progress, steps }: Strip): string {
  if (!progress) return "Waiting for the first step";
  const { state, epoch, epochs, batch, batches, seconds } = progress;
  const total = batches > 0 ? ` of ${format.count(batches)}` : "";
  const parts = [
    ...(state === "running" ? [] : [state.slice(0, 1).toUpperCase() + state.slice(1)]),
    ...(epochs > 0 ? [`epoch ${epoch} of ${epochs}`] : []),
    state !== "running" || steps === 0
      ? format.plural(steps, "step")
      : `${epochs > 0 ? "batch" : "step"} ${format.count(batch)}${total}`,
    `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`,
  ];
  return parts.join(" · ");
}

/** What a cell says: a number, or the word for what it is instead. */
export function cellText(strip: Strip, quantity: string, row: number, column: number): string {
  const scale = strip.scales[quantity];
  const code = strip.cells[quantity]?.[row * strip.used + column] ?? UNKNOWN;
  if (!scale || code === UNKNOWN) return "not measured";
  if (code === ZERO) return "exactly 0";
  if (code === INFINITE) return "infinite";
  if (code === NOT_A_NUMBER) return "NaN";
  const value = valueOf(code, scale);
  return scale.log ? format.number(value, 2) : format.percent(value);
}

/** What is at a place: the title and lines of a tip. */
export function tooltipText(
  strip: Strip,
  quantity: string,
  row: number,
  column: number,
): { title: string; lines: string[] } {
  const loss = strip.loss[column] ?? NaN;
  const first = column * strip.stride;
  const marks = strip.marks.filter(({ step }) => step >= first && step < first + strip.stride);
  const others = Object.keys(strip.cells).map(
    (name) => `${strip.scales[name]?.title ?? name} ${cellText(strip, name, row, column)}`,
  );
  return {
    title: [row >= 0 ? strip.rows[row] : "", stepsText(strip, column)].filter(Boolean).join(" · "),
    lines: [
      ...(row >= 0 ? others.sort((a) => (a.startsWith(strip.scales[quantity]?.title ?? " ") ? -1 : 1)) : []),
      `loss ${format.number(loss)}`,
      ...marks.map(({ text }) => text),
    ],
  };
}

/** All of it in a sentence or two, for those who do not see the picture. */
export function summaryText(strip: Strip, quantity: string): string {
  if (strip.steps === 0) return `${strip.title}: no step yet`;
  const last = strip.used - 1;
  const rows = strip.rows.map((name, row) => `${name} ${cellText(strip, quantity, row, last)}`);
  const title = strip.scales[quantity]?.title ?? quantity;
  const marks = strip.marks.filter(({ kind }) => kind === "nan").map(({ text, step }) => `${text} at step ${step + 1}`);
  return [
    progressText(strip),
    `loss ${format.number(strip.loss[last] ?? NaN)}`,
    `${title} at the end: ${rows.join(", ")}`,
    ...marks,
  ].join(". ");
}
