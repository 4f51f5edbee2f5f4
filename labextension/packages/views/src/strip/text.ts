import { format } from "@tapeviz/core";
import { INFINITE, NOT_A_NUMBER, UNKNOWN, valueOf, ZERO, type Strip } from "./data";
import { measuredAt, stepsText } from "./layout";

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

/** What a cell says: a number, or the word for what it is instead; where it was held, from when. */
export function cellText(strip: Strip, quantity: string, row: number, column: number): string {
  const from = measuredAt(strip, quantity, row, column);
  const text = measuredText(strip, quantity, row, from);
  return from < 0 || from === column ? text : `${text} (held from ${stepsText(strip, from)})`;
}

function measuredText(strip: Strip, quantity: string, row: number, column: number): string {
  const scale = strip.scales[quantity];
  const code = strip.cells[quantity]?.[row * strip.used + column] ?? UNKNOWN;
  if (!scale || column < 0 || code === UNKNOWN) return "not measured";
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
  const first = column * strip.stride;
  const marks = strip.marks.filter(({ step }) => step >= first && step < first + strip.stride);
  const others = Object.keys(strip.cells).map(
    (name) => `${strip.scales[name]?.title ?? name} ${cellText(strip, name, row, column)}`,
  );
  return {
    title: [row >= 0 ? strip.rows[row] : "", stepsText(strip, column)].filter(Boolean).join(" · "),
    lines: [
      ...(row >= 0 ? others.sort((a) => (a.startsWith(strip.scales[quantity]?.title ?? " ") ? -1 : 1)) : []),
      ...Object.entries(strip.curves)
        .filter(([, of]) => of[column] !== -Infinity)
        .map(([name, of]) => `${name} ${format.number(of[column] ?? NaN)}`),
      ...marks.map(({ text }) => text),
    ],
  };
}

/** What shouts, each word once, with the layers that it is said of. */
export function shouts({ words, rows }: Strip): string[] {
  const said = rows.map((name) => [name, words[name]] as const).filter(([, word]) => word);
  const each = [...new Set(said.map(([, word]) => word))];
  return each.map(
    (word) =>
      `${word}: ${said
        .filter(([, of]) => of === word)
        .map(([name]) => name)
        .join(", ")}`,
  );
}

/** All of it in a sentence or two, for those who do not see the picture. */
export function summaryText(strip: Strip, quantity: string): string {
  if (strip.steps === 0) return `${strip.title}: no step yet`;
  const last = strip.used - 1;
  const rows = strip.rows.map((name, row) => `${name} ${cellText(strip, quantity, row, last)}`);
  const metrics = Object.entries(strip.curves).map(([name, of]) => `${name} ${format.number(of[last] ?? NaN)}`);
  const title = strip.scales[quantity]?.title ?? quantity;
  const marks = strip.marks.filter(({ kind }) => kind === "nan").map(({ text, step }) => `${text} at step ${step + 1}`);
  return [progressText(strip), ...metrics, `${title} at the end: ${rows.join(", ")}`, ...marks].join(". ");
}
