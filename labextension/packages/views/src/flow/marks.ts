import { format } from "@tapeviz/core";
import { magnitudeOf, magnitudeText } from "../figures";
import type { Gap } from "./gaps";
import type { Card, Scene } from "./layout";
import type { AddendLabel, Marks } from "./draw";
import { targetTile } from "./find";
import type { Model } from "./model";

export const MODES = ["flow", "why", "nan", "sum"] as const;
export type Mode = (typeof MODES)[number];

export interface Highlighted {
  readonly mode: Mode;
  readonly selected: number;
  readonly hovered: number;
  /** One flag an event row; null when there is no filter. */
  readonly matches: Uint8Array | null;
}

/** What stands out in a mode, for a selection and a filter. */
export function marksOf(model: Model, scene: Scene, highlighted: Highlighted): Marks {
  const { mode, selected, hovered } = highlighted;
  const paths = pathsOf(model, highlighted);
  const lit = litBy(model, highlighted, paths);
  const focus = selected >= 0 ? selected : hovered;
  const { values, gradients, first } = model.nonfinite;
  return {
    selected,
    hovered,
    target: model.graph.pass ? targetTile(model) : -1,
    card: ({ tile }) => (lit === null || lit.has(tile) ? "plain" : "dim"),
    edge: (index) => {
      const { from, to } = scene.edges[index];
      const along = paths.some((path) => path.has(from) && path.has(to));
      if (along || (focus >= 0 && (from === focus || to === focus))) return "strong";
      return lit === null || (lit.has(from) && lit.has(to)) ? "plain" : "dim";
    },
    bad: ({ tile }: Card) => {
      const own = model.tiles[tile].members;
      return {
        value: own.some((n) => values.has(n)),
        gradient: own.some((n) => gradients.has(n)),
        severity: own.includes(first)
          ? 3
          : model.faults.reduce(
              (most, { node, severity }) => (own.includes(node) ? Math.max(most, severity) : most),
              0,
            ),
      };
    },
    addends: addendLabels(model, scene, mode === "sum" && selected < 0 ? null : selected),
  };
}

/** The gaps that are looked at: the selected source's, in the mode for it all. */
export function gapsInView(model: Model, { mode, selected }: Highlighted): Gap[] {
  const tile = (source: number): number => model.tileOf[model.graph.nodeOfTensor.get(source) ?? -1] ?? -1;
  const own = model.gaps.filter(
    ({ near, sources }) => selected >= 0 && [model.tileOf[near], ...sources.map(tile)].includes(selected),
  );
  if (own.length > 0) return own;
  return mode === "why" ? [...model.gaps] : [];
}

/** The ways of the gaps in view, as tiles: from the source, and back from the target. */
function pathsOf(model: Model, highlighted: Highlighted): Set<number>[] {
  const tiles = (nodes: ReadonlySet<number>): Set<number> => new Set([...nodes].map((node) => model.tileOf[node]));
  return gapsInView(model, highlighted).flatMap((gap) => [tiles(gap.fromSource), tiles(gap.fromTarget)]);
}

/** The tiles that are not dimmed; null for all. */
function litBy(model: Model, { mode, matches }: Highlighted, paths: readonly Set<number>[]): Set<number> | null {
  let lit: Set<number> | null = null;
  if (mode === "why" && model.gaps.length > 0) lit = new Set([...paths.flatMap((path) => [...path]), -1]);
  if (mode === "nan")
    lit = new Set([...model.nonfinite.values, ...model.nonfinite.gradients].map((node) => model.tileOf[node]));
  if (mode === "sum") lit = new Set(sums(model).flatMap(({ from, to }) => [from, to]));
  if (matches === null) return lit;
  const found = matching(model, matches);
  return lit === null ? found : new Set([...lit].filter((tile) => found.has(tile)));
}

function matching(model: Model, matches: Uint8Array): Set<number> {
  const { graph, tileOf } = model;
  const rows = graph.nodes.map((node) => graph.facts.eventRow(node.event));
  const found = new Set<number>();
  rows.forEach((row, node) => row >= 0 && matches[row] === 1 && found.add(tileOf[node]));
  for (const { from, to } of graph.edges) if (rows[from] < 0 && matches[rows[to]] === 1) found.add(tileOf[from]);
  return found;
}

/** The links of tensors that are read more than once with a gradient: their gradients are sums. */
function sums({ links, graph }: Model): { from: number; to: number }[] {
  const count = (tensor: number): number =>
    graph.edgesOf.get(tensor)?.reduce((n, edge) => n + edge.addends.length, 0) ?? 0;
  return links.filter((link) => count(link.tensor) > 1);
}

/** Something that flows back into a tile's gradient: along which edge of the scene, from where, how much. */
export interface SumTerm {
  readonly edge: number;
  readonly from: number;
  readonly text: string;
}

/** What the gradient of a tile is the sum of, where it is one. */
export function sumTerms(model: Model, scene: Scene, tile: number): SumTerm[] {
  const { graph, links } = model;
  const several = new Set(sums(model));
  return scene.edges.flatMap(({ link, from, to }, edge) => {
    if (link < 0 || from !== tile || !several.has(links[link])) return [];
    const addends = links[link].edges.flatMap((index) => graph.edges[index].addends);
    if (addends.length === 0) return [];
    const largest = magnitudeText(magnitudeOf(graph.facts, addends[0].tensor));
    return [{ edge, from: to, text: addends.length === 1 ? largest : `${format.plural(addends.length, "addend")}` }];
  });
}

/** What is written at the ends of edges: the addends of one tile's gradient, or of all. */
function addendLabels(model: Model, scene: Scene, tile: number | null): Map<number, AddendLabel> {
  const found = new Map<number, AddendLabel>();
  const tiles = tile === null ? model.tiles.keys() : [tile];
  for (const one of tiles)
    sumTerms(model, scene, one).forEach(({ edge, text }, i) => found.set(edge, { number: i + 1, text }));
  return found;
}
