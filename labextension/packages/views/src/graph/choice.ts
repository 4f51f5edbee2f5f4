import { format } from "@tapeviz/core";
import { graphsOf, type Graphs, type Recording } from "@tapeviz/recording";
import { faultsOfNodes } from "../gradientfaults";

/** A graph that can be looked at, with what the list says of it; those inside another one come behind it. */
export interface Choice {
  readonly graph: number;
  readonly title: string;
  readonly depth: number;
}

/** The graphs of a recording: functions with their traces, sessions, and below each one what is inside it. */
export function choicesOf(recording: Recording): Choice[] {
  const { graphs } = recording;
  const queries = graphsOf(recording);
  const found: Choice[] = [];
  const seen = new Set<number>();
  const add = (graph: number, depth: number): void => {
    if (seen.has(graph)) return;
    seen.add(graph);
    if (queries.nodes(graph).length > 0) found.push({ graph, title: titleOf(queries, graph), depth });
    for (const inner of queries.inside(graph)) add(inner, depth + 1);
  };
  for (const { traces } of queries.functions()) for (const trace of traces) if (isOuter(queries, trace)) add(trace, 0);
  for (let row = 0; row < graphs.rows; row++) if (isOuter(queries, graphs.id[row])) add(graphs.id[row], 0);
  for (const id of graphs.id) add(id, 0);
  return found;
}

const isOuter = (graphs: Graphs, id: number): boolean => graphs.row(graphs.recording.graphs.parent[graphs.row(id)]) < 0;

/** A graph's name: of a trace the function's with the trace's number, where there are several. */
export function graphTitle(queries: Graphs, graph: number): string {
  const { graphs } = queries.recording;
  const row = queries.row(graph);
  const name = graphs.name[row] || graphs.sort[row] || "graph";
  const trace = graphs.trace[row];
  const several = trace > 1 || queries.tracesOf(graphs.function[row]).length > 1;
  return graphs.function[row] >= 0 && trace > 0 && several ? `${name}, trace ${trace}` : name;
}

const PARTS: readonly (readonly [ending: RegExp, title: string])[] = [
  [/(^|_)true(_fn)?$/, "true branch"],
  [/(^|_)false(_fn)?$/, "false branch"],
  [/(^|_)(cond|test)$/, "condition"],
  [/(^|_)body$/, "body"],
];

/** What a graph inside a node is called there. */
export function regionTitle(queries: Graphs, graph: number): string {
  const { graphs } = queries.recording;
  const row = queries.row(graph);
  if (graphs.function[row] >= 0) return graphTitle(queries, graph);
  const name = graphs.name[row] || graphs.sort[row];
  return PARTS.find(([ending]) => ending.test(name))?.[1] ?? name;
}

const titleOf = (queries: Graphs, graph: number): string =>
  `${regionTitle(queries, graph)} (${format.plural(queries.nodes(graph).length, "node")})`;

/** The graph to begin with: where gradients are lost, else the one that ran last, else the last trace, else the largest; -1 where there is none. */
export function firstGraph(recording: Recording): number {
  const { graph_runs: runs, graphs } = recording;
  const queries = graphsOf(recording);
  const filled = (graph: number): boolean => queries.nodes(graph).length > 0;
  const [faulty] = faultsOfNodes(recording).keys();
  if (faulty !== undefined) return outermost(queries, recording.nodes.graph[faulty]);
  const ran = runs.graph.findLast(filled);
  if (ran !== undefined) return outermost(queries, ran);
  const trace = graphs.id.findLast((id) => filled(id) && graphs.function[queries.row(id)] >= 0 && isOuter(queries, id));
  if (trace !== undefined) return trace;
  return graphs.id.reduce(
    (best, id) => (best < 0 || queries.nodes(id).length > queries.nodes(best).length ? id : best),
    -1,
  );
}

/** The graph that a branch or a body is in at last; of a function, itself. */
export function outermost(queries: Graphs, graph: number): number {
  const { graphs } = queries.recording;
  let at = graph;
  for (let hops = 0; hops < 64; hops++) {
    const row = queries.row(at);
    if (row < 0 || graphs.function[row] >= 0 || queries.row(graphs.parent[row]) < 0) return at;
    at = graphs.parent[row];
  }
  return at;
}
