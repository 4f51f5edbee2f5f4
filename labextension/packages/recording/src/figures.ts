// Figures over a whole recording: each line of the code, the memory alive, and devices' pools.

import { risingOrder } from "./lists";
import { opTimesOf } from "./optimes";
import { queriesOf } from "./queries";
import type { Recording } from "./recording";
import { KIND, PHASE } from "./tables.gen";

/** What one line of the user's code did. */
export interface LineActivity {
  readonly file: string;
  readonly line: number;
  /** The execution count of the cell; -1 outside a notebook. */
  readonly cell: number;
  readonly forward: number;
  readonly backward: number;
  /** Time of its forward ops and of their backward steps, in ns; pauses of the garbage collector are none of it. */
  readonly forwardTime: number;
  readonly backwardTime: number;
  /** Bytes of the tensors that its ops made, backward included; views of other tensors count nothing. */
  readonly bytes: number;
  readonly events: readonly number[];
}

type Counting = { -readonly [K in keyof LineActivity]: LineActivity[K] } & { events: number[] };

/** The lines that ran ops, in the order of cells, files and lines. */
export function linesOf(recording: Recording): LineActivity[] {
  const queries = queriesOf(recording);
  const { cells, events, sites, tensors } = recording;
  const times = opTimesOf(recording);
  const lines = new Map<string, Counting>();
  // A site is looked up once, not once an event: there are a million events on a few hundred sites.
  const bySite: Counting[] = [];
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] !== KIND.op) continue;
    const event = events.id[row];
    const site = queries.site(event);
    if (site < 0) continue;
    const line = (bySite[site] ??= entry(
      lines,
      sites.file[site],
      sites.line[site],
      cells.number[sites.cell[site]] ?? -1,
    ));
    const phase = events.phase[row] === PHASE.backward ? "backward" : "forward";
    line[phase] += 1;
    line[`${phase}Time`] += times[row];
    line.events.push(event);
    for (const tensor of queries.outputs(event)) {
      const at = queries.tensorRow(tensor);
      if (at >= 0 && tensors.storage[at] === tensor) line.bytes += tensors.nbytes[at];
    }
  }
  return [...lines.values()].sort((a, b) => a.cell - b.cell || a.file.localeCompare(b.file) || a.line - b.line);
}

function entry(lines: Map<string, Counting>, file: string, line: number, cell: number): Counting {
  const key = `${cell} ${line} ${file}`;
  let found = lines.get(key);
  if (!found) {
    found = { file, line, cell, forward: 0, backward: 0, forwardTime: 0, backwardTime: 0, bytes: 0, events: [] };
    lines.set(key, found);
  }
  return found;
}

/** Bytes alive over time: each value holds from its t until the next. */
export interface MemoryCurve {
  readonly t: Float64Array;
  readonly bytes: Float64Array;
}

/**
 * The memory that recorded tensors hold. Memory shared by several tensors counts once, from the birth of its owner
 * until the last of them is released.
 */
export function memoryOf(recording: Recording): MemoryCurve {
  const births = ascending(birthsOf(recording));
  const ends = ascending(endsOf(recording));
  const [t, bytes] = [
    new Float64Array(births.t.length + ends.t.length),
    new Float64Array(births.t.length + ends.t.length),
  ];
  let [alive, birth, end] = [0, 0, 0];
  for (let i = 0; i < t.length; i++) {
    // What comes to life at the same moment comes first.
    const isBirth = birth < births.t.length && !(ends.t[end] < births.t[birth]);
    const [from, at] = isBirth ? [births, birth++] : [ends, end++];
    t[i] = from.t[at]!;
    bytes[i] = alive += from.bytes[at];
  }
  return { t, bytes };
}

/** When memory is taken: a tensor's own, not that of a view of another one. */
function birthsOf(recording: Recording): MemoryCurve {
  const { eventRow } = queriesOf(recording);
  const { events, tensors } = recording;
  const [t, bytes] = [new Float64Array(tensors.rows), new Float64Array(tensors.rows)];
  let count = 0;
  for (let row = 0; row < tensors.rows; row++) {
    if (tensors.storage[row] !== tensors.id[row]) continue;
    const maker = eventRow(tensors.producer[row]);
    t[count] = maker < 0 ? 0 : events.t0[maker] + events.dur[maker];
    bytes[count++] = tensors.nbytes[row]!;
  }
  return { t: t.subarray(0, count), bytes: bytes.subarray(0, count) };
}

/** When memory is given back: with the last of the tensors that share it. */
function endsOf(recording: Recording): MemoryCurve {
  const { tensorRow } = queriesOf(recording);
  const { releases, tensors } = recording;
  const sharers = new Int32Array(tensors.rows);
  for (let row = 0; row < tensors.rows; row++) {
    const owner = tensorRow(tensors.storage[row]);
    if (owner >= 0) sharers[owner] += 1;
  }
  const [t, bytes] = [new Float64Array(releases.rows), new Float64Array(releases.rows)];
  let count = 0;
  for (let i = 0; i < releases.rows; i++) {
    const row = tensorRow(releases.tensor[i]);
    const owner = row < 0 ? -1 : tensorRow(tensors.storage[row]);
    if (owner < 0 || (sharers[owner] -= 1) !== 0) continue;
    t[count] = releases.t[i]!;
    bytes[count++] = -tensors.nbytes[owner];
  }
  return { t: t.subarray(0, count), bytes: bytes.subarray(0, count) };
}

/** In the order of time; what is already, as nearly always, stays as it is. */
function ascending(changes: MemoryCurve): MemoryCurve {
  const { t, bytes } = changes;
  let isSorted = true;
  for (let i = 1; i < t.length && isSorted; i++) isSorted = !(t[i] < t[i - 1]);
  if (isSorted) return changes;
  const sorted = { t: new Float64Array(t.length), bytes: new Float64Array(t.length) };
  const order = risingOrder(t);
  for (let i = 0; i < t.length; i++) [sorted.t[i], sorted.bytes[i]] = [t[order[i]], bytes[order[i]]];
  return sorted;
}

/** How full the memory pool of a device was: each value holds from its t until the next. */
export interface PoolCurve {
  /** The device's name. */
  readonly device: string;
  readonly t: Float64Array;
  /** What arrays use, recorded or not. */
  readonly used: Float64Array;
  /** What the pool has taken from the device. */
  readonly total: Float64Array;
}

/** The pools of the devices that have one, in the order of the devices. */
export function poolsOf({ devices, pools }: Recording): PoolCurve[] {
  const rows = new Map<number, number[]>();
  for (let row = 0; row < pools.rows; row++) {
    const known = rows.get(pools.device[row]);
    if (known) known.push(row);
    else rows.set(pools.device[row], [row]);
  }
  const column = (of: Float64Array, at: readonly number[]): Float64Array => Float64Array.from(at, (row) => of[row]);
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([device, at]) => ({
      device: devices.name[device] ?? `device ${device}`,
      t: column(pools.t, at),
      used: column(pools.used, at),
      total: column(pools.total, at),
    }));
}
