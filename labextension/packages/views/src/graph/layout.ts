import { clamp, format } from "@tapeviz/core";
import type { Box } from "../layered/box";
import { layeredLayout, type GraphLayout } from "../layered/layout";
import { LEAF_WEIGHT, type BoundarySide, type WeightedEdge } from "../layered/ranks";
import type { LayeredScene } from "../layered/scene";
import { contentOf, shapeText, titleOf, type GraphCardContent } from "./cardcontent";
import type { GraphModel } from "./model";
import type { Entry, Level, Link } from "./levels";

export type Scene = LayeredScene<Card, Frame, Edge>;

export interface Card extends Box {
  readonly entry: Entry;
  readonly level: Level;
  readonly content: GraphCardContent;
}

/** Around what is open: a scope, a node with its regions, one of these. */
export interface Frame extends Box {
  /** Null for a region, which closes with the node that it is in. */
  readonly entry: Entry | null;
  readonly key: string;
  readonly title: string;
  /** The height of its title. */
  readonly high: number;
  readonly depth: number;
}

/** A link, or the part of one inside an open group. */
export interface Edge {
  readonly from: Entry | null;
  readonly to: Entry | null;
  readonly instance: number;
  readonly nodeEdges: readonly number[];
  readonly control: boolean;
  readonly points: readonly number[];
  /** What is handed on, said where it arrives; empty where it goes on inside. */
  readonly label: string;
  /** Only its end is drawn, with the name of what it comes from: that goes to so many places that edges would hide them. */
  readonly stub: boolean;
}

interface Measure {
  readonly card: number;
  readonly column: number;
  readonly height: number;
  /** Of the title of a frame. */
  readonly title: number;
}

const ROOMY = { card: 148, column: 58 };
const TIGHT = { card: 116, column: 24 };
/** What a card's name takes beside its letters, and one of them; a longer name than the widest card's is cut. */
const NAME = { beside: 44, letter: 7.8, widest: 260 };
/** Heights of cards: a name and a line below, with a strip of values above it. */
const PLAIN = 42;
const WITH_VALUES = 65;
const SPACING = { row: 18, edge: 14 };
const TALLEST = 2.2;
const MARGIN = 14;
/** How long the end of an edge is that is not drawn whole. */
const STUB = 20;
const PAD = 14;
/** The height of a frame's title above its cards, which is higher where all is drawn smaller. */
const FRAME_TITLE = 26;
/** Where the whole picture would be smaller than this, a part of it is shown. */
export const LEGIBLE_SCALE = 0.44;

/** Where every card, frame and edge goes; `width` and `height` are what is there on the screen. */
export function layout(model: GraphModel, root: Level, width: number, height = Infinity): Scene {
  const card = model.ran ? WITH_VALUES : PLAIN;
  const room = width - 2 * MARGIN;
  const laidOut = (measure: typeof ROOMY): LevelLayout =>
    layOut(model, root, { ...measure, height: card, title: FRAME_TITLE });
  const fitting = (...measures: (typeof ROOMY)[]): LevelLayout | undefined => {
    for (const measure of measures) {
      const made = laidOut(measure);
      if (made.width <= room) return made;
    }
    return undefined;
  };
  const roomy = laidOut(ROOMY);
  if (roomy.width <= room) {
    // Names in full, where there is room, come before what is between the columns.
    const named = { card: nameWidth(model, root), column: ROOMY.column };
    const isLonger = named.card > ROOMY.card;
    return sceneOf(model, root, (isLonger && fitting(named, { ...named, column: TIGHT.column })) || roomy);
  }
  const close = roomy.width * 0.8 > room ? undefined : fitting({ card: ROOMY.card, column: TIGHT.column });
  if (close) return sceneOf(model, root, close);
  const tight = laidOut(TIGHT);
  if (tight.width * LEGIBLE_SCALE > room) return sceneOf(model, root, roomy);
  const tall = taller(tight, room, height - 2 * MARGIN);
  if (tall <= 1) return sceneOf(model, root, tight);
  const [high, title] = [Math.round(card * tall), Math.round(FRAME_TITLE * tall)];
  return sceneOf(model, root, layOut(model, root, { ...TIGHT, height: high, title }));
}

/** How wide a card has to be for the longest name of all that is seen. */
function nameWidth(model: GraphModel, level: Level): number {
  const widths = level.entries.map(({ item, levels }) => {
    if (levels.length > 0) return Math.max(...levels.map((inner) => nameWidth(model, inner)));
    const name = typeof item === "number" ? titleOf(model, item, level.group) : item.title;
    return Math.min(NAME.widest, NAME.beside + NAME.letter * name.length);
  });
  return Math.max(0, ...widths);
}

/** Cards that have to be drawn smaller for their columns to fit get higher where there is room, for their words. */
function taller(tight: LevelLayout, width: number, height: number): number {
  const across = width / tight.width;
  if (across >= 1 || !Number.isFinite(height)) return 1;
  return clamp(Math.min(1.1 / across, height / (across * tight.height)), 1, TALLEST);
}

/** A level that was laid out, with what is inside its entries. */
interface LevelLayout {
  readonly drawn: GraphLayout;
  readonly size: { readonly width: readonly number[]; readonly height: readonly number[] };
  /** For each entry the levels inside it. */
  readonly inner: readonly (readonly LevelLayout[])[];
  /** The route of each link; null for a stub. */
  readonly routes: readonly (readonly number[] | null)[];
  /** How many openings stand before the entries. */
  readonly offset: number;
  /** The box of each opening. */
  readonly ports: readonly number[];
  /** The height of the title of a frame around it. */
  readonly title: number;
  readonly width: number;
  readonly height: number;
}

function layOut(model: GraphModel, level: Level, measure: Measure): LevelLayout {
  const inner = level.entries.map(({ levels }) => levels.map((one) => layOut(model, one, measure)));
  const goesIn = level.ports.map((_, port) => level.links.some((link) => link.port === port && link.from < 0));
  const offset = goesIn.filter(Boolean).length;
  const boxes = inner.map((levels) =>
    levels.length > 0 ? frameSize(levels, measure.title) : { w: measure.card, h: measure.height },
  );
  let [before, after] = [0, offset + boxes.length];
  const ports = goesIn.map((isIn) => (isIn ? before++ : after++));
  const outgoing = ports.length - offset;
  const pin = (count: number): number[] => new Array<number>(count).fill(1);
  const size = {
    width: [...pin(offset), ...boxes.map(({ w }) => w), ...pin(outgoing)],
    height: [...pin(offset), ...boxes.map(({ h }) => h), ...pin(outgoing)],
  };
  const boundary = (box: number): BoundarySide => (box < offset ? -1 : box < offset + boxes.length ? 0 : 1);
  const isLeaf = leaves(level);
  const leaf = (box: number): boolean => boundary(box) === 0 && isLeaf[box - offset];
  const stubs = stubsOf(level, isLeaf);
  const whole = level.links.filter((_, i) => !stubs.has(i));
  const edges = whole.map((link) => weightedEdge(level, link, { offset, ports, isLeaf }));
  const drawn = layeredLayout({ ...size, edges, leaf, boundary, spacing: { ...SPACING, column: measure.column } });
  let next = 0;
  const routes = level.links.map((_, i) => (stubs.has(i) ? null : drawn.routes[next++]));
  return { drawn, routes, size, inner, offset, ports, title: measure.title, width: drawn.width, height: drawn.height };
}

/** The size of a frame around levels one below the other; of several each has a frame of its own. */
function frameSize(levels: readonly LevelLayout[], title: number): { w: number; h: number } {
  const several = levels.length > 1 ? 1 : 0;
  const w = Math.max(...levels.map(({ width }) => width)) + 2 * PAD * (1 + several);
  const each = levels.reduce((sum, { height }) => sum + height + several * (title + PAD + 10), 0);
  return { w: Math.max(w, 120), h: each + title + PAD - several * 10 };
}

/** Entries that nothing goes into: constants, variables, what was fed. They stand right before what reads them. */
function leaves({ entries, links }: Level): boolean[] {
  const isLeaf = entries.map(({ item, levels }) => typeof item === "number" && levels.length === 0);
  for (const { to } of links) if (to >= 0) isLeaf[to] = false;
  return isLeaf;
}

/** From how many readers on a constant, a variable or what comes in has one edge only. */
const HUB = 6;

/** The links of what has very many readers, but for the first of them: only their ends are drawn. */
function stubsOf({ links }: Level, isLeaf: readonly boolean[]): Set<number> {
  const readers = new Map<string, number[]>();
  links.forEach(({ from, to, port }, i) => {
    if (to < 0 || (from >= 0 && !isLeaf[from])) return;
    const key = from < 0 ? `port ${port}` : `entry ${from}`;
    readers.set(key, [...(readers.get(key) ?? []), i]);
  });
  const many = [...readers.values()].filter((all) => all.length > HUB);
  return new Set(many.flatMap((all) => all.sort((a, b) => links[a].to - links[b].to).slice(1)));
}

function weightedEdge(
  level: Level,
  { from, to, port, control }: Link,
  { offset, ports, isLeaf }: { offset: number; ports: readonly number[]; isLeaf: readonly boolean[] },
): WeightedEdge {
  const readers = from < 0 ? 1 : level.links.filter((link) => link.from === from).length;
  const light = from >= 0 && isLeaf[from] ? (readers > 1 ? 0.2 : LEAF_WEIGHT) : 1;
  return {
    from: from < 0 ? ports[port] : offset + from,
    to: to < 0 ? ports[port] : offset + to,
    weight: control ? 0.05 : light,
  };
}

function sceneOf(model: GraphModel, root: Level, placed: LevelLayout): Scene {
  const painter = new SceneBuilder(model);
  painter.level(root, placed, { x: MARGIN, y: MARGIN }, 0, []);
  const { cards, frames, edges } = painter;
  return { cards, frames, edges, width: placed.width + 2 * MARGIN, height: placed.height + 2 * MARGIN };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Turns the places of each level into places of the scene. */
class SceneBuilder {
  readonly cards: Card[] = [];
  readonly frames: Frame[] = [];
  readonly edges: Edge[] = [];

  constructor(private readonly model: GraphModel) {}

  /** `ends`: for each port the point of the frame where what goes on through it arrives. */
  level(level: Level, placed: LevelLayout, at: Point, depth: number, ends: readonly Point[]): void {
    const { drawn, size, offset, inner } = placed;
    const routes = level.links.map((link, i) =>
      placed.routes[i] ? this.#route(link, placed.routes[i], at, placed, ends) : this.#stub(link, at, placed),
    );
    level.links.forEach((link, i) => this.#addEdge(level, link, routes[i], placed.routes[i] === null));
    level.entries.forEach((entry, i) => {
      const box = {
        x: drawn.x[offset + i] + at.x,
        y: drawn.y[offset + i] + at.y,
        w: size.width[offset + i],
        h: size.height[offset + i],
      };
      if (entry.levels.length === 0) {
        this.cards.push({ ...box, entry, level, content: contentOf(this.model, entry, level.group) });
      } else this.#open(entry, level, inner[i], box, depth, routes);
    });
  }

  #open(
    entry: Entry,
    level: Level,
    inner: readonly LevelLayout[],
    box: Box,
    depth: number,
    routes: readonly number[][],
  ): void {
    const [only] = entry.levels;
    const { title: high } = inner[0];
    this.frames.push({ ...box, entry, key: entry.key, title: this.#title(entry, level), high, depth });
    if (entry.levels.length === 1) {
      const ends = only.ports.map((link) => endOf(level, link, routes[link], entry));
      this.level(only, inner[0], this.#middle(box, inner[0]), depth + 1, ends);
      return;
    }
    let y = box.y + high;
    entry.levels.forEach((region, i) => {
      const h = inner[i].height + high + PAD;
      const frame = { x: box.x + PAD, y, w: box.w - 2 * PAD, h };
      const { key, title } = region.group;
      this.frames.push({ ...frame, entry: null, key, title, high, depth: depth + 1 });
      this.level(region, inner[i], { x: frame.x + PAD, y: y + high }, depth + 2, []);
      y += h + 10;
    });
  }

  #middle(box: Box, { width, title }: LevelLayout): Point {
    return { x: box.x + Math.max(PAD, (box.w - width) / 2), y: box.y + title };
  }

  #title({ item, levels }: Entry, { group }: Level): string {
    if (typeof item !== "number") return item.times > 1 ? `${item.title} ×${item.times}` : item.title;
    const title = titleOf(this.model, item, group);
    return levels.length === 1 ? `${title}: ${levels[0].group.title}` : title;
  }

  /** A link's route in the scene, from or to the frame where it passes a port. */
  #route(link: Link, route: readonly number[], at: Point, placed: LevelLayout, ends: readonly Point[]): number[] {
    const points = route.map((v, i) => v + (i % 2 === 0 ? at.x : at.y));
    const end = link.port < 0 ? undefined : ends[link.port];
    if (!end) return points;
    const box = placed.ports[link.port];
    const [x, y] = [placed.drawn.x[box] + at.x, placed.drawn.y[box] + at.y + 0.5];
    return link.from < 0 ? [end.x, end.y, x, y, ...points] : [...points, x, y, end.x, end.y];
  }

  /** The end of a route into a box, near its top. */
  #stub(link: Link, at: Point, { drawn, offset }: LevelLayout): number[] {
    const box = offset + link.to;
    const [x, y] = [drawn.x[box] + at.x, drawn.y[box] + at.y + 11];
    return [x - STUB, y, x, y];
  }

  #addEdge(level: Level, link: Link, points: readonly number[], stub: boolean): void {
    const [from, to] = [level.entries[link.from] ?? null, level.entries[link.to] ?? null];
    const { instance } = level;
    const ends = to !== null && to.levels.length === 0;
    const label = stub ? this.#origin(instance, link) : ends ? this.#label(instance, link) : "";
    this.edges.push({ from, to, instance, nodeEdges: link.edges, control: link.control, points, label, stub });
  }

  /** The name of what a link comes from, without its scopes. */
  #origin(instance: number, { edges }: Link): string {
    const nodes = new Set(edges.map((edge) => this.model.instances[instance].edges[edge].from));
    if (nodes.size > 1) return format.plural(nodes.size, "tensor");
    const [node] = nodes;
    return titleOf(this.model, node, this.model.root).split("/").at(-1)!;
  }

  #label(instance: number, { edges, control }: Link): string {
    if (control) return "";
    const all = this.model.instances[instance].edges;
    const tensors = new Set(
      edges.filter((edge) => !all[edge].control).map((edge) => `${all[edge].from} ${all[edge].slot}`),
    );
    if (tensors.size > 1) return format.plural(tensors.size, "tensor");
    const { from, slot } = all[edges.find((edge) => !all[edge].control)!];
    const spec = this.model.graphs.specs(this.model.nodes[from].row)[slot];
    return spec ? shapeText(spec.shape) : "";
  }
}

/** Where a link meets the frame of an open entry. */
function endOf({ entries, links }: Level, link: number, points: readonly number[], entry: Entry): Point {
  const arrives = entries[links[link].to] === entry;
  return arrives ? { x: points.at(-2)!, y: points.at(-1)! } : { x: points[0], y: points[1] };
}
