/** A scale maps a domain (data) onto a range (pixels). */
export interface Scale {
  (value: number): number;
  readonly invert: (pixel: number) => number;
  readonly domain: readonly [number, number];
  readonly range: readonly [number, number];
}

type Pair = readonly [number, number];

function make(domain: Pair, range: Pair, to: (v: number) => number, from: (v: number) => number): Scale {
  const [a, b] = [to(domain[0]), to(domain[1])];
  const slope = b === a ? 0 : (range[1] - range[0]) / (b - a);
  const map = (value: number): number => range[0] + (to(value) - a) * slope;
  const invert = (pixel: number): number => (slope === 0 ? domain[0] : from(a + (pixel - range[0]) / slope));
  return Object.assign(map, { invert, domain, range });
}

export function linear(domain: Pair, range: Pair): Scale {
  return make(
    domain,
    range,
    (v) => v,
    (v) => v,
  );
}

/** Both ends of the domain have to be positive. Values that are not fall at the start of the range or below. */
export function log10(domain: Pair, range: Pair): Scale {
  const floor = Math.min(domain[0], domain[1]);
  return make(
    domain,
    range,
    (v) => Math.log10(Math.max(v, floor * 1e-3)),
    (v) => 10 ** v,
  );
}

/** Round steps (1, 2 or 5 times a power of ten) that cut [from, to] into at most `count` parts. */
export function ticks(from: number, to: number, count: number): number[] {
  if (!(to > from) || count < 1) return [];
  const raw = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * (1 - 1e-9)) ?? 10 * power;
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** Powers of ten in [from, to], thinned to at most `count`. */
export function logTicks(from: number, to: number, count: number): number[] {
  const first = Math.ceil(Math.log10(from) - 1e-9);
  const last = Math.floor(Math.log10(to) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, count)));
  const out: number[] = [];
  for (let e = first; e <= last; e += every) out.push(10 ** e);
  return out;
}

export const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);
