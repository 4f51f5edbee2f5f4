import { cividis, clamp } from "@tapeviz/core";
import type { Magnitude } from "../figures";

/** Norms of gradients on one fixed scale, so that pictures compare: powers of ten from 10⁻⁸ to 10⁴. */
const DECADES = [-8, 4] as const;
/** Where on the scale a norm is, 0 to 1; a norm of 0 and all that is no number stand at 0, infinity at 1. */
export function normFraction(norm: number): number {
  if (!(norm > 0)) return 0;
  return clamp((Math.log10(norm) - DECADES[0]) / (DECADES[1] - DECADES[0]), 0, 1);
}

/** The width of an edge in pixels: 2 to 13, a little less than one a power of ten. */
export const edgeWidth = ({ state, norm }: Magnitude): number => (state === "number" ? 2 + 11 * normFraction(norm) : 2);

// Colours tell apart what is common, from 10⁻⁶ to 10, in few steps so that few hatch patterns are made.
const COMMON = [-6, 1] as const;
const STEPS = 21;

/** The colour of a norm; the ends of cividis that are too near the background are left out. */
export function normColor(norm: number, dark: boolean): string {
  const t = norm > 0 ? clamp((Math.log10(norm) - COMMON[0]) / (COMMON[1] - COMMON[0]), 0, 1) : 0;
  const step = Math.round(t * STEPS) / STEPS;
  return cividis(dark ? 0.3 + 0.7 * step : 0.92 * step);
}
