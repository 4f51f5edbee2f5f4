import { KIND, type Recording } from "@tapeviz/recording";
import { factsOf, type Facts } from "../facts";
import { repeats, titleOfRepeat, withoutNumbers } from "../layered/repeats";

/** Blocks that look the same and follow one another, in one span or in none: layers of a model, steps of a loop. */
export interface Repeat {
  /** The same however often it is found. */
  readonly key: string;
  readonly title: string;
  /** Forward or backward, as its first event. */
  readonly phase: number;
  /** How many items a block has, and how many blocks there are. */
  readonly period: number;
  readonly times: number;
  /** What the blocks hold, one after the other. */
  readonly items: Int32Array;
}

/** With at most so many ops nothing is folded. */
const FEW_OPS = 60;
/** Spans around everything: what is in them is a list of its own as it would be without them. */
export const isWhole = (facts: Facts, event: number): boolean => facts.span(event).kind === "cell";

/**
 * Finds what repeats among the items of a span: rows of ops and spans, in which ~n stands for the repeat number n. A list
 * is looked at when it is asked for: what lies in a closed repeat never is.
 */
export class Repeats {
  readonly found: Repeat[] = [];
  readonly #facts: Facts;
  readonly #signs: Int32Array;
  readonly #lists = new Map<number, Int32Array>();
  readonly #isFolding: boolean;

  constructor(private readonly recording: Recording) {
    this.#facts = factsOf(recording);
    this.#isFolding = countOps(recording) > FEW_OPS;
    this.#signs = this.#isFolding ? signsOf(this.#facts) : new Int32Array();
  }

  /** The items of a span, of none with -1. */
  list(span: number): Int32Array {
    const known = this.#lists.get(span);
    if (known) return known;
    const list = this.#folded(this.#rows(span));
    this.#lists.set(span, list);
    return list;
  }

  /** The items of a block of a repeat: what repeats within it is one again. */
  block(repeat: Repeat, number: number): Int32Array {
    const { items, period } = repeat;
    return this.#folded(items.subarray(number * period, (number + 1) * period));
  }

  /** The row of the first event of an item. */
  first(item: number): number {
    let at = item;
    while (at < 0) at = this.found[~at].items[0];
    return at;
  }

  /** The row of the last event of an item. */
  last(item: number): number {
    let at = item;
    while (at < 0) at = this.found[~at].items[this.found[~at].items.length - 1];
    const { events } = this.recording;
    for (let inside = this.#facts.children(events.id[at]); inside.length > 0;) {
      at = this.#facts.eventRow(inside[inside.length - 1]);
      inside = this.#facts.children(events.id[at]);
    }
    return at;
  }

  /** Ops and spans, without pauses and marks. */
  #rows(span: number): Int32Array {
    const { events } = this.recording;
    const { eventRow } = this.#facts;
    const isItem = (row: number): boolean => events.kind[row] === KIND.op || events.kind[row] === KIND.span;
    if (span >= 0) return this.#facts.children(span).map(eventRow).filter(isItem);
    const rows = new Int32Array(events.rows);
    let count = 0;
    for (let row = 0; row < events.rows; row++)
      if (isItem(row) && eventRow(events.parent[row]) < 0) rows[count++] = row;
    return rows.slice(0, count);
  }

  /** Again and again: a step that repeats may hold what repeats within it. */
  #folded(list: Int32Array): Int32Array {
    let items = list;
    for (let shorter = this.#once(items); shorter.length < items.length; shorter = this.#once(items)) items = shorter;
    return items;
  }

  #once(items: Int32Array): Int32Array {
    if (!this.#isFolding) return items;
    const { events } = this.recording;
    const signs = items.map((item) => this.#sign(item));
    const all = repeats(signs, (i) => items[i] < 0 || events.kind[items[i]] === KIND.span);
    if (all.length === 0) return items;
    const folded: number[] = [];
    let at = 0;
    for (const { start, period, times } of all) {
      for (; at < start; at++) folded.push(items[at]);
      at += period * times;
      folded.push(~this.#add(items.slice(start, at), period, times));
    }
    for (; at < items.length; at++) folded.push(items[at]);
    return Int32Array.from(folded);
  }

  #sign(item: number): number {
    if (item >= 0) return this.#signs[item];
    const { items, period, times } = this.found[~item];
    let sign = times;
    for (let i = period - 1; i >= 0; i--) sign = mixed(sign, this.#sign(items[i]));
    return sign | SPAN_SIGN;
  }

  #add(items: Int32Array, period: number, times: number): number {
    const [first, last] = [this.first(items[0]), this.first(items[items.length - 1])];
    const phase = this.recording.events.phase[first];
    const title = this.#title(items.subarray(0, period));
    this.found.push({ key: `${first} ${last} ${period}`, title, phase, period, times, items });
    return this.found.length - 1;
  }

  /** A span's name where a block is one, else the lines of what is in it. */
  #title(block: Int32Array): string {
    const { events, sites } = this.recording;
    const facts = this.#facts;
    const [item] = block;
    if (block.length === 1 && item < 0) return this.found[~item].title;
    if (block.length === 1 && events.kind[item] === KIND.span) return titleOfRepeat(facts.title(events.id[item]));
    const places = [...block].map((one) => facts.site(events.id[this.first(one)])).filter((site) => site >= 0);
    const lines = places.map((site) => sites.line[site]).filter((line) => line > 0);
    if (lines.length === 0 || places.some((site) => sites.file[site] !== sites.file[places[0]])) return "block";
    const [from, to] = [lines.reduce((a, b) => Math.min(a, b)), lines.reduce((a, b) => Math.max(a, b))];
    return from === to ? `line ${from}` : `lines ${from}–${to}`;
  }
}

const known = new WeakMap<Recording, { version: number; repeats: Repeats }>();

/** What repeats in a recording, looked for again only when rows were added. */
export function repeatsOf(recording: Recording): Repeats {
  const before = known.get(recording);
  if (before?.version === recording.version) return before.repeats;
  const found = new Repeats(recording);
  known.set(recording, { version: recording.version, repeats: found });
  return found;
}

function countOps({ events }: Recording): number {
  let count = 0;
  for (let row = 0; row < events.rows; row++) count += Number(events.kind[row] === KIND.op);
  return count;
}

/** Signs of spans are negative, those of ops are not. */
const SPAN_SIGN = 1 << 31;
const mixed = (a: number, b: number): number => Math.imul(Math.imul(a, 31) ^ b, 0x9e3779b1) ^ (b >>> 15);

/**
 * Equal numbers for what looks the same: the same op on the same line, a span of the same name and contents. Children
 * stand behind their spans: from the last event on, what a span holds is known when it is come to.
 */
function signsOf(facts: Facts): Int32Array {
  const { events } = facts.recording;
  const lines = linesOf(facts.recording);
  const signs = new Int32Array(events.rows);
  const titles = new Map<string, number>();
  for (let row = events.rows - 1; row >= 0; row--) {
    if (events.kind[row] === KIND.op) {
      const own = events.site[row];
      const site = events.origin[row] < 0 ? own : events.site[facts.eventRow(events.origin[row])];
      signs[row] = (Math.imul((lines[site] ?? -1) + 1, OPS) + events.op[row] + 1) & ~SPAN_SIGN;
    } else if (events.kind[row] === KIND.span) {
      const { kind, name } = facts.span(events.id[row]);
      const title = `${kind}:${withoutNumbers(name)}`;
      const number = titles.get(title) ?? titles.size;
      titles.set(title, number);
      signs[row] = mixed(signs[row], number) | SPAN_SIGN;
    } else continue;
    const around = facts.eventRow(events.parent[row]);
    if (around >= 0) signs[around] = mixed(signs[around], signs[row]);
  }
  return signs;
}

/** More than there are ops. */
const OPS = 4096;

/** A number for each site: those on one line of one file have the same. */
function linesOf({ sites }: Recording): Int32Array {
  const numbers = new Map<string, number>();
  return Int32Array.from(sites.line, (line, site) => {
    const key = `${sites.cell[site]} ${sites.file[site]} ${line}`;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
}
