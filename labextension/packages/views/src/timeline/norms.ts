import { KIND, PHASE } from "@tapeviz/recording";
import type { Facts } from "../facts";
import { glyphText, magnitude, magnitudeOf, type Magnitude } from "../figures";
import type { Repeat, Repeats } from "./repeats";

/** The norms of gradients of the blocks of a repeat, in their order; null for a block without any. */
export interface BlockNorms {
  /** Of what: the sources that a backward pass within the block was asked for, or what a block hands on. */
  readonly of: "sources" | "output";
  readonly blocks: readonly (Magnitude | null)[];
}

export const NORMS_OF: Readonly<Record<BlockNorms["of"], string>> = {
  sources: "of all gradients asked for, as one",
  output: "of what each block hands on",
};

/** Of steps that hold a backward pass all gradients that it was asked for, as one; of others the one of what leaves a block. */
export function blockNorms(facts: Facts, repeats: Repeats, repeat: Repeat): BlockNorms {
  const starts = Array.from({ length: repeat.times }, (_, n) => repeats.first(repeat.items[n * repeat.period]));
  const last = repeats.last(repeat.items[repeat.items.length - 1]);
  const asked = requestedNorms(facts, starts, last);
  if (asked.some((norm) => norm !== null)) return { of: "sources", blocks: asked };
  const ends = starts.map((_, n) => (n + 1 < starts.length ? starts[n + 1] - 1 : last));
  return { of: "output", blocks: starts.map((start, n) => leavingNorm(facts, start, ends[n])) };
}

function requestedNorms(facts: Facts, starts: readonly number[], last: number): (Magnitude | null)[] {
  const { requests } = facts.recording;
  const norms: (Magnitude | null)[] = starts.map(() => null);
  let block = 0;
  for (let i = 0; i < requests.rows; i++) {
    const row = facts.eventRow(requests.event[i]);
    if (row < starts[0] || row > last || requests.gradient[i] < 0) continue;
    if (row < starts[block]) block = 0;
    while (block + 1 < starts.length && starts[block + 1] <= row) block += 1;
    norms[block] = together(norms[block], magnitudeOf(facts, requests.gradient[i]));
  }
  return norms;
}

/** The norm of two tensors as one; of what is no number the graver. */
function together(a: Magnitude | null, b: Magnitude): Magnitude {
  if (a === null) return b;
  const states = [a.state, b.state];
  for (const state of ["nan", "evicted", "pending"] as const) if (states.includes(state)) return magnitude(state);
  const norm = Math.hypot(a.norm, b.norm);
  return norm === 0 ? magnitude("zero", 0) : magnitude("number", norm);
}

/** The gradient of the last tensor that something behind a block reads; what a backward block makes is one itself. */
function leavingNorm(facts: Facts, start: number, end: number): Magnitude | null {
  const { events } = facts.recording;
  const isRead = (tensor: number): boolean => facts.consumers(tensor).some((event) => facts.eventRow(event) > end);
  for (let row = end; row >= start; row--) {
    if (events.kind[row] !== KIND.op) continue;
    for (const tensor of facts.outputs(events.id[row])) {
      const gradient = events.phase[row] === PHASE.backward ? tensor : facts.gradient(tensor);
      if (gradient >= 0 && isRead(tensor)) return magnitudeOf(facts, gradient);
    }
  }
  return null;
}

const FEW = 8;

/** Norms in words: one after the other where they are few, else the first, the last and the extremes. */
export function normsText(blocks: readonly (Magnitude | null)[]): string {
  const known = blocks.filter((one) => one !== null);
  if (known.length <= FEW) return known.map(glyphText).join(", ");
  const numbers = known.filter(({ state }) => state === "number").sort((a, b) => a.norm - b.norm);
  const others = known.length - numbers.length;
  const [first, last] = [known[0], known[known.length - 1]];
  const range =
    numbers.length > 0 ? `, from ${glyphText(numbers[0])} to ${glyphText(numbers[numbers.length - 1])}` : "";
  const lost = others > 0 ? `, ${others} of ${known.length} no number or 0` : "";
  return `first ${glyphText(first)}, last ${glyphText(last)}${range}${lost}`;
}
