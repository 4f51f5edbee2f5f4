import { familyOf, OTHER, type Family, type Selection } from "@tapeviz/core";
import { graphsOf, traitsOf, type Recording } from "@tapeviz/recording";
import { factsOf } from "./facts";

/** The row of the node that is selected: the one that was chosen, else one that the selected op ran; -1 for none. */
export function selectedNode(recording: Recording, selection: Pick<Selection, "node" | "selected">): number {
  const graphs = graphsOf(recording);
  const { graph, node } = selection.node.value;
  const chosen = graphs.nodeRow(graph, node);
  const ran = nodesOfKey(recording, selection.selected.value);
  if (chosen >= 0 && (ran.length === 0 || ran.includes(chosen))) return chosen;
  return ran[0] ?? -1;
}

/** The nodes that an op, or the op that made a tensor, ran. */
export function nodesOfKey(
  recording: Recording,
  { event, tensor }: { readonly event: number; readonly tensor: number },
): Int32Array {
  return graphsOf(recording).nodesOf(event >= 0 ? event : factsOf(recording).producer(tensor));
}

/** Selects a node, and the event that ran it last. */
export function selectNode(recording: Recording, selection: Selection, row: number): void {
  const { graph, number } = recording.nodes;
  const event = graphsOf(recording).eventsOf(row).at(-1) ?? -1;
  selection.selectNode({ graph: graph[row], node: number[row] }, { event });
}

/** The family of a node's op. What stands at the beginning computes nothing. */
export function familyOfNode(recording: Recording, row: number): Family {
  const op = recording.nodes.op[row];
  return traitsOf(recording, op).has("source") ? OTHER : familyOf(recording.ops.family[op] ?? "");
}

/** Something that Python did once, in words that say so. */
export function effectText(text: string): string {
  return /while tracing/i.test(text) ? text : `Ran once, while tracing: ${text}`;
}
