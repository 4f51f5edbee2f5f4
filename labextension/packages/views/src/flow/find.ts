import type { Key } from "@tapeviz/core";
import { contains } from "../layered/box";
import { hitScene, type Point, type SceneHit } from "../layered/hit";
import { FRAME_TITLE, type Card, type Frame, type GapBox, type Scene, type Edge } from "./layout";
import { outputOf, type Model } from "./model";

/** The tile that a selection means; -1 for none. */
export function tileOfKey(model: Model, { event, tensor }: Pick<Key, "event" | "tensor">): number {
  const { graph, tiles, tileOf } = model;
  const { facts, pass } = graph;
  const tile = (node: number | undefined): number => (node === undefined ? -1 : (tileOf[node] ?? -1));
  const forward = pass?.owner.get(tensor) ?? tensor;
  const byTensor = tensor < 0 ? -1 : tile(graph.nodeOfTensor.get(forward));
  if (event < 0) return byTensor;
  const [row, origin] = [facts.eventRow(event), facts.isBackward(event) ? facts.partner(event) : event];
  const apart = tensor >= 0 && ![...facts.inputs(event), ...facts.outputs(event)].includes(tensor);
  if (row < 0 || (apart && byTensor >= 0)) return byTensor;
  const byEvent = tile(graph.nodeOfEvent.get(origin));
  if (byEvent >= 0) return byEvent;
  const span = tiles.findIndex(({ group }) => group?.event === event);
  return span >= 0 ? span : byTensor;
}

/** What selecting a tile selects. */
export function keyOfTile(model: Model, tile: number): { event: number; tensor: number } {
  const { tiles, graph } = model;
  const chosen = tiles[tile];
  if (chosen.node >= 0) return { event: graph.nodes[chosen.node].event, tensor: graph.nodes[chosen.node].tensor };
  return { event: chosen.group!.event, tensor: outputOf(model, chosen, tile) };
}

/** What is at a point of the scene: a gap, or what every drawing of cards has; of the halves of a gap's edge nothing. */
export type Hit = SceneHit<Card, Frame, Edge> | { readonly gap: GapBox };

export function hit(scene: Scene, ...point: Point): Hit | null {
  const gap = scene.gaps.find((one) => contains(one, point[0], point[1]));
  const edges = scene.edges.filter(({ link }) => link >= 0);
  return gap ? { gap } : hitScene({ ...scene, edges }, point, FRAME_TITLE);
}

/** Where an arrow key goes from a card: along an edge to the left or right, or to the next card of its column. */
export function neighbour(scene: Scene, model: Model, from: number, to: "left" | "right" | "up" | "down"): number {
  const card = scene.cards.find((c) => c.tile === from);
  if (!card) return to === "left" || to === "up" ? targetTile(model) : (scene.cards[0]?.tile ?? -1);
  if (to === "up" || to === "down") return beside(scene, card, to === "up" ? -1 : 1);
  const ends = scene.edges.flatMap((edge) => {
    const end = to === "left" ? (edge.to === from ? edge.from : -1) : edge.from === from ? edge.to : -1;
    return end < 0 ? acrossGap(scene, edge, from, to) : [end];
  });
  const level = (tile: number): number => Math.abs(scene.cards.find((c) => c.tile === tile)!.y - card.y);
  return ends.reduce((best, tile) => (best < 0 || level(tile) < level(best) ? tile : best), -1);
}

/** The far end of a gap, for the half of it that begins or ends at a card. */
function acrossGap(scene: Scene, edge: Edge, from: number, to: "left" | "right"): number[] {
  if (edge.link >= 0) return [];
  const at = scene.edges.indexOf(edge);
  const [first, second] = to === "right" ? [edge, scene.edges[at + 1]] : [scene.edges[at - 1], edge];
  if (!first || !second || first.link >= 0 || second.link >= 0 || second.to < 0 || first.from < 0) return [];
  if (to === "right") return first.from === from ? [second.to] : [];
  return second.to === from ? [first.from] : [];
}

/** The next card above or below in the same column, in the next column over where there is none. */
function beside({ cards }: Scene, card: Card, by: 1 | -1): number {
  const past = cards.filter((other) => other !== card && (other.y - card.y) * by > 0);
  const cost = (other: Card): number => Math.abs(other.column - card.column) * 400 + Math.abs(other.y - card.y);
  const near = past.filter((other) => Math.abs(other.column - card.column) <= 1);
  return (
    near.reduce<Card | null>((best, other) => (best === null || cost(other) < cost(best) ? other : best), null)?.tile ??
    card.tile
  );
}

export const targetTile = ({ graph, tileOf }: Model): number => (graph.target < 0 ? -1 : tileOf[graph.target]);
