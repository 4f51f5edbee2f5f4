import { format } from "@tapeviz/core";
import type { Hit, VisibleGraph } from "./find";
import { faultText, faultsOfNodes } from "../gradientfaults";
import { shapeText } from "./cardcontent";
import type { GraphModel } from "./model";

/** What appears beside the pointer. */
export function tipFor({ model }: VisibleGraph, at: NonNullable<Hit>): { title: string; lines: string[] } {
  if ("frame" in at) {
    const nodes = at.frame.entry?.members.length ?? 0;
    return { title: at.frame.title, lines: [format.plural(nodes, "node"), "A click closes it"] };
  }
  if ("edge" in at) return edgeTip(model, at.edge.instance, at.edge.nodeEdges);
  const { content, entry } = at.card;
  const opens = content.closed ? "Enter or a double click opens it" : "";
  if (typeof entry.item === "number") {
    const tip = nodeTip(model, entry.item);
    return { ...tip, lines: [...tip.lines, opens].filter(Boolean) };
  }
  const each = content.stack > 1 ? ` in ${content.stack} blocks` : "";
  const gone = content.gone > 0 ? `${format.count(content.gone)} gone by now` : "";
  const title = content.stack > 1 ? `${content.title} ×${content.stack}` : content.title;
  const size = `${format.plural(entry.item.size, "node")}${each}`;
  return { title, lines: [...faultsAt(model, entry.members), size, gone, opens].filter(Boolean) };
}

/** What findings about gradients say of nodes, in words. */
export function faultsAt(model: GraphModel, nodes: readonly number[]): string[] {
  const faults = faultsOfNodes(model.recording);
  const own = faults.size > 0 ? nodes.map((node) => faults.get(model.nodes[node].row)) : [];
  return [...new Set(own)].flatMap((fault) => (fault ? [faultText(fault)] : []));
}

/** A node in full: its whole name, op, outputs, line, and what became of it. */
export function nodeTip(model: GraphModel, node: number): { title: string; lines: string[] } {
  const { graphs, recording } = model;
  const { row } = model.nodes[node];
  const outputs = graphs.specs(row).map(({ shape, dtype }) => `${shapeText(shape)} ${dtype}`);
  const fate = model.fate(node);
  const site = recording.nodes.site[row];
  const text = site >= 0 ? (recording.sites.text[site] ?? "").trim() : "";
  const lines = [
    [model.op(node), outputs.slice(0, 3).join(", ")].filter(Boolean).join(": "),
    [model.line(node), text.length > 60 ? `${text.slice(0, 59)}…` : text].filter(Boolean).join(": "),
    recording.nodes.device[row],
    fate.when === "never" ? "" : fate.fate,
    ...faultsAt(model, [node]),
  ];
  return { title: model.name(node), lines: lines.filter(Boolean) };
}

function edgeTip(model: GraphModel, instance: number, edges: readonly number[]): { title: string; lines: string[] } {
  const all = model.instances[instance].edges;
  const texts = new Set(
    edges.map((edge) => {
      const { from, slot, control } = all[edge];
      if (control) return `${model.name(from)}: only runs before`;
      const spec = model.graphs.specs(model.nodes[from].row)[slot];
      return `${model.name(from)}:${slot}${spec ? `  ${shapeText(spec.shape)} ${spec.dtype}` : ""}`;
    }),
  );
  const [title, ...rest] = [...texts];
  const more = rest.length > 5 ? [`and ${format.count(rest.length - 5)} more`] : [];
  return { title: title ?? "", lines: [...rest.slice(0, 5), ...more] };
}
