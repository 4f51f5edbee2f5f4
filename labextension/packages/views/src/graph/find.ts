import { encloses, type Box } from "../layered/box";
import { hitScene, type Point, type SceneHit } from "../layered/hit";
import { type Card, type Frame, type Scene, type Edge } from "./layout";
import type { GraphModel } from "./model";
import type { Level } from "./levels";

/** What the picture shows: nodes with their groups, what of them is open, where it is. */
export interface VisibleGraph {
  readonly model: GraphModel;
  readonly root: Level;
  readonly scene: Scene;
}

/** A card or the frame of something open: what can be selected. */
export interface Selectable extends Box {
  readonly key: string;
  /** The nodes it stands for. */
  readonly members: readonly number[];
  readonly open: boolean;
}

const selectableOf = (of: Card | Frame): Selectable | null =>
  of.entry && { x: of.x, y: of.y, w: of.w, h: of.h, key: of.entry.key, members: of.entry.members, open: "title" in of };

/** Every card and every frame that closes, frames first, outermost first. */
export function selectablesOf({ frames, cards }: Scene): Selectable[] {
  return [...frames, ...cards].flatMap((of) => selectableOf(of) ?? []);
}

export const selectableOfKey = (scene: Scene, key: string): Selectable | null =>
  selectablesOf(scene).find((selectable) => selectable.key === key) ?? null;

/** The innermost card or frame that stands for a node, given by its row; null for one that is nowhere in the graph. */
export function selectableOfNode({ model, scene }: VisibleGraph, row: number): Selectable | null {
  if (row < 0) return null;
  const selectables = selectablesOf(scene);
  const { graphs, parent } = { graphs: model.graphs, parent: model.recording.graphs.parent };
  let nodes = model.nodesOfRow(row);
  // A node of a region that was never opened has no instance: what stands for it is the node that holds the region.
  for (let graph = model.recording.nodes.graph[row]; nodes.length === 0 && graph >= 0;) {
    nodes = model.nodes.flatMap((node, i) => (graphs.regions(node.row).includes(graph) ? [i] : []));
    graph = parent[graphs.row(graph)] ?? -1;
  }
  return selectables.findLast(({ members }) => nodes.some((node) => members.includes(node))) ?? null;
}

/** The frames around a place, innermost last. */
export function framesAround({ frames }: Scene, selectable: Selectable): Frame[] {
  return frames.filter((frame) => frame.entry && encloses(frame, selectable));
}

/** What is at a point of the scene; frames of regions have no titles to be chosen by. */
export type Hit = SceneHit<Card, Frame, Edge>;

export function hit(scene: Scene, ...point: Point): Hit | null {
  return hitScene({ ...scene, frames: scene.frames.filter(({ entry }) => entry) }, point, scene.frames[0]?.high ?? 0);
}

export type Direction = "left" | "right" | "up" | "down";

/** Where an arrow key goes: along an edge to the left or right, to the next card above or below, into an open frame. */
export function neighbour(shown: VisibleGraph, from: Selectable | null, direction: Direction): Selectable | null {
  const selectables = selectablesOf(shown.scene);
  if (!from) return selectables.find(({ open }) => !open) ?? null;
  if (from.open && direction === "down")
    return selectables.find((selectable) => !selectable.open && encloses(from, selectable)) ?? null;
  if (direction === "up" || direction === "down") return beside(selectables, from, direction === "up" ? -1 : 1);
  const level = (selectable: Selectable): number => Math.abs(selectable.y + selectable.h / 2 - from.y - from.h / 2);
  const ends = along(shown, selectables, from, direction);
  return ends.reduce<Selectable | null>(
    (best, selectable) => (best === null || level(selectable) < level(best) ? selectable : best),
    null,
  );
}

/** What is at the other ends of a selectable's edges. */
function along(
  { model }: VisibleGraph,
  selectables: readonly Selectable[],
  from: Selectable,
  direction: "left" | "right",
): Selectable[] {
  const own = new Set(from.members);
  const others = new Set<number>();
  const { edges } = model.instances[model.nodes[from.members[0]].instance];
  for (const edge of edges) {
    const [near, far] = direction === "left" ? [edge.to, edge.from] : [edge.from, edge.to];
    if (own.has(near) && !own.has(far)) others.add(far);
  }
  const innermost = (node: number): Selectable | undefined =>
    selectables.findLast(({ members }) => members.includes(node));
  return [...new Set([...others].flatMap((node) => innermost(node) ?? []))];
}

/** The next card above or below, in the same column before others. */
function beside(selectables: readonly Selectable[], from: Selectable, by: 1 | -1): Selectable | null {
  const cost = (selectable: Selectable): number =>
    Math.abs(selectable.x + selectable.w / 2 - from.x - from.w / 2) * 3 + Math.abs(selectable.y - from.y);
  return selectables
    .filter((selectable) => !selectable.open && selectable.key !== from.key && (selectable.y - from.y) * by > 0)
    .reduce<Selectable | null>(
      (best, selectable) => (best === null || cost(selectable) < cost(best) ? selectable : best),
      null,
    );
}
