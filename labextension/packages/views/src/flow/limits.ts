import type { Facts } from "../facts";
import type { Pass } from "./passes";

/** Between which norms a gradient is of a size to learn from. The rule is that of the verdicts. */
export interface Limits {
  /** Vanishing below, exploding above; NaN where the parameter's own norm is not known. */
  readonly low: number;
  readonly high: number;
}

/** A gradient vanishes when the root mean square of its elements is below this part of the largest in the call, and ... */
const PART_OF_LARGEST = 1e-5;
/** ... its norm below this part of the parameter's own norm. */
const PART_OF_OWN = 1e-6;
/** It explodes above so many times the parameter's norm, which counts as at least 1 an element. */
const TIMES_OWN = 1e3;

/** The limits of every source of a call of `gradient()`, by its tensor. */
export function limitsOf(facts: Facts, pass: Pass): Map<number, Limits> {
  const { stats } = facts.recording;
  const norm = (tensor: number): number => (facts.stat(tensor) < 0 ? NaN : stats.norm[facts.stat(tensor)]);
  const sources = pass.requests.map(({ source, gradient }) => {
    const root = Math.sqrt(
      Math.max(
        1,
        facts.shape(source).reduce((a, b) => a * b, 1),
      ),
    );
    return { source, root, own: norm(source), mean: gradient < 0 ? NaN : norm(gradient) / root };
  });
  const largest = sources.reduce((most, { mean }) => (mean > most && mean < Infinity ? mean : most), 0);
  return new Map(
    sources.map(({ source, root, own }) => {
      const beside = PART_OF_LARGEST * largest * root;
      const low = own > 0 ? Math.min(beside, PART_OF_OWN * own) : beside;
      return [
        source,
        { low: Number.isNaN(own) ? NaN : low, high: TIMES_OWN * Math.max(own < Infinity ? own : 0, root) },
      ];
    }),
  );
}
