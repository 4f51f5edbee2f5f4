import { familyIcon, h, on } from "@tapeviz/core";
import { graphsOf, type Recording } from "@tapeviz/recording";
import { graphTitle, regionTitle } from "../graph/choice";
import { shapeText } from "../graph/cardcontent";
import type { ViewContext } from "../view";
import { withMore } from "./more";
import { familyOfNode, selectNode } from "../nodes";
import { siteLine } from "./source";

const MOST = 12;

/**
 * A node of a traced graph in the inspector, alone or below the op that ran it: what it is; its inputs and readers; what the passes did
 * with it; its line.
 */
export function nodeCard(context: ViewContext, row: number, alone: boolean): HTMLElement[] {
  const { recording } = context;
  const { nodes, ops } = recording;
  const op = ops.name[nodes.op[row]] ?? "";
  const family = familyOfNode(recording, row);
  const graph = graphTitle(graphsOf(recording), nodes.graph[row]);
  const head = h(
    "div",
    { class: "tv-inspector-head" },
    h("h3", {}, familyIcon(family, 13), nodes.name[row]),
    h("p", { class: "tv-muted" }, [op, `node ${nodes.number[row]} of ${graph}`].filter(Boolean).join("  ·  ")),
  );
  const site = alone ? siteLine(recording, nodes.site[row]) : [];
  const list = facts(recording, row);
  const rows = list.flatMap(([name, text]) => [h("dt", { class: "tv-muted" }, name), h("dd", {}, text)]);
  return [
    ...(alone ? [head] : [h("h4", {}, `Node of ${graph}`), h("p", { class: "tv-mono" }, nodes.name[row])]),
    h("dl", { class: "tv-node-facts" }, ...rows),
    ...links(context, "Takes", inputsOf(recording, row)),
    ...links(context, "Goes to", readersOf(recording, row)),
    ...site,
  ];
}

function facts(recording: Recording, row: number): [string, string][] {
  const graphs = graphsOf(recording);
  const { nodes } = recording;
  const outputs = graphs.specs(row).map(({ shape, dtype }) => `${shapeText(shape)} ${dtype}`);
  const inside = graphs.regions(row).map((graph) => regionTitle(graphs, graph));
  const params = recording.text(nodes.params[row] ?? -1);
  const runs = graphs.eventsOf(row).length;
  const all: [string, string][] = [
    [outputs.length > 1 ? "outputs" : "output", outputs.join(", ")],
    ["inside", inside.join(", ")],
    ["device", nodes.device[row]],
    ["attributes", params === "{}" ? "" : params],
    ["passes", fateText(recording, row)],
    ["runs", runs > 0 ? String(runs) : ""],
  ];
  return all.filter(([, text]) => text !== "");
}

/** What became of a node, in words; "" where the passes left it alone. */
export function fateText(recording: Recording, row: number): string {
  const { nodes, passes } = recording;
  const { fate, into, stage, graph, number } = nodes;
  if (stage[row] < 0) return "";
  const by = passes.name[stage[row]] ? ` by ${passes.name[stage[row]]}` : "";
  const other = graphsOf(recording).nodeRow(graph[row], into[row]);
  return `${fate[row]}${by}${other >= 0 && into[row] !== number[row] ? ` into ${nodes.name[other]}` : ""}`;
}

const edgesOf = (recording: Recording, row: number, end: "source" | "target"): number[] => {
  const { nodes, node_edges: edges } = recording;
  return [...graphsOf(recording).edges(nodes.graph[row])].filter((edge) => edges[end][edge] === nodes.number[row]);
};

/** The nodes whose outputs a node takes, in the order of its inputs; those that only run before it last. */
function inputsOf(recording: Recording, row: number): number[] {
  const { nodes, node_edges: edges } = recording;
  const place = (edge: number): number => (edges.position[edge] < 0 ? Infinity : edges.position[edge]);
  const own = edgesOf(recording, row, "target").sort((a, b) => place(a) - place(b));
  return own.map((edge) => graphsOf(recording).nodeRow(nodes.graph[row], edges.source[edge]));
}

function readersOf(recording: Recording, row: number): number[] {
  const { nodes, node_edges: edges } = recording;
  const own = edgesOf(recording, row, "source");
  return own.map((edge) => graphsOf(recording).nodeRow(nodes.graph[row], edges.target[edge]));
}

function links({ recording, selection }: ViewContext, title: string, rows: readonly number[]): HTMLElement[] {
  const known = [...new Set(rows)].filter((row) => row >= 0);
  if (known.length === 0) return [];
  const buttons = known.map((row) => () => {
    const button = h("button", { type: "button", class: "tv-link" }, recording.nodes.name[row]);
    on(button, "click", () => selectNode(recording, selection, row));
    return h("div", {}, button);
  });
  return [h("h4", {}, title), h("div", { class: "tv-links" }, ...withMore(buttons, MOST))];
}
