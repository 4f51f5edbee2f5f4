import type { Family, Selection } from "@tapeviz/core";
import { graphsOf, type Graphs, type Recording } from "@tapeviz/recording";
import { graphTitle, outermost, regionTitle } from "../graph/choice";
import { familyOfNode, selectedNode } from "../nodes";
import { tokenize, type Token } from "./tokens";

/** Nodes of one op on one line, in the same graph or the same branch or body. */
export interface OpChip {
  readonly op: string;
  readonly family: Family;
  /** The branch or body they are in; "" for the graph itself. */
  readonly region: string;
  /** Rows of `nodes`. */
  readonly rows: readonly number[];
}

/** A line of the function's text. Lines of the source are known by their place in it, from 1. */
export interface SourceLine {
  readonly line: number;
  /** As tracebacks count. */
  readonly number: number;
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly chips: readonly OpChip[];
  /** What Python did here once, while the function was traced. */
  readonly effects: readonly string[];
}

/** A line of what AutoGraph made. */
export interface GeneratedLine {
  readonly number: number;
  /** The line of the source that it comes from; -1 for none. */
  readonly line: number;
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** A trace as code: the function's text, what AutoGraph made of it, its nodes by their lines. */
export interface TracedCode {
  readonly graph: number;
  readonly title: string;
  /** Where the text is from: "cell 5". */
  readonly location: string;
  readonly source: readonly SourceLine[];
  /** Empty where AutoGraph did not run. */
  readonly generated: readonly GeneratedLine[];
  readonly nodes: number;
  /** Nodes that no line of the text made. */
  readonly elsewhere: readonly OpChip[];
  /** The line of a row of `nodes`; -1 for one that none made, 0 for one that is not in the graph. */
  readonly lineOf: (row: number) => number;
}

/** The traces whose text is known, in the order of the functions. */
export function tracedTexts(recording: Recording): { readonly graph: number; readonly title: string }[] {
  const graphs = graphsOf(recording);
  const { source } = recording.graphs;
  const functions = graphs.functions().flatMap(({ traces }) => traces);
  const others = [...recording.graphs.id].filter((id) => !functions.includes(id));
  return [...functions, ...others]
    .filter((graph) => source[graphs.row(graph)] >= 0)
    .map((graph) => ({ graph, title: graphTitle(graphs, graph) }));
}

/** The trace that the selection is about, else `before`, else the one that ran last, else the first. */
export function shownTrace(
  { recording, selection }: { readonly recording: Recording; readonly selection: Selection },
  texts: readonly { readonly graph: number }[],
  before = -1,
): number {
  const known = (graph: number): boolean => texts.some((text) => text.graph === graph);
  const row = selectedNode(recording, selection);
  const graph = row < 0 ? selection.node.value.graph : outermost(graphsOf(recording), recording.nodes.graph[row]);
  if (known(graph)) return graph;
  return before >= 0 ? before : (recording.graph_runs.graph.findLast(known) ?? texts[0].graph);
}

export function tracedCode(recording: Recording, graph: number): TracedCode {
  const graphs = graphsOf(recording);
  const { graphs: table, sites, cells } = recording;
  const row = graphs.row(graph);
  const texts = tokenize(recording.text(table.source[row]).replace(/\s+$/, ""));
  const definition = table.definition[row];
  const first = sites.line[definition] > 0 ? sites.line[definition] : 1;
  const lineAt = linesAt(recording, definition, first, texts.length);
  const all = nodesOf(graphs, graph, "");
  const lineOf = new Map(all.map(({ row: node }) => [node, lineAt(recording.nodes.site[node])]));
  const effects = Array.from(graphs.effects(graph), (effect) => ({
    line: lineAt(recording.trace_effects.site[effect]),
    text: recording.trace_effects.text[effect],
  }));
  const source = texts.map((tokens, i): SourceLine => {
    const own = all.filter(({ row: node }) => lineOf.get(node) === i + 1);
    return {
      line: i + 1,
      number: first + i,
      text: textOf(tokens),
      tokens,
      chips: chipsOf(recording, own),
      effects: effects.filter(({ line }) => line === i + 1).map(({ text }) => text),
    };
  });
  const cell = cells.number[sites.cell[definition]] ?? -1;
  return {
    graph,
    title: graphTitle(graphs, graph),
    location: cell >= 0 ? `cell ${cell}` : (sites.file[definition]?.split(/[\\/]/).at(-1) ?? ""),
    source,
    generated: generatedLines(graphs, graph, first, texts.length),
    nodes: all.length,
    elsewhere: chipsOf(
      recording,
      all.filter(({ row: node }) => lineOf.get(node) === -1),
    ),
    lineOf: (node) => lineOf.get(node) ?? 0,
  };
}

const textOf = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join("");

/** The line of the text that a row of `sites` is on; -1 for one outside. */
function linesAt({ sites }: Recording, definition: number, first: number, count: number): (site: number) => number {
  return (site) => {
    if (site < 0 || site >= sites.rows) return -1;
    if (sites.file[site] !== sites.file[definition] || sites.cell[site] !== sites.cell[definition]) return -1;
    const line = sites.line[site] - first + 1;
    return line >= 1 && line <= count ? line : -1;
  };
}

interface Inner {
  readonly row: number;
  readonly region: string;
}

/** The nodes of a graph and of the branches and bodies inside it; called functions have texts of their own. */
function nodesOf(graphs: Graphs, graph: number, region: string, depth = 0): Inner[] {
  const { graphs: table } = graphs.recording;
  if (depth > 16) return [];
  return [...graphs.nodes(graph)].flatMap((row) => {
    const regions = graphs.regions(row).filter((id) => table.function[graphs.row(id)] < 0);
    const inner = regions.flatMap((id) => nodesOf(graphs, id, regionTitle(graphs, id), depth + 1));
    return [{ row, region }, ...inner];
  });
}

function chipsOf(recording: Recording, own: readonly Inner[]): OpChip[] {
  const { nodes, ops } = recording;
  const chips = new Map<string, { op: string; family: Family; region: string; rows: number[] }>();
  for (const { row, region } of own) {
    const op = ops.name[nodes.op[row]] ?? nodes.name[row];
    const key = `${region} ${op}`;
    const known = chips.get(key);
    if (known) known.rows.push(row);
    else chips.set(key, { op, family: familyOfNode(recording, row), region, rows: [row] });
  }
  return [...chips.values()];
}

function generatedLines(graphs: Graphs, graph: number, first: number, count: number): GeneratedLine[] {
  const { recording } = graphs;
  const text = recording.text(recording.graphs.generated[graphs.row(graph)]).replace(/\s+$/, "");
  if (text === "") return [];
  const lines = graphs.lines(graph);
  const within = (line: number): number => (line >= 1 && line <= count ? line : -1);
  return tokenize(text).map((tokens, i) => ({
    number: i + 1,
    line: within((lines.get(i + 1) ?? -1) - first + 1),
    text: textOf(tokens),
    tokens,
  }));
}
