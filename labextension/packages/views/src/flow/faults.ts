import { lineOf } from "../figures";
import { FAULT_WORDS } from "../gradientfaults";
import { titleOf } from "./cardcontent";
import type { FlowGraph } from "./graph";
import type { Group } from "./groups";
import { gradientFindings, type GradientFinding } from "./passes";

/** An op at which a finding says that gradients are lost, grow or stop being finite. */
export interface Fault {
  readonly node: number;
  readonly kind: GradientFinding;
  /** 2 likely a fault, 3 a fault. */
  readonly severity: number;
  /** What happens there, and at which op in which layer on which line. */
  readonly text: string;
}

/** A group of so many of the ops is the model itself, which tells nothing of where in it. */
const MOST = 0.6;

/** The ops of this graph that findings are about, gravest first; of several findings about one op the first. */
export function faultsOf(graph: FlowGraph, root: Group): Fault[] {
  const { facts, nodeOfEvent } = graph;
  const { verdicts, events } = facts.recording;
  const found = new Map<number, Fault>();
  for (const row of gradientFindings(facts)) {
    const event = verdicts.event[row];
    const forward = facts.isBackward(event) ? events.origin[facts.eventRow(event)] : event;
    const node = nodeOfEvent.get(forward) ?? -1;
    if (node < 0 || found.has(node)) continue;
    const kind = verdicts.kind[row] as GradientFinding;
    const text = `${FAULT_WORDS[kind]} ${placeOf(graph, root, node)}`;
    found.set(node, { node, kind, severity: Math.min(3, verdicts.severity[row]), text });
  }
  return [...found.values()];
}

/** An op with its layer and its line: "multiply in dense_2, line 50". */
export function placeOf(graph: FlowGraph, root: Group, node: number): string {
  const { facts, nodes } = graph;
  const { event, source } = nodes[node];
  if (source !== null) return titleOf(graph, node);
  const layer = layerOf(root, node);
  const where = layer === "" ? facts.title(event) : `${facts.title(event)} in ${layer}`;
  return [where, lineOf(facts, event)].filter(Boolean).join(", ");
}

/** The layers around a node, without the model itself and repeats of blocks: "generator/dense_2"; "" for none. */
export function layerOf(root: Group, node: number): string {
  const around = groupsAround(root, node) ?? [];
  const layers = around.filter(({ kind, size }) => kind !== "repeat" && size <= MOST * root.size);
  return layers.map(({ title }) => title).join("/");
}

/** The groups in a group around a node, outermost first; null where it does not hold the node. */
function groupsAround({ items }: Group, node: number): Group[] | null {
  for (const item of items) {
    if (item === node) return [];
    const inside = typeof item === "number" ? null : groupsAround(item, node);
    if (inside !== null) return [item as Group, ...inside];
  }
  return null;
}
