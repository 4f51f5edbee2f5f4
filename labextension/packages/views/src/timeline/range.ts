import { format } from "@tapeviz/core";
import { KIND, type Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import type { Axis } from "./axis";

export interface RangeSummary {
  readonly ops: number;
  /** Time inside ops, ns. */
  readonly busy: number;
  /** Bytes of the tensors made. */
  readonly bytes: number;
  /** The ops that took the longest together, longest first, at most three. */
  readonly top: readonly { readonly name: string; readonly count: number; readonly part: number }[];
}

/** What ran inside a part of the x-axis: ops whose middle is in it. */
export function summarize(recording: Recording, axis: Axis, from: number, to: number): RangeSummary {
  const { events, tensors } = recording;
  const facts = factsOf(recording);
  const kinds = new Map<string, { count: number; busy: number }>();
  let [ops, busy, bytes] = [0, 0, 0];
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] !== KIND.op) continue;
    const middle = (axis.start[row] + axis.end[row]) / 2;
    if (middle < from || middle > to) continue;
    const name = facts.title(events.id[row]);
    const kind = kinds.get(name) ?? { count: 0, busy: 0 };
    kinds.set(name, { count: kind.count + 1, busy: kind.busy + events.dur[row] });
    ops += 1;
    busy += events.dur[row];
    for (const tensor of facts.outputs(events.id[row])) bytes += tensors.nbytes[facts.tensorRow(tensor)];
  }
  const longest = [...kinds].sort((a, b) => b[1].busy - a[1].busy).slice(0, 3);
  const top = longest.map(([name, kind]) => ({ name, count: kind.count, part: busy > 0 ? kind.busy / busy : 0 }));
  return { ops, busy, bytes, top };
}

export function rangeText({ ops, busy, bytes, top }: RangeSummary): string {
  const leaders = top.map(({ name, count, part }) => `${name}${count > 1 ? ` ×${count}` : ""} ${format.percent(part)}`);
  return [format.plural(ops, "op"), format.duration(busy), `${format.bytes(bytes)} made`, ...leaders].join("  ·  ");
}
