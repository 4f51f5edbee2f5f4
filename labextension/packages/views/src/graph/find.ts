import { encloses, type Box } from "../layered/box";
import { hitScene, type Point, type SceneHit } from "../layered/hit";
import { FRAME_TITLE, type Card, type Frame, type Scene, type Edge } from "./layout";
import type { GraphModel } from "./model";
import type { Level } from "./levels";

/** What the picture shows: cells with their groups, what of them is open, where it is. */
export interface Shown {
  readonly model: GraphModel;
  readonly root: Level;
  readonly scene: Scene;
}

/** A card or the frame of something open: what can be selected. */
export interface Spot extends Box {
  readonly key: string;
  /** The cells it stands for. */
  readonly members: readonly number[];
  readonly open: boolean;
}

const spotOf = (of: Card | Frame): Spot | null =>
  of.entry && { x: of.x, y: of.y, w: of.w, h: of.h, key: of.entry.key, members: of.entry.members, open: "title" in of };

/** Every card and every frame that closes, frames first, outermost first. */
export function spotsOf({ frames, cards }: Scene): Spot[] {
  return [...frames, ...cards].flatMap((of) => spotOf(of) ?? []);
}

export const spotAt = (scene: Scene, key: string): Spot | null =>
  spotsOf(scene).find((spot) => spot.key === key) ?? null;

/** The innermost card or frame that stands for a node, given by its row; null for one that is nowhere in the graph. */
export function spotOfNode({ model, scene }: Shown, row: number): Spot | null {
  if (row < 0) return null;
  const spots = spotsOf(scene);
  const { graphs, parent } = { graphs: model.graphs, parent: model.recording.graphs.parent };
  let cells = model.cellsOf(row);
  // A node of a region that was never opened has no cell: what stands for it is the node that holds the region.
  for (let graph = model.recording.nodes.graph[row]; cells.length === 0 && graph >= 0;) {
    cells = model.cells.flatMap((cell, i) => (graphs.regions(cell.row).includes(graph) ? [i] : []));
    graph = parent[graphs.row(graph)] ?? -1;
  }
  return spots.findLast(({ members }) => cells.some((cell) => members.includes(cell))) ?? null;
}

/** The frames around a place, innermost last. */
export function framesAround({ frames }: Scene, spot: Spot): Frame[] {
  return frames.filter((frame) => frame.entry && encloses(frame, spot));
}

/** What is at a point of the scene; frames of regions have no titles to be chosen by. */
export type Hit = SceneHit<Card, Frame, Edge>;

export function hit(scene: Scene, ...point: Point): Hit | null {
  return hitScene({ ...scene, frames: scene.frames.filter(({ entry }) => entry) }, point, FRAME_TITLE);
}

export type Way = "left" | "right" | "up" | "down";

/** Where an arrow key goes: along an edge to the left or right, to the next card above or below, into an open frame. */
export function walk(shown: Shown, from: Spot | null, way: Way): Spot | null {
  const spots = spotsOf(shown.scene);
  if (!from) return spots.find(({ open }) => !open) ?? null;
  if (from.open && way === "down") return spots.find((spot) => !spot.open && encloses(from, spot)) ?? null;
  if (way === "up" || way === "down") return beside(spots, from, way === "up" ? -1 : 1);
  const level = (spot: Spot): number => Math.abs(spot.y + spot.h / 2 - from.y - from.h / 2);
  const ends = along(shown, spots, from, way);
  return ends.reduce<Spot | null>((best, spot) => (best === null || level(spot) < level(best) ? spot : best), null);
}

/** What is at the other ends of a spot's edges. */
function along({ model }: Shown, spots: readonly Spot[], from: Spot, way: "left" | "right"): Spot[] {
  const own = new Set(from.members);
  const others = new Set<number>();
  const { edges } = model.instances[model.cells[from.members[0]].instance];
  for (const edge of edges) {
    const [near, far] = way === "left" ? [edge.to, edge.from] : [edge.from, edge.to];
    if (own.has(near) && !own.has(far)) others.add(far);
  }
  const innermost = (cell: number): Spot | undefined => spots.findLast(({ members }) => members.includes(cell));
  return [...new Set([...others].flatMap((cell) => innermost(cell) ?? []))];
}

/** The next card above or below, in the same column before others. */
function beside(spots: readonly Spot[], from: Spot, by: 1 | -1): Spot | null {
  const cost = (spot: Spot): number =>
    Math.abs(spot.x + spot.w / 2 - from.x - from.w / 2) * 3 + Math.abs(spot.y - from.y);
  return spots
    .filter((spot) => !spot.open && spot.key !== from.key && (spot.y - from.y) * by > 0)
    .reduce<Spot | null>((best, spot) => (best === null || cost(spot) < cost(best) ? spot : best), null);
}
