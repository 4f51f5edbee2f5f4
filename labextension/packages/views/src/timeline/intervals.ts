/**
 * Level of detail: a lane's intervals, and sums over every 64 of them, so that a frame of a million ops looks at some
 * thousands. What a column of pixels says is exact all the same: it is busy where an interval overlaps it, and idle
 * where none does.
 */
const CHUNK = 64;
/** More kinds than there are families of ops. */
export const KINDS = 16;

/** What lies in one column of pixels. */
export interface Column {
  /** Which column of the window. */
  index: number;
  /** How much of it is busy, 0 to 1; an interval without a length counts, though it adds nothing. */
  full: number;
  /** The kind that was busiest. */
  kind: number;
  /** The same of what matches the filter alone, and -1 where nothing does; as `full` without a filter. */
  matching: number;
  /** The kind that is busiest among those. */
  matchingKind: number;
}

/** What is known of the intervals of each chunk, of all or of those that match a filter. */
class Sums {
  readonly count: Uint8Array;
  /** The latest end. */
  readonly latest: Float64Array;
  readonly busy: Float32Array;
  readonly #known: Uint8Array;

  constructor(
    private readonly of: Intervals,
    private readonly flags: Uint8Array | null,
  ) {
    const chunks = Math.ceil(of.length / CHUNK);
    this.count = new Uint8Array(chunks);
    this.latest = new Float64Array(chunks);
    this.busy = new Float32Array(chunks * KINDS);
    this.#known = new Uint8Array(chunks);
  }

  has(i: number): boolean {
    return this.flags === null || this.flags[this.of.at[i]] === 1;
  }

  /** Sums a chunk up the first time that it is looked at. */
  look(chunk: number): void {
    if (this.#known[chunk] === 1) return;
    this.#known[chunk] = 1;
    const { of } = this;
    let latest = -Infinity;
    for (let i = chunk * CHUNK; i < Math.min(of.length, (chunk + 1) * CHUNK); i++) {
      if (!this.has(i)) continue;
      this.count[chunk] += 1;
      latest = Math.max(latest, of.end(i));
      this.busy[chunk * KINDS + of.kind(i)] += of.end(i) - of.start(i);
    }
    this.latest[chunk] = latest;
  }
}

/** Intervals in the order of starting. They may overlap, and be without a length. */
export class Intervals {
  readonly length: number;
  /** The longest of each chunk. */
  readonly #longest: Float64Array;
  /** The latest end up to each chunk, its own intervals included. */
  readonly #reach: Float64Array;
  readonly #all: Sums;
  #filtered: { readonly flags: Uint8Array; readonly sums: Sums } | null = null;

  /** `at` says where in `starts`, `ends` and `kinds` each interval is; a filter's flags are found there, too. */
  constructor(
    readonly at: Int32Array,
    private readonly starts: Float64Array,
    private readonly ends: Float64Array,
    private readonly kinds: Uint8Array | null,
  ) {
    this.length = at.length;
    const chunks = Math.ceil(at.length / CHUNK);
    this.#longest = new Float64Array(chunks);
    this.#reach = new Float64Array(chunks);
    let reach = -Infinity;
    for (let chunk = 0; chunk < chunks; chunk++) {
      let longest = 0;
      for (let i = chunk * CHUNK; i < Math.min(at.length, (chunk + 1) * CHUNK); i++) {
        const end = ends[at[i]];
        if (end > reach) reach = end;
        if (end - starts[at[i]] > longest) longest = end - starts[at[i]];
      }
      this.#longest[chunk] = longest;
      this.#reach[chunk] = reach;
    }
    this.#all = new Sums(this, null);
  }

  start(i: number): number {
    return this.starts[this.at[i]];
  }

  end(i: number): number {
    return this.ends[this.at[i]];
  }

  kind(i: number): number {
    return this.kinds === null ? 0 : this.kinds[this.at[i]];
  }

  /** How many start before `x`. */
  before(x: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[this.at[middle]] >= x) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The intervals among which are all that touch [from, to], as [first, one past the last]. */
  touching(from: number, to: number): [number, number] {
    // Where the latest end so far first comes to `from`.
    let low = 0;
    let high = this.#reach.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#reach[middle] >= from) high = middle;
      else low = middle + 1;
    }
    let first = low * CHUNK;
    while (first < this.length && this.end(first) < from && first < (low + 1) * CHUNK) first += 1;
    let last = this.before(to);
    while (last < this.length && this.start(last) === to) last += 1;
    return [Math.min(first, last), last];
  }

  /** Those of [first, last) that are at least `least` long, and at most `most` of them. */
  long(first: number, last: number, least: number, most: number): number[] {
    const found: number[] = [];
    for (let i = first; i < last && found.length < most;) {
      const chunk = Math.floor(i / CHUNK);
      const next = Math.min(last, (chunk + 1) * CHUNK);
      if (this.#longest[chunk] >= least)
        for (let j = i; j < next && found.length < most; j++) if (this.end(j) - this.start(j) >= least) found.push(j);
      i = next;
    }
    return found;
  }

  /** Goes through the columns, each `width` wide and the first from `from` on, that the intervals [first, last) touch. */
  columns(
    [first, last]: readonly [number, number],
    { from, width, count }: { readonly from: number; readonly width: number; readonly count: number },
    flags: Uint8Array | null,
    visit: (column: Column) => void,
  ): void {
    const all = new Sweep(this, this.#all);
    const some = flags === null ? null : new Sweep(this, this.#matching(flags));
    let i = first;
    let index = Math.max(0, Math.floor((this.start(first) - from) / width));
    for (; index < count; index++) {
      const [left, right] = [from + index * width, from + (index + 1) * width];
      const isFirst = i === first && index === 0;
      const next = index === count - 1 ? last : Math.min(last, Math.max(i, this.before(right)));
      const full = all.take(i, next, left, right, isFirst);
      const matching = some === null ? full : some.take(i, next, left, right, isFirst);
      if (full >= 0) visit({ index, full, kind: all.kind, matching, matchingKind: (some ?? all).kind });
      if (next === last && !(all.reach > right)) break;
      // On to where the next one starts, over what is idle.
      if (full < 0) index = Math.max(index, Math.floor((this.start(next) - from) / width) - 1);
      i = next;
    }
  }

  #matching(flags: Uint8Array): Sums {
    if (this.#filtered?.flags !== flags) this.#filtered = { flags, sums: new Sums(this, flags) };
    return this.#filtered.sums;
  }

  /** The intervals that touch [from, to]; the walk ends where it is told to, by `false`. */
  under(from: number, to: number, visit: (i: number) => boolean | void): void {
    const [first, last] = this.touching(from, to);
    for (let i = last - 1; i >= first; i--) if (this.end(i) >= from && visit(i) === false) return;
  }
}

/** Goes through a lane's columns from left to right, and remembers what reaches into the next ones. */
class Sweep {
  /** The latest end so far. */
  reach = -Infinity;
  /** The busiest kind of the column taken last. */
  kind = 0;
  /** Which interval that is; -1 where it does not reach beyond its column. */
  #reaching = -1;
  readonly #busy = new Float64Array(KINDS);

  constructor(
    private readonly of: Intervals,
    private readonly sums: Sums,
  ) {}

  /**
   * How much of [left, right), in which the intervals [first, last) start, is busy; -1 when none is there. Those that
   * start before a window's first column may have ended before it, too.
   */
  take(first: number, last: number, left: number, right: number, isFirst: boolean): number {
    const [busy, { of, sums }] = [this.#busy.fill(0), this];
    const carried = Math.min(this.reach, right) - left;
    let some = -1;
    if (carried > 0) busy[of.kind((some = this.#reaching))] += carried;
    for (let i = first; i < last;) {
      const next = Math.min(last, i - (i % CHUNK) + CHUNK);
      if (next - i === CHUNK && !isFirst) {
        if (this.#chunk(i / CHUNK, right)) some = i;
      } else
        for (let j = i; j < next; j++) {
          const [start, end] = [of.start(j), of.end(j)];
          if (!sums.has(j) || (isFirst && start < left && end <= left)) continue;
          busy[of.kind((some = j))] += end - Math.max(left, start);
          if (end > this.reach) [this.reach, this.#reaching] = [end, j];
        }
      i = next;
    }
    if (some < 0) return -1;
    if (this.reach > right && this.#reaching >= first) busy[of.kind(this.#reaching)] -= this.reach - right;
    return this.#share(right - left, of.kind(some));
  }

  /** Adds a whole chunk; whether anything of it counts. */
  #chunk(chunk: number, right: number): boolean {
    const { of, sums } = this;
    sums.look(chunk);
    if (sums.count[chunk] === 0) return false;
    for (let kind = 0; kind < KINDS; kind++) this.#busy[kind] += sums.busy[chunk * KINDS + kind];
    if (sums.latest[chunk] <= this.reach) return true;
    this.reach = sums.latest[chunk];
    // Which of them it is only matters beyond the column.
    for (let i = chunk * CHUNK; this.reach > right && i < (chunk + 1) * CHUNK; i++)
      if (sums.has(i) && of.end(i) === this.reach) this.#reaching = i;
    return true;
  }

  #share(width: number, otherwise: number): number {
    let [sum, most] = [0, 0];
    this.kind = otherwise;
    for (let kind = 0; kind < KINDS; kind++) {
      sum += this.#busy[kind];
      if (this.#busy[kind] > most) [most, this.kind] = [this.#busy[kind], kind];
    }
    return Math.min(1, Math.max(0, sum / width));
  }
}
