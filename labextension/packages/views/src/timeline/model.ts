import { KIND, opTimesOf, rankName, rankOfEvent, rankOfSetup, type Recording } from "@tapeviz/recording";
import { FAMILIES, OTHER, format } from "@tapeviz/core";
import { memoryOn, poolsOn, type Memory, type Pool } from "./memory";
import { orderAxis, timeAxis, type Axis } from "./axis";
import { MIN_IDLE, positionsOf, type Break } from "./breaks";
import { Intervals } from "./intervals";
import { sortedByStart } from "./sort";
import { derivativeOrders } from "./passorder";
import { gradientFaults } from "../gradientfaults";
import { bySeverity } from "../problems";
import { factsOf } from "../facts";
import { blockNorms, type BlockNorms } from "./norms";
import { repeatsOf, type Repeat } from "./repeats";
import { spanLanes, type RepeatBar } from "./spans";

export type ScaleName = "time" | "order";

/** Blocks side by side: ops of one phase and thread, pauses, setups, the lines and functions they stand in, spans. */
export interface Lane {
  readonly kind: "op" | "pause" | "setup" | "line" | "function" | "span";
  /** 0 forward, 1 backward. */
  readonly phase: number;
  /** How far from the middle line: 0 next to it. */
  readonly depth: number;
  readonly title: string;
  /** Whether its ops run from right to left in the scale "order": those of a pass do, each under its partner. */
  readonly isReversed: boolean;
  /** The rank, the device and the thread, as far as there are several; empty otherwise. */
  readonly where: string;
  /** The event row of each block; for a line or function its first op, for a setup its row of setups. */
  readonly row: Int32Array;
  readonly intervals: Intervals;
  /** Which of them failed or have a finding, ascending. */
  readonly marked: Int32Array;
  /** Which of a lane of spans stand for a repeat or one of its blocks; their row is that of its first event. */
  readonly bars?: ReadonlyMap<number, RepeatBar>;
  /** Of a lane of lines or functions what is known of each block. */
  readonly stretches?: Stretches;
}

/** Neighbouring ops that are one block: how many, the time in them, the first and the last line. */
export interface Stretches {
  readonly ops: Int32Array;
  readonly busy: Float64Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** How many blocks stand for the same line or function as this one. */
  readonly often: (block: number) => number;
}

export interface Model {
  readonly scale: ScaleName;
  readonly lanes: readonly Lane[];
  /** Where an event is on the x-axis. */
  readonly axis: Axis;
  readonly domain: readonly [number, number];
  /** null until it is counted, which of a long recording is done when the rest has been painted. */
  readonly memory: Memory | null;
  /** Of each device that has a memory pool. */
  readonly pools: readonly Pool[];
  /** What lies in each break of the axis, in words. */
  readonly idle: readonly string[];
  readonly failed: (row: number) => boolean;
  /** 0 where nothing is wrong, else the severity of what is, or NONFINITE. */
  readonly severity: (row: number) => number;
  /** What a finding says of where gradients are lost, such as "stop_gradient in block_3"; "" for other events. */
  readonly fault: (row: number) => string;
  /** The gradients' norms of the blocks of a repeat. */
  readonly norms: (repeat: Repeat) => BlockNorms;
}

/** An index into FAMILIES for each row of ops, FAMILIES.length for others. */
export function familyIndex(recording: Recording): Uint8Array {
  const { family } = recording.ops;
  return Uint8Array.from(family, (name) => {
    const index = FAMILIES.findIndex((f) => f.name === name);
    return index < 0 ? FAMILIES.length : index;
  });
}

export const familyAt = (index: number): (typeof FAMILIES)[number] => FAMILIES[index] ?? OTHER;

/** All that the timeline draws that does not depend on what part of it is shown; repeats are closed but for those opened. */
export function modelOf(recording: Recording, scale: ScaleName, opened: ReadonlySet<string> = NO_KEYS): Model {
  const axis = scale === "time" ? timeAxis(recording) : orderAxis(recording);
  const { status } = recording.events;
  const grave = bySeverity(recording);
  const [failed, severity] = [(row: number) => status[row] !== 0, (row: number) => grave.get(row) ?? 0];
  const isMarked = (row: number): boolean => status[row] !== 0 || grave.has(row);
  return {
    scale,
    lanes: [
      ...opLanes(recording, axis, scale === "time", isMarked),
      ...(scale === "time" ? setupLanes(recording, axis) : []),
      ...spanLanes(recording, axis, opened),
    ],
    axis,
    domain: axis.domain,
    memory: recording.tensors.rows > LONG ? null : memoryOn(recording, axis, scale),
    pools: poolsOn(recording, axis, scale),
    idle: idleOf(recording, axis.breaks),
    failed,
    severity,
    fault: faultOf(recording),
    norms: normsOf(recording),
  };
}

function faultOf(recording: Recording): Model["fault"] {
  const facts = factsOf(recording);
  const texts = new Map(gradientFaults(recording).map(({ event, op }) => [facts.eventRow(event), op]));
  return (row) => texts.get(row) ?? "";
}

/** The model with its memory counted. */
export const withMemory = (model: Model, recording: Recording): Model =>
  model.memory ? model : { ...model, memory: memoryOn(recording, model.axis, model.scale) };

/** From how many tensors on counting what is alive takes longer than painting the rest. */
const LONG = 100_000;
const NO_KEYS: ReadonlySet<string> = new Set();

/** The model with other repeats open. */
export const withOpened = (model: Model, recording: Recording, opened: ReadonlySet<string>): Model => ({
  ...model,
  lanes: [...model.lanes.filter(({ kind }) => kind !== "span"), ...spanLanes(recording, model.axis, opened)],
});

/** Each is found when it is drawn first. */
function normsOf(recording: Recording): Model["norms"] {
  const known = new Map<Repeat, BlockNorms>();
  return (repeat) => {
    const norms = known.get(repeat) ?? blockNorms(factsOf(recording), repeatsOf(recording), repeat);
    known.set(repeat, norms);
    return norms;
  };
}

interface Group {
  readonly pause: boolean;
  readonly phase: number;
  readonly rows: ArrayLike<number>;
}

/** The rows that share a lane: of one phase, device and thread, and as deep inside other ops. Ops first, pauses after. */
function groupsOf(recording: Recording, axis: Axis): Group[] {
  const { events } = recording;
  const nesting = nestingOf(recording);
  const order = derivativeOrders(recording);
  const groups = new Map<number, GrowingRows>();
  for (let row = 0; row < events.rows; row++) {
    const pause = events.kind[row] !== KIND.op;
    // Pauses and marks have no column in the scale "order".
    if (events.kind[row] === KIND.span || (pause && !(axis.end[row] > axis.start[row]))) continue;
    const side = (Number(pause) * 2 + events.phase[row]) * 256 + events.device[row];
    const key = (side * 256 + events.thread[row]) * 256 + nesting[row] + order[row];
    let rows = groups.get(key);
    if (!rows) groups.set(key, (rows = new GrowingRows()));
    rows.push(row);
  }
  const sorted = [...groups].sort(([a], [b]) => a - b);
  return sorted.map(([key, rows]) => {
    const side = Math.floor(key / 2 ** 24);
    return { pause: side >= 2, phase: side % 2, rows: rows.all() };
  });
}

/** Row numbers, of which there may be a million: an array of numbers would take four times the memory on the way. */
class GrowingRows {
  #rows = new Int32Array(1024);
  #used = 0;

  push(row: number): void {
    if (this.#used === this.#rows.length) {
      const larger = new Int32Array(2 * this.#used);
      larger.set(this.#rows);
      this.#rows = larger;
    }
    this.#rows[this.#used++] = row;
  }

  all(): Int32Array {
    return this.#rows.subarray(0, this.#used);
  }
}

/** A row of setups in words. */
export function setupTitle({ setups }: Recording, row: number): string {
  const [kind, name] = [setups.kind[row], setups.name[row]];
  return kind === "first_use" ? `first use of ${name}` : `${kind} ${name}`;
}

const ORDERS = ["", "2nd", "3rd"];

function titleOf(phase: number, order: number): string {
  if (phase === 0) return "forward";
  if (order % 2 === 1) return "its ops";
  return order === 0 ? "backward" : `${ORDERS[order / 2] ?? `${order / 2 + 1}th`} order`;
}

function opLanes(recording: Recording, axis: Axis, isTimed: boolean, isMarked: (row: number) => boolean): Lane[] {
  const depths = [0, 0];
  const ranksSeen = [new Set<number>(), new Set<number>()];
  const families = familyIndex(recording);
  const { events } = recording;
  const kinds = new Uint8Array(events.rows);
  for (let row = 0; row < kinds.length; row++) kinds[row] = families[events.op[row]] ?? FAMILIES.length;
  const where = placeNames(recording);
  const order = derivativeOrders(recording);
  return groupsOf(recording, axis).flatMap(({ pause, phase, rows }) => {
    const row = sortedByStart(rows, axis.start);
    const depth = depths[phase]++;
    const intervals = new Intervals(row, axis.start, axis.end, pause ? null : kinds);
    const isReversed = phase === 1 && order[row[0]] % 2 === 0;
    const lane = { phase, depth, isReversed, where: where(row[0]), row, intervals, marked: NONE };
    if (pause) return [{ ...lane, kind: "pause" as const, title: "pauses" }];
    const ops: Lane = {
      ...lane,
      kind: "op",
      title: titleOf(phase, order[row[0]]),
      marked: Int32Array.from(placesWhere(row, isMarked)),
    };
    const rank = rankOfEvent(recording, row[0]);
    if (ranksSeen[phase].has(rank)) return [ops];
    ranksSeen[phase].add(rank);
    const shared = (["line", "function"] as const).map((place) => placeLane(recording, place, ops, axis, isTimed));
    return [ops, ...shared.filter((places) => places.row.length > 0)];
  });
}

const NONE = new Int32Array(0);

function placesWhere(rows: Int32Array, holds: (row: number) => boolean): number[] {
  const places: number[] = [];
  for (let i = 0; i < rows.length; i++) if (holds(rows[i])) places.push(i);
  return places;
}

/** For an event row its rank, its device where ops ran on several, and its thread where they did in several. */
function placeNames(recording: Recording): (row: number) => string {
  const { events, devices, threads } = recording;
  const [onDevice, inThread] = [new Set<string>(), new Set<string>()];
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] !== KIND.op) continue;
    onDevice.add(devices.name[events.device[row]]);
    inThread.add(threads.name[events.thread[row]]);
  }
  const [apart, parallel] = [onDevice.size > 1, inThread.size > 1];
  return (row) => {
    const parts = [apart && devices.name[events.device[row]], parallel && threads.name[events.thread[row]]];
    return [rankName(recording, rankOfEvent(recording, row)), ...parts].filter(Boolean).join(" · ");
  };
}

/** How many ops each op runs inside of. */
function nestingOf(recording: Recording): Uint8Array {
  const { events } = recording;
  const { eventRow } = factsOf(recording);
  const depth = new Uint8Array(events.rows);
  for (let row = 0; row < events.rows; row++) {
    let up = eventRow(events.parent[row]);
    for (; up >= 0 && events.kind[up] === KIND.op && depth[row] < 255; up = eventRow(events.parent[up]))
      depth[row] += 1;
  }
  return depth;
}

/** The function that a site stands in, as its users call it; empty for a cell's or a module's own lines. */
export function functionAt({ sites }: Recording, site: number): string {
  const own = (sites.function[site] ?? "").split("<locals>.").filter((part) => !/^<(?!lambda)/.test(part));
  return (own.at(-1) ?? "").replace(/\.$/, "").replace("<lambda>", "lambda");
}

/** A number for each site: those with the same stand on one line, or in one function; -1 for those in none. */
function placesOf(recording: Recording, place: "line" | "function"): Int32Array {
  const { sites } = recording;
  const known = new Map<string, number>();
  return Int32Array.from(sites.line, (line, site) => {
    const inside = place === "function" ? functionAt(recording, site) : line >= 0 ? String(line) : "";
    if (inside === "") return -1;
    const key = `${sites.cell[site]} ${sites.file[site]} ${inside}`;
    const number = known.get(key) ?? known.size;
    known.set(key, number);
    return number;
  });
}

/**
 * Neighbouring ops that stand on one line, or in one function, become one block: which of them called the others is not
 * recorded, nor how often. In the scale "time" not over an idle stretch, in which
 * another line may have run, nor over an op of the other phase.
 */
function placeLane(
  recording: Recording,
  place: "line" | "function",
  { phase, row: rows, depth, where }: Lane,
  axis: Axis,
  isTimed: boolean,
): Lane {
  const { events } = recording;
  const places = placesOf(recording, place);
  const { eventRow } = factsOf(recording);
  const [first, start, end]: number[][] = [[], [], []];
  const tally = new Tally(recording);
  // The place before, and until when its block lasts, in ns.
  let [before, until] = [-2, -Infinity];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    // A backward step stands on the line of its forward op.
    const site = events.site[events.origin[row] < 0 ? row : eventRow(events.origin[row])];
    const at = site < 0 ? -1 : places[site];
    let apart = isTimed && events.t0[row] - until >= MIN_IDLE;
    for (let between = rows[i - 1] + 1; isTimed && between < row && !apart; between++)
      apart = events.kind[between] === KIND.op && events.phase[between] !== phase;
    if (at === before && at >= 0 && !apart) end[end.length - 1] = Math.max(end[end.length - 1], axis.end[row]);
    else if (at >= 0) {
      first.push(row);
      start.push(axis.start[row]);
      end.push(axis.end[row]);
      tally.begin(at);
    }
    if (at >= 0) tally.add(row, site);
    before = at;
    until = Math.max(until, events.t0[row] + events.dur[row]);
  }
  const at = Int32Array.from(first.keys());
  const intervals = new Intervals(at, Float64Array.from(start), Float64Array.from(end), null);
  return {
    kind: place,
    phase,
    depth,
    title: place,
    isReversed: false,
    where,
    row: Int32Array.from(first),
    intervals,
    marked: NONE,
    stretches: tally.stretches(),
  };
}

/** Counts what is in neighbouring ops. */
class Tally {
  readonly #ops: number[] = [];
  readonly #busy: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #places: number[] = [];
  readonly #often = new Map<number, number>();
  readonly #took: ArrayLike<number>;

  constructor(private readonly recording: Recording) {
    this.#took = opTimesOf(recording);
  }

  begin(place: number): void {
    this.#ops.push(0);
    this.#busy.push(0);
    this.#from.push(Infinity);
    this.#to.push(-Infinity);
    this.#places.push(place);
    this.#often.set(place, (this.#often.get(place) ?? 0) + 1);
  }

  add(row: number, site: number): void {
    const at = this.#ops.length - 1;
    const line = this.recording.sites.line[site];
    this.#ops[at] += 1;
    this.#busy[at] += this.#took[row];
    this.#from[at] = Math.min(this.#from[at], line);
    this.#to[at] = Math.max(this.#to[at], line);
  }

  stretches(): Stretches {
    const places = Int32Array.from(this.#places);
    return {
      ops: Int32Array.from(this.#ops),
      busy: Float64Array.from(this.#busy),
      from: Int32Array.from(this.#from),
      to: Int32Array.from(this.#to),
      often: (block) => this.#often.get(places[block]) ?? 0,
    };
  }
}

/** First uses of ops and imports, where there are any, a lane a rank. */
function setupLanes(recording: Recording, { breaks }: Axis): Lane[] {
  const { setups } = recording;
  const start = positionsOf(breaks, setups.t0);
  const end = positionsOf(
    breaks,
    setups.t0.map((t, i) => t + setups.dur[i]),
  );
  const rows = [...start.keys()];
  const ranks = new Set(rows.map((row) => rankOfSetup(recording, row)));
  return [...ranks].map((rank, depth) => {
    const own = rows.filter((row) => rankOfSetup(recording, row) === rank);
    const row = sortedByStart(own, start);
    const intervals = new Intervals(row, start, end, null);
    const where = rankName(recording, rank);
    return { kind: "setup", title: "setup", phase: 0, depth, isReversed: false, where, marked: NONE, row, intervals };
  });
}

/** What is busy without an op: spans of these sorts are what a break is about where they reach beyond it, too. */
const WITHOUT_OPS = new Set(["trace", "plan"]);

/** What lies in each break: the pause or span that takes most of it, tracing and planning together, else nothing. */
function idleOf(recording: Recording, breaks: readonly Break[]): string[] {
  const { events, setups } = recording;
  const facts = factsOf(recording);
  const inside = breaks.map((): { title: string; took: number; reaches: boolean }[] => []);
  for (let row = 0; row < setups.rows; row++)
    breaks.forEach(({ from, to }, gap) => {
      const took = Math.min(setups.t0[row] + setups.dur[row], to) - Math.max(setups.t0[row], from);
      if (took > 0) inside[gap].push({ title: setupTitle(recording, row), took, reaches: true });
    });
  for (let row = 0; row < events.rows && breaks.length > 0; row++) {
    if (events.kind[row] === KIND.op) continue;
    const [start, end] = [events.t0[row], events.t0[row] + facts.duration(events.id[row])];
    const reaches = events.kind[row] === KIND.span && WITHOUT_OPS.has(facts.span(events.id[row]).kind);
    breaks.forEach(({ from, to }, gap) => {
      const took = Math.min(end, to) - Math.max(start, from);
      if (took > 0 && (reaches || (start >= from && end <= to)))
        inside[gap].push({ title: facts.title(events.id[row]), took, reaches });
    });
  }
  return breaks.map(({ from, to }, i) => {
    const most = (to - from) / 2;
    const longest = inside[i].reduce((best, one) => (one.took > best.took ? one : best), { title: "", took: most });
    const busy = inside[i].filter((one) => one.reaches);
    const together = busy.reduce((sum, one) => sum + one.took, 0) > most ? busy : [];
    const titles = [...new Set([...together].sort((a, b) => b.took - a.took).map((one) => one.title))];
    const others = titles.length > 2 ? ` +${titles.length - 1}` : titles.length === 2 ? `, ${titles[1]}` : "";
    const title = longest.title || (titles.length === 0 ? "idle" : `${titles[0]}${others}`);
    return `${title} ${format.duration(to - from)}`;
  });
}
