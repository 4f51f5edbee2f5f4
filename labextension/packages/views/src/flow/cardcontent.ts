import { ERROR, familyOf, format, OTHER, type Family } from "@tapeviz/core";
import { figuresOf, lineOf, magnitudeText, userName, rangeText, type Magnitude } from "../figures";
import type { CardContent } from "../layered/card";
import type { SourceKind } from "./graph";
import { gradientAt, gradientsOfBlocks, outputOf, type Model } from "./model";
import type { Tile } from "./visible";

/** What a card of the flow says. */
export interface FlowCardContent extends CardContent {
  /** How many addends its gradient is the sum of. */
  readonly addends: number;
  readonly failed: boolean;
  /** Asked for in the call of `gradient()`: None is bad news here. */
  readonly requested: boolean;
  /** The gradients of what each block of a repeat hands on; empty for other cards. */
  readonly blocks: readonly Magnitude[];
}

export const SOURCE_WORDS: Readonly<Record<SourceKind, string>> = {
  variable: "variable",
  watched: "tensor",
  data: "data",
  constant: "constant",
};

const SOURCES: Readonly<Record<SourceKind, Family>> = {
  variable: familyOf("variable"),
  watched: familyOf("variable"),
  data: OTHER,
  constant: OTHER,
};

export function contentOf(model: Model, tile: Tile, index: number): FlowCardContent {
  const { graph } = model;
  const { facts } = graph;
  const tensor = outputOf(model, tile, index);
  const figures = figuresOf(facts, tensor);
  return {
    ...(tile.group ? groupContent(model, tile) : nodeContent(model, tile.node)),
    shape: facts.tensorRow(tensor) < 0 ? "" : format.shape(facts.shape(tensor)),
    figures,
    range: tensor < 0 ? "no output" : figures ? rangeText(figures) : "",
    gradient: tile.group?.kind === "sources" || tensor < 0 ? null : gradientAt(graph, tensor),
    blocks: gradientsOfBlocks(model, tile).filter((gradient) => gradient !== null),
    addends: graph.edgesOf.get(tensor)?.reduce((n, edge) => n + edge.addends.length, 0) ?? 0,
  };
}

type NodeContent = Pick<FlowCardContent, "title" | "sub" | "family" | "stack" | "failed" | "requested" | "named">;

function nodeContent({ graph }: Model, node: number): NodeContent {
  const { facts, nodes } = graph;
  const { event, tensor, source, requested, failed } = nodes[node];
  const name = userName(facts, tensor);
  if (source) {
    const title = name || SOURCE_WORDS[source];
    return {
      title,
      sub: name ? SOURCE_WORDS[source] : "",
      family: SOURCES[source],
      stack: 0,
      failed,
      requested,
      named: false,
    };
  }
  const op = facts.title(event);
  const sub = failed ? "failed" : name ? op : lineOf(facts, event);
  return {
    title: name || op,
    sub,
    family: failed ? ERROR : facts.family(event),
    stack: 0,
    failed,
    requested,
    named: name !== "",
  };
}

function groupContent({ graph }: Model, { group, members }: Tile): NodeContent {
  const { facts, nodes } = graph;
  const failed = members.some((node) => nodes[node].failed);
  const contents =
    group!.kind === "sources"
      ? members
          .map((node) => userName(facts, nodes[node].tensor))
          .filter(Boolean)
          .join(", ")
      : format.plural(group!.size / group!.times, "op");
  const family = familyAround(
    facts,
    members.map((node) => nodes[node].event),
  );
  return { title: group!.title, sub: contents, family, stack: group!.times, failed, requested: false, named: true };
}

/** The family of a group: that of its weightiest ops. */
function familyAround(facts: Model["graph"]["facts"], events: readonly number[]): Family {
  const families = events.filter((event) => event >= 0).map((event) => facts.family(event));
  return families.find((family) => family.name === "linalg") ?? families[0] ?? OTHER;
}

/** "7 ops, 5 sources, 2 inputs": sources are what gradients were asked of, without a backward pass the variables. */
export function countsOf({ nodes, pass }: Model["graph"]): string {
  const around = nodes.filter(({ source }) => source !== null);
  const isSource = ({ requested, source }: (typeof nodes)[number]): boolean =>
    pass ? requested : source === "variable" || source === "watched";
  const sources = around.filter(isSource).length;
  const counts = [format.plural(nodes.length - around.length, "op"), format.plural(sources, "source")];
  if (sources < around.length) counts.push(format.plural(around.length - sources, "input"));
  return counts.join(", ");
}

/** What a node is called in words: its name, else what sort of source, else its op with the event's number. */
export function titleOf({ facts, nodes }: Model["graph"], node: number): string {
  const { tensor, source, event } = nodes[node];
  return (
    userName(facts, tensor) || (source ? SOURCE_WORDS[source] : tensor < 0 ? facts.title(event) : facts.name(tensor))
  );
}

/** A card in words, for the text twin, the tooltip and screen readers. */
export function describe(content: FlowCardContent): string {
  const parts = [
    content.title,
    content.sub,
    content.shape,
    content.range,
    content.gradient ? `gradient ${magnitudeText(content.gradient)}` : "",
    content.blocks.length > 0 ? `block by block ${content.blocks.map(magnitudeText).join(", ")}` : "",
  ];
  return parts.filter(Boolean).join(", ");
}
