// Finding events and tensors by a filter: the twin of query.py and masks.py.
//
// A term about tensors holds for the events that made such a tensor (name and words: that read or made one), a term
// about events for the tensors they made. Backward events stand on the line and in the module of their forward
// partners, too.

import { maskWhere, masksOfEvents, masksOfTensors, eventsTouching, withPartners, type Mask, type Masks } from "./masks";
import { parseFilter, type Comparison, type Term } from "./grammar";
import { onPath } from "./paths";
import { rankOfEvent } from "./ranks";
import { queriesOf, type Queries } from "./queries";
import type { Recording } from "./recording";
import { rowsOf } from "./lists";
import { DTYPES, KIND, PHASES, ROLE, SOURCE } from "./tables.gen";

/** What a filter holds for: ids in the order of the recording, and a flag for each row. */
export interface Selection {
  readonly events: Int32Array;
  readonly tensors: Int32Array;
  readonly eventFlags: Mask;
  readonly tensorFlags: Mask;
}

export type TextPredicate = (text: string) => boolean;

/** Spans that are not part of the user's program. */
export const OUTER: ReadonlySet<string> = new Set(["backward", "tape", "cell"]);

const COMPARISONS: Readonly<Record<Comparison, (a: number, b: number) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

/** The events and tensors for which every term holds; an empty filter selects all. Throws a `FilterError`. */
export function select(recording: Recording, text: string): Selection {
  const { events, tensors } = recording;
  const eventFlags = selectEvents(recording, text);
  const tensorFlags = allOf(tensors.rows, text, (term) => masksOf(queriesOf(recording), term).tensors);
  return {
    events: events.id.filter((_, row) => eventFlags[row] === 1),
    tensors: tensors.id.filter((_, row) => tensorFlags[row] === 1),
    eventFlags,
    tensorFlags,
  };
}

/** A flag for each event, as in `select`, where nobody asks for tensors. */
export function selectEvents(recording: Recording, text: string): Mask {
  return allOf(recording.events.rows, text, (term) => masksOf(queriesOf(recording), term).events);
}

function allOf(rows: number, text: string, maskOf: (term: Term) => Mask): Mask {
  const flags = new Uint8Array(rows).fill(1);
  for (const term of parseFilter(text)) {
    const mask = maskOf(term);
    const wanted = term.negated ? 0 : 1;
    for (let row = 0; row < rows; row++) if (mask[row] !== wanted) flags[row] = 0;
  }
  return flags;
}

/** Masks of the terms asked for last: a filter that is typed is read, explained and applied, each by the same terms. */
const recent = new WeakMap<Queries, Map<string, Masks>>();
const MOST_RECENT = 2;

/** What a term holds for, without its sign. */
export function masksOf(queries: Queries, term: Term): Masks {
  const key = JSON.stringify({ ...term, negated: false });
  const known = recent.get(queries) ?? new Map<string, Masks>();
  recent.set(queries, known);
  const masks = known.get(key) ?? freshMasks(queries, term);
  known.delete(key);
  known.set(key, masks);
  for (const old of known.keys()) if (known.size > MOST_RECENT) known.delete(old);
  return masks;
}

function freshMasks(queries: Queries, term: Term): Masks {
  switch (term.key) {
    case "op":
      return masksOfEvents(queries, ops(queries, glob(term.values)));
    case "line":
      return masksOfEvents(queries, withPartners(queries, onLines(queries, term.values)));
    case "phase":
      return masksOfEvents(queries, phase(queries, glob(term.values)));
    case "rank":
      return onRanks(queries, term.values);
    case "module":
      return masksOfEvents(queries, withPartners(queries, inModule(queries, glob(term.values))));
    case "dur":
      return masksOfEvents(
        queries,
        took(queries, (t) => COMPARISONS[term.comparison](t, term.number)),
      );
    case "device":
      return onDevice(queries, glob(term.values.flatMap((value) => [value, `${value}:*`])));
    case "shape":
      return masksOfTensors(queries, shaped(queries, term.values.map(dimensionsOf)));
    case "dtype":
      return masksOfTensors(queries, dtype(queries, glob(term.values)));
    case "nan":
      return masksOfTensors(queries, nonFinite(queries));
    case "|g|":
      return masksOfTensors(
        queries,
        gradientNorm(queries, (norm) => COMPARISONS[term.comparison](norm, term.number)),
      );
    case "name":
      return touched(queries, named(queries, glob(term.values)));
    case "wrt":
      return onPath(queries, named(queries, glob(term.values)));
    case "word":
      return word(queries, term.values[0].toLowerCase());
  }
}

/** Whether a whole text is one of the values, in which * stands for any letters and ? for one; case is all one. */
export function glob(values: readonly string[]): TextPredicate {
  const parts = values.map((value) =>
    value.replace(/[\\^$.+()[\]{}|/*?]/g, (c) => (c === "*" ? ".*" : c === "?" ? "." : `\\${c}`)),
  );
  const pattern = new RegExp(`^(?:${parts.join("|")})$`, "isu");
  return (text) => pattern.test(text);
}

function hits(texts: readonly string[], test: TextPredicate): Mask {
  return Uint8Array.from(texts, (text) => (test(text) ? 1 : 0));
}

function ops(queries: Queries, test: TextPredicate): Mask {
  const { events, ops: declared } = queries.recording;
  const good = hits(declared.name, test);
  return maskWhere(events.rows, (row) => events.kind[row] === KIND.op && good[events.op[row]] === 1);
}

function onLines(queries: Queries, ranges: readonly string[]): Mask {
  const { events, sites } = queries.recording;
  const good = inRanges(sites.line, ranges);
  return maskWhere(events.rows, (row) => good[events.site[row]] === 1);
}

function onRanks({ recording }: Queries, ranges: readonly string[]): Masks {
  const { events, tensors, devices } = recording;
  const good = inRanges(recording.ranks.number, ranges);
  return {
    events: maskWhere(events.rows, (row) => good[rankOfEvent(recording, row)] === 1),
    tensors: maskWhere(tensors.rows, (row) => good[devices.rank[tensors.device[row]]] === 1),
  };
}

function inRanges(numbers: Int32Array, ranges: readonly string[]): Mask {
  const bounds = ranges.map((range) => range.split("-").map(Number) as [number, number]);
  return maskWhere(numbers.length, (row) => bounds.some(([a, b]) => numbers[row] >= a && numbers[row] <= b));
}

function phase(queries: Queries, test: TextPredicate): Mask {
  const { events } = queries.recording;
  const good = hits(PHASES, test);
  return maskWhere(events.rows, (row) => good[events.phase[row]] === 1);
}

function inModule(queries: Queries, test: TextPredicate): Mask {
  const { events } = queries.recording;
  const isModule = maskWhere(events.rows, (row) => {
    if (events.kind[row] !== KIND.span) return false;
    const { kind, name } = queries.span(events.id[row]);
    return !OUTER.has(kind) && (test(name) || test(name.slice(name.lastIndexOf("/") + 1)));
  });
  const isInside = (event: number): boolean => isModule[queries.eventRow(event)] === 1;
  return maskWhere(events.rows, (row) => isModule[row] === 1 || queries.spans(events.id[row]).some(isInside));
}

function took(queries: Queries, holds: (t: number) => boolean): Mask {
  const { events } = queries.recording;
  return maskWhere(events.rows, (row) => holds(queries.duration(events.id[row])));
}

function onDevice(queries: Queries, test: TextPredicate): Masks {
  const { devices, events, tensors } = queries.recording;
  const good = hits(devices.name, test);
  return {
    events: maskWhere(events.rows, (row) => events.kind[row] !== KIND.span && good[events.device[row]] === 1),
    tensors: maskWhere(tensors.rows, (row) => good[tensors.device[row]] === 1),
  };
}

export function dimensionsOf(text: string): string[] {
  return text ? text.split(",") : [];
}

function shaped(queries: Queries, wanted: readonly (readonly string[])[]): Mask {
  const { tensors, strings } = queries.recording;
  const good = new Map<number, boolean>();
  return maskWhere(tensors.rows, (row) => {
    const text = tensors.shape[row];
    if (text < 0 || text >= strings.rows) return false;
    let fits = good.get(text);
    if (fits === undefined) {
      const dimensions = dimensionsOf(strings.text[text].replace(/[\s[\]]/g, ""));
      fits = wanted.some((shape) => matchesShape(shape, dimensions));
      good.set(text, fits);
    }
    return fits;
  });
}

/** Whether a shape is like the one wanted, in which * is any size and ... any number of dimensions. */
export function matchesShape(wanted: readonly string[], dimensions: readonly string[]): boolean {
  const [first, ...rest] = wanted;
  if (first === undefined) return dimensions.length === 0;
  if (first === "...") {
    return Array.from({ length: dimensions.length + 1 }, (_, i) => i).some((i) =>
      matchesShape(rest, dimensions.slice(i)),
    );
  }
  return dimensions.length > 0 && (first === "*" || first === dimensions[0]) && matchesShape(rest, dimensions.slice(1));
}

function dtype(queries: Queries, test: TextPredicate): Mask {
  const { tensors } = queries.recording;
  const good = hits(DTYPES, test);
  return maskWhere(tensors.rows, (row) => good[tensors.dtype[row]] === 1);
}

function nonFinite(queries: Queries): Mask {
  const { stats, tensors } = queries.recording;
  return maskWhere(tensors.rows, (row) => {
    const stat = queries.stat(tensors.id[row]);
    return stat >= 0 && stats.nan[stat] + stats.posinf[stat] + stats.neginf[stat] > 0;
  });
}

/** By the norm of a tensor's gradient; where it has none and is itself one, by its own. */
function gradientNorm(queries: Queries, holds: (norm: number) => boolean): Mask {
  const { gradients, stats, tensors } = queries.recording;
  const isGradient = maskWhere(tensors.rows, (row) => tensors.source[row] === SOURCE.gradient);
  for (const ids of [gradients.gradient, gradients.addend]) for (const id of ids) isGradient[queries.tensorRow(id)] = 1;
  return maskWhere(tensors.rows, (row) => {
    const tensor = tensors.id[row];
    const gradient = queries.gradient(tensor);
    const measured = queries.tensorRow(gradient) >= 0 ? gradient : isGradient[row] ? tensor : -1;
    const stat = measured < 0 ? -1 : queries.stat(measured);
    return stat >= 0 && holds(stats.norm[stat]);
  });
}

function touched(queries: Queries, tensors: Mask): Masks {
  return { events: eventsTouching(queries, tensors, [ROLE.out, ROLE.in]), tensors };
}

/** The tensors with such a name, of the user's or of their variable; for a variable with and without its `:0`. */
function named(queries: Queries, test: TextPredicate): Mask {
  const { names, tensors, variables } = queries.recording;
  const variableRow = rowsOf(variables.id);
  const good = hits(variables.name, (name) => test(name) || test(name.replace(/:0$/, "")));
  const flags = maskWhere(tensors.rows, (row) => good[variableRow(tensors.variable[row])] === 1);
  names.name.forEach((name, i) => {
    if (test(name)) flags[queries.tensorRow(names.tensor[i])] = 1;
  });
  return flags;
}

function word(queries: Queries, part: string): Masks {
  const test: TextPredicate = (text) => text.toLowerCase().includes(part);
  const { events } = queries.recording;
  const byName = touched(queries, named(queries, test));
  const byOp = masksOfEvents(queries, ops(queries, test));
  const isSpan = (row: number): boolean => events.kind[row] === KIND.span && test(queries.span(events.id[row]).name);
  return {
    events: byOp.events.map((held, row) => (held || byName.events[row] || isSpan(row) ? 1 : 0)),
    tensors: byOp.tensors.map((held, row) => held | byName.tensors[row]),
  };
}
