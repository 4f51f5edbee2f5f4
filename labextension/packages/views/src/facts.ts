import { DTYPES, KIND, PHASE, ROLE, type Recording } from "@tapeviz/recording";
import { familyOf, type Family } from "@tapeviz/core";
import { spanOf } from "./span";

/** Lists of numbers behind each index: list(i) are those of i. */
type Lists = (index: number) => Int32Array;

const NOTHING = new Int32Array();

/** Sorts `values` behind their `keys` in one pass; the order within a key stays. */
function lists(size: number, keys: ArrayLike<number>, values: ArrayLike<number>, keep: (i: number) => boolean): Lists {
  const from = new Int32Array(size + 2);
  for (let i = 0; i < keys.length; i++) if (keep(i) && keys[i] >= 0 && keys[i] < size) from[keys[i] + 2] += 1;
  for (let k = 2; k < from.length; k++) from[k] += from[k - 1];
  const packed = new Int32Array(from[size + 1]);
  for (let i = 0; i < keys.length; i++) if (keep(i) && keys[i] >= 0 && keys[i] < size) packed[from[keys[i] + 1]++] = values[i];
  return (index) => (index >= 0 && index < size ? packed.subarray(from[index], from[index + 1]) : NOTHING);
}

/** The row of each id; where ids are row numbers, as a whole recording's are, nothing is stored. */
function rowsOf(ids: Int32Array): (id: number) => number {
  if (ids.every((id, row) => id === row)) return (id) => (id >= 0 && id < ids.length ? id : -1);
  const rows = new Map<number, number>();
  ids.forEach((id, row) => rows.set(id, row));
  return (id) => rows.get(id) ?? -1;
}

/** The last row of each tensor in a table. */
function latest(tensors: Int32Array): (tensor: number) => number {
  const rows = new Map<number, number>();
  tensors.forEach((tensor, row) => rows.set(tensor, row));
  return (tensor) => rows.get(tensor) ?? -1;
}

/** What views ask of a recording again and again, indexed once. Events and tensors are given by their ids. */
export class Facts {
  readonly inputs: Lists;
  readonly outputs: Lists;
  /** The events that read a tensor. */
  readonly consumers: Lists;
  /** The backward events of a forward event. */
  readonly backwards: Lists;
  readonly eventRow: (event: number) => number;
  readonly tensorRow: (tensor: number) => number;
  /** The row of `stats` about a tensor, -1 without. */
  readonly stat: (tensor: number) => number;
  readonly #name: (tensor: number) => number;
  readonly #gradient: (tensor: number) => number;
  readonly #gradientOf: (tensor: number) => number;
  readonly #end: (event: number) => number;
  readonly #shapes = new Map<number, readonly number[]>();

  constructor(readonly recording: Recording) {
    const { edges, events, names, gradients, stats, tensors, ends } = recording;
    const size = 1 + events.id.reduce((a, b) => Math.max(a, b), -1);
    const count = 1 + tensors.id.reduce((a, b) => Math.max(a, b), -1);
    this.inputs = lists(size, edges.event, edges.tensor, (i) => edges.role[i] === ROLE.in);
    this.outputs = lists(size, edges.event, edges.tensor, (i) => edges.role[i] === ROLE.out);
    this.consumers = lists(count, edges.tensor, edges.event, (i) => edges.role[i] === ROLE.in);
    this.backwards = lists(size, events.origin, events.id, (i) => events.phase[i] === PHASE.backward);
    this.eventRow = rowsOf(events.id);
    this.tensorRow = rowsOf(tensors.id);
    this.stat = latest(stats.tensor);
    this.#name = latest(names.tensor);
    this.#gradient = latest(gradients.tensor);
    this.#gradientOf = latest(gradients.addend);
    this.#end = latest(ends.event);
  }

  isSpan(event: number): boolean {
    return this.recording.events.kind[this.eventRow(event)] === KIND.span;
  }

  isBackward(event: number): boolean {
    return this.recording.events.phase[this.eventRow(event)] === PHASE.backward;
  }

  /** The op's name, or the span's. */
  title(event: number): string {
    const { events, ops } = this.recording;
    const row = this.eventRow(event);
    if (row < 0) return "";
    return events.kind[row] === KIND.span ? spanOf(this.recording, row).name : (ops.name[events.op[row]] ?? "?");
  }

  family(event: number): Family {
    const { events, ops } = this.recording;
    return familyOf(ops.family[events.op[this.eventRow(event)]] ?? "");
  }

  /** The forward op of a backward step, or the backward steps of a forward op. */
  partners(event: number): number[] {
    const origin = this.recording.events.origin[this.eventRow(event)];
    return origin >= 0 ? [origin] : [...this.backwards(event)];
  }

  /** How long an op or a span took, in ns; NaN for a span that never ended. */
  duration(event: number): number {
    const { events, ends } = this.recording;
    const row = this.eventRow(event);
    if (events.kind[row] !== KIND.span) return events.dur[row];
    const end = this.#end(event);
    return end < 0 ? NaN : ends.t[end] - events.t0[row];
  }

  /**
   * The name a person knows a tensor by: the user's, the variable's, "∇h" for a contribution to the gradient of h, else the
   * op's with the number of the event.
   */
  name(tensor: number): string {
    const { names, tensors, variables } = this.recording;
    const named = this.#name(tensor);
    if (named >= 0) return names.name[named];
    const row = this.tensorRow(tensor);
    if (row < 0) return "?";
    const variable = variables.id.indexOf(tensors.variable[row]);
    if (variable >= 0) return variables.name[variable].replace(/:0$/, "");
    const of = this.#gradientOf(tensor);
    if (of >= 0 && this.recording.gradients.tensor[of] !== tensor) return `∇${this.name(this.recording.gradients.tensor[of])}`;
    const producer = tensors.producer[row];
    return producer < 0 ? `tensor ${tensor}` : `${this.title(producer)} #${producer}`;
  }

  /** True when the user gave the tensor a name, or it is a variable. */
  isNamed(tensor: number): boolean {
    return this.#name(tensor) >= 0 || this.recording.tensors.variable[this.tensorRow(tensor)] >= 0;
  }

  producer(tensor: number): number {
    return this.recording.tensors.producer[this.tensorRow(tensor)] ?? -1;
  }

  shape(tensor: number): readonly number[] {
    const text = this.recording.tensors.shape[this.tensorRow(tensor)] ?? -1;
    let dims = this.#shapes.get(text);
    if (!dims) this.#shapes.set(text, (dims = parseShape(this.recording.text(text))));
    return dims;
  }

  dtype(tensor: number): string {
    return DTYPES[this.recording.tensors.dtype[this.tensorRow(tensor)]] ?? "?";
  }

  /** The tensor that is the whole gradient of a tensor, -1 when none was computed. */
  gradient(tensor: number): number {
    const row = this.#gradient(tensor);
    return row < 0 ? -1 : this.recording.gradients.gradient[row];
  }

  /** The Euclidean norm of a tensor's gradient; NaN without one (`gradient` tells). */
  gradientNorm(tensor: number): number {
    const stat = this.stat(this.gradient(tensor));
    return stat < 0 ? NaN : this.recording.stats.norm[stat];
  }

  /** The line an event belongs to, a backward step to its forward op's; null outside the user's code. */
  place(event: number): { site: number; line: number; cell: number; text: string } | null {
    const { events, sites, cells } = this.recording;
    let row = this.eventRow(event);
    if (events.phase[row] === PHASE.backward && events.origin[row] >= 0) row = this.eventRow(events.origin[row]);
    const site = events.site[row] ?? -1;
    if (site < 0) return null;
    return { site, line: sites.line[site], cell: cells.number[sites.cell[site]] ?? -1, text: sites.text[site] };
  }

  /** The spans around an event, innermost first. */
  spans(event: number): number[] {
    const { events } = this.recording;
    const out: number[] = [];
    for (let up = events.parent[this.eventRow(event)]; up >= 0; up = events.parent[this.eventRow(up)]) out.push(up);
    return out;
  }
}

function parseShape(text: string): readonly number[] {
  try {
    const dims: unknown = JSON.parse(text);
    return Array.isArray(dims) ? dims.map(Number) : [];
  } catch {
    return [];
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
export function meta<T>(recording: Recording, key: string): T | undefined {
  const row = recording.meta.key.lastIndexOf(key);
  if (row < 0) return undefined;
  try {
    return JSON.parse(recording.meta.value[row]) as T;
  } catch {
    return undefined;
  }
}
