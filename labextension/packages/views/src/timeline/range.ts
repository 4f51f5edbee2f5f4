import { format } from "@tapeviz/core";
import { KIND, opTimesOf, type Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import type { Axis } from "./axis";

export interface RangeSummary {
  readonly ops: number;
  /** Time inside ops, ns. */
  readonly busy: number;
  /** Bytes of the tensors made; views of other tensors count nothing. */
  readonly bytes: number;
  /** The ops that took the longest together, longest first, at most three. */
  readonly top: readonly { readonly name: string; readonly count: number; readonly part: number }[];
}

/** What ran inside a part of the x-axis: ops whose middle is in it. */
export function summarize(recording: Recording, axis: Axis, from: number, to: number): RangeSummary {
  const { events, ops: declared, tensors } = recording;
  const { eventRow } = factsOf(recording);
  const took = opTimesOf(recording);
  const [counts, times] = [new Float64Array(declared.rows), new Float64Array(declared.rows)];
  let [ops, busy, bytes] = [0, 0, 0];
  const isInside = (row: number): boolean => {
    const middle = (axis.start[row] + axis.end[row]) / 2;
    return events.kind[row] === KIND.op && middle >= from && middle <= to;
  };
  for (let row = 0; row < events.rows; row++) {
    if (!isInside(row)) continue;
    counts[events.op[row]] += 1;
    times[events.op[row]] += took[row];
    ops += 1;
    busy += took[row];
  }
  for (let row = 0; row < tensors.rows; row++) {
    if (tensors.storage[row] !== tensors.id[row]) continue;
    const maker = eventRow(tensors.producer[row]);
    if (maker >= 0 && isInside(maker)) bytes += tensors.nbytes[row];
  }
  const kinds = [...counts.keys()].filter((op) => counts[op] > 0).sort((a, b) => times[b] - times[a]);
  const top = kinds.slice(0, 3).map((op) => {
    return { name: declared.name[op], count: counts[op], part: busy > 0 ? times[op] / busy : 0 };
  });
  return { ops, busy, bytes, top };
}

export function rangeText({ ops, busy, bytes, top }: RangeSummary): string {
  const leaders = top.map(({ name, count, part }) => `${name}${count > 1 ? ` ×${count}` : ""} ${format.percent(part)}`);
  return [format.plural(ops, "op"), format.duration(busy), `${format.bytes(bytes)} made`, ...leaders].join("  ·  ");
}
