import { KIND, PHASE } from "@tapeviz/recording";
import type { Facts } from "../facts";
import { lineOf, userName } from "../figures";

/** One source of one call of `gradient()`: -1 as gradient is None. */
export interface Request {
  readonly source: number;
  readonly variable: number;
  readonly gradient: number;
}

/** What one step of a backward pass added to the gradient of one tensor. */
export interface Addend {
  readonly backward: number;
  readonly tensor: number;
}

/** A backward pass: what was asked, and the gradients it found. */
export interface Pass {
  /** The event of its span. */
  readonly span: number;
  readonly title: string;
  readonly target: number;
  readonly requests: readonly Request[];
  /** The whole gradient of a forward tensor. */
  readonly gradient: ReadonlyMap<number, number>;
  /** What a forward event's partner added to a tensor that it read. */
  readonly addends: (forward: number, tensor: number) => readonly Addend[];
  /** The forward tensor that a gradient or an addend belongs to. */
  readonly owner: ReadonlyMap<number, number>;
}

const NO_ADDENDS: readonly Addend[] = [];

/** Every backward pass in order, without its gradients: what the choice lists. */
export function passSpans(facts: Facts): number[] {
  const { events } = facts.recording;
  const spans: number[] = [];
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] === KIND.span && facts.span(events.id[row]).kind === "backward") spans.push(events.id[row]);
  }
  return spans;
}

const GRADIENT_FINDINGS = ["nonfinite", "vanishing", "exploding"] as const;
export type GradientFinding = (typeof GRADIENT_FINDINGS)[number];

/** The findings that tell at which op a gradient is lost, grows or stops being finite, gravest first: rows of `verdicts`. */
export function gradientFindings({ recording: { verdicts } }: Facts): number[] {
  const rows = [...verdicts.kind.keys()].filter(
    (row) =>
      GRADIENT_FINDINGS.some((kind) => kind === verdicts.kind[row]) &&
      verdicts.severity[row] > 1 &&
      verdicts.event[row] >= 0,
  );
  return rows.sort((a, b) => verdicts.severity[b] - verdicts.severity[a] || a - b);
}

/**
 * The pass shown first: where a finding says that a gradient is lost, or the last one that somebody asked something of;
 * -1 when there is none.
 */
export function defaultPass(facts: Facts): number {
  const [finding] = gradientFindings(facts);
  const found = finding === undefined ? -1 : passOf(facts, facts.recording.verdicts.event[finding]);
  if (found >= 0) return found;
  const spans = passSpans(facts);
  const asked = new Set(facts.recording.requests.event);
  return spans.findLast((span) => asked.has(span)) ?? spans.at(-1) ?? -1;
}

/** The pass that takes an op's gradient back, or that a step is of; -1 where there is none. */
export function passOf(facts: Facts, event: number): number {
  const spans = new Set(passSpans(facts));
  let at = facts.isBackward(event) ? event : facts.partner(event);
  while (at >= 0 && !spans.has(at)) at = facts.recording.events.parent[facts.eventRow(at)] ?? -1;
  return at;
}

/** Reads a backward pass; null when the event is none. */
export function readPass(facts: Facts, span: number): Pass | null {
  const { events, gradients } = facts.recording;
  const row = facts.eventRow(span);
  if (row < 0) return null;
  const gradient = new Map<number, number>();
  const owner = new Map<number, number>();
  const byEvent = new Map<number, Map<number, Addend[]>>();
  let seeded = -1;
  for (const i of gradientsInside(facts, span)) {
    const backward = gradients.backward[i];
    const tensor = gradients.tensor[i];
    gradient.set(tensor, gradients.gradient[i]);
    owner.set(gradients.gradient[i], tensor).set(gradients.addend[i], tensor);
    if (backward === span && seeded < 0) seeded = tensor;
    const origin = events.origin[facts.eventRow(backward)];
    const of = byEvent.get(origin) ?? new Map<number, Addend[]>();
    byEvent.set(origin, of.set(tensor, [...(of.get(tensor) ?? []), { backward, tensor: gradients.addend[i] }]));
  }
  const requests = requestsOf(facts, span);
  const target = requests.target >= 0 ? requests.target : seeded;
  const addends = (forward: number, tensor: number): readonly Addend[] =>
    byEvent.get(forward)?.get(tensor) ?? NO_ADDENDS;
  const title = [titleOf(facts, target), lineOf(facts, span)].filter(Boolean).join(", ");
  return { span, title, target, requests: requests.list, gradient, addends, owner };
}

const titleOf = (facts: Facts, target: number): string => `gradient of ${userName(facts, target) || "the target"}`;

/** A pass in words, without its line. */
export const passTitle = (facts: Facts, span: number): string => titleOf(facts, requestsOf(facts, span).target);

function requestsOf(facts: Facts, span: number): { target: number; list: Request[] } {
  const { requests } = facts.recording;
  const list: Request[] = [];
  let target = -1;
  for (let i = 0; i < requests.rows; i++) {
    if (requests.event[i] !== span) continue;
    target = requests.target[i];
    list.push({ source: requests.source[i], variable: requests.variable[i], gradient: requests.gradient[i] });
  }
  return { target, list };
}

/** The rows of gradients that a span, and what happened inside it, are about; of many passes only this one is looked at. */
function gradientsInside(facts: Facts, span: number): Int32Array {
  const rows: number[] = [];
  const waiting = [span];
  for (let event = waiting.pop(); event !== undefined; event = waiting.pop()) {
    for (const row of facts.gradientRows(event)) rows.push(row);
    for (const child of facts.children(event)) if (child > event) waiting.push(child);
  }
  return Int32Array.from(rows).sort();
}

/**
 * Whether an event is an op that a gradient can go through: a forward one, or one that a backward pass ran while another
 * tape was on. What has a partner is a step of a pass, which goes the other way.
 */
export const isDifferentiated = (facts: Facts, event: number): boolean => {
  const { events } = facts.recording;
  const row = facts.eventRow(event);
  if (row < 0 || events.kind[row] !== KIND.op) return false;
  return events.phase[row] === PHASE.forward || events.origin[row] < 0;
};
