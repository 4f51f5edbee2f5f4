import { faultsOfNodes } from "../gradientfaults";
import { boundingBox, overlaps, type Box } from "../layered/box";
import type { VisibleGraph, Selectable } from "./find";
import type { GraphModel } from "./model";
import type { Card, Edge } from "./layout";

/** What stands out in a picture of a graph. */
export interface Marks {
  /** Keys of cards or frames; "" for none. */
  readonly selected: string;
  readonly hovered: string;
  readonly dim: (card: Card) => boolean;
  readonly strong: (edge: Edge) => boolean;
  readonly quiet: (edge: Edge) => boolean;
  /** How grave a finding about gradients is at a card's nodes; 0 for none. */
  readonly severity: (card: Card) => number;
  /** Around the nodes that a pass fused into one. */
  readonly fused: readonly Fused[];
}

export interface Fused extends Box {
  readonly title: string;
}

export interface Highlighted {
  readonly selected: Selectable | null;
  readonly hovered: Selectable | null;
  /** One flag a row of `nodes`; null where there is no filter. */
  readonly matches: Uint8Array | null;
}

export function marksOf(shown: VisibleGraph, { selected, hovered, matches }: Highlighted): Marks {
  const { model, scene } = shown;
  const lit = (nodes: readonly number[]): boolean =>
    matches === null || nodes.some((node) => matches[model.nodes[node].row] === 1);
  const focus = selected ?? hovered;
  const near = new Set(focus?.members ?? []);
  const touches = ({ instance, nodeEdges }: Edge): boolean => {
    const all = model.instances[instance].edges;
    return near.size > 0 && nodeEdges.some((edge) => near.has(all[edge].from) !== near.has(all[edge].to));
  };
  const faults = faultsOfNodes(model.recording);
  const severityAt = (node: number): number => faults.get(model.nodes[node].row)?.severity ?? 0;
  return {
    selected: selected?.key ?? "",
    hovered: hovered?.key ?? "",
    dim: ({ entry }) => !lit(entry.members),
    strong: touches,
    quiet: ({ from, to }) => matches !== null && !(lit(from?.members ?? []) && lit(to?.members ?? [])),
    severity: ({ entry }) => (faults.size > 0 ? Math.max(0, ...entry.members.map(severityAt)) : 0),
    fused: fusedOf(shown, scene.cards),
  };
}

/** Nodes that were fused into one, where a box around them holds no others. */
function fusedOf({ model, scene }: VisibleGraph, cards: readonly Card[]): Fused[] {
  const { into, graph } = model.recording.nodes;
  const together = new Map<string, Card[]>();
  for (const card of cards) {
    const { item } = card.entry;
    if (typeof item !== "number" || model.subject.bare) continue;
    const { fate, when } = model.fate(item);
    const { row, instance } = model.nodes[item];
    if (when === "never" || fate !== "fused") continue;
    const key = `${instance} ${graph[row]} ${into[row]}`;
    together.set(key, [...(together.get(key) ?? []), card]);
  }
  const sizes = together.size > 0 ? fusedSizes(model) : new Map<string, number>();
  return [...together].flatMap(([key, own]): Fused[] => {
    if (own.length < 2) return [];
    const all = sizes.get(key) ?? own.length;
    const box = boundingBox(own, AIR);
    const others = scene.cards.filter((card) => !own.includes(card));
    const title = `${own.length < all ? `${own.length} of ${all}` : all} fused into one`;
    return others.some((other) => overlaps(box, other)) ? [] : [{ ...box, title }];
  });
}

/** How many nodes went into each one that others were fused into. */
function fusedSizes(model: GraphModel): Map<string, number> {
  const { into, graph } = model.recording.nodes;
  const sizes = new Map<string, number>();
  model.nodes.forEach(({ row, instance }, node) => {
    if (model.fate(node).fate !== "fused") return;
    const key = `${instance} ${graph[row]} ${into[row]}`;
    sizes.set(key, (sizes.get(key) ?? 0) + 1);
  });
  return sizes;
}

const AIR = 7;
