import { format } from "@tapeviz/core";
import { graphsOf } from "@tapeviz/recording";
import { selectedNode } from "../nodes";
import type { View } from "../view";
import { choicesOf, firstGraph, graphTitle, outermost } from "./choice";
import { contentOf } from "./cardcontent";
import { GraphModel } from "./model";
import { entriesOf, levelsOf, type Entry, type Level } from "./levels";
import { matchingNodes } from "../nodematches";
import { NO_EXPANSION } from "../layered/expansion";
import { partsOpened, withParts } from "./parts";
import { FOLD_THRESHOLD } from "./scopes";
import { faultsAt } from "./tips";

/** The graph in words: its passes, then what is side by side in the order of the flow, indented by what it is in. */
export const graphText: View["text"] = (context) => {
  const { recording, selection } = context;
  const queries = graphsOf(recording);
  const { node } = selection;
  const graph = node.value.graph >= 0 ? outermost(queries, node.value.graph) : firstGraph(recording);
  if (graph < 0) return "Graph: nothing was traced.\n";
  const model = new GraphModel(recording, { graph, step: 0, bare: false });
  const chosen = selectedNode(recording, selection);
  const words = new TextWriter(model, chosen, matchingNodes(context));
  const parts = partsOpened(model, NO_EXPANSION, (level) => FOLD_THRESHOLD / [...entriesOf(level)].length);
  words.level(levelsOf(model, withParts(NO_EXPANSION, parts)), 1);
  const size = model.root.size;
  const folded = size > FOLD_THRESHOLD ? ["  Scopes and repeated blocks are folded: open them in the picture."] : [];
  return [
    `Graph of ${graphTitle(queries, graph)}: ${format.plural(size, "node")}.`,
    ...faultsAt(model, [...model.nodes.keys()]).map((fault) => `${fault}.`),
    "",
    ...passes(model),
    "Nodes, from the inputs to the results",
    ...words.lines,
    ...folded,
    "",
    ...others(context.recording, graph),
  ].join("\n");
};

function passes({ steps }: GraphModel): string[] {
  if (steps.length < 2) return [];
  const lines = steps.map(({ name, nodes, text, took }) => {
    const time = took > 0 ? `, ${format.duration(took)}` : "";
    return `  ${name}: ${format.plural(nodes, "node")}${time}${text ? `; ${text}` : ""}`;
  });
  return ["Passes", ...lines, ""];
}

function others(recording: Parameters<typeof choicesOf>[0], graph: number): string[] {
  const all = choicesOf(recording);
  if (all.length < 2) return [];
  return [
    "All graphs",
    ...all.map((choice) => `${choice.graph === graph ? "> " : "  "}${"  ".repeat(choice.depth)}${choice.title}`),
    "",
  ];
}

class TextWriter {
  readonly lines: string[] = [];

  constructor(
    private readonly model: GraphModel,
    private readonly chosen: number,
    private readonly matches: Uint8Array | null,
  ) {}

  level(level: Level, depth: number): void {
    level.entries.forEach((entry, index) => {
      if (!this.#isLetThrough(entry)) return;
      const isChosen = entry.levels.length === 0 && this.#rows(entry).includes(this.chosen);
      const indent = `${isChosen ? ">" : " "} ${"  ".repeat(depth - 1)}`;
      this.lines.push(`${indent}${this.#line(level, entry, index)}`);
      for (const inner of entry.levels) {
        const region = inner.group.kind === "region";
        if (region) this.lines.push(`  ${"  ".repeat(depth)}[${inner.group.title}]`);
        this.level(inner, depth + (region ? 2 : 1));
      }
    });
  }

  #rows({ members }: Entry): number[] {
    return members.map((node) => this.model.nodes[node].row);
  }

  #isLetThrough(entry: Entry): boolean {
    return this.matches === null || this.#rows(entry).some((row) => this.matches![row] === 1);
  }

  #line(level: Level, entry: Entry, index: number): string {
    const content = contentOf(this.model, entry, level.group);
    const times = content.stack > 1 ? ` ×${content.stack}` : "";
    if (entry.levels.length > 0 && typeof entry.item !== "number") return `[${content.title}${times}]`;
    const fate =
      typeof entry.item === "number" ? this.model.recording.nodes.fate[this.model.nodes[entry.item].row] : "";
    const became = fate === "" || fate === "kept" ? "" : `  (${fate})`;
    const words = [
      `${content.family.glyph} ${content.title}${times}`,
      content.sub,
      content.shape,
      content.range,
    ].filter(Boolean);
    return `${words.join("  ")}${became}${this.#inputs(level, index)}`;
  }

  #inputs({ entries, links, group }: Level, index: number): string {
    const name = (from: number): string => contentOf(this.model, entries[from], group).title;
    const own = links.filter(({ to, from }) => to === index && from >= 0);
    const data = own.filter(({ control }) => !control).map(({ from }) => name(from));
    const after = own.filter(({ control }) => control).map(({ from }) => name(from));
    const reads = data.length > 0 ? ` from ${[...new Set(data)].join(", ")}` : "";
    return after.length > 0 ? `${reads} after ${[...new Set(after)].join(", ")}` : reads;
  }
}
