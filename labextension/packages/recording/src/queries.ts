// What is asked of a recording again and again, indexed once. Events and tensors are given by their ids.

import { parseJson } from "./json";
import type { GroupedRows, RowOf } from "./lists";
import { rankName, rankOfVariable } from "./ranks";
import type { Recording } from "./recording";
import { rowIndexOf, type RowIndex } from "./rowindex";
import { DTYPES, KIND, PHASE } from "./tables.gen";

/** A line of the user's code that an event belongs to. */
export interface SourceLocation {
  readonly site: number;
  readonly line: number;
  /** The execution count of the cell; -1 outside a notebook. */
  readonly cell: number;
  readonly text: string;
}

/** One contribution to a tensor's gradient: the event that gave it, it, and the sum with it. */
export interface Addend {
  readonly backward: number;
  readonly addend: number;
  readonly gradient: number;
}

export class Queries {
  protected readonly index: RowIndex;
  readonly eventRow: RowOf;
  readonly tensorRow: RowOf;
  #variables: ReadonlyMap<number, string> | null = null;
  private readonly shapes = new Map<number, readonly number[]>();

  constructor(readonly recording: Recording) {
    this.index = rowIndexOf(recording);
    this.eventRow = this.index.eventRow;
    this.tensorRow = this.index.tensorRow;
  }

  get inputs(): GroupedRows {
    return this.index.inputs;
  }

  get outputs(): GroupedRows {
    return this.index.outputs;
  }

  /** What an event keeps for its backward step. */
  get saved(): GroupedRows {
    return this.index.saved;
  }

  /** The events that read a tensor. */
  get consumers(): GroupedRows {
    return this.index.consumers;
  }

  /** The backward steps of a forward event. */
  get backwards(): GroupedRows {
    return this.index.backwards;
  }

  /** The events in a span; those in none are the children of -1 (`roots`). */
  get children(): GroupedRows {
    return this.index.children;
  }

  /** The rows of `gradients` that an event of a backward pass wrote. */
  get gradientRows(): GroupedRows {
    return this.index.gradientRows;
  }

  /** The row of `stats` about a tensor, -1 without one. */
  get stat(): RowOf {
    return this.index.stat;
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
    return events.kind[row] === KIND.span ? this.span(event).name : (ops.name[events.op[row]] ?? "?");
  }

  /** The kind of a span (scope, module, function, step, backward, cell, tape, graph, trace, plan) and its name. */
  span(event: number): { readonly kind: string; readonly name: string } {
    const params = this.recording.text(this.recording.events.params[this.eventRow(event)] ?? -1);
    const { span, name } = parsed(params) as { span?: unknown; name?: unknown };
    const kind = typeof span === "string" ? span : "span";
    return { kind, name: typeof name === "string" ? name : typeof span === "string" ? span : params || "span" };
  }

  /** The forward op of a backward step, or the backward steps of a forward op. */
  partners(event: number): number[] {
    const origin = this.recording.events.origin[this.eventRow(event)] ?? -1;
    return origin >= 0 ? [origin] : [...this.backwards(event)];
  }

  /** The first of the partners, -1 without one. */
  partner(event: number): number {
    return this.partners(event)[0] ?? -1;
  }

  /** How long an op or a span took, in ns; NaN for a span that never ended. */
  duration(event: number): number {
    const { ends, events } = this.recording;
    const row = this.eventRow(event);
    if (events.kind[row] !== KIND.span) return events.dur[row] ?? NaN;
    const end = this.index.endRow(event);
    return end < 0 ? NaN : ends.t[end] - events.t0[row];
  }

  /** The name a person knows a tensor by: the variable's, the user's, or the op's with the number of the event. */
  name(tensor: number): string {
    const { names, tensors } = this.recording;
    const row = this.tensorRow(tensor);
    const variable = this.#variableNames().get(tensors.variable[row] ?? -1);
    if (variable !== undefined) return variable;
    const named = this.index.nameRow(tensor);
    if (named >= 0) return names.name[named];
    if (row < 0) return "?";
    const producer = tensors.producer[row];
    return producer < 0 ? `tensor ${tensor}` : `${this.title(producer)} #${producer}`;
  }

  /**
   * What the user calls each variable: the name that a layer made for it, else one given to its values, else its own;
   * where several have the same, with the rank or else the variable's number. As in Python's `Graph.variable_names`.
   */
  #variableNames(): ReadonlyMap<number, string> {
    if (this.#variables) return this.#variables;
    const { names, tensors, variables } = this.recording;
    const found = new Map<number, string>();
    names.tensor.forEach((tensor, row) => {
      const variable = tensors.variable[this.tensorRow(tensor)] ?? -1;
      if (variable >= 0 && this.index.nameRow(tensor) === row) found.set(variable, names.name[row]);
    });
    variables.id.forEach((id, row) => {
      const own = variables.name[row].replace(/:0$/, "");
      if (own.includes("/") || !found.has(id)) found.set(id, own);
    });
    const often = new Map<string, number>();
    const count = (name: string): Map<string, number> => often.set(name, (often.get(name) ?? 0) + 1);
    const ranked = (id: number, name: string): string => {
      const rank = rankName(this.recording, rankOfVariable(this.recording, id));
      return rank && `${name} ${rank}`;
    };
    for (const [id, name] of found) [name, ranked(id, name)].forEach(count);
    const unique = (id: number, name: string): string =>
      often.get(ranked(id, name)) === 1 ? ranked(id, name) : `${name} #${id}`;
    this.#variables = new Map([...found].map(([id, name]) => [id, often.get(name)! > 1 ? unique(id, name) : name]));
    return this.#variables;
  }

  /** True when the user gave the tensor a name, or it is a variable's value. */
  isNamed(tensor: number): boolean {
    return this.index.nameRow(tensor) >= 0 || (this.recording.tensors.variable[this.tensorRow(tensor)] ?? -1) >= 0;
  }

  /** The event that made a tensor, -1 when it was there before. */
  producer(tensor: number): number {
    return this.recording.tensors.producer[this.tensorRow(tensor)] ?? -1;
  }

  shape(tensor: number): readonly number[] {
    const text = this.recording.tensors.shape[this.tensorRow(tensor)] ?? -1;
    let dimensions = this.shapes.get(text);
    if (!dimensions) {
      const found = parsed(this.recording.text(text));
      dimensions = Array.isArray(found) ? found.map(Number) : [];
      this.shapes.set(text, dimensions);
    }
    return dimensions;
  }

  dtype(tensor: number): string {
    return DTYPES[this.recording.tensors.dtype[this.tensorRow(tensor)] ?? -1] ?? "?";
  }

  /** The tensor that is the whole gradient of a tensor, -1 when none was computed. */
  gradient(tensor: number): number {
    const row = this.index.gradientRow(tensor);
    return row < 0 ? -1 : this.recording.gradients.gradient[row];
  }

  /** The Euclidean norm of a tensor's gradient; NaN without one, or when it was not measured. */
  gradientNorm(tensor: number): number {
    const stat = this.stat(this.gradient(tensor));
    return stat < 0 ? NaN : this.recording.stats.norm[stat];
  }

  /** What a tensor's gradient was summed from, in order; several backward passes one after the other. */
  addends(tensor: number): Addend[] {
    const { addend, backward, gradient } = this.recording.gradients;
    return Array.from(this.index.contributions(tensor), (row) => ({
      backward: backward[row],
      addend: addend[row],
      gradient: gradient[row],
    }));
  }

  /** The row of `sites` that an event belongs to, a backward step to its forward op's; -1 outside the user's code. */
  site(event: number): number {
    const { events, sites } = this.recording;
    const row = this.eventRow(event);
    const origin = events.phase[row] === PHASE.backward ? this.eventRow(events.origin[row]) : -1;
    const site = events.site[origin >= 0 ? origin : row] ?? -1;
    return site < sites.rows ? site : -1;
  }

  /** The line an event belongs to, a backward step to its forward op's; null outside the user's code. */
  location(event: number): SourceLocation | null {
    const { cells, sites } = this.recording;
    const site = this.site(event);
    if (site < 0) return null;
    return { site, line: sites.line[site], cell: cells.number[sites.cell[site]] ?? -1, text: sites.text[site] };
  }

  /** The spans around an event, innermost first. */
  spans(event: number): number[] {
    const { events } = this.recording;
    const around: number[] = [];
    const seen = new Set<number>();
    for (let up = events.parent[this.eventRow(event)] ?? -1; up >= 0 && !seen.has(up);) {
      seen.add(up);
      around.push(up);
      up = events.parent[this.eventRow(up)] ?? -1;
    }
    return around;
  }

  /** The events that are in no span, in order. */
  roots(): number[] {
    const { events } = this.recording;
    return [...events.id].filter((_, row) => this.eventRow(events.parent[row]) < 0);
  }

  /** A fact of the meta table, the latest; undefined when it is missing or no JSON. */
  meta<T>(key: string): T | undefined {
    const { meta } = this.recording;
    const row = meta.key.lastIndexOf(key);
    if (row < 0) return undefined;
    return parseJson(meta.value[row]) as T | undefined;
  }
}

function parsed(text: string): object {
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? value : {};
}

const known = new WeakMap<Recording, { readonly version: number; readonly queries: Queries }>();

/** The queries of a recording, made again only after rows were added. */
export function queriesOf(recording: Recording): Queries {
  const before = known.get(recording);
  if (before?.version === recording.version) return before.queries;
  const queries = new Queries(recording);
  known.set(recording, { version: recording.version, queries });
  return queries;
}
