import { HEALTHS, type Recording } from "@tapeviz/recording";
import { meta } from "./facts";

/** What a gradient was judged to be. The rule and its thresholds are Python's; the recording carries what came of it. */
export type Health = (typeof HEALTHS)[number];

export interface Judgement {
  readonly health: Health;
  /** Vanishing below this norm, exploding above that one; NaN where it is not known. */
  readonly low: number;
  readonly high: number;
}

/** What the findings of a recording are about. */
export interface LookedFor {
  /** "No finding; looked for ...". */
  readonly text: string;
  /** The kinds that nothing looks for yet, as a sentence. */
  readonly not: string;
  /** What was not looked at, as sentences. */
  readonly unseen: readonly string[];
  /** How many findings the user dismissed, with their lines; empty or missing for none. */
  readonly expected?: string;
}

/** What is said of a recording that nobody has judged, such as one that is still written. */
export const NOT_JUDGED = "Findings have not been looked for yet, nor gradients judged";

/** What was looked for; null for a recording that nobody has judged. */
export const lookedFor = (recording: Recording): LookedFor | null => meta<LookedFor>(recording, "looked_for") ?? null;

/** What gradients were judged to be. A gradient that nobody asked for and that is well has no judgement. */
export class Judgements {
  readonly #ofGradient = new Map<number, number>();
  readonly #ofSource = new Map<string, number>();

  constructor(private readonly recording: Recording) {
    const { health } = recording;
    for (let row = 0; row < health.rows; row++) {
      if (health.gradient[row] >= 0) this.#ofGradient.set(health.gradient[row], row);
      if (health.request[row] >= 0) this.#ofSource.set(`${health.tensor[row]} ${health.gradient[row]}`, row);
    }
  }

  /** Of a gradient, by its tensor. */
  ofGradient(gradient: number): Judgement | null {
    return this.#at(this.#ofGradient.get(gradient));
  }

  /** Of a source that was asked for, by the source and its gradient. */
  ofSource(source: number, gradient: number): Judgement | null {
    return this.#at(this.#ofSource.get(`${source} ${gradient}`));
  }

  #at(row: number | undefined): Judgement | null {
    if (row === undefined) return null;
    const { health, low, high } = this.recording.health;
    return { health: HEALTHS[health[row]] ?? "unknown", low: low[row], high: high[row] };
  }
}

const known = new WeakMap<Recording, { version: number; judgements: Judgements }>();

/** The judgements of a recording, read again only when rows were added. */
export function judgementsOf(recording: Recording): Judgements {
  const before = known.get(recording);
  if (before?.version === recording.version) return before.judgements;
  const judgements = new Judgements(recording);
  known.set(recording, { version: recording.version, judgements });
  return judgements;
}
