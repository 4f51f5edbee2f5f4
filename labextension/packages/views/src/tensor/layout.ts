import { clamp, format, linear, ticks } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";

/** A tensor's row of `stats` with the histogram read. */
export interface Stats {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly std: number;
  readonly norm: number;
  readonly nan: number;
  readonly posinf: number;
  readonly neginf: number;
  readonly zero: number;
  readonly negative: number;
  /** Flat index of the first element that is not finite, -1 for none. */
  readonly bad: number;
  readonly bins: readonly number[];
}

export function statsOf(recording: Recording, tensor: number): Stats | null {
  const row = factsOf(recording).stat(tensor);
  if (row < 0) return null;
  const { stats } = recording;
  const { min, max, mean, std, norm, nan, posinf, neginf, zero, negative, bad } = stats;
  const raw = stats.histogram[row] ?? new Uint8Array();
  return {
    min: min[row],
    max: max[row],
    mean: mean[row],
    std: std[row],
    norm: norm[row],
    nan: nan[row],
    posinf: posinf[row],
    neginf: neginf[row],
    zero: zero[row],
    negative: negative[row],
    bad: bad[row],
    bins: [...new Uint32Array(raw.slice(0, raw.length & ~3).buffer)],
  };
}

/** What an element can be, in the order of the health bar. */
export const KINDS_OF_ELEMENT = ["neginf", "negative", "zero", "positive", "posinf", "nan"] as const;
export type ElementKind = (typeof KINDS_OF_ELEMENT)[number];

export const ELEMENT_WORDS: Readonly<Record<ElementKind, { glyph: string; word: string }>> = {
  neginf: { glyph: "−∞", word: "−inf" },
  negative: { glyph: "−", word: "negative" },
  zero: { glyph: "0", word: "zero" },
  positive: { glyph: "+", word: "positive" },
  posinf: { glyph: "+∞", word: "+inf" },
  nan: { glyph: "✕", word: "NaN" },
};

export interface Segment {
  readonly kind: ElementKind;
  readonly count: number;
  readonly part: number;
  readonly x: number;
  readonly width: number;
}

const SLIVER = 3;

/** The health bar: how many elements are what, as parts of `width`. What is there is at least 3 pixels wide. */
export function health(stats: Stats, size: number, width: number): Segment[] {
  const { neginf, negative, zero, posinf, nan } = stats;
  const positive = Math.max(0, size - neginf - negative - zero - posinf - nan);
  const counts = { neginf, negative, zero, positive, posinf, nan };
  const wide = KINDS_OF_ELEMENT.map((kind) => (counts[kind] > 0 ? Math.max(SLIVER, (counts[kind] / size) * width) : 0));
  const over = wide.reduce((a, b) => a + b, 0) - width;
  const largest = wide.indexOf(Math.max(...wide));
  if (size > 0) wide[largest] -= over;
  let x = 0;
  return KINDS_OF_ELEMENT.map((kind, i) => {
    const segment = { kind, count: counts[kind], part: size > 0 ? counts[kind] / size : 0, x, width: wide[i] };
    x += wide[i];
    return segment;
  });
}

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

export interface Tick {
  readonly x: number;
  readonly label: string;
}

export interface Series {
  readonly bars: readonly Bar[];
  readonly ticks: readonly Tick[];
  readonly peak: number;
}

export interface Histogram {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly value: Series | null;
  readonly gradient: Series | null;
}

/** Room for a row of tick labels with its title. */
const AXIS = 32;
const SIDE = 10;

/** The histograms of value and gradient over one another, each with its own axis: the value's below, the gradient's above. */
export function histogram(
  value: Stats | null,
  gradient: Stats | null,
  width: number,
  height: number,
  logarithmic: boolean,
): Histogram {
  const drawn = [value, gradient].map((stats) => (stats && stats.bins.some((n) => n > 0) ? stats : null));
  const [left, right, top, bottom] = [SIDE, width - SIDE, drawn[1] ? AXIS : 6, height - AXIS];
  const [below, above] = drawn.map((stats) => stats && series(stats, left, right, top, bottom, logarithmic));
  return { left, right, top, bottom, value: below, gradient: above };
}

function series(stats: Stats, left: number, right: number, top: number, bottom: number, logarithmic: boolean): Series {
  const { bins, min, max } = stats;
  const peak = Math.max(...bins);
  const tall = (n: number): number =>
    (logarithmic ? Math.log10(1 + n) / Math.log10(1 + peak) : n / peak) * (bottom - top);
  if (!(max > min)) return single(stats, (left + right) / 2, top, bottom);
  const step = (right - left) / bins.length;
  const bars = bins.map((count, i) => {
    const height = count > 0 ? Math.max(1, tall(count)) : 0;
    const from = min + ((max - min) * i) / bins.length;
    return {
      x: left + i * step,
      y: bottom - height,
      width: step,
      height,
      count,
      from,
      to: from + (max - min) / bins.length,
    };
  });
  return { bars, ticks: axisTicks(min, max, left, right), peak };
}

/** All elements are the same: one bar. */
function single({ bins, min }: Stats, middle: number, top: number, bottom: number): Series {
  const count = bins.reduce((a, b) => a + b, 0);
  const bar = { x: middle - 6, y: top, width: 12, height: bottom - top, count, from: min, to: min };
  return { bars: [bar], ticks: [{ x: middle, label: format.number(min) }], peak: count };
}

/** Round numbers with labels that do not touch. */
export function axisTicks(min: number, max: number, left: number, right: number): Tick[] {
  const place = linear([min, max], [left, right]);
  for (let n = 6; n > 1; n--) {
    const out = ticks(min, max, n).map((v) => ({
      x: place(v),
      label: format.number(Math.abs(v) < (max - min) * 1e-9 ? 0 : v),
    }));
    const room = out.every(
      (tick, i) => i === 0 || tick.x - out[i - 1].x > 6.2 * (tick.label.length + out[i - 1].label.length) * 0.5 + 10,
    );
    if (room && out.length > 0) return out;
  }
  return [
    { x: left, label: format.number(min) },
    { x: right, label: format.number(max) },
  ];
}

/** Keeps a label of a width inside [left, right]. */
export const inside = (x: number, width: number, left: number, right: number): number =>
  clamp(x, left + width / 2, Math.max(left + width / 2, right - width / 2));
