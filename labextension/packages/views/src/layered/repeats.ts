export interface Repeat {
  readonly start: number;
  /** How many items a block has, and how many blocks follow one another. */
  readonly period: number;
  readonly times: number;
}

const LONGEST = 64;
const FEWEST = 3;

/** Blocks that repeat at least three times in a list of signs. A lone op has to repeat six times, a lone group three. */
export function repeats(signs: ArrayLike<number>, isGroup: (index: number) => boolean): Repeat[] {
  const found: Repeat[] = [];
  for (let start = 0; start < signs.length;) {
    const best = longest(signs, start);
    const enough = best !== null && (best.period * best.times >= 6 || isGroup(start));
    if (enough) found.push(best);
    start = enough ? start + best.period * best.times : start + 1;
  }
  return found;
}

/** The repeat from here that covers most; of equals the one with the shortest block. */
function longest(signs: ArrayLike<number>, start: number): Repeat | null {
  let best: Repeat | null = null;
  const most = Math.min(LONGEST, Math.floor((signs.length - start) / FEWEST));
  for (let period = 1; period <= most; period++) {
    let end = start + period;
    while (end < signs.length && signs[end] === signs[end - period]) end += 1;
    const times = Math.floor((end - start) / period);
    if (times >= FEWEST && (best === null || period * times > best.period * best.times))
      best = { start, period, times };
  }
  return best;
}

/** What blocks are called together: the first one's title without its number, "block_1" as "block". */
export const titleOfRepeat = (title: string): string => title.replace(/[\s_.:/-]*\d+( of \d+)?$/, "");

/** A title by which blocks are told apart: their numbers are not what makes them differ. */
export const withoutNumbers = (title: string): string => title.replace(/[\s_.:-]?\d+/g, "");
