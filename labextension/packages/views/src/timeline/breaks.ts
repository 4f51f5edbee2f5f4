/**
 * Long stretches in which no op ran, and a time axis that leaves most of them out: a second asleep between two
 * milliseconds of work would else take the whole width. The twin of exports/breaks.py.
 */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** A gap that is drawn as a break: it takes `size` of the axis, from `at` on. */
export interface Break extends Gap {
  readonly at: number;
  readonly size: number;
}

/** A shorter gap is nothing to wonder about, ns. */
export const MIN_IDLE = 1e6;
// Longer than this part of everything that is not left out.
const LONG = 0.25;
const MOST = 32;
// What a break takes of everything else, and all of them together.
const SIZE = 0.05;
const SIZES = 0.3;

/** The gaps between ops, at the beginning and the end too; `start` rises. */
export function gapsOf(
  start: ArrayLike<number>,
  end: ArrayLike<number>,
  [first, last]: readonly [number, number],
): Gap[] {
  const gaps: Gap[] = [];
  let reached = first;
  for (let i = 0; i < start.length; i++) {
    if (start[i] - reached >= MIN_IDLE) gaps.push({ from: reached, to: start[i] });
    if (end[i] > reached) reached = end[i];
  }
  if (start.length > 0 && last - reached >= MIN_IDLE) gaps.push({ from: reached, to: last });
  return gaps;
}

const length = ({ from, to }: Gap): number => to - from;

/** Those of the gaps that are left out, in the order of time, with their places on the axis. */
export function breaksOf(gaps: readonly Gap[], [first, last]: readonly [number, number]): Break[] {
  const longest = [...gaps].sort((a, b) => length(b) - length(a)).slice(0, MOST);
  let [left, rest, count] = [last - first, last - first, 0];
  for (const [i, gap] of longest.entries()) {
    left -= length(gap);
    if (length(gap) > LONG * left) [rest, count] = [left, i + 1];
  }
  const size = Math.max(1, rest * Math.min(SIZE, SIZES / Math.max(1, count)));
  let saved = 0;
  const chosen = longest.slice(0, count).sort((a, b) => a.from - b.from);
  return chosen.map((gap) => {
    const at = gap.from - saved;
    saved += length(gap) - size;
    return { ...gap, at, size };
  });
}

/** From times to places on the axis; straight within a break, too. */
export function positionAt(breaks: readonly Break[], t: number): number {
  let saved = 0;
  for (const gap of breaks) {
    if (t <= gap.from) break;
    if (t < gap.to) return gap.at + ((t - gap.from) / length(gap)) * gap.size;
    saved = gap.to - gap.at - gap.size;
  }
  return t - saved;
}

/** From places on the axis to times. */
export function timeAt(breaks: readonly Break[], x: number): number {
  let saved = 0;
  for (const gap of breaks) {
    if (x <= gap.at) break;
    if (x < gap.at + gap.size) return gap.from + ((x - gap.at) / gap.size) * length(gap);
    saved = gap.to - gap.at - gap.size;
  }
  return x + saved;
}

/** The places of many times at once; the very array where nothing is left out. */
export function positionsOf(breaks: readonly Break[], times: Float64Array): Float64Array {
  if (breaks.length === 0) return times;
  const places = new Float64Array(times.length);
  for (let i = 0; i < places.length; i++) places[i] = positionAt(breaks, times[i]);
  return places;
}
