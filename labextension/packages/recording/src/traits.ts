import type { Recording } from "./recording";

const known = new WeakMap<Recording, Map<number, ReadonlySet<string>>>();
const NONE: ReadonlySet<string> = new Set();

/** What is true of an op, by its row of `ops`: words such as `identity` or `reads_variable`. */
export function traitsOf(recording: Recording, op: number): ReadonlySet<string> {
  const said = recording.ops.traits[op];
  if (!said) return NONE;
  let rows = known.get(recording);
  if (!rows) known.set(recording, (rows = new Map<number, ReadonlySet<string>>()));
  let traits = rows.get(op);
  if (!traits) rows.set(op, (traits = new Set(said.split(" "))));
  return traits;
}
