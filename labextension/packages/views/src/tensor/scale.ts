import { cividis, format, parse, divergingColor } from "@tapeviz/core";
import type { Stats } from "./layout";

/** How numbers become colours: purple-orange around 0, cividis for magnitudes, or cividis over powers of ten. */
export type ScaleName = "signed" | "magnitude" | "log";

export interface ColorScale {
  readonly name: ScaleName;
  readonly low: number;
  readonly high: number;
  /** 256 colours from low to high. */
  readonly colors: readonly string[];
  /** Which of them a finite number gets, 0 to 255. */
  readonly index: (x: number) => number;
  /** Where on the legend, 0 to 1, which number stands. */
  readonly ticks: readonly { at: number; label: string }[];
}

const STEPS = 256;
const DECADES = 6;

/** The scale that suits a tensor; `logarithmic` asks for powers of ten of the magnitudes. */
export function colorScale(
  stats: Pick<Stats, "min" | "max" | "negative">,
  logarithmic: boolean,
  dark: boolean,
): ColorScale {
  const reach = Math.max(Math.abs(stats.min), Math.abs(stats.max));
  const largest = Number.isFinite(reach) && reach > 0 ? reach : 1;
  if (logarithmic) return logScale(largest);
  if (stats.negative > 0) return signedScale(largest, dark);
  const narrow = stats.min > 0 && stats.max > stats.min && stats.max - stats.min < stats.max / 2;
  return magnitudeScale(narrow ? stats.min : 0, largest);
}

const sampled = (color: (t: number) => string): string[] =>
  Array.from({ length: STEPS }, (_, i) => color(i / (STEPS - 1)));

const step = (t: number): number => Math.min(STEPS - 1, Math.max(0, Math.round(t * (STEPS - 1))));

function signedScale(reach: number, dark: boolean): ColorScale {
  const ticks = [-1, -0.5, 0, 0.5, 1].map((t) => ({ at: (t + 1) / 2, label: format.number(t * reach) }));
  return {
    name: "signed",
    low: -reach,
    high: reach,
    ticks,
    colors: sampled((t) => divergingColor(2 * t - 1, dark)),
    index: (x) => step((x / reach + 1) / 2),
  };
}

function magnitudeScale(low: number, high: number): ColorScale {
  const ticks = [0, 0.5, 1].map((at) => ({ at, label: format.number(low + at * (high - low)) }));
  return {
    name: "magnitude",
    low,
    high,
    ticks,
    colors: sampled(cividis),
    index: (x) => step((x - low) / (high - low)),
  };
}

/** Six whole decades below the power of ten that holds the largest, so that pictures of like tensors compare. */
function logScale(largest: number): ColorScale {
  const top = Math.ceil(Math.log10(largest) - 1e-9);
  const low = top - DECADES;
  const ticks = [0, 0.5, 1].map((at) => ({ at, label: power(low + at * DECADES) }));
  return {
    name: "log",
    low: Number(`1e${low}`),
    high: Number(`1e${top}`),
    ticks,
    colors: sampled(cividis),
    index: (x) => (x === 0 ? 0 : step((Math.log10(Math.abs(x)) - low) / DECADES)),
  };
}

const power = (exponent: number): string => format.number(Number(`1e${exponent}`)).replace("1×", "");

/** The colours as the 32-bit numbers that ImageData holds. */
export function pixels(colors: readonly string[]): Uint32Array {
  return Uint32Array.from(colors, (color) => {
    const [r, g, b] = parse(color) ?? [0, 0, 0];
    return (255 << 24) | (b << 16) | (g << 8) | r;
  });
}
