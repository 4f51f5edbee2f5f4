import { parseJson, type Graphs } from "@tapeviz/recording";

/** A run of a session: what was fed and fetched, by the names of nodes. */
export interface Run {
  readonly fed: ReadonlySet<string>;
  readonly fetched: ReadonlySet<string>;
}

/** A moment in the making of a graph: as it was traced, or after a pass; or a run of a session's graph. */
export interface Step {
  /** The row of `passes`; -1 for the graph as it was traced. */
  readonly pass: number;
  readonly name: string;
  /** What the pass did, as a sentence. */
  readonly text: string;
  readonly nodes: number;
  /** How many fewer than before. */
  readonly fewer: number;
  /** In ns. */
  readonly took: number;
  /** Null but for a run. */
  readonly run: Run | null;
}

/** What a step is to a node: it is as before, something happens to it now, or something did before. */
export interface Fate {
  readonly when: "never" | "now" | "before";
  /** pruned, folded, merged, simplified, fused or inlined, in a run fed, fetched or not needed; "kept" for never. */
  readonly fate: string;
  /** Whether nothing of it is left: another node stands for it, or none. */
  readonly gone: boolean;
}

export const KEPT: Fate = { when: "never", fate: "kept", gone: false };

/** The graph as traced, then its passes in order. */
export function stepsOf(graphs: Graphs, graph: number): Step[] {
  const { passes } = graphs.recording;
  const rows = [...graphs.passes(graph)];
  const count = graphs.nodes(graph).length;
  const traced = { pass: -1, name: "traced", text: "", nodes: count, fewer: 0, took: 0, run: null };
  const after = rows.map((pass) => ({
    pass,
    name: passes.name[pass],
    text: passes.text[pass].replace(/\.$/, ""),
    nodes: passes.after[pass],
    fewer: passes.before[pass] - passes.after[pass],
    took: passes.dur[pass],
    run: null,
  }));
  return [traced, ...after, ...runsOf(graphs, graph)];
}

/** So many different runs are told apart. */
const MOST_RUNS = 8;

/** The runs of a session's graph, those that fed and fetched the same as one. */
function runsOf(graphs: Graphs, graph: number): Step[] {
  const { graph_runs: runs, graphs: table } = graphs.recording;
  if (table.sort[graphs.row(graph)] !== "session") return [];
  const alike = new Map<string, number[]>();
  for (const row of graphs.runs(graph)) {
    const key = `${runs.fed[row]} ${runs.fetched[row]}`;
    alike.set(key, [...(alike.get(key) ?? []), row]);
  }
  return [...alike.values()].slice(0, MOST_RUNS).map((rows, i): Step => {
    const [fed, fetched] = [names(runs.fed[rows[0]]), names(runs.fetched[rows[0]])];
    const said = [fed.length > 0 && `fed ${fed.join(", ")}`, fetched.length > 0 && `fetched ${fetched.join(", ")}`];
    return {
      pass: -1,
      name: rows.length > 1 ? `run ${i + 1} ×${rows.length}` : `run ${i + 1}`,
      text: said.filter(Boolean).join("; "),
      nodes: graphs.nodes(graph).length - Math.max(0, runs.pruned[rows[0]]),
      fewer: Math.max(0, runs.pruned[rows[0]]),
      took: 0,
      run: { fed: nodeNames(fed), fetched: nodeNames(fetched) },
    };
  });
}

/** The names in a list of fed or fetched things, in JSON or between commas. */
export function names(text: string): string[] {
  const value = parseJson(text);
  if (value === undefined) return text.split(/,\s*/).filter(Boolean);
  return Array.isArray(value) ? value.map(String) : [];
}

/** "x:0" is the first output of the node x. */
const nodeNames = (tensors: readonly string[]): Set<string> =>
  new Set(tensors.map((name) => name.replace(/:\d+$/, "")));

/** What a run did with each node, by its row: fed, fetched, not needed; nodes that just ran are left out. */
export function runFates(graphs: Graphs, graph: number, { fed, fetched }: Run): Map<number, Fate> {
  const { nodes, node_edges: edges } = graphs.recording;
  const inputs = new Map<number, number[]>();
  for (const edge of graphs.edges(graph))
    inputs.set(edges.target[edge], [...(inputs.get(edges.target[edge]) ?? []), edges.source[edge]]);
  const rows = [...graphs.nodes(graph)];
  const waiting = rows.filter((row) => fetched.has(nodes.name[row])).map((row) => nodes.number[row]);
  const needed = new Set(waiting);
  while (waiting.length > 0) {
    const number = waiting.pop()!;
    if (fed.has(nodes.name[graphs.nodeRow(graph, number)])) continue;
    for (const input of inputs.get(number) ?? []) {
      if (!needed.has(input)) waiting.push(input);
      needed.add(input);
    }
  }
  const fates = new Map<number, Fate>();
  for (const row of rows) {
    const name = nodes.name[row];
    if (!needed.has(nodes.number[row])) fates.set(row, { when: "before", fate: "not needed", gone: true });
    else if (fed.has(name)) fates.set(row, { when: "now", fate: "fed", gone: false });
    else if (fetched.has(name)) fates.set(row, { when: "now", fate: "fetched", gone: false });
  }
  return fates;
}

/** At which step of a graph each pass comes; those of graphs inside it go by their names. */
export function stepByPass(graphs: Graphs, steps: readonly Step[]): (pass: number) => number {
  const { passes } = graphs.recording;
  const byRow = new Map(steps.map(({ pass }, i) => [pass, i]));
  const byName = new Map(steps.map(({ name }, i) => [name, i]));
  return (pass) => byRow.get(pass) ?? byName.get(passes.name[pass] ?? "") ?? steps.length;
}

/** For each step whether something is another after it: a pass that did nothing, here and inside, is not worth a look. */
export function changesAt(graphs: Graphs, graph: number, steps: readonly Step[]): boolean[] {
  const stepOfPass = stepByPass(graphs, steps);
  const { stage } = graphs.recording.nodes;
  const changes = steps.map(({ pass, fewer }) => pass < 0 || fewer !== 0);
  for (const id of [graph, ...graphs.inside(graph)])
    for (const row of graphs.nodes(id)) if (stage[row] >= 0) changes[stepOfPass(stage[row])] = true;
  return changes.slice(0, steps.length);
}

/** What happened to a node, given by its row, up to a step. */
export function fateAt(graphs: Graphs, row: number, step: number, stepOfPass: (pass: number) => number): Fate {
  const { fate, into, number, stage } = graphs.recording.nodes;
  if (stage[row] < 0) return KEPT;
  const at = stepOfPass(stage[row]);
  if (at > step) return KEPT;
  return { when: at === step ? "now" : "before", fate: fate[row], gone: into[row] !== number[row] };
}
