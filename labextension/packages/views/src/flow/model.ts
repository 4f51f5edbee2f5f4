import { KIND, type Recording } from "@tapeviz/recording";
import { groupTree, type Group } from "./groups";
import { magnitude, magnitudeOf, type Magnitude } from "../figures";
import { faultsOf, type Fault } from "./faults";
import { gapsOf, type Gap } from "./gaps";
import { flowGraph, resolveAliases, type FlowGraph } from "./graph";
import { nonfinite, type Nonfinite } from "./nonfinite";
import { NO_EXPANSION, type ExpansionState } from "../layered/expansion";
import { visible, type Link, type Tile, type Visible } from "./visible";

/** The graph of a backward pass, its groups and where it breaks: what stays while groups are opened and closed. */
export interface GraphModel {
  readonly graph: FlowGraph;
  readonly root: Group;
  readonly gaps: readonly Gap[];
  readonly nonfinite: Nonfinite;
  readonly faults: readonly Fault[];
}

/** Spans around a node of a graph that runs other graphs; the node's own event is the last one in them. */
const AROUND_GRAPHS = new Set(["loop", "branch", "call"]);

/** All that is drawn, before it has a place: the graph, and what of it is seen. */
export interface Model extends GraphModel, Visible {}

export function graphModelOf(recording: Recording, span: number): GraphModel {
  const graph = flowGraph(recording, span);
  const root = groupTree(graph);
  return { graph, root, gaps: gapsOf(graph), nonfinite: nonfinite(graph), faults: faultsOf(graph, root) };
}

/** Chooses what is seen, so many cards as long as nobody opens more. */
export function modelOf(graphModel: GraphModel, expansion: ExpansionState = NO_EXPANSION, room?: number): Model {
  return { ...graphModel, ...visible(graphModel.graph, graphModel.root, expansion, room) };
}

/** The tiles on both sides of a gap, -1 for none; one inside a closed group stands behind that group. */
export function tilesAround({ tileOf }: Model, { near, far, fromTarget }: Gap): { near: number; far: number } {
  const [before, behind] = [tileOf[near] ?? -1, tileOf[far] ?? -1];
  if (before < 0 || before !== behind) return { near: before, far: behind };
  return { near: before, far: [...fromTarget].map((node) => tileOf[node]).findLast((tile) => tile !== before) ?? -1 };
}

/** The tensor that a tile hands on: its own, for a group the last one that leaves it. */
export function outputOf({ graph, tileOf }: Model, tile: Tile, index: number): number {
  if (tile.node >= 0) return graph.nodes[tile.node].tensor;
  return lastLeaving(graph, tile.members, (node) => tileOf[node] === index);
}

/** The gradients of what each block of a repeat hands on, in the order of the flow; empty for other tiles. */
export function gradientsOfBlocks({ graph }: Model, { group }: Tile): (Magnitude | null)[] {
  if (group?.kind !== "repeat") return [];
  return group.items.map((block) => {
    const nodes = new Set(typeof block === "number" ? [block] : nodesIn(block));
    return gradientAt(
      graph,
      lastLeaving(graph, [...nodes], (node) => nodes.has(node)),
    );
  });
}

const nodesIn = (group: Group): number[] =>
  group.items.flatMap((item) => (typeof item === "number" ? [item] : nodesIn(item)));

function lastLeaving(graph: FlowGraph, nodes: readonly number[], isInside: (node: number) => boolean): number {
  const leaving = graph.edges.findLast(({ from, to }) => isInside(from) && !isInside(to));
  return leaving?.tensor ?? graph.nodes[nodes.reduce((last, node) => Math.max(last, node), 0)].tensor;
}

/** The gradient of a tensor in the pass that is shown; null where no pass is. */
export function gradientAt(graph: FlowGraph, tensor: number): Magnitude | null {
  const { pass, facts, nodes, nodeOfTensor } = graph;
  if (!pass) return null;
  const gradient = pass.gradient.get(tensor) ?? aliasGradient(graph, tensor);
  if (gradient !== undefined) return magnitudeOf(facts, gradient);
  const node = nodes[nodeOfTensor.get(tensor) ?? -1];
  const asked = pass.requests.find((request) => request.source === tensor);
  if (asked) return magnitudeOf(facts, asked.gradient);
  if (node && isInsideOneStep(graph, node.event)) return magnitude("unseen");
  return magnitude(node && !node.sought ? "unasked" : "none");
}

/** Whether an op ran in a loop, a branch or a called function of which the pass made one step: what flowed back inside is in no table. */
function isInsideOneStep({ pass, facts }: FlowGraph, event: number): boolean {
  const { events } = facts.recording;
  for (let at = event; at >= 0; at = events.parent[facts.eventRow(at)] ?? -1) {
    if (!AROUND_GRAPHS.has(facts.span(at).kind)) continue;
    const whole = facts.children(at).findLast((child) => events.kind[facts.eventRow(child)] === KIND.op) ?? -1;
    if (whole !== event && [...facts.inputs(whole)].some((tensor) => pass && pass.addends(whole, tensor).length > 0))
      return true;
  }
  return false;
}

/** The gradient of a tensor that is only known behind a cast or an identity. */
function aliasGradient({ pass, facts, edgesOf }: FlowGraph, tensor: number): number | undefined {
  const edge = edgesOf.get(tensor)?.find((e) => e.read !== tensor && e.addends.length > 0);
  return edge && pass && resolveAliases(facts, edge.read) === tensor ? pass.gradient.get(edge.read) : undefined;
}

/** How much gradient comes back along a link: the largest addend; null where no pass is shown. */
export function flowAlong({ graph }: Model, link: Link): Magnitude | null {
  if (!graph.pass) return null;
  const all = link.edges.flatMap((edge) => graph.edges[edge].addends).map((a) => magnitudeOf(graph.facts, a.tensor));
  const ends = link.edges.flatMap((edge) => [graph.edges[edge].from, graph.edges[edge].to]);
  if (all.length === 0 && ends.some((node) => isInsideOneStep(graph, graph.nodes[node].event)))
    return magnitude("unseen");
  return all.reduce((most, m) => (rank(m) > rank(most) ? m : most), magnitude("none"));
}

const RANK = { none: 0, unasked: 0, unseen: 0, evicted: 1, pending: 1, zero: 2, number: 3, nan: 4 } as const;
const rank = ({ state, norm }: Magnitude): number => RANK[state] + (state === "number" ? 1 - 1 / (1 + norm) : 0);
