import { KIND, PHASE, rankOfEvent, traitsOf, type Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import { MIN_IDLE, breaksOf, gapsOf, positionAt, positionsOf, timeAt, type Break, type Gap } from "./breaks";
import { gather, sortedByStart } from "./sort";
import { derivativeOrders } from "./passorder";

/** Where each event row is on the x-axis: ns without long idle stretches in the scale "time", columns in the scale "order". */
export interface Axis {
  /** Whether it is one of time: then all events stand where they ran, else each phase has its own columns. */
  readonly isTimed: boolean;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly domain: readonly [number, number];
  readonly breaks: readonly Break[];
  /** Where a time is; a place on the axis in the scale "order" stays as it is. */
  readonly position: (t: number) => number;
  /** The time at a place. */
  readonly time: (x: number) => number;
}

const NARROW = 0.3;

export function timeAxis(recording: Recording): Axis {
  const { events } = recording;
  const end = endsOf(recording);
  const domain = extentOf(events.t0, end);
  const ops: number[] = [];
  for (let row = 0; row < events.rows; row++) if (events.kind[row] === KIND.op) ops.push(row);
  const sorted = sortedByStart(ops, events.t0);
  const idle = gapsOf(gather(events.t0, sorted), gather(end, sorted), domain);
  const breaks = breaksOf([...idle, ...setupGaps(recording, idle)], domain);
  const position = (t: number): number => positionAt(breaks, t);
  return {
    isTimed: true,
    start: positionsOf(breaks, events.t0),
    end: positionsOf(breaks, end),
    domain: [domain[0], Math.max(position(domain[1]), domain[0] + 1)],
    breaks,
    position,
    time: (x) => timeAt(breaks, x),
  };
}

/** Long setups within ops, such as the import of a library on an op's first use: no more work than idle time is. */
function setupGaps({ setups }: Recording, idle: readonly Gap[]): Gap[] {
  const rows = sortedByStart([...setups.t0.keys()], setups.t0);
  const found: { from: number; to: number }[] = [];
  for (const row of rows) {
    const [from, to] = [setups.t0[row], setups.t0[row] + setups.dur[row]];
    if (idle.some((gap) => from < gap.to && to > gap.from)) continue;
    const last = found.at(-1);
    if (last && from - last.to < MIN_IDLE) last.to = Math.max(last.to, to);
    else found.push({ from, to });
  }
  return found.filter(({ from, to }) => to - from >= MIN_IDLE);
}

/** When each event ended. A span without an end was cut off: it lasts as long as the recording. */
function endsOf(recording: Recording): Float64Array {
  const { events, ends } = recording;
  const { eventRow } = factsOf(recording);
  const end = new Float64Array(events.rows);
  let last = 0;
  for (let row = 0; row < end.length; row++) {
    end[row] = events.t0[row] + events.dur[row];
    if (end[row] > last) last = end[row];
  }
  for (let i = 0; i < ends.rows; i++) if (ends.t[i] > last) last = ends.t[i];
  for (let row = 0; row < end.length; row++) if (events.kind[row] === KIND.span) end[row] = last;
  for (let i = 0; i < ends.rows; i++) end[eventRow(ends.event[i])] = ends.t[i];
  return end;
}

/** Whether an op only renames or converts: a narrow column in the scale "order". */
function isQuiet(recording: Recording, op: number): boolean {
  const traits = traitsOf(recording, op);
  if (traits.has("reads_variable") || traits.has("writes_variable")) return false;
  return traits.has("identity") || traits.has("cast");
}

function extentOf(start: Float64Array, end: Float64Array): [number, number] {
  let [first, last] = [Infinity, 0];
  for (let row = 0; row < start.length; row++) {
    if (start[row] < first) first = start[row];
    if (end[row] > last) last = end[row];
  }
  return start.length === 0 ? [0, 1] : [first, Math.max(last, first + 1)];
}

const same = (x: number): number => x;

/**
 * Equal columns in the order of running; a backward step shares the column of its forward op. Each rank of a merged
 * recording begins at the left, so that its first op stands under the other ranks' first.
 */
export function orderAxis(recording: Recording): Axis {
  const { events } = recording;
  const { eventRow } = factsOf(recording);
  const start = new Float64Array(events.rows);
  const end = new Float64Array(events.rows);
  const order = derivativeOrders(recording);
  const sharing = new Map<number, number[]>();
  let [at, last, rank] = [0, 0, -1];
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] !== KIND.op) continue;
    if (rankOfEvent(recording, row) !== rank) [at, rank] = [0, rankOfEvent(recording, row)];
    const origin = events.phase[row] === PHASE.backward ? eventRow(events.origin[row]) : -1;
    if (origin >= 0 && origin < row) {
      [start[row], end[row]] = [start[origin], end[origin]];
      // Those of another order have a lane of their own.
      const key = origin * 256 + order[row];
      const others = sharing.get(key);
      if (others) others.push(row);
      else sharing.set(key, [row]);
      continue;
    }
    start[row] = at;
    at += isQuiet(recording, events.op[row]) ? NARROW : 1;
    end[row] = at;
    last = Math.max(last, at);
  }
  for (const rows of sharing.values()) if (rows.length > 1) split(rows, start, end);
  spanColumns(recording, start, end);
  return { isTimed: false, start, end, domain: [0, Math.max(last, 1)], breaks: [], position: same, time: same };
}

/** Several backward steps of one op (a persistent tape) stand side by side in its column. */
function split(rows: readonly number[], start: Float64Array, end: Float64Array): void {
  const [from, width] = [start[rows[0]], (end[rows[0]] - start[rows[0]]) / rows.length];
  rows.forEach((row, i) => {
    start[row] = from + i * width;
    end[row] = from + (i + 1) * width;
  });
}

/** A span reaches over the columns of the ops of its phase inside it; without any it has no width. */
function spanColumns(recording: Recording, start: Float64Array, end: Float64Array): void {
  const { events } = recording;
  const { eventRow: rowOf } = factsOf(recording);
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] === KIND.span) start[row] = Infinity;
  }
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] !== KIND.op) continue;
    for (let up = rowOf(events.parent[row]); up >= 0; up = rowOf(events.parent[up])) {
      if (events.kind[up] !== KIND.span || events.phase[up] !== events.phase[row]) continue;
      if (start[row] < start[up]) start[up] = start[row];
      if (end[row] > end[up]) end[up] = end[row];
    }
  }
}
