import { format, linear, type Scale } from "@tapeviz/core";
import type { Break } from "./breaks";
import { columnMaxima, type Memory } from "./memory";
import type { Lane, Model } from "./model";
import { normColumns, type NormColumn } from "./normcolumns";
import type { RepeatBar } from "./spans";
import { NO_LABEL, fitLabel, type Measures, type LabelCandidates, type BlockLabel } from "./labels";

/** What part is shown, how large, and how wide texts are. */
export interface LayoutOptions extends Measures {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly height: number;
  /** A flag an event row: 1 where the filter matches; null without a filter. */
  readonly matches: Uint8Array | null;
}

/** A block that can be pointed at. */
export interface Block {
  readonly lane: Lane;
  readonly row: number;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly family: number;
  /** What fits of its words. */
  readonly words: BlockLabel;
  /** The part of it where words may stand: clear of breaks. */
  readonly left: number;
  readonly room: number;
  /** What repeats, where it stands for that or for a block of it. */
  readonly bar?: RepeatBar;
  /** The gradients' norms over the blocks of a repeat. */
  readonly columns?: readonly NormColumn[];
}

/** Blocks too narrow to tell apart, in a column of pixels, or one such block alone. */
export interface Bar {
  readonly lane: Lane;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly family: number;
  /** The busy part, 0 to 1. */
  readonly full: number;
  /** What of it matches the filter; -1 where nothing does. */
  readonly matching: number;
  readonly matchingFamily: number;
  readonly failed: boolean;
}

/** Where something that failed, or that has a finding, is among blocks too narrow for a sign of their own. */
export interface FaultMarker {
  readonly lane: Lane;
  readonly row: number;
  readonly x: number;
  readonly y: number;
  readonly severity: number;
}

/** A long idle stretch that is left out. */
export interface BreakArea {
  readonly x: number;
  readonly w: number;
  readonly label: string;
}

export interface Strip {
  readonly lane: Lane;
  readonly y: number;
  readonly h: number;
}

/** A place for curves of memory, with what stands beside it: a title and figures. */
export interface Area {
  readonly y: number;
  readonly h: number;
  readonly peak: number;
  readonly curves: readonly Float64Array[];
  readonly title: string;
  readonly said: readonly string[];
}

export interface Scene {
  readonly plot: { readonly x: number; readonly w: number };
  readonly scale: Scale;
  readonly ruler: { readonly y: number; readonly h: number; readonly ticks: readonly { x: number; label: string }[] };
  readonly middle: number;
  readonly strips: readonly Strip[];
  readonly blocks: readonly Block[];
  readonly bars: readonly Bar[];
  readonly signs: readonly FaultMarker[];
  readonly breaks: readonly BreakArea[];
  readonly model: Model;
  readonly matches: Uint8Array | null;
  /** The tensors' memory, and below it the memory pools of devices. */
  readonly areas: readonly Area[];
  /** Where the last area ends. */
  readonly floor: number;
  readonly overview: { readonly y: number; readonly h: number; readonly x: number; readonly w: number };
  /** The height that everything needs; the rest of the frame stays empty. */
  readonly bottom: number;
}

const RULER = { time: 26, order: 8 };
const GAP = 3;
const HEIGHT = { op: 38, pause: 12, setup: 18, line: 20, function: 20, span: 20 };
/** A lane with repeats: words above, the norms of their gradients below. */
const REPEATS = 36;
const MIDDLE = 10;
const MEMORY = 46;
const BETWEEN = 10;
const OVERVIEW = 8;
const PAD = 8;
const LEAST_BLOCK = 2.5;

/** How wide the column of lane titles is; narrow frames have smaller titles. */
export const gutter = (width: number): number => (width < 360 ? 8 : width < 520 ? 74 : 98);

export function layout(model: Model, frame: LayoutOptions, candidates: LabelCandidates): Scene {
  const plot = { x: gutter(frame.width), w: Math.max(10, frame.width - gutter(frame.width) - 12) };
  const scale = linear([frame.from, frame.to], [plot.x, plot.x + plot.w]);
  const grow = spare(model, frame.height);
  const { strips, middle, bottom } = stack(model, grow);
  const blocks: Block[] = [];
  const bars: Bar[] = [];
  const signs: FaultMarker[] = [];
  const breaks = breaksOf(model, frame, scale);
  for (const strip of strips) {
    const filling = { model, strip, frame, plot, scale, candidates, breaks, blocks, bars };
    fillStrip(filling);
    signs.push(...markNarrow(filling));
  }
  const left = Math.max(0, frame.height - bottom - under(model));
  const areas = areasOf(model, frame, plot.w, bottom + 14, Math.min(90, left));
  const floor = areas[areas.length - 1].y + areas[areas.length - 1].h;
  const overview = overviewOf(model, frame, plot, floor + 8);
  return {
    plot,
    scale,
    middle,
    strips,
    blocks,
    bars,
    signs,
    breaks,
    model,
    matches: frame.matches,
    areas,
    floor,
    overview,
    ruler: { y: 0, h: RULER[model.scale], ticks: rulerTicks(model, frame, plot.w, scale) },
    bottom: overview.y + overview.h + PAD,
  };
}

/** The least height in which a model fits. */
export function heightOf(model: Model): number {
  return stack(model, 0).bottom + under(model);
}

/** The least that everything under the lanes needs. */
const under = ({ pools }: Model): number => 14 + MEMORY + pools.length * (BETWEEN + MEMORY) + 8 + OVERVIEW + PAD;

const UNCOUNTED: Memory = { curves: [], peak: 0 };

/** One below the other from y on; the tensors' gets what is left of a tall frame. */
function areasOf(model: Model, frame: LayoutOptions, width: number, y: number, left: number): Area[] {
  const n = Math.max(1, Math.floor(width));
  const area = (memory: Memory, top: number, h: number, title: string, said: readonly string[]): Area => {
    const curves = memory.curves.map((curve) => columnMaxima(curve, frame.from, frame.to, n));
    return { y: top, h, peak: memory.peak, curves, title, said };
  };
  const below = y + MEMORY + left + BETWEEN;
  return [
    area(model.memory ?? UNCOUNTED, y, MEMORY + left, "memory", [
      model.memory ? format.bytes(model.memory.peak) : "counting …",
    ]),
    ...model.pools.map((pool, i) => {
      const said = [format.bytes(pool.peak), `of ${format.bytes(pool.held)}`];
      return area(pool, below + i * (MEMORY + BETWEEN), MEMORY, `${pool.device} pool`, said);
    }),
  ];
}

/** What taller frames give to each op lane. */
const spare = (model: Model, height: number): number => Math.max(0, Math.min(44, (height - heightOf(model)) / 2.2));

/** Lanes from the middle outwards: forward upwards, backward downwards, each with its ops next to the middle. */
function stack({ lanes, scale }: Model, grow: number): { strips: Strip[]; middle: number; bottom: number } {
  const rank = (lane: Lane): number =>
    ({ op: 0, pause: 50, setup: 60, line: 100, function: 150, span: 200 })[lane.kind] +
    (lane.kind === "span" ? 10 - lane.depth : lane.depth);
  const side = (phase: number): Lane[] => lanes.filter((l) => l.phase === phase).sort((a, b) => rank(a) - rank(b));
  const tall = (lane: Lane): number =>
    hasRepeats(lane) ? REPEATS : HEIGHT[lane.kind] + (lane.kind === "op" ? grow : 0);
  const above = side(0);
  let y = RULER[scale] + GAP + above.reduce((sum, lane) => sum + tall(lane) + GAP, 0);
  const middle = y + MIDDLE / 2;
  const strips: Strip[] = [];
  for (const lane of above) {
    y -= tall(lane) + GAP;
    strips.push({ lane, y, h: tall(lane) });
  }
  y = middle + MIDDLE / 2 + GAP;
  const below = side(1);
  for (const lane of below) {
    strips.push({ lane, y, h: tall(lane) });
    y += tall(lane) + GAP;
  }
  // Without a backward pass its place stays, for the words that say so.
  return { strips, middle, bottom: below.length > 0 ? y : y + HEIGHT.op };
}

const hasRepeats = ({ bars }: Lane): boolean => [...(bars?.values() ?? [])].some(({ block }) => block < 0);

interface Filling {
  readonly model: Model;
  readonly strip: Strip;
  readonly frame: LayoutOptions;
  readonly plot: Scene["plot"];
  readonly scale: Scale;
  readonly candidates: LabelCandidates;
  readonly breaks: readonly BreakArea[];
  readonly blocks: Block[];
  readonly bars: Bar[];
}

/** What is wide enough becomes blocks; what lies between them columns of pixels, or bars where there is room. */
function fillStrip(filling: Filling): void {
  const { strip, frame, plot, blocks } = filling;
  const { intervals } = strip.lane;
  const [first, last] = intervals.touching(frame.from, frame.to);
  const unit = (frame.to - frame.from) / plot.w;
  let done = first;
  for (const i of intervals.long(first, last, LEAST_BLOCK * unit, plot.w)) {
    addNarrow(filling, done, i);
    blocks.push(blockAt(filling, i));
    done = i + 1;
  }
  addNarrow(filling, done, last);
}

function blockAt({ model, strip, frame, plot, scale, candidates, breaks }: Filling, i: number): Block {
  const { lane, y, h } = strip;
  const [row, family] = [lane.row[i], lane.intervals.kind(i)];
  const x = Math.max(plot.x, scale(lane.intervals.start(i)));
  const w = Math.min(plot.x + plot.w, scale(lane.intervals.end(i))) - x;
  const [left, room] = clearOf(breaks, x, w);
  const bar = lane.bars?.get(i);
  const words = fitLabel(strip, row, room, frame, candidates, bar);
  const block: Block = { lane, row, x, y, w, h, family, left, room, words, bar };
  if (!bar || bar.block >= 0) return block;
  const { blocks } = model.norms(bar.repeat);
  return { ...block, columns: normColumns(bar.isReversed ? blocks.toReversed() : blocks, bar.edges, scale, plot) };
}

/** What of a stretch no break takes: the first piece with room for words, else the widest. */
function clearOf(breaks: readonly BreakArea[], x: number, w: number): [left: number, room: number] {
  const pieces: [number, number][] = [];
  let left = x;
  for (const gap of breaks) {
    if (gap.x + gap.w <= left || gap.x >= x + w) continue;
    if (gap.x > left) pieces.push([left, gap.x - left]);
    left = gap.x + gap.w;
  }
  if (left < x + w) pieces.push([left, x + w - left]);
  const widest = pieces.reduce((a, b) => (b[1] > a[1] ? b : a), [x, 0]);
  return pieces.find(([, room]) => room >= ROOM_FOR_WORDS) ?? widest;
}

const ROOM_FOR_WORDS = 90;

/** Those that keep a pixel's distance to each other stand alone; the others share columns. */
function addNarrow(filling: Filling, first: number, last: number): void {
  const { strip, frame, plot } = filling;
  const { intervals } = strip.lane;
  const unit = (frame.to - frame.from) / plot.w;
  if (last - first > plot.w) return addColumns(filling, first, last);
  let [begin, reach] = [first, -Infinity];
  for (let i = first; i < last; i++) {
    reach = Math.max(reach, intervals.end(i));
    if (i < last - 1 && intervals.start(i + 1) - reach < unit) continue;
    if (i > begin) addColumns(filling, begin, i + 1);
    else addBar(filling, i);
    begin = i + 1;
  }
}

function addBar({ strip, frame, plot, scale, bars }: Filling, i: number): void {
  const { lane, y, h } = strip;
  if (lane.intervals.end(i) < frame.from) return;
  const x = Math.max(plot.x, scale(lane.intervals.start(i)));
  const w = Math.max(1, Math.min(plot.x + plot.w, scale(lane.intervals.end(i))) - x);
  const [row, family] = [lane.row[i], lane.intervals.kind(i)];
  const matching = lane.kind !== "op" || frame.matches === null || frame.matches[row] === 1 ? 1 : -1;
  bars.push({ lane, x, y, w, h, family, full: 1, matching, matchingFamily: family, failed: false });
}

function addColumns({ strip, frame, plot, bars }: Filling, first: number, last: number): void {
  if (last <= first) return;
  const { lane, y, h } = strip;
  const count = Math.ceil(plot.w);
  const width = (frame.to - frame.from) / plot.w;
  const flags = lane.kind === "op" ? frame.matches : null;
  lane.intervals.columns([first, last], { from: frame.from, width, count }, flags, (column) => {
    const { index, full, kind: family, matching, matchingKind: matchingFamily } = column;
    bars.push({ lane, x: plot.x + index, y, w: 1, h, family, full, matching, matchingFamily, failed: false });
  });
}

/**
 * What failed or has a finding stays to be seen where it is too narrow for a sign of its own: a bar of its own for a
 * failed one, and a sign, of the gravest in a stretch as wide as a sign.
 */
function markNarrow({ model, strip: { lane, y, h }, frame, scale, bars }: Filling): FaultMarker[] {
  const { intervals, marked } = lane;
  const [first, last] = intervals.touching(frame.from, frame.to);
  const signs: FaultMarker[] = [];
  let pixel = -1;
  for (let at = lowerBound(marked, first); at < marked.length && marked[at] < last; at++) {
    const row = lane.row[marked[at]];
    const [x, end] = [scale(intervals.start(marked[at])), scale(intervals.end(marked[at]))];
    if (end - x >= WIDE_ENOUGH || end < scale.range[0]) continue;
    if (model.failed(row) && end - x < LEAST_BLOCK && Math.floor(x) !== pixel) {
      pixel = Math.floor(x);
      const matching = frame.matches === null || frame.matches[row] === 1 ? 1 : -1;
      const look = { family: 0, matchingFamily: 0, full: 1, failed: true };
      bars.push({ lane, x, y, w: Math.max(1, end - x), h, matching, ...look });
    }
    const severity = Math.max(model.severity(row), model.failed(row) ? FAULT : 0);
    const [before, middle] = [signs.at(-1), (x + end) / 2];
    if (!before || middle - before.x >= WIDE_ENOUGH) signs.push({ lane, row, x: middle, y: y + 2, severity });
    else {
      // The one that says where gradients are lost stands for its neighbours.
      const isSaid = model.fault(before.row) !== "" || (severity <= before.severity && model.fault(row) === "");
      signs[signs.length - 1] = {
        ...before,
        row: isSaid ? before.row : row,
        severity: Math.max(severity, before.severity),
      };
    }
  }
  return signs;
}

/** A block from here on has the sign of its finding in its corner. */
export const WIDE_ENOUGH = 16;
const FAULT = 3;

/** The first index whose value is not below `x`, in a rising array. */
function lowerBound(values: Int32Array, x: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] >= x) high = middle;
    else low = middle + 1;
  }
  return low;
}

function breaksOf({ axis, idle }: Model, frame: LayoutOptions, scale: Scale): BreakArea[] {
  return axis.breaks.flatMap(({ at, size }, i) =>
    at + size < frame.from || at > frame.to ? [] : [{ x: scale(at), w: scale(at + size) - scale(at), label: idle[i] }],
  );
}

/** Round moments, each where it is; none within a break, and none so near to the one before that they touch. */
function rulerTicks(model: Model, frame: LayoutOptions, width: number, scale: Scale): { x: number; label: string }[] {
  if (model.scale === "order") return [];
  const { axis, domain } = model;
  const origin = domain[0];
  const step = stepOf((frame.to - frame.from) / Math.max(2, Math.floor(width / 110)));
  const moments: { x: number; t: number }[] = [];
  for (const [from, to] of piecesOf(axis.breaks, frame)) {
    const [first, last] = [axis.time(from) - origin, axis.time(to) - origin];
    for (let n = Math.ceil(first / step - 1e-9); n * step <= last + 1e-9 * step; n++) {
      const x = scale(axis.position(n * step + origin));
      if (x - (moments.at(-1)?.x ?? -Infinity) >= 70) moments.push({ x, t: n * step });
    }
  }
  const labels = format.moments(
    moments.map(({ t }) => t),
    step,
  );
  return moments.map(({ x }, i) => ({ x, label: labels[i] }));
}

/** What is shown between the breaks, as places on the axis. */
function piecesOf(breaks: readonly Break[], { from, to }: LayoutOptions): [number, number][] {
  const edges = [from, ...breaks.flatMap(({ at, size }) => [at, at + size]), to];
  const pieces: [number, number][] = [];
  for (let i = 0; i < edges.length; i += 2) {
    const piece: [number, number] = [Math.max(from, edges[i]), Math.min(to, edges[i + 1])];
    if (piece[1] > piece[0]) pieces.push(piece);
  }
  return pieces;
}

/** The smallest 1, 2 or 5 times a power of ten that is not below. */
function stepOf(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= least * (1 - 1e-9)) ?? 10 * power;
}

function overviewOf(model: Model, frame: LayoutOptions, plot: Scene["plot"], y: number): Scene["overview"] {
  const whole = linear(model.domain, [plot.x, plot.x + plot.w]);
  const x = whole(frame.from);
  return { y, h: OVERVIEW, x, w: Math.max(6, whole(frame.to) - x) };
}

/** Whether each of a lane's blocks is an event, which can be selected. */
const isOfEvents = ({ kind }: Lane): boolean => kind !== "line" && kind !== "function" && kind !== "setup";

/** Where an event is drawn, wide or narrow; null out of sight. */
export function findBlock({ blocks, strips, scale, plot, model }: Scene, row: number): Block | null {
  const drawn = blocks.find((block) => block.row === row && !block.bar && isOfEvents(block.lane));
  if (drawn || row < 0) return drawn ?? null;
  const { start, end } = model.axis;
  const [x, to] = [Math.max(plot.x, scale(start[row])), Math.min(plot.x + plot.w, scale(end[row]))];
  if (to < plot.x || x > plot.x + plot.w || !(end[row] >= start[row])) return null;
  for (const { lane, y, h } of strips) {
    if (!isOfEvents(lane)) continue;
    for (let i = lane.intervals.before(start[row]); i < lane.row.length && lane.intervals.start(i) === start[row]; i++)
      if (lane.row[i] === row && !lane.bars?.has(i))
        return { lane, row, x, y, w: Math.max(1, to - x), h, family: 0, left: x, room: 0, words: NO_LABEL };
  }
  return null;
}

/** What is at a point. */
export interface Hit {
  readonly lane: Lane;
  readonly row: number;
  /** Which block of its lane it is; -1 where a sign was hit. */
  readonly index: number;
  /** Where the block is on the x-axis. */
  readonly from: number;
  readonly to: number;
  /** How many blocks are there, within a pixel: more than one where they are too narrow to tell apart. */
  readonly among: number;
  /** What repeats, where a repeat or a block of one is there. */
  readonly bar?: RepeatBar;
}

// How far from the pointer a narrow block may be, in pixels.
const NEAR = 4;

/**
 * The block at a point, or for narrow ones the nearest within 4 pixels. Of many in one pixel it is one that failed or
 * has a finding, else one that matches the filter, else the longest.
 */
export function hit(scene: Scene, x: number, y: number): Hit | null {
  const sign = scene.signs.find((one) => Math.hypot(one.x - x, one.y - y) <= WIDE_ENOUGH / 2);
  if (sign) {
    const { start, end } = scene.model.axis;
    return { lane: sign.lane, row: sign.row, index: -1, from: start[sign.row], to: end[sign.row], among: 1 };
  }
  const strip = scene.strips.find((one) => y >= one.y && y <= one.y + one.h);
  if (!strip || x < scene.plot.x - NEAR || x > scene.plot.x + scene.plot.w + NEAR) return null;
  const { lane } = strip;
  const { intervals } = lane;
  const unit = scene.scale.invert(1) - scene.scale.invert(0);
  const at = scene.scale.invert(x);
  let [best, gravest, among] = [-1, -1, 0];
  intervals.under(at - unit / 2, at + unit / 2, (i) => {
    among += 1;
    const rank = rankOf(scene, lane, i, at, unit);
    if (rank > gravest) [best, gravest] = [i, rank];
  });
  const found = (i: number, count: number): Hit => {
    const [from, to, bar] = [intervals.start(i), intervals.end(i), lane.bars?.get(i)];
    return { lane, row: lane.row[i], index: i, from, to, among: count, bar };
  };
  if (best >= 0) return found(best, among);
  let distance = NEAR * unit;
  intervals.under(at - distance, at + distance, (i) => {
    const away = Math.max(intervals.start(i) - at, at - intervals.end(i));
    if (away < distance) [best, distance] = [i, away];
  });
  return best < 0 ? null : found(best, 1);
}

/** What is preferred among blocks in one pixel: a wide one, what went wrong, what matches, what took long. */
function rankOf({ model, matches, plot }: Scene, lane: Lane, i: number, at: number, unit: number): number {
  const [row, start, end] = [lane.row[i], lane.intervals.start(i), lane.intervals.end(i)];
  const isWide = end - start >= LEAST_BLOCK * unit && start <= at && end >= at;
  const isMarked = lane.kind === "op" && (model.failed(row) || model.severity(row) > 0);
  const isMatching = matches === null || matches[row] === 1;
  const share = Math.min(0.99, (end - start) / (plot.w * unit));
  return (isWide ? 8 : 0) + (isMarked ? 4 : 0) + (isMatching ? 2 : 0) + share;
}
