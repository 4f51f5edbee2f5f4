import { format, linear, ticks, type Scale } from "@tapeviz/core";
import { columns, type Memory } from "./memory";
import { levelFor, touching } from "./pyramid";
import type { Lane, Model } from "./model";
import { wordsOn, type Measures, type Wording, type Words } from "./words";

/** What part is shown, how large, and how wide texts are. */
export interface Frame extends Measures {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly height: number;
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
  readonly words: Words;
}

/** Many blocks too narrow to tell apart: `full` is the busy part, 0 to 1. */
export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly family: number;
  readonly full: number;
  readonly phase: number;
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
const HEIGHT = { op: 38, pause: 12, line: 20, span: 20 };
const MIDDLE = 10;
const MEMORY = 46;
const BETWEEN = 10;
const OVERVIEW = 8;
const PAD = 8;
const LEAST_BLOCK = 2.5;

/** How wide the column of lane titles is. */
export const gutter = (width: number): number => (width < 520 ? 8 : 98);

export function layout(model: Model, frame: Frame, wording: Wording): Scene {
  const plot = { x: gutter(frame.width), w: Math.max(10, frame.width - gutter(frame.width) - 12) };
  const scale = linear([frame.from, frame.to], [plot.x, plot.x + plot.w]);
  const grow = spare(model, frame.height);
  const { strips, middle, bottom } = stack(model, grow);
  const blocks: Block[] = [];
  const bars: Bar[] = [];
  for (const strip of strips) fillStrip(strip, frame, plot, scale, wording, blocks, bars);
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

/** One below the other from y on; the tensors' gets what is left of a tall frame. */
function areasOf(model: Model, frame: Frame, width: number, y: number, left: number): Area[] {
  const n = Math.max(1, Math.floor(width));
  const area = (memory: Memory, top: number, h: number, title: string, said: readonly string[]): Area => {
    const curves = memory.curves.map((curve) => columns(curve, frame.from, frame.to, n));
    return { y: top, h, peak: memory.peak, curves, title, said };
  };
  const below = y + MEMORY + left + BETWEEN;
  return [
    area(model.memory, y, MEMORY + left, "memory", [format.bytes(model.memory.peak)]),
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
    ({ op: 0, pause: 50, line: 100, span: 200 })[lane.kind] + (lane.kind === "span" ? 10 - lane.depth : lane.depth);
  const side = (phase: number): Lane[] => lanes.filter((l) => l.phase === phase).sort((a, b) => rank(a) - rank(b));
  const tall = (lane: Lane): number => HEIGHT[lane.kind] + (lane.kind === "op" ? grow : 0);
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

function fillStrip(
  strip: Strip,
  frame: Frame,
  plot: Scene["plot"],
  scale: Scale,
  wording: Wording,
  blocks: Block[],
  bars: Bar[],
): void {
  const { lane, y, h } = strip;
  const index = levelFor(lane.levels, frame.from, frame.to, Math.max(64, plot.w));
  const level = lane.levels[index];
  const [first, last] = touching(level, frame.from, frame.to);
  for (let i = first; i < last; i++) {
    const x = Math.max(plot.x, scale(level.start[i]));
    const w = Math.min(plot.x + plot.w, scale(level.end[i])) - x;
    const family = level.kind[i];
    if (index === 0 && w >= LEAST_BLOCK)
      blocks.push({
        lane,
        row: lane.row[i],
        x,
        y,
        w,
        h,
        family,
        words: wordsOn(strip, lane.row[i], w, frame, wording),
      });
    else if (lane.kind === "op" || w >= 1) {
      const full = level.busy[i] / (level.end[i] - level.start[i] || 1);
      bars.push({ x, y, w: Math.max(1, w), h, family, full: index === 0 ? 1 : full, phase: lane.phase });
    }
  }
}

function rulerTicks(model: Model, frame: Frame, width: number, scale: Scale): { x: number; label: string }[] {
  if (model.scale === "order") return [];
  const origin = model.domain[0];
  const at = ticks(frame.from - origin, frame.to - origin, Math.max(2, Math.floor(width / 110)));
  const labels = format.moments(at, at.length > 1 ? at[1] - at[0] : frame.to - frame.from);
  return at.map((t, i) => ({ x: scale(t + origin), label: labels[i] }));
}

function overviewOf(model: Model, frame: Frame, plot: Scene["plot"], y: number): Scene["overview"] {
  const whole = linear(model.domain, [plot.x, plot.x + plot.w]);
  const x = whole(frame.from);
  return { y, h: OVERVIEW, x, w: Math.max(6, whole(frame.to) - x) };
}

/** What is at a point: the block, or for narrow ones the nearest within 4 pixels. */
export function hit(scene: Scene, x: number, y: number): Block | null {
  let best: Block | null = null;
  let distance = 4;
  for (const block of scene.blocks) {
    if (y < block.y || y > block.y + block.h) continue;
    const away = Math.max(block.x - x, x - block.x - block.w, 0);
    if (away < distance || (away === 0 && distance > 0)) [best, distance] = [block, away];
    if (away === 0) return block;
  }
  return best;
}
