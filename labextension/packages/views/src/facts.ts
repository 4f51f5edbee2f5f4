import { KIND, KINDS, Queries, type Recording } from "@tapeviz/recording";
import { familyOf, type Family } from "@tapeviz/core";

const TITLES: Readonly<Record<string, string>> = { gc: "GC pause", transfer: "transfer", marker: "marker" };

/** The queries of a recording, in the words of the views. Events and tensors are given by their ids. */
export class Facts extends Queries {
  override title(event: number): string {
    const kind = KINDS[this.recording.events.kind[this.eventRow(event)]];
    return TITLES[kind] ?? super.title(event);
  }

  /** As the queries', but a gradient without a name of its own is "∇h". */
  override name(tensor: number): string {
    // A gradient may pass through several tensors unchanged: it is called after the first.
    const row = this.isNamed(tensor) ? -1 : this.index.gradientOf(tensor);
    const of = row < 0 ? -1 : this.recording.gradients.tensor[row];
    return of < 0 || of === tensor ? super.name(tensor) : `∇${super.name(of)}`;
  }

  /** True for what ran: not a span, a pause or a mark. */
  isOp(event: number): boolean {
    return this.recording.events.kind[this.eventRow(event)] === KIND.op;
  }

  /** True for a step of a backward pass: what takes an op's gradient back to what the op read. */
  isStep(event: number): boolean {
    const row = this.eventRow(event);
    return this.isBackward(event) && (this.recording.events.origin[row] ?? -1) >= 0;
  }

  family(event: number): Family {
    const { events, ops } = this.recording;
    return familyOf(ops.family[events.op[this.eventRow(event)]] ?? "");
  }
}

const known = new WeakMap<Recording, { version: number; facts: Facts }>();

/** The facts of a recording, made again only when rows were added. */
export function factsOf(recording: Recording): Facts {
  const before = known.get(recording);
  if (before?.version === recording.version) return before.facts;
  const facts = new Facts(recording);
  known.set(recording, { version: recording.version, facts });
  return facts;
}

/** A fact of the `meta` table, the latest; undefined when it is missing or no JSON. */
export const meta = <T>(recording: Recording, key: string): T | undefined => factsOf(recording).meta<T>(key);
