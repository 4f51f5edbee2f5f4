import { format, STATES, type State } from "@tapeviz/core";
import type { Facts } from "./facts";

/** How large something is, or which of the five other things it is; `norm` is NaN where there is no number. */
export interface Magnitude {
  readonly state: State | "number" | keyof typeof UNKNOWN;
  readonly norm: number;
}

/** No gradient is known, and none is missing: nobody asked, or a loop is differentiated as one step. */
const UNKNOWN = { unasked: "not asked", unseen: "inside one step" } as const;
const isUnknown = (state: Magnitude["state"]): state is keyof typeof UNKNOWN => state in UNKNOWN;

export const magnitude = (state: Magnitude["state"], norm = NaN): Magnitude => ({ state, norm });

/** The figures of a tensor that a card shows. */
export interface Figures {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly nan: number;
  readonly inf: number;
  /** Counts in equal bins from min to max; empty where there are none. */
  readonly bins: Uint32Array;
}

export function figuresOf(facts: Facts, tensor: number): Figures | null {
  const row = facts.stat(tensor);
  if (row < 0) return null;
  const { stats } = facts.recording;
  const raw = stats.histogram[row] ?? new Uint8Array();
  const bins = new Uint32Array(raw.slice(0, raw.length - (raw.length % 4)).buffer);
  const inf = stats.posinf[row] + stats.neginf[row];
  return { min: stats.min[row], max: stats.max[row], mean: stats.mean[row], nan: stats.nan[row], inf, bins };
}

/** How large a gradient is; -1 is None. */
export function magnitudeOf(facts: Facts, gradient: number): Magnitude {
  if (gradient < 0) return magnitude("none");
  const row = facts.stat(gradient);
  if (row < 0) {
    const evicted = facts.meta<{ tensors?: number }>("evicted")?.tensors ?? 0;
    return magnitude(evicted > 0 ? "evicted" : "pending");
  }
  const { stats } = facts.recording;
  const norm = stats.norm[row];
  if (stats.nan[row] > 0 || Number.isNaN(norm)) return magnitude("nan");
  return norm === 0 ? magnitude("zero", 0) : magnitude("number", norm);
}

/** A magnitude as text: a number, or the word for what it is instead. */
export function magnitudeText({ state, norm }: Magnitude): string {
  if (state === "number") return format.number(norm);
  return isUnknown(state) ? UNKNOWN[state] : STATES[state].text;
}

/** A magnitude with the glyph that goes with its word; a number and "exactly 0" need none. */
export function glyphText(magnitude: Magnitude): string {
  const { state } = magnitude;
  if (state === "number" || state === "zero") return magnitudeText(magnitude);
  return `${isUnknown(state) ? "–" : STATES[state].glyph} ${magnitudeText(magnitude)}`;
}

/** A range of values in a few letters: "−1.2 … 3.4", one number where all are equal, what is not finite first. */
export function rangeText(figures: Figures): string {
  const { min, max, nan, inf } = figures;
  const bad = [nan > 0 ? `${format.count(nan)} NaN` : "", inf > 0 ? `${format.count(inf)} inf` : ""].filter(Boolean);
  if (bad.length > 0) return bad.join(", ");
  if (Number.isNaN(min)) return "";
  if (min === max) return format.number(min);
  // Two bounds that differ are not written alike, as long as a few digits can tell them apart.
  const pairs = [2, 3, 4].map((digits) => [format.number(min, digits), format.number(max, digits)]);
  return (pairs.find(([low, high]) => low !== high) ?? pairs[0]).join(" … ");
}

/** The user's name of a tensor or its variable's; "" where it has none. */
export const userName = (facts: Facts, tensor: number): string =>
  tensor >= 0 && facts.isNamed(tensor) ? facts.name(tensor) : "";

/** "line 9", or "" where that is not known. */
export function lineOf(facts: Facts, event: number): string {
  const location = facts.location(event);
  return location && location.line > 0 ? `line ${location.line}` : "";
}
