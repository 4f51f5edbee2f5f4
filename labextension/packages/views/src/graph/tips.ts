import { format } from "@tapeviz/core";
import type { Hit, Shown } from "./find";
import { shapeText } from "./face";
import type { Ground } from "./ground";

/** What appears beside the pointer. */
export function tipFor({ ground }: Shown, at: NonNullable<Hit>): { title: string; lines: string[] } {
  if ("frame" in at) {
    const nodes = at.frame.entry?.members.length ?? 0;
    return { title: at.frame.title, lines: [format.plural(nodes, "node"), "A click closes it"] };
  }
  if ("wire" in at) return wireTip(ground, at.wire.instance, at.wire.edges);
  const { face, entry } = at.card;
  const opens = face.closed ? "Enter or a double click opens it" : "";
  if (typeof entry.item === "number") {
    const tip = nodeTip(ground, entry.item);
    return { ...tip, lines: [...tip.lines, opens].filter(Boolean) };
  }
  const each = face.stack > 1 ? ` in ${face.stack} blocks` : "";
  const gone = face.gone > 0 ? `${format.count(face.gone)} gone by now` : "";
  const title = face.stack > 1 ? `${face.title} ×${face.stack}` : face.title;
  return { title, lines: [`${format.plural(entry.item.size, "node")}${each}`, gone, opens].filter(Boolean) };
}

/** A node in full: its whole name, op, outputs, line, and what became of it. */
export function nodeTip(ground: Ground, cell: number): { title: string; lines: string[] } {
  const { graphs, recording } = ground;
  const { row } = ground.cells[cell];
  const outputs = graphs.specs(row).map(({ shape, dtype }) => `${shapeText(shape)} ${dtype}`);
  const fate = ground.fate(cell);
  const site = recording.nodes.site[row];
  const text = site >= 0 ? (recording.sites.text[site] ?? "").trim() : "";
  const lines = [
    [ground.op(cell), outputs.slice(0, 3).join(", ")].filter(Boolean).join(": "),
    [ground.line(cell), text.length > 60 ? `${text.slice(0, 59)}…` : text].filter(Boolean).join(": "),
    recording.nodes.device[row],
    fate.when === "never" ? "" : fate.fate,
  ];
  return { title: ground.name(cell), lines: lines.filter(Boolean) };
}

function wireTip(ground: Ground, instance: number, edges: readonly number[]): { title: string; lines: string[] } {
  const all = ground.instances[instance].edges;
  const texts = new Set(
    edges.map((edge) => {
      const { from, slot, control } = all[edge];
      if (control) return `${ground.name(from)}: only runs before`;
      const spec = ground.graphs.specs(ground.cells[from].row)[slot];
      return `${ground.name(from)}:${slot}${spec ? `  ${shapeText(spec.shape)} ${spec.dtype}` : ""}`;
    }),
  );
  const [title, ...rest] = [...texts];
  const more = rest.length > 5 ? [`and ${format.count(rest.length - 5)} more`] : [];
  return { title: title ?? "", lines: [...rest.slice(0, 5), ...more] };
}
