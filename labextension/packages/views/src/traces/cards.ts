import { format } from "@tapeviz/core";
import { faultsOfNodes, type GradientFault } from "../gradientfaults";
import { graphTitle, outermost } from "../graph/choice";
import { names } from "../graph/steps";
import { graphsOf, type Argument, type Graphs, type Recording } from "@tapeviz/recording";

/** What tracing took, in ns. */
export interface Costs {
  readonly converting: number;
  readonly tracing: number;
  readonly planning: number;
  readonly total: number;
}

/** One trace of a function. */
export interface TraceCard {
  readonly graph: number;
  readonly title: string;
  /** Whether it is a function's first trace, another one in the same call, or one for other arguments. */
  readonly kind: "first" | "again" | "retrace";
  readonly reason: string;
  readonly fix: string;
  readonly arguments: readonly Argument[];
  /** The row of `sites` of the call, and that in words: "cell 5, line 27". */
  readonly site: number;
  readonly where: string;
  readonly costs: Costs;
  readonly runs: number;
  /** The trace that it was made inside of, and runs as a part of; "" for others. */
  readonly inside: string;
  readonly nodes: number;
  /** How many nodes the passes left; -1 where there were none. */
  readonly left: number;
  /** Where gradients are lost, grow or stop being finite in it. */
  readonly faults: readonly GradientFault[];
  /** What Python did once, while it was traced. */
  readonly effects: readonly { readonly text: string; readonly where: string }[];
}

/** A function with its traces, or a session with its runs. */
export interface Traced {
  readonly name: string;
  readonly facts: readonly string[];
  readonly traces: readonly TraceCard[];
  readonly runs: readonly SessionRun[];
}

/** A run of a session's graph. */
export interface SessionRun {
  readonly event: number;
  readonly fed: readonly string[];
  readonly fetched: readonly string[];
  readonly pruned: number;
}

/** So many traces of a function are shown: the first, and the last ones. */
const MOST = 60;

export function tracedFunctions(recording: Recording): Traced[] {
  const graphs = graphsOf(recording);
  const functions = graphs.functions().map(({ name, traces, runs }): Traced => {
    const shown = traces.length > MOST ? [traces[0], ...traces.slice(1 - MOST)] : traces;
    const cards = shown.map((graph) => cardOf(graphs, graph));
    const { converting, tracing, planning } = recording.graphs;
    const rows = traces.map((graph) => graphs.row(graph));
    const total = rows.reduce((sum, row) => sum + converting[row] + tracing[row] + planning[row], 0);
    const left = traces.length - shown.length;
    const ran = runs > 0 || cards.every(({ inside }) => inside === "") ? format.plural(runs, "run") : "";
    const cut = left > 0 ? `${format.plural(left, "trace")} after the first left out` : "";
    const facts = [format.plural(traces.length, "trace"), ran, `${format.duration(total)} of tracing`, cut];
    return { name, facts: facts.filter(Boolean), traces: cards, runs: [] };
  });
  return [...functions, ...others(graphs)];
}

/** What was traced without being a function: a cell as a whole, the graph of a session. */
function others(graphs: Graphs): Traced[] {
  const { graphs: table } = graphs.recording;
  return [...table.id].flatMap((graph, row): Traced[] => {
    if (table.function[row] >= 0 || !["session", "cell"].includes(table.sort[row])) return [];
    const runs = table.sort[row] === "session" ? runsOf(graphs, graph) : [];
    const count = graphs.runs(graph).length;
    const facts = [table.sort[row], format.plural(graphs.nodes(graph).length, "node"), format.plural(count, "run")];
    const cards = table.sort[row] === "cell" ? [cardOf(graphs, graph)] : [];
    return [{ name: table.name[row] || table.sort[row], facts, traces: cards, runs }];
  });
}

function runsOf(graphs: Graphs, graph: number): SessionRun[] {
  const { graph_runs: table } = graphs.recording;
  return Array.from(graphs.runs(graph), (row) => ({
    event: table.event[row],
    fed: names(table.fed[row]),
    fetched: names(table.fetched[row]),
    pruned: table.pruned[row],
  }));
}

function cardOf(graphs: Graphs, graph: number): TraceCard {
  const { graphs: table, passes } = graphs.recording;
  const row = graphs.row(graph);
  const nearest = graphs.nearest(graph);
  const arguments_ = graphs.arguments(graph, nearest);
  const kind = nearest < 0 ? "first" : arguments_.some(({ changed }) => changed) ? "retrace" : "again";
  const [converting, tracing, planning] = [table.converting[row], table.tracing[row], table.planning[row]];
  const last = graphs.passes(graph).at(-1);
  return {
    graph,
    title: titleOf(graphs, row, kind, arguments_),
    kind,
    reason: table.reason[row],
    fix: table.fix[row],
    arguments: withRecorded(arguments_, table.argument[row], table.before[row], table.after[row]),
    site: table.site[row],
    where: siteText(graphs.recording, table.site[row]),
    costs: { converting, tracing, planning, total: converting + tracing + planning },
    runs: graphs.runs(graph).length,
    inside: graphs.row(table.parent[row]) >= 0 ? graphTitle(graphs, table.parent[row]) : "",
    nodes: graphs.nodes(graph).length,
    left: last === undefined ? -1 : passes.after[last],
    faults: faultsIn(graphs, graph),
    effects: Array.from(graphs.effects(graph), (effect) => effectOf(graphs.recording, effect)),
  };
}

/** The faults at nodes of a graph, and of the branches and bodies in it. */
function faultsIn(graphs: Graphs, graph: number): GradientFault[] {
  const { recording } = graphs;
  const own = [...faultsOfNodes(recording)].filter(([node]) => {
    const at = recording.nodes.graph[node];
    return at === graph || outermost(graphs, at) === graph;
  });
  return [...new Set(own.map(([, fault]) => fault))];
}

function titleOf({ recording }: Graphs, row: number, kind: TraceCard["kind"], all: readonly Argument[]): string {
  const { argument, trace } = recording.graphs;
  const number = Math.max(1, trace[row]);
  if (kind === "first") return number > 1 ? `Trace ${number}` : "First trace";
  if (kind === "again") return `Trace ${number}: once more in the same call`;
  const changed = argument[row] || all.filter((one) => one.changed).map(({ name }) => name).join(", "); // prettier-ignore
  return `Trace ${number}: ${changed} changed`;
}

/** What the recording says of the argument that made the retrace counts more than what the signatures are compared to. */
function withRecorded(all: readonly Argument[], name: string, before: string, after: string): Argument[] {
  if (name === "") return [...all];
  const recorded = { name, before: before || null, after: after || null, changed: true };
  const known = all.some((argument) => argument.name === name);
  return known ? all.map((one) => (one.name === name ? recorded : one)) : [...all, recorded];
}

function effectOf(recording: Recording, effect: number): { text: string; where: string } {
  const { text, site } = recording.trace_effects;
  return { text: text[effect], where: siteText(recording, site[effect]) };
}

/** "cell 5, line 27", "train.py, line 3"; "" where that is not known. */
export function siteText({ cells, sites }: Recording, site: number): string {
  if (site < 0 || site >= sites.rows) return "";
  const cell = cells.number[sites.cell[site]] ?? -1;
  const location = cell >= 0 ? `cell ${cell}` : (sites.file[site].split(/[\\/]/).at(-1) ?? "");
  return [location, `line ${sites.line[site]}`].filter(Boolean).join(", ");
}

/** The parts of a card's costs, in order, those that took no time left out. */
export function costParts({ converting, tracing, planning }: Costs): { name: string; ns: number }[] {
  const parts = [
    { name: "AutoGraph", ns: converting },
    { name: "tracing", ns: tracing },
    { name: "planning", ns: planning },
  ];
  return parts.filter(({ ns }) => ns > 0);
}

/** An argument's change in words. */
export function changeText({ name, before, after, changed }: Argument): string {
  if (!changed || before === after) return `${name}: ${after ?? ""}`;
  if (before === null) return `${name}: ${after} (new)`;
  return after === null ? `${name}: ${before} (gone)` : `${name}: ${before} → ${after}`;
}

/** How often a trace ran, and how large its graph is. */
export function sizeText({ runs, inside, nodes, left }: TraceCard): string {
  const idle = inside ? `runs inside ${inside}` : "never run";
  const ran = runs === 0 ? idle : runs === 1 ? "run once" : `run ${format.count(runs)} times`;
  if (nodes === 0) return ran;
  return `${ran}; ${format.plural(nodes, "node")}${left >= 0 && left !== nodes ? `, ${format.count(left)} after the passes` : ""}`;
}
