import { KIND, PHASE, memoryOf, type Recording } from "@tapeviz/recording";
import type { Axis } from "./axis";
import { gather, inOrder } from "./ordering";
import { upper } from "./pyramid";

/** Bytes alive over the x-axis: steps, each value holding until the next x, the last one until `end`. */
export interface Steps {
  readonly x: Float64Array;
  readonly bytes: Float64Array;
  readonly end: number;
}

/** One curve in the scale "time"; in the scale "order", whose backward runs the other way, one a phase. */
export interface Memory {
  readonly curves: readonly Steps[];
  readonly peak: number;
}

export function memoryOn(recording: Recording, axis: Axis, scale: "time" | "order"): Memory {
  const { t, bytes } = memoryOf(recording);
  const over = { x: t, bytes, end: Infinity };
  const peak = over.bytes.reduce((a, b) => Math.max(a, b), 0);
  if (scale === "time") return { curves: [over], peak };
  const curves = [PHASE.forward, PHASE.backward].map((phase) => afterEach(recording, axis, over, phase));
  return { curves: curves.filter((c) => c.x.length > 0), peak };
}

/** The bytes alive right after each op of a phase, at the op's column. */
function afterEach(recording: Recording, axis: Axis, over: Steps, phase: number): Steps {
  const { events } = recording;
  const rows: number[] = [];
  const alive = new Float64Array(events.rows);
  let at = 0;
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] !== KIND.op || events.phase[row] !== phase) continue;
    const t = events.t0[row] + events.dur[row];
    while (at < over.x.length && over.x[at] <= t) at += 1;
    rows.push(row);
    alive[row] = at > 0 ? over.bytes[at - 1] : 0;
  }
  const sorted = inOrder(rows, axis.start);
  const end = sorted.length > 0 ? axis.end[sorted[sorted.length - 1]] : 0;
  return { x: gather(axis.start, sorted), bytes: gather(alive, sorted), end };
}

/** The highest of a curve in each of `n` equal parts of [from, to], NaN where it says nothing: never more than a value a pixel. */
export function columns(curve: Steps, from: number, to: number, n: number): Float64Array {
  const out = new Float64Array(n).fill(NaN);
  const width = (to - from) / n;
  let at = upper(curve.x, from);
  let value = at > 0 ? curve.bytes[at - 1] : NaN;
  for (let i = 0; i < n && from + i * width < curve.end; i++) {
    let most = value;
    const end = from + (i + 1) * width;
    while (at < curve.x.length && curve.x[at] < end) {
      value = curve.bytes[at++];
      if (!(value <= most)) most = value;
    }
    out[i] = most;
  }
  return out;
}
