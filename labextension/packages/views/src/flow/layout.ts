import { clamp } from "@tapeviz/core";
import { boundingBox, encloses, overlaps, type Box } from "../layered/box";
import { CARD, STRIP } from "../layered/card";
import type { Group } from "./groups";
import { contentOf, type FlowCardContent } from "./cardcontent";
import { magnitude, type Magnitude } from "../figures";
import type { Gap } from "./gaps";
import { layeredLayout, type GraphLayout } from "../layered/layout";
import { flowAlong, tilesAround, type Model } from "./model";
import { LEAF_WEIGHT, type WeightedEdge } from "../layered/ranks";
import type { LayeredScene } from "../layered/scene";

export interface Scene extends LayeredScene<Card, Frame, Edge> {
  readonly gaps: readonly GapBox[];
}

export interface Card extends Box {
  /** Index into the model's tiles, and of the column it stands in. */
  readonly tile: number;
  readonly column: number;
  readonly content: FlowCardContent;
}

export interface GapBox extends Box {
  readonly gap: Gap;
}

/** A connection: from left to right what flows forward, in the other direction the gradient. */
export interface Edge {
  /** Index into the model's links; -1 for the two halves of a gap. */
  readonly link: number;
  readonly from: number;
  readonly to: number;
  readonly points: readonly number[];
  /** Null where no backward pass is shown. */
  readonly gradient: Magnitude | null;
}

export interface Frame extends Box {
  readonly group: Group;
}

const GAP = { width: 136, height: 76 };
const SPACING = { column: 44, row: 22, edge: 16 };
const MARGIN = 14;
/** The height of a frame's title above its cards. */
export const FRAME_TITLE = 20;
const TALLEST = 1.4;
/** How far apart columns stand where a part of the picture is shown. */
const IN_PART = 168;
/** Where the whole picture would be smaller than this, a part of it is shown. */
export const LEGIBLE_SCALE = 0.46;

/** How far apart columns stand when so many have to fit a width; never so near that cards lose their words. */
export function pitchFor(columns: number, width: number): number {
  return clamp((width - 2 * MARGIN) / Math.max(1, columns), CARD.least + 30, CARD.width + 64);
}

/** Where every card, gap and edge goes; `width` and `height` are what is there on the screen. */
export function layout(model: Model, width: number, height = Infinity): Scene {
  const boxes = boxesOf(model);
  const sketch = sketchOf(model, boxes);
  const narrow = sizes(model, boxes, CARD.least, AS_IS);
  const tight = layeredLayout({ ...sketch, ...narrow, spacing: { ...SPACING, column: 30 } });
  // What has to be drawn smaller to fit in height may be wider for it.
  const shrunk = clamp(height / (tight.height + 2 * MARGIN + 8), 0.65, 1);
  // Where only a part can be seen at once, nothing is won by cards that are too narrow for their names.
  const inPart = tight.width * LEGIBLE_SCALE > width;
  const pitch = inPart ? IN_PART : pitchFor(tight.columns, width / shrunk);
  const column = clamp(pitch * 0.26, 30, 64);
  const size = sizes(model, boxes, pitch - column, heights(tight, width, height));
  return sceneOf(
    model,
    boxes,
    sketch.sceneEdges,
    layeredLayout({ ...sketch, ...size, spacing: { ...SPACING, column } }),
    size,
  );
}

/** By how much cards, and gaps, are higher than they would be. */
interface Heights {
  readonly card: number;
  readonly gap: number;
}

const AS_IS: Heights = { card: 1, gap: 1 };

/**
 * Cards that have to be drawn smaller for their columns to fit get higher where there is room, for their words; a gap
 * gets as high as its words need on the lines that are left of its width.
 */
function heights(tight: GraphLayout, width: number, height: number): Heights {
  const across = width / (tight.width + 2 * MARGIN);
  if (!(across < 1 && across >= LEGIBLE_SCALE) || !Number.isFinite(height)) return AS_IS;
  const free = height / (across * (tight.height + 2 * MARGIN + 8));
  return { card: clamp(Math.min(1 / across, free), 1, TALLEST), gap: 1.15 / across };
}

/** A tile or a gap, in the order of the flow. */
interface Slot {
  readonly tile: number;
  readonly gap: Gap | null;
  readonly order: number;
}

function boxesOf(model: Model): Slot[] {
  const { tiles, gaps, graph } = model;
  const order = tiles.map((tile) => tile.order);
  const slots: Slot[] = [];
  for (const gap of gaps) {
    const { near, far } = tilesAround(model, gap);
    if (near < 0 || near === far) continue;
    const end = far < 0 ? Infinity : order[far];
    // A source that nothing reads has no place of its own: it stands before the gap.
    if (!graph.edges.some((edge) => edge.from === gap.near)) order[near] = end - 0.35;
    slots.push({ tile: -1, gap, order: end - 0.3 });
  }
  tiles.forEach((_, tile) => slots.push({ tile, gap: null, order: order[tile] }));
  return slots
    .map((slot, i) => ({ slot, i }))
    .sort((a, b) => a.slot.order - b.slot.order || a.i - b.i)
    .map(({ slot }) => slot);
}

const sizes = (
  model: Model,
  boxes: readonly Slot[],
  card: number,
  tall: Heights,
): { width: number[]; height: number[] } => ({
  width: boxes.map((box) => (box.gap ? GAP.width : card)),
  height: boxes.map((box) =>
    Math.round(box.gap ? GAP.height * tall.gap : (CARD.height - (model.graph.pass ? 0 : STRIP)) * tall.card),
  ),
});

interface Drafted {
  readonly edges: WeightedEdge[];
  readonly sceneEdges: readonly Omit<Edge, "points">[];
  readonly leaf: (box: number) => boolean;
}

/** The edges between boxes: links, and where a link is broken its two halves with the gap between. */
function sketchOf(model: Model, boxes: readonly Slot[]): Drafted {
  const { tiles, links, graph } = model;
  const boxOf = new Map(boxes.map((box, i) => [box.tile, i]));
  const source = (tile: number): boolean => {
    const { node, group } = tiles[tile];
    return node >= 0 ? graph.nodes[node].source !== null : group?.kind === "sources";
  };
  const sceneEdges: Omit<Edge, "points">[] = [];
  const edges: WeightedEdge[] = [];
  const add = (link: number, from: number, to: number, weight: number, gradient: Magnitude | null): void => {
    sceneEdges.push({ link, from, to, gradient });
    edges.push({ from, to, weight });
  };
  const broken = new Set<string>();
  boxes.forEach(({ gap }, box) => {
    if (!gap) return;
    const { near, far } = tilesAround(model, gap);
    broken.add(`${near} ${far}`);
    add(-1, boxOf.get(near)!, box, LEAF_WEIGHT, magnitude("none"));
    if (far >= 0) add(-1, box, boxOf.get(far)!, LEAF_WEIGHT, magnitude("none"));
  });
  const readers = new Map<number, number>();
  for (const link of links) readers.set(link.from, (readers.get(link.from) ?? 0) + 1);
  links.forEach((link, i) => {
    if (broken.has(`${link.from} ${link.to}`)) return;
    const light = source(link.from) ? (readers.get(link.from)! > 1 ? 0.2 : LEAF_WEIGHT) : 1;
    const gradient = flowAlong(model, link);
    const flows = gradient !== null && gradient.state !== "none" && !source(link.from);
    add(i, boxOf.get(link.from)!, boxOf.get(link.to)!, flows ? 2 : light, gradient);
  });
  const leaf = (box: number): boolean => boxes[box].tile >= 0 && source(boxes[box].tile);
  return { edges, sceneEdges, leaf };
}

function sceneOf(
  model: Model,
  boxes: readonly Slot[],
  sceneEdges: Drafted["sceneEdges"],
  drawn: GraphLayout,
  size: ReturnType<typeof sizes>,
): Scene {
  const place = (i: number): Box => ({
    x: drawn.x[i] + MARGIN,
    y: drawn.y[i] + MARGIN + 8,
    w: size.width[i],
    h: size.height[i],
  });
  const cards: Card[] = [];
  const gaps: GapBox[] = [];
  boxes.forEach(({ tile, gap }, i) => {
    if (gap) gaps.push({ ...place(i), gap });
    else cards.push({ ...place(i), tile, column: drawn.column[i], content: contentOf(model, model.tiles[tile], tile) });
  });
  const edges = sceneEdges.map((edge, i) => ({
    ...edge,
    from: boxes[edge.from].tile,
    to: boxes[edge.to].tile,
    points: drawn.routes[i].map((v, k) => v + MARGIN + (k % 2 === 0 ? 0 : 8)),
  }));
  const frames = framesOf(model, cards, gaps);
  return { cards, gaps, edges, frames, width: drawn.width + 2 * MARGIN, height: drawn.height + 2 * MARGIN + 8 };
}

/** A frame around the ops of each open group, where no other card is in the way. */
function framesOf(model: Model, cards: readonly Card[], gaps: readonly GapBox[]): Frame[] {
  const frames: Frame[] = [];
  for (const [group, nodes] of model.open) {
    if (group === model.root) continue;
    const inside = new Set(
      nodes.filter((node) => model.graph.nodes[node].source === null).map((node) => model.tileOf[node]),
    );
    const own = cards.filter((card) => inside.has(card.tile));
    if (own.length === 0) continue;
    const box = boundingBox(own, 9, FRAME_TITLE);
    const others = [...cards.filter((card) => !inside.has(card.tile)), ...gaps];
    const crossing = frames.some((f) => overlaps(f, box) && !encloses(f, box) && !encloses(box, f));
    if (!crossing && !others.some((other) => overlaps(box, other))) frames.push({ ...box, group });
  }
  return frames;
}
