import type { Key } from "@tapeviz/core";
import { KIND, type Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import { isPlaceless, isSame, type Problem } from "../problems";

/** Where the keys go from a selection. Pure: a key in, a key out, null when there is nowhere to go. */

const key = (event: number, tensor = -1, step = -1): Key => ({ event, tensor, step });

/** The next or previous op in the order of starting, among those the filter lets through. */
export function nextOp(recording: Recording, from: Key, by: 1 | -1, matches: Uint8Array | null): Key | null {
  const { events } = recording;
  const facts = factsOf(recording);
  const start = from.event >= 0 ? from.event : facts.producer(from.tensor);
  let row = start >= 0 ? facts.eventRow(start) + by : by > 0 ? 0 : events.rows - 1;
  for (; row >= 0 && row < events.rows; row += by) {
    if (events.kind[row] === KIND.op && (matches === null || matches[row] === 1))
      return key(events.id[row], -1, from.step);
  }
  return null;
}

/** The next or previous of an op's inputs and outputs, in that order; from a tensor alone its producer's. */
export function nextTensor(recording: Recording, from: Key, by: 1 | -1): Key | null {
  const facts = factsOf(recording);
  const event = from.event >= 0 ? from.event : facts.producer(from.tensor);
  const tensors = [...facts.inputs(event), ...facts.outputs(event)];
  if (tensors.length === 0) return null;
  const at = tensors.indexOf(from.tensor);
  const next = at < 0 ? (by > 0 ? 0 : tensors.length - 1) : (at + by + tensors.length) % tensors.length;
  return key(event, tensors[next], from.step);
}

/** From forward to backward and back; several backward steps in turn. */
export function partner(recording: Recording, from: Key): Key | null {
  const facts = factsOf(recording);
  const event = from.event >= 0 ? from.event : facts.producer(from.tensor);
  const [first] = facts.partners(event);
  return first === undefined ? null : key(first, -1, from.step);
}

/** The problem after or before the one that was gone to, else the one about what is selected. */
export function nextProblem(
  all: readonly Problem[],
  from: Key,
  by: 1 | -1,
  current: Problem | null = null,
): Problem | null {
  const reachable = all.filter((p) => !isPlaceless(p) || p.graph >= 0 || p.line > 0);
  if (reachable.length === 0) return null;
  const at = current
    ? reachable.findIndex((p) => isSame(p, current))
    : reachable.findIndex((p) => !isPlaceless(p) && p.event === from.event && p.tensor === from.tensor);
  const next = at < 0 ? (by > 0 ? 0 : reachable.length - 1) : (at + by + reachable.length) % reachable.length;
  return reachable[next];
}

/** What is selected as an expression in Python, with a comment that says what it is; `node` is a row of `nodes`. */
export function pythonExpression(recording: Recording, { event, tensor }: Key, filter: string, node = -1): string {
  const facts = factsOf(recording);
  const location = event >= 0 ? facts.location(event) : null;
  const where = location ? `, line ${location.line}` : "";
  if (tensor >= 0) return `tape.tensors[${facts.tensorRow(tensor)}]  # ${facts.name(tensor)}${where}`;
  if (event >= 0) return `tape.events[${facts.eventRow(event)}]  # ${facts.title(event)}${where}`;
  if (node >= 0) return `tape.nodes[${node}]  # ${recording.nodes.name[node]}`;
  return filter === "" ? "tape.events" : `tape.query(${JSON.stringify(filter)})`;
}
