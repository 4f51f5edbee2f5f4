import { KIND, type Recording } from "@tapeviz/recording";
import { FAMILIES, OTHER } from "@tapeviz/core";
import { memoryOn, poolsOn, type Memory, type Pool } from "./memory";
import { orderAxis, timeAxis, type Axis } from "./axis";
import { gather, inOrder } from "./ordering";
import { pyramid, type Pyramid } from "./pyramid";
import { factsOf } from "../facts";

export type ScaleName = "time" | "order";

/** Blocks side by side: ops of one phase and thread, pauses, the lines they stand on, or spans of one depth. */
export interface Lane {
  readonly kind: "op" | "pause" | "line" | "span";
  /** 0 forward, 1 backward. */
  readonly phase: number;
  /** How far from the middle line: 0 next to it. */
  readonly depth: number;
  readonly title: string;
  /** The device and the thread, as far as there are several; empty otherwise. */
  readonly where: string;
  /** The event row of each block; for a line its first op. */
  readonly row: Int32Array;
  readonly levels: Pyramid;
}

export interface Model {
  readonly scale: ScaleName;
  readonly lanes: readonly Lane[];
  /** Where an event is on the x-axis. */
  readonly axis: Axis;
  readonly domain: readonly [number, number];
  readonly memory: Memory;
  /** Of each device that has a memory pool. */
  readonly pools: readonly Pool[];
}

const DEEPEST = 4;

/** An index into FAMILIES for each row of ops, FAMILIES.length for others. */
export function familyIndex(recording: Recording): Uint8Array {
  const { family } = recording.ops;
  return Uint8Array.from(family, (name) => {
    const index = FAMILIES.findIndex((f) => f.name === name);
    return index < 0 ? FAMILIES.length : index;
  });
}

export const familyAt = (index: number): (typeof FAMILIES)[number] => FAMILIES[index] ?? OTHER;

/** All that the timeline draws that does not depend on what part of it is shown. */
export function modelOf(recording: Recording, scale: ScaleName): Model {
  const axis = scale === "time" ? timeAxis(recording) : orderAxis(recording);
  const lanes = [...opLanes(recording, axis), ...spanLanes(recording, axis)];
  const [memory, pools] = [memoryOn(recording, axis, scale), poolsOn(recording, axis, scale)];
  return { scale, lanes, axis, domain: axis.domain, memory, pools };
}

interface Group {
  readonly pause: boolean;
  readonly phase: number;
  readonly rows: number[];
}

/** The rows that share a lane: of one phase, device and thread, and as deep inside other ops. Ops first, pauses after. */
function groupsOf(recording: Recording, axis: Axis): Group[] {
  const { events } = recording;
  const groups = new Map<number, Group>();
  for (let row = 0; row < events.rows; row++) {
    const pause = events.kind[row] !== KIND.op;
    // Pauses and marks have no column in the scale "order".
    if (events.kind[row] === KIND.span || (pause && !(axis.end[row] > axis.start[row]))) continue;
    const phase = events.phase[row];
    const side = (Number(pause) * 2 + phase) * 256 + events.device[row];
    const key = (side * 256 + events.thread[row]) * 256 + nesting(recording, row);
    const group = groups.get(key);
    if (group) group.rows.push(row);
    else groups.set(key, { pause, phase, rows: [row] });
  }
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
}

function opLanes(recording: Recording, axis: Axis): Lane[] {
  const depths = [0, 0];
  const families = familyIndex(recording);
  const { op } = recording.events;
  const where = whereabouts(recording);
  return groupsOf(recording, axis).flatMap(({ pause, phase, rows }) => {
    const sorted = inOrder(rows, axis.start);
    const depth = depths[phase]++;
    if (pause) return [lane("pause", phase, depth, "pauses", sorted, axis, () => FAMILIES.length)];
    const title = phase === 0 ? "forward" : "backward";
    const family = (row: number): number => families[op[row]] ?? FAMILIES.length;
    const ops = { ...lane("op", phase, depth, title, sorted, axis, family), where: where(sorted[0]) };
    const lines = lineLane(recording, phase, sorted, axis);
    return depth > 0 || lines.row.length === 0 ? [ops] : [ops, lines];
  });
}

/** For an event row its device where ops ran on several, and its thread where they did in several. */
function whereabouts({ events, devices, threads }: Recording): (row: number) => string {
  const several = (of: Uint8Array): boolean => new Set(of.filter((_, row) => events.kind[row] === KIND.op)).size > 1;
  const [apart, parallel] = [several(events.device), several(events.thread)];
  return (row) => {
    const parts = [apart && devices.name[events.device[row]], parallel && threads.name[events.thread[row]]];
    return parts.filter(Boolean).join(" · ");
  };
}

/** How many ops an op runs inside of. */
function nesting(recording: Recording, row: number): number {
  const { events } = recording;
  const { eventRow } = factsOf(recording);
  let depth = 0;
  for (let up = eventRow(events.parent[row]); up >= 0 && events.kind[up] === KIND.op; up = eventRow(events.parent[up]))
    depth += 1;
  return depth;
}

function lane(
  kind: Lane["kind"],
  phase: number,
  depth: number,
  title: string,
  row: Int32Array,
  axis: Axis,
  family: (row: number) => number,
): Lane {
  const kinds = new Uint8Array(row.length);
  for (let i = 0; i < row.length; i++) kinds[i] = family(row[i]);
  return {
    kind,
    phase,
    depth,
    title,
    where: "",
    row,
    levels: pyramid(gather(axis.start, row), gather(axis.end, row), kinds),
  };
}

/** Neighbouring ops that stand on one line become one block. */
function lineLane(recording: Recording, phase: number, rows: Int32Array, axis: Axis): Lane {
  const { events, sites } = recording;
  const { eventRow } = factsOf(recording);
  const first: number[] = [];
  const end: number[] = [];
  let before = -2;
  for (const row of rows) {
    // A backward step stands on the line of its forward op.
    const site = events.site[events.origin[row] < 0 ? row : eventRow(events.origin[row])];
    const line = site < 0 || sites.line[site] < 0 ? -1 : sites.line[site] + (sites.cell[site] + 1) * 1e6;
    if (line === before && line >= 0) end[end.length - 1] = Math.max(end[end.length - 1], axis.end[row]);
    else if (line >= 0) {
      first.push(row);
      end.push(axis.end[row]);
    }
    before = line;
  }
  const start = Float64Array.from(first, (row) => axis.start[row]);
  const levels = pyramid(start, Float64Array.from(end), new Uint8Array(first.length));
  return { kind: "line", phase, depth: 0, title: "line", where: "", row: Int32Array.from(first), levels };
}

function spanLanes(recording: Recording, axis: Axis): Lane[] {
  const { events } = recording;
  const facts = factsOf(recording);
  const groups = new Map<string, number[]>();
  const depth = new Int8Array(events.rows);
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] !== KIND.span || !(axis.end[row] > axis.start[row])) continue;
    const up = facts.eventRow(events.parent[row]);
    const shown = facts.span(events.id[row]).sort !== "cell";
    depth[row] = (up >= 0 && events.phase[up] === events.phase[row] ? depth[up] : 0) + Number(shown);
    if (!shown || depth[row] > DEEPEST) continue;
    const key = `${events.phase[row]} ${depth[row]}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups].map(([key, rows]) => {
    const [phase, level] = key.split(" ").map(Number);
    return lane("span", phase, level, "", inOrder(rows, axis.start), axis, () => FAMILIES.length);
  });
}
