import { KIND, rankName, rankOfEvent, type Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import type { Axis } from "./axis";
import { Intervals } from "./intervals";
import type { Lane } from "./model";
import { isWhole, repeatsOf, type Repeat, type Repeats } from "./repeats";
import { sortedByStart } from "./sort";

/** What stands for all blocks of a repeat, or for one of them. */
export interface RepeatBar {
  readonly repeat: Repeat;
  readonly isOpen: boolean;
  /** Which of the blocks; -1 for all. */
  readonly block: number;
  /** Where each block begins on the x-axis, and where the last one ends, from left to right. */
  readonly edges: Float64Array;
  /** Whether the first block is the rightmost: steps of a pass stand under their partners where the axis has no time. */
  readonly isReversed: boolean;
}

/** From left to right which block stands at a place, and at which place a block does. */
export const mirrored = ({ repeat, isReversed }: Pick<RepeatBar, "repeat" | "isReversed">, place: number): number =>
  isReversed ? repeat.times - 1 - place : place;

interface Placed {
  readonly phase: number;
  readonly depth: number;
  readonly row: number;
  readonly start: number;
  readonly end: number;
  readonly bar: RepeatBar | null;
}

const DEEPEST = 4;
const NONE = new Int32Array(0);

/** The spans by how deep they lie in each other, outermost first; what repeats is one bar until it is opened. */
export function spanLanes(recording: Recording, axis: Axis, opened: ReadonlySet<string>): Lane[] {
  const groups = new Map<string, Placed[]>();
  for (const one of new Placement(recording, axis, opened).all()) {
    const key = `${one.phase} ${one.depth} ${rankOfEvent(recording, one.row)}`;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()].map((group) => laneOf(group, rankName(recording, rankOfEvent(recording, group[0].row))));
}

/** The repeats that are seen while all are closed, in the order of time. */
export function outermostRepeats(recording: Recording): Repeat[] {
  const [{ events }, repeats] = [recording, repeatsOf(recording)];
  const seen: Repeat[] = [];
  const walk = (items: Int32Array): void => {
    for (const item of items) {
      if (item < 0) seen.push(repeats.found[~item]);
      else if (events.kind[item] === KIND.span) walk(repeats.list(events.id[item]));
    }
  };
  walk(repeats.list(-1));
  return seen;
}

function laneOf(group: readonly Placed[], where: string): Lane {
  const [{ phase, depth }] = group;
  const start = Float64Array.from(group, (one) => one.start);
  const end = Float64Array.from(group, (one) => one.end);
  const at = sortedByStart([...group.keys()], start);
  const bars = new Map<number, RepeatBar>();
  at.forEach((from, i) => group[from].bar && bars.set(i, group[from].bar));
  return {
    kind: "span",
    phase,
    depth,
    title: depth > 1 || phase > 0 ? "" : bars.size === group.length ? "repeats" : "scope",
    isReversed: false,
    where,
    row: at.map((from) => group[from].row),
    intervals: new Intervals(at, start, end, null),
    marked: NONE,
    bars,
  };
}

/** Goes through what is open, from the outside in. */
class Placement {
  readonly #placed: Placed[] = [];
  readonly #repeats: Repeats;

  constructor(
    private readonly recording: Recording,
    private readonly axis: Axis,
    private readonly opened: ReadonlySet<string>,
  ) {
    this.#repeats = repeatsOf(recording);
  }

  all(): readonly Placed[] {
    this.#list(this.#repeats.list(-1), { phase: 0, depth: 0, deepest: DEEPEST });
    return this.#placed;
  }

  #list(items: Int32Array, around: Around): void {
    for (const item of items) {
      if (item < 0) this.#repeat(~item, around);
      else if (this.recording.events.kind[item] === KIND.span) this.#span(item, around);
    }
  }

  #span(row: number, around: Around): void {
    const { events } = this.recording;
    const facts = factsOf(this.recording);
    const id = events.id[row];
    const inside = isWhole(facts, id) ? around : within(around, events.phase[row]);
    const [start, end] = [this.axis.start[row], this.axis.end[row]];
    if (inside !== around && end > start) this.#put(row, inside, start, end, null);
    this.#list(this.#repeats.list(id), inside);
  }

  #repeat(number: number, around: Around): void {
    const repeat = this.#repeats.found[number];
    const { items, period, times, phase, key } = repeat;
    const inside = within(around, phase);
    const isReversed = this.#isReversed(repeat);
    const edges = this.#edges(isReversed ? { ...repeat, items: items.toReversed() } : repeat);
    const isOpen = this.opened.has(key);
    const row = this.#repeats.first(items[0]);
    const all = { repeat, isOpen, block: -1, edges, isReversed };
    if (edges[times] > edges[0]) this.#put(row, inside, edges[0], edges[times], all);
    if (!isOpen) return;
    const blocks = { ...inside, deepest: inside.deepest + 1 };
    if (period === 1) return this.#list(items, blocks);
    const contents = { ...within(blocks, phase), deepest: blocks.deepest + 1 };
    for (let block = 0; block < times; block++) {
      const part = this.#repeats.block(repeat, block);
      const start = edges[mirrored(all, block)];
      const end = this.#end(isReversed ? part.toReversed() : part, phase, start);
      if (end > start) this.#put(this.#repeats.first(part[0]), within(blocks, phase), start, end, { ...all, block });
      this.#list(part, contents);
    }
  }

  #put(row: number, { phase, depth, deepest }: Around, start: number, end: number, bar: RepeatBar | null): void {
    if (depth <= deepest) this.#placed.push({ phase, depth, row, start, end, bar });
  }

  #isReversed({ items, phase }: Repeat): boolean {
    const [first, last] = [this.#repeats.first(items[0]), this.#repeats.first(items[items.length - 1])];
    return !this.axis.isTimed && phase === 1 && this.axis.start[last] < this.axis.start[first];
  }

  #edges({ items, period, times, phase }: Repeat): Float64Array {
    const edges = new Float64Array(times + 1);
    for (let block = 0; block < times; block++) {
      const at = items.subarray(block * period, (block + 1) * period);
      edges[block] = this.#start(at, phase, block > 0 ? edges[block - 1] : this.axis.domain[1]);
    }
    edges[times] = this.#end(items.subarray(-period), phase, edges[times - 1]);
    return edges;
  }

  /** Where the first item that has a place begins: without time only those of one phase stand side by side. */
  #start(items: Int32Array, phase: number, otherwise: number): number {
    for (const item of items) {
      const row = this.#repeats.first(item);
      if (this.#isBeside(row, phase)) return this.axis.start[row];
    }
    return otherwise;
  }

  #end(items: Int32Array, phase: number, otherwise: number): number {
    for (let i = items.length - 1; i >= 0; i--) {
      let item = items[i];
      while (item < 0) item = this.#repeats.found[~item].items.at(-1)!;
      if (this.#isBeside(item, phase)) return Math.max(otherwise, this.axis.end[item]);
    }
    return otherwise;
  }

  #isBeside(row: number, phase: number): boolean {
    const { start, end, isTimed } = this.axis;
    return end[row] > start[row] && (isTimed || this.recording.events.phase[row] === phase);
  }
}

interface Around {
  readonly phase: number;
  readonly depth: number;
  /** From here on nothing is drawn. */
  readonly deepest: number;
}

/** One deeper; what goes backward begins anew. */
const within = ({ depth, deepest, ...around }: Around, phase: number): Around => ({
  phase,
  depth: (phase === around.phase ? depth : 0) + 1,
  deepest,
});
