import { KIND, PHASE, memoryOf, poolsOf, rankOfEvent, type Recording } from "@tapeviz/recording";
import type { Axis } from "./axis";
import { positionsOf } from "./breaks";
import { gather, sortedByStart, upperBound } from "./sort";

/** Bytes alive over the x-axis: steps, each value holding until the next x, the last one until `end`. */
export interface StepCurve {
  readonly x: Float64Array;
  readonly bytes: Float64Array;
  readonly end: number;
  /** The highest of every 64 values; left out where they are few. */
  readonly peaks?: Float64Array;
}

const CHUNK = 64;

function peaksOf(bytes: Float64Array): Float64Array {
  const peaks = new Float64Array(Math.ceil(bytes.length / CHUNK)).fill(-Infinity);
  for (let i = 0; i < bytes.length; i++) {
    const chunk = Math.floor(i / CHUNK);
    if (bytes[i] > peaks[chunk]) peaks[chunk] = bytes[i];
  }
  return peaks;
}

/** One curve in the scale "time"; in the scale "order", whose backward runs the other way, one a phase. */
export interface Memory {
  readonly curves: readonly StepCurve[];
  readonly peak: number;
}

/** The same of the memory pool of a device. */
export interface Pool extends Memory {
  readonly device: string;
  /** The most that the pool took from the device, in bytes. */
  readonly held: number;
}

function highest(values: Float64Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > most) most = values[i];
  return most;
}

export function memoryOn(recording: Recording, axis: Axis, scale: "time" | "order"): Memory {
  const { t, bytes } = memoryOf(recording);
  const over = { x: positionsOf(axis.breaks, t), bytes, end: Infinity };
  const peak = highest(over.bytes);
  if (scale === "time") return { curves: [{ ...over, peaks: peaksOf(bytes) }], peak };
  const { t0, dur } = recording.events;
  return { curves: columnwise(recording, axis, over, (row) => t0[row] + dur[row], 0), peak };
}

/** The pools of the devices that have one. */
export function poolsOn(recording: Recording, axis: Axis, scale: "time" | "order"): Pool[] {
  return poolsOf(recording).map((pool) => {
    const over = { x: positionsOf(axis.breaks, pool.t), bytes: pool.used, end: Infinity };
    const curves = scale === "time" ? [over] : poolColumns(recording, axis, over);
    return { device: pool.device, curves, peak: highest(pool.used), held: highest(pool.total) };
  });
}

/** A pool is asked right after an op has ended: what it says by the time the next one begins is the op's. */
function poolColumns(recording: Recording, axis: Axis, over: StepCurve): StepCurve[] {
  const { t0, dur, kind } = recording.events;
  const starts = t0.filter((_, row) => kind[row] === KIND.op).sort();
  const next = (row: number): number =>
    starts[Math.max(upperBound(starts, t0[row]), below(starts, t0[row] + dur[row]))];
  return columnwise(recording, axis, over, (row) => next(row) ?? Infinity, NaN);
}

/** How many of the values, which ascend, are below x. */
function below(values: Float64Array, x: number): number {
  let at = upperBound(values, x);
  while (at > 0 && values[at - 1] === x) at -= 1;
  return at;
}

/**
 * For each phase the bytes at a time of each op, at the op's column; `before` where nothing is known yet. Of a merged
 * recording, whose ranks share columns, at the times of the first rank's ops.
 */
function columnwise(
  recording: Recording,
  axis: Axis,
  over: StepCurve,
  until: (row: number) => number,
  before: number,
): StepCurve[] {
  const phases = [PHASE.forward, PHASE.backward];
  return phases
    .map((phase) => afterEach(recording, axis, over, phase, until, before))
    .filter((curve) => curve.x.length > 0);
}

function afterEach(
  recording: Recording,
  axis: Axis,
  over: StepCurve,
  phase: number,
  until: (row: number) => number,
  before: number,
): StepCurve {
  const { events } = recording;
  const rows: number[] = [];
  const alive = new Float64Array(events.rows);
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] !== KIND.op || events.phase[row] !== phase || rankOfEvent(recording, row) > 0) continue;
    const at = upperBound(over.x, until(row));
    rows.push(row);
    alive[row] = at > 0 ? over.bytes[at - 1] : before;
  }
  const sorted = sortedByStart(rows, axis.start);
  const end = sorted.length > 0 ? axis.end[sorted[sorted.length - 1]] : 0;
  return { x: gather(axis.start, sorted), bytes: gather(alive, sorted), end };
}

/** The highest of a curve in each of `n` equal parts of [from, to], NaN where it says nothing: never more than a value a pixel. */
export function columnMaxima(curve: StepCurve, from: number, to: number, n: number): Float64Array {
  const out = new Float64Array(n).fill(NaN);
  const width = (to - from) / n;
  let at = upperBound(curve.x, from);
  let value = at > 0 ? curve.bytes[at - 1] : NaN;
  for (let i = 0; i < n && from + i * width < curve.end; i++) {
    let most = value;
    const end = from + (i + 1) * width;
    while (at < curve.x.length && curve.x[at] < end) {
      const last = at + CHUNK - 1;
      const isWhole = curve.peaks !== undefined && at % CHUNK === 0 && last < curve.x.length && curve.x[last] < end;
      const highest = isWhole ? curve.peaks[at / CHUNK] : curve.bytes[at];
      if (!(highest <= most)) most = highest;
      value = curve.bytes[isWhole ? last : at];
      at += isWhole ? CHUNK : 1;
    }
    out[i] = most;
  }
  return out;
}
