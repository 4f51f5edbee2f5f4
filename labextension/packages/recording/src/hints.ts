// Why a condition holds for nothing: the twin of hints.py.

import { OUTER } from "./filter";
import { nearest, type Term } from "./grammar";
import { queriesOf, type Queries } from "./queries";
import type { Recording } from "./recording";
import { KIND } from "./tables.gen";

const NOUNS = { op: "op", name: "tensor", wrt: "tensor", module: "module", device: "device" } as const;
type Named = keyof typeof NOUNS;

/** What to write instead of a term that holds for nothing, in a sentence; empty where its key goes by no names. */
export function hintOf(recording: Recording, term: Term): string {
  if (term.key === "word") return `nothing has '${term.values[0]}' in its name`;
  if (!isNamed(term)) return "";
  const names = namesOf(queriesOf(recording), term.key);
  return term.values.map((value) => hintOfValue(term.key, value, names)).join("; ");
}

function isNamed(term: Term): term is Term & { readonly key: Named; readonly values: readonly string[] } {
  return Object.hasOwn(NOUNS, term.key);
}

function hintOfValue(key: Named, value: string, names: readonly string[]): string {
  const noun = NOUNS[key];
  if (/[*?]/.test(value)) return `no ${noun}'s name is like '${value}'`;
  const low = value.toLowerCase();
  const longer = names.find((name) => name.toLowerCase().startsWith(low));
  if (longer) return `no ${noun} is called '${value}'; ${key}:${value}* finds '${longer}'`;
  const lower = names.map((name) => name.toLowerCase());
  const near = names[lower.indexOf(nearest(low, lower))];
  return `no ${noun} is called '${value}'${near ? `; did you mean '${near}'?` : ""}`;
}

/** What there is of a kind, each name once, in the order of the recording. */
function namesOf(queries: Queries, key: Named): string[] {
  const { ops, names, variables, devices } = queries.recording;
  switch (key) {
    case "op":
      return [...new Set(ops.name)];
    case "device":
      return [...new Set(devices.name)];
    case "module":
      return modulesOf(queries);
    default:
      return [...new Set([...names.name, ...variables.name.map((name) => name.replace(/:0$/, ""))])];
  }
}

/** The names of spans of the user's program, and their last parts. */
function modulesOf(queries: Queries): string[] {
  const { events } = queries.recording;
  const found = new Set<string>();
  events.kind.forEach((kind, row) => {
    if (kind !== KIND.span) return;
    const span = queries.span(events.id[row]);
    if (!OUTER.has(span.kind)) found.add(span.name).add(span.name.slice(span.name.lastIndexOf("/") + 1));
  });
  return [...found];
}
