import type { View } from "../view";
import { factsOf } from "../facts";
import { FOLD_THRESHOLD, type Group } from "./groups";
import { countsOf, contentOf, titleOf, type FlowCardContent } from "./cardcontent";
import { glyphText } from "../figures";
import { tileOfKey } from "./find";
import { ladder, type LadderRow } from "./ladder";
import { graphModelOf, modelOf, type Model } from "./model";
import { defaultPass } from "./passes";

/** The gradient flow in words: the ladder of sources, then every card in the order of the flow, indented by its scope. */
export const flowText: View["text"] = ({ recording, selection, matches }) => {
  const model = modelOf(graphModelOf(recording, defaultPass(factsOf(recording))));
  const { event, tensor } = selection.selected.value;
  const chosen = tileOfKey(model, { event, tensor });
  const flags = matches.value;
  const cards = cardLines(model, chosen, flags);
  const left = flags ? ["", "Only what the filter lets through."] : [];
  return [heading(model), "", ...ladderLines(model), "", ...cards, ...gapLines(model), ...left, ""].join("\n");
};

function heading({ graph, nonfinite, faults }: Model): string {
  const counts = countsOf(graph);
  const bad =
    nonfinite.first < 0
      ? ""
      : ` First not finite: ${titleOf(graph, nonfinite.first)}${nonfinite.backward ? "'s gradient" : ""}.`;
  if (!graph.pass) return `Gradient flow: no backward pass was recorded; the forward graph, ${counts}.${bad}`;
  return [`Gradient flow: ${graph.pass.title}; ${counts}.${bad}`, ...faults.map(({ text }) => `${text}.`)].join(" ");
}

function ladderLines(model: Model): string[] {
  const all = ladder(model);
  if (all.length === 0) return ["No sources were asked for."];
  const wide = all.reduce((most, row) => Math.max(most, row.name.length), 0);
  const line = (row: LadderRow): string => {
    const verdict = row.verdict ? `  ${row.severity > 2 ? "▲" : "◆"} ${row.verdict}` : "";
    return `  ${row.name.padEnd(wide)}  ${row.shape.padEnd(9)}  |g| ${glyphText(row.gradient)}${verdict}`;
  };
  return ["Sources, in the order of the flow", ...all.map(line)];
}

function cardLines(model: Model, chosen: number, flags: Uint8Array | null): string[] {
  const { graph, tiles } = model;
  const lines = ["Flow, from the sources to what was differentiated"];
  let around: readonly Group[] = [];
  tiles.forEach((tile, index) => {
    const rows = tile.members.map((node) => graph.facts.eventRow(graph.nodes[node].event)).filter((row) => row >= 0);
    if (flags && rows.length > 0 && !rows.some((row) => flags[row] === 1)) return;
    const groups = groupsAround(model, tile.members[0]);
    groups.forEach((group, depth) => around[depth] !== group && lines.push(`  ${"  ".repeat(depth)}[${group.title}]`));
    around = groups;
    const mark = index === chosen ? "> " : "  ";
    lines.push(`${mark}${"  ".repeat(groups.length)}${cardLine(model, contentOf(model, tile, index), index)}`);
  });
  if (graph.nodes.length > FOLD_THRESHOLD)
    lines.push("  Scopes and repeated blocks are folded: filter, or open them in the picture.");
  return lines;
}

/** The open groups that a node is in, outermost first. */
function groupsAround({ open, root }: Model, node: number): Group[] {
  return [...open].filter(([group, nodes]) => group !== root && nodes.includes(node)).map(([group]) => group);
}

function cardLine(model: Model, content: FlowCardContent, index: number): string {
  const { links, tiles, graph } = model;
  const inputs = links
    .filter((link) => link.to === index)
    .map(({ tensor, from }) =>
      tiles[from].node >= 0
        ? titleOf(graph, graph.nodeOfTensor.get(tensor) ?? tiles[from].node)
        : tiles[from].group!.title,
    );
  const reads = inputs.length > 0 ? ` from ${[...new Set(inputs)].join(", ")}` : "";
  const gradient = content.gradient ? `  |g| ${glyphText(content.gradient)}` : "";
  const sum = content.addends > 1 ? ` (sum of ${content.addends} addends)` : "";
  const times = content.stack > 1 ? ` ×${content.stack}` : "";
  const words = [`${content.family.glyph} ${content.title}${times}`, content.sub, content.shape, content.range]
    .filter(Boolean)
    .join("  ");
  return `${words}${gradient}${sum}${reads}${index === model.tileOf[graph.target] && graph.pass ? "  ← differentiated" : ""}`;
}

function gapLines(model: Model): string[] {
  const { graph, gaps } = model;
  if (gaps.length === 0) return [];
  const names = (nodes: ReadonlySet<number>): string => [...nodes].map((node) => titleOf(graph, node)).join(" → ");
  const { fix } = graph.facts.recording.verdicts;
  return [
    "",
    "Why None",
    ...gaps.flatMap((gap) => [
      `  ${gap.sources.map((source) => graph.facts.name(source)).join(", ")}: ✕ ${[gap.title, gap.detail].filter(Boolean).join(", ")}`,
      `    from the source: ${names(gap.fromSource)} ✕`,
      `    back from the target: ${names(gap.fromTarget)} ✕`,
      ...(fix[gap.verdict] ? [`    to fix it: ${fix[gap.verdict]}`] : []),
    ]),
  ];
}
