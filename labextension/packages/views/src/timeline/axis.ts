import { KIND, PHASE, queriesOf, type Recording } from "@tapeviz/recording";

/** Where each event row is on the x-axis: ns in the scale "time", columns in the scale "order". */
export interface Axis {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly domain: readonly [number, number];
}

// Ops that only rename or convert: narrow columns in the scale "order".
const QUIET = new Set(["identity", "cast", "stop_gradient"]);
const NARROW = 0.3;

export function timeAxis(recording: Recording): Axis {
  const { events, ends } = recording;
  const start = events.t0;
  const end = events.t0.map((t, row) => t + events.dur[row]);
  let last = 0;
  for (const t of end) if (t > last) last = t;
  for (const t of ends.t) if (t > last) last = t;
  // A span without an end was cut off: it lasts as long as the recording.
  for (let row = 0; row < events.rows; row++) if (events.kind[row] === KIND.span) end[row] = last;
  const { eventRow } = queriesOf(recording);
  ends.event.forEach((event, i) => (end[eventRow(event)] = ends.t[i]));
  let first = Infinity;
  for (const t of start) if (t < first) first = t;
  return { start, end, domain: events.rows === 0 ? [0, 1] : [first, Math.max(last, first + 1)] };
}

/** Equal columns in the order of running; a backward step shares the column of its forward op. */
export function orderAxis(recording: Recording): Axis {
  const { events } = recording;
  const { eventRow } = queriesOf(recording);
  const start = new Float64Array(events.rows);
  const end = new Float64Array(events.rows);
  const sharing = new Map<number, number[]>();
  let at = 0;
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] !== KIND.op) continue;
    const origin = events.phase[row] === PHASE.backward ? eventRow(events.origin[row]) : -1;
    if (origin >= 0 && origin < row) {
      [start[row], end[row]] = [start[origin], end[origin]];
      const others = sharing.get(origin);
      if (others) others.push(row);
      else sharing.set(origin, [row]);
      continue;
    }
    start[row] = at;
    at += QUIET.has(recording.ops.name[events.op[row]] ?? "") ? NARROW : 1;
    end[row] = at;
  }
  for (const rows of sharing.values()) if (rows.length > 1) split(rows, start, end);
  spanColumns(recording, start, end);
  return { start, end, domain: [0, Math.max(at, 1)] };
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
  const { eventRow: rowOf } = queriesOf(recording);
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
