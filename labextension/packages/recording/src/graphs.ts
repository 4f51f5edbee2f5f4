// What is asked of traced graphs: their nodes, edges, passes, runs and traces. Graphs are given by their ids, nodes by
// their rows.

import { parseJson } from "./json";
import { groupByKey, rowsOf, type GroupedRows, type RowOf } from "./lists";
import type { Recording } from "./recording";

/** An output of a node as far as tracing knows it: null for a size, or a whole shape, that is not known. */
export interface Spec {
  readonly shape: readonly (number | null)[] | null;
  readonly dtype: string;
}

/** All traces of one function, in order. */
export interface TracedFunction {
  readonly function: number;
  readonly name: string;
  /** Ids of graphs. */
  readonly traces: readonly number[];
  /** How often all of them were run. */
  readonly runs: number;
}

/** An argument of a signature; `before` is null where the trace compared with has none such, or there is none. */
export interface Argument {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly changed: boolean;
}

/** A trace is compared with so many before it: a function that is traced for every call is slow enough. */
const COMPARED = 64;

export class Graphs {
  /** The row of a graph's id. */
  readonly row: RowOf;
  /** Rows of nodes in the order of their numbers, of node_edges, passes, graph_runs and trace_effects. */
  readonly nodes: GroupedRows;
  readonly edges: GroupedRows;
  readonly passes: GroupedRows;
  readonly runs: GroupedRows;
  readonly effects: GroupedRows;
  /** The graphs whose parent a graph is. */
  readonly inside: GroupedRows;
  /** The traces of a function, given by its number, in the order of the rows. */
  readonly tracesOf: GroupedRows;
  /** The events that ran a node, given by its row, in order; and the other way round. */
  readonly eventsOf: GroupedRows;
  readonly nodesOf: GroupedRows;
  readonly #numbers = new Map<number, ReadonlyMap<number, number>>();
  readonly #signatures = new Map<number, [string, string][]>();

  constructor(readonly recording: Recording) {
    const { graphs, graph_runs, node_edges, node_runs, nodes, passes, trace_effects } = recording;
    const rows = (ids: Int32Array): GroupedRows => groupByKey(ids, counting(ids.length));
    this.row = rowsOf(graphs.id);
    this.nodes = ordered(nodes.graph, nodes.number);
    this.edges = rows(node_edges.graph);
    this.passes = rows(passes.graph);
    this.runs = rows(graph_runs.graph);
    this.effects = rows(trace_effects.graph);
    this.inside = groupByKey(graphs.parent, graphs.id);
    this.tracesOf = groupByKey(graphs.function, graphs.id);
    const ran = Int32Array.from(node_runs.graph, (graph, i) => this.nodeRow(graph, node_runs.node[i]));
    this.eventsOf = groupByKey(ran, node_runs.event);
    this.nodesOf = groupByKey(node_runs.event, ran);
  }

  /** The row of a node's number; -1 for a number that is not there. */
  nodeRow(graph: number, number: number): number {
    let known = this.#numbers.get(graph);
    if (!known) {
      known = new Map(Array.from(this.nodes(graph), (row) => [this.recording.nodes.number[row], row]));
      this.#numbers.set(graph, known);
    }
    return known.get(number) ?? -1;
  }

  /** The graphs inside a node, in order: branches, condition and body, a called function. */
  regions(row: number): number[] {
    const { graphs, nodes } = this.recording;
    const [first, count] = [nodes.region[row], nodes.regions[row]];
    if (!(first >= 0) || this.row(first) < 0) return [];
    if (count < 2) return [first];
    // Between them may be graphs that are inside the earlier of them.
    const beside = this.inside(graphs.parent[this.row(first)]).filter((id) => id >= first);
    const all = beside.length > 0 ? [...beside] : Array.from({ length: count }, (_, i) => first + i);
    return all.slice(0, count).filter((id) => this.row(id) >= 0);
  }

  /** What a node hands on, one for each output. */
  specs(row: number): Spec[] {
    const { shapes, dtypes } = this.recording.nodes;
    const known = list(shapes[row] ?? "");
    return list(dtypes[row] ?? "").map((dtype, i) => ({
      shape: Array.isArray(known[i]) ? known[i].map((size) => (typeof size === "number" ? size : null)) : null,
      dtype: String(dtype),
    }));
  }

  /** The functions that were traced, in the order of their first traces. */
  functions(): TracedFunction[] {
    const { graphs } = this.recording;
    const found = new Map<number, number[]>();
    graphs.function.forEach((function_, row) => {
      if (function_ >= 0) found.set(function_, [...(found.get(function_) ?? []), graphs.id[row]]);
    });
    return [...found].map(([function_, ids]) => {
      const traces = ids.sort((a, b) => graphs.trace[this.row(a)] - graphs.trace[this.row(b)] || a - b);
      const runs = traces.reduce((sum, id) => sum + this.runs(id).length, 0);
      return { function: function_, name: graphs.name[this.row(traces[0])], traces, runs };
    });
  }

  /** The signature of a trace: arguments and what they were traced as. */
  signature(id: number): [argument: string, traced: string][] {
    let known = this.#signatures.get(id);
    if (!known) {
      const pairs = list(this.recording.graphs.key[this.row(id)] ?? "");
      known = pairs.filter(Array.isArray).map(([name, traced]) => [String(name), String(traced ?? "")]);
      this.#signatures.set(id, known);
    }
    return known;
  }

  /** The earlier trace of the same function whose signature is the most alike, the latest of several; -1 for a first. */
  nearest(id: number): number {
    const { graphs } = this.recording;
    const own = graphs.trace[this.row(id)] ?? -1;
    const earlier = this.tracesOf(graphs.function[this.row(id)] ?? -1).filter(
      (other) => graphs.trace[this.row(other)] < own,
    );
    let [best, least] = [-1, Infinity];
    for (const other of earlier.slice(-COMPARED)) {
      const apart = this.arguments(id, other).filter(({ changed }) => changed).length;
      if (apart <= least) [best, least] = [other, apart];
    }
    return best;
  }

  /** The arguments of a trace beside those of another one; with -1 as they are. */
  arguments(id: number, other: number): Argument[] {
    const after = this.signature(id);
    if (other < 0) return after.map(([name, traced]) => ({ name, before: null, after: traced, changed: false }));
    const before = new Map(this.signature(other));
    const both = after.map(([name, traced]): Argument => {
      const was = before.get(name) ?? null;
      before.delete(name);
      return { name, before: was, after: traced, changed: was !== traced };
    });
    return [...both, ...[...before].map(([name, was]) => ({ name, before: was, after: null, changed: true }))];
  }

  /** Where the lines of the generated text, from 1, come from: for each a line of the user's, as sites count them. */
  lines(id: number): Map<number, number> {
    const pairs = list(this.recording.graphs.lines[this.row(id)] ?? "");
    return new Map(pairs.filter(Array.isArray).map(([generated, source]) => [Number(generated), Number(source)]));
  }
}

const counting = (length: number): Int32Array => Int32Array.from({ length }, (_, i) => i);

/** The rows of each graph, by number. Writers count up: rows are sorted only where one did not. */
function ordered(graph: Int32Array, number: Int32Array): GroupedRows {
  const rows = counting(graph.length);
  if (rows.some((row) => row > 0 && graph[row] === graph[row - 1] && number[row] < number[row - 1]))
    rows.sort((a, b) => number[a] - number[b] || a - b);
  return groupByKey(
    Int32Array.from(rows, (row) => graph[row]),
    rows,
  );
}

function list(text: string): unknown[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value : [];
}

const known = new WeakMap<Recording, { readonly version: number; readonly graphs: Graphs }>();

/** The graphs of a recording, indexed again only after rows were added. */
export function graphsOf(recording: Recording): Graphs {
  const before = known.get(recording);
  if (before?.version === recording.version) return before.graphs;
  const graphs = new Graphs(recording);
  known.set(recording, { version: recording.version, graphs });
  return graphs;
}
