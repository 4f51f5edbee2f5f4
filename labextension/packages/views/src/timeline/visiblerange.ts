import { clamp } from "@tapeviz/core";

/** The part of the x-axis that is shown. Pure arithmetic: every move gives a new range inside the domain. */
export interface VisibleRange {
  readonly from: number;
  readonly to: number;
}

type Domain = readonly [number, number];

/** A little air on both sides. */
export function fit([from, to]: Domain): VisibleRange {
  const air = (to - from) * 0.01;
  return { from: from - air, to: to + air };
}

/** Keeps what is at `at` where it is; never smaller than `least`, never larger than the whole. */
export function zoom(visible: VisibleRange, factor: number, at: number, domain: Domain, least: number): VisibleRange {
  const whole = fit(domain);
  const size = clamp((visible.to - visible.from) * factor, least, whole.to - whole.from);
  const part = (at - visible.from) / (visible.to - visible.from);
  return inside({ from: at - part * size, to: at + (1 - part) * size }, domain);
}

export function pan(visible: VisibleRange, by: number, domain: Domain): VisibleRange {
  return inside({ from: visible.from + by, to: visible.to + by }, domain);
}

/** The least move that shows [from, to]; zooms out when it does not fit. */
export function reveal(visible: VisibleRange, from: number, to: number, domain: Domain): VisibleRange {
  if (from >= visible.from && to <= visible.to) return visible;
  const size = Math.max(visible.to - visible.from, (to - from) * 1.2);
  const middle = (from + to) / 2;
  return inside({ from: middle - size / 2, to: middle + size / 2 }, domain);
}

function inside({ from, to }: VisibleRange, domain: Domain): VisibleRange {
  const whole = fit(domain);
  const size = Math.min(to - from, whole.to - whole.from);
  const start = clamp(from, whole.from, whole.to - size);
  return { from: start, to: start + size };
}
