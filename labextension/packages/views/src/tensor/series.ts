// One tensor over a run: the values of a variable, or what the same call on the same line made each time it ran.

import { KIND, type Recording } from "@tapeviz/recording";
import { factsOf, type Facts } from "../facts";

/** A tensor's place among those that are the same thing at other times. */
export interface Series {
  /** The tensors in the order of their making, the one asked for among them. */
  readonly tensors: readonly number[];
  readonly at: number;
  /** "value" of a variable, "run" of a call. */
  readonly noun: "value" | "run";
}

/** Where a tensor stands in a run; null for one that there is only once. */
export function seriesOf(recording: Recording, tensor: number): Series | null {
  const facts = factsOf(recording);
  const variable = recording.tensors.variable[facts.tensorRow(tensor)] ?? -1;
  const tensors = variable >= 0 ? valuesOf(recording, variable) : runsOf(recording, facts, tensor);
  const at = tensors.indexOf(tensor);
  return tensors.length > 1 && at >= 0 ? { tensors, at, noun: variable >= 0 ? "value" : "run" } : null;
}

function valuesOf({ tensors }: Recording, variable: number): number[] {
  return [...tensors.id.filter((_, row) => tensors.variable[row] === variable)];
}

/** What the call that made a tensor made each time: the same op on the same line and column, below the same scopes. */
function runsOf(recording: Recording, facts: Facts, tensor: number): number[] {
  const { events } = recording;
  const producer = facts.producer(tensor);
  const own = facts.eventRow(producer);
  const slot = [...facts.outputs(producer)].indexOf(tensor);
  const site = siteOf(facts, producer);
  if (own < 0 || slot < 0 || site < 0) return [];
  const scopes = scopesOf(facts, producer);
  const rows: number[] = [];
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] !== KIND.op || events.op[row] !== events.op[own] || events.phase[row] !== events.phase[own])
      continue;
    const event = events.id[row];
    if (siteOf(facts, event) === site && scopesOf(facts, event) === scopes) rows.push(row);
  }
  const alike = sameOfEach(rows, (row) => events.parent[facts.eventRow(originOf(facts, events.id[row]))], own);
  const shape = String(facts.shape(tensor));
  return alike
    .map((row) => facts.outputs(events.id[row])[slot] ?? -1)
    .filter((made) => made >= 0 && String(facts.shape(made)) === shape);
}

/** A backward step stands where its forward op stood. */
function originOf(facts: Facts, event: number): number {
  const origin = facts.recording.events.origin[facts.eventRow(event)] ?? -1;
  return origin >= 0 ? origin : event;
}

const siteOf = (facts: Facts, event: number): number => facts.site(originOf(facts, event));

const scopesOf = (facts: Facts, event: number): string =>
  facts
    .spans(originOf(facts, event))
    .map((span) => facts.title(span))
    .join(" ");

/** Where each of several spans holds as many of the rows, those at the same place in each; else all of them. */
export function sameOfEach(rows: readonly number[], spanOf: (row: number) => number, own: number): number[] {
  const groups = new Map<number, number[]>();
  for (const row of rows) groups.set(spanOf(row), [...(groups.get(spanOf(row)) ?? []), row]);
  const lists = [...groups.values()];
  const place = groups.get(spanOf(own))?.indexOf(own) ?? 0;
  if (lists.length < 2 || lists.some((list) => list.length !== lists[0].length)) return [...rows];
  return lists.map((list) => list[place]);
}
