/**
 * Level of detail: a lane's blocks, and above them levels in which each entry sums up four of the level below, so that
 * a frame never looks at more entries than the screen has pixels.
 */
export interface Level {
  readonly start: Float64Array;
  /** The latest end below. */
  readonly end: Float64Array;
  /** How much of it was busy, in the units of start and end. */
  readonly busy: Float64Array;
  /** The kind that was busiest. */
  readonly kind: Uint8Array;
}

export type Pyramid = readonly Level[];

const STEP = 4;

/** `start` has to rise; blocks of a lane do not overlap, so the ends rise too. */
export function pyramid(start: Float64Array, end: Float64Array, kind: Uint8Array): Pyramid {
  const busy = new Float64Array(start.length);
  for (let i = 0; i < busy.length; i++) busy[i] = end[i] - start[i];
  const levels: Level[] = [{ start, end, busy, kind }];
  while (levels[levels.length - 1].start.length > 64) levels.push(above(levels[levels.length - 1]));
  return levels;
}

function above(below: Level): Level {
  const n = Math.ceil(below.start.length / STEP);
  const level = {
    start: new Float64Array(n),
    end: new Float64Array(n),
    busy: new Float64Array(n),
    kind: new Uint8Array(n),
  };
  for (let i = 0; i < n; i++) {
    const from = i * STEP;
    const to = Math.min(from + STEP, below.start.length);
    let longest = -1;
    let latest = -Infinity;
    let sum = 0;
    for (let j = from; j < to; j++) {
      sum += below.busy[j];
      if (below.end[j] > latest) latest = below.end[j];
      if (below.busy[j] > longest) {
        longest = below.busy[j];
        level.kind[i] = below.kind[j];
      }
    }
    level.start[i] = below.start[from];
    level.end[i] = latest;
    level.busy[i] = sum;
  }
  return level;
}

/** The first index whose value is above `x`, in a rising array. */
export function upper(values: Float64Array, x: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Entries of a level that touch [from, to], as [first, one past the last]. */
export function touching(level: Level, from: number, to: number): [number, number] {
  const last = upper(level.start, to);
  const first = upper(level.end, from);
  return [Math.min(first, last), last];
}

/** The finest level with at most `most` entries in [from, to]. */
export function levelFor(levels: Pyramid, from: number, to: number, most: number): number {
  for (let i = 0; i < levels.length; i++) {
    const [first, last] = touching(levels[i], from, to);
    if (last - first <= most) return i;
  }
  return levels.length - 1;
}
