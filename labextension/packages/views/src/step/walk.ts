import { KIND, type Recording } from "@tapeviz/recording";
import { factsOf, type Facts } from "../facts";

/** An op that ran, or a move of a backward pass. As in Python's `analysis/walkthrough.py`; tensors and events are ids. */
export interface Step {
  /** A sum adds a contribution to those before it; a seed is the gradient that a pass begins with. */
  readonly kind: "forward" | "seed" | "backward" | "sum";
  readonly event: number;
  /** The forward op: itself, or the one that is gone back through. */
  readonly op: string;
  readonly origin: number;
  /** LaTeX; of a backward step for the input in question. */
  readonly formula: string;
  readonly inputs: readonly number[];
  /** The tensor that the step is about: the op's output; of a backward step the input that gets a contribution. */
  readonly subject: number;
  /** The forward tensor whose gradient arrives; -1 but for a backward step. */
  readonly out: number;
  /** The gradient that arrives; of a sum what was there before. -1 where there is none. */
  readonly upstream: number;
  /** The op's output, the contribution, the sum. */
  readonly result: number;
  /** What a sum adds. */
  readonly addend: number;
  /** The axes of upstream along which the input was broadcast. */
  readonly axes: readonly number[];
  readonly elementwise: boolean;
  /** What is differentiated; -1 before a pass has begun. */
  readonly target: number;
}

interface Contribution {
  readonly tensor: number;
  readonly total: number;
  readonly addend: number;
}

const known = new WeakMap<Recording, { readonly version: number; readonly steps: readonly Step[] }>();

/** So many events of a recording are gone through: nobody steps through a million ops, and their steps take memory. */
export const MOST_EVENTS = 20_000;

/** All steps, in the order in which they ran; of a long recording those of its first events. */
export function stepsOf(recording: Recording): readonly Step[] {
  const before = known.get(recording);
  if (before?.version === recording.version) return before.steps;
  const steps = new Walk(factsOf(recording)).steps();
  known.set(recording, { version: recording.version, steps });
  return steps;
}

/** How each input's gradient comes about in a backward step: LaTeX, with the sums over axes that were broadcast. */
export function backwardFormulas(facts: Facts, event: number): string[] {
  const { events } = facts.recording;
  const forward = events.origin[facts.eventRow(event)] ?? -1;
  if (forward < 0) return [];
  const slots = new Slots([...facts.inputs(forward)]);
  const out = facts.outputs(forward)[0] ?? -1;
  return contributions(facts, event).map(({ tensor, addend }) =>
    withSum(formulaOf(facts, forward, slots.next(tensor)), summedAxes(facts, forward, out, tensor, addend)),
  );
}

class Walk {
  private adjoint = new Map<number, number>();
  private target = -1;
  private readonly made: ReadonlySet<number>;

  constructor(private readonly facts: Facts) {
    this.made = firstValues(facts.recording);
  }

  steps(): Step[] {
    return this.order().flatMap((event) =>
      this.facts.gradientRows(event).length > 0 ? this.backward(event) : this.forward(event),
    );
  }

  /** A backward step that another tape follows comes after the ops it consists of. */
  private order(): number[] {
    const { facts } = this;
    const { events } = facts.recording;
    const keyed = Array.from(events.id.slice(0, MOST_EVENTS), (event, row) => {
      if (facts.gradientRows(event).length === 0 || (events.origin[row] ?? -1) < 0)
        return [event, row, 0, row] as const;
      const made = contributions(facts, event).map(({ addend }) => facts.eventRow(facts.producer(addend)));
      return [event, Math.max(row, ...made), 1, row] as const;
    });
    return keyed.sort((a, b) => a[1] - b[1] || a[2] - b[2] || a[3] - b[3]).map(([event]) => event);
  }

  private forward(event: number): Step[] {
    const { facts } = this;
    const { events, ops } = facts.recording;
    const row = facts.eventRow(event);
    const outputs = facts.outputs(event);
    const ran = events.kind[row] === KIND.op && events.op[row] >= 0 && events.status[row] === 0;
    if (!ran || facts.isStep(event) || outputs.length === 0 || this.made.has(outputs[0])) return [];
    const made = outputs[0];
    return [this.step("forward", event, event, { formula: ops.formula[events.op[row]], subject: made, result: made })];
  }

  private backward(event: number): Step[] {
    const { facts, adjoint } = this;
    const { events, ops } = facts.recording;
    const forward = events.origin[facts.eventRow(event)] ?? -1;
    if (forward < 0) return this.seeds(event);
    const steps: Step[] = [];
    const slots = new Slots([...facts.inputs(forward)]);
    const out = facts.outputs(forward).find((made) => adjoint.has(made)) ?? -1;
    const upstream = adjoint.get(out) ?? -1;
    const elementwise = ops.family[events.op[facts.eventRow(forward)]] === "elementwise";
    for (const { tensor, total, addend } of contributions(facts, event)) {
      const axes = summedAxes(facts, forward, out, tensor, addend);
      const formula = withSum(formulaOf(facts, forward, slots.next(tensor)), axes);
      const about = { formula, subject: tensor, out, upstream, result: addend, axes, elementwise };
      steps.push(this.step("backward", event, forward, about));
      const before = adjoint.get(tensor);
      adjoint.set(tensor, total);
      if (total !== addend && before !== undefined)
        steps.push(this.step("sum", event, forward, { subject: tensor, upstream: before, addend, result: total }));
    }
    return steps;
  }

  /** Each pass begins with nothing. */
  private seeds(event: number): Step[] {
    this.adjoint = new Map();
    return contributions(this.facts, event).map(({ tensor, total }) => {
      this.target = tensor;
      this.adjoint.set(tensor, total);
      return this.step("seed", event, -1, { subject: tensor, result: total });
    });
  }

  private step(
    kind: Step["kind"],
    event: number,
    origin: number,
    about: Partial<Step> & Pick<Step, "subject" | "result">,
  ): Step {
    const inputs = origin < 0 ? [] : [...this.facts.inputs(origin)];
    const op = origin < 0 ? "" : this.facts.title(origin);
    const none = { formula: "", out: -1, upstream: -1, addend: -1, axes: [], elementwise: false };
    return { ...none, kind, event, op, origin, inputs, target: this.target, ...about };
  }
}

/** What variables held when they were made: no op of the program's, for people. */
function firstValues({ tensors, variables }: Recording): Set<number> {
  const made = new Set([...variables.id].filter((_, row) => variables.site[row] >= 0));
  const first = new Map<number, number>();
  tensors.variable.forEach((variable, row) => {
    if (made.has(variable) && !first.has(variable)) first.set(variable, tensors.id[row]);
  });
  return new Set(first.values());
}

function contributions(facts: Facts, event: number): Contribution[] {
  const { gradients } = facts.recording;
  return Array.from(facts.gradientRows(event), (row) => ({
    tensor: gradients.tensor[row],
    total: gradients.gradient[row],
    addend: gradients.addend[row],
  }));
}

/** Which input a contribution is for: the next of those that are this tensor. */
class Slots {
  readonly #taken = new Map<number, number>();

  constructor(private readonly inputs: readonly number[]) {}

  next(tensor: number): number {
    const count = (this.#taken.get(tensor) ?? -1) + 1;
    this.#taken.set(tensor, count);
    const places = this.inputs.flatMap((other, slot) => (other === tensor ? [slot] : []));
    return places[count] ?? 0;
  }
}

function formulaOf(facts: Facts, forward: number, slot: number): string {
  const { events, ops } = facts.recording;
  const lines = (ops.vjp_formula[events.op[facts.eventRow(forward)]] ?? "").split("\n");
  return lines[slot] ?? (lines.length === 1 ? lines[0] : "");
}

/** The axes over which a gradient is summed, because the op broadcasts: all axes, or those before matrices. */
function summedAxes(facts: Facts, forward: number, out: number, input: number, part: number): number[] {
  const { events, ops } = facts.recording;
  const op = events.op[facts.eventRow(forward)];
  const [whole, own] = [facts.shape(out), facts.shape(input)];
  if (out < 0 || String(own) !== String(facts.shape(part))) return [];
  if (ops.family[op] === "elementwise") return broadcastAxes(whole, own);
  const matrices = ops.vjp_formula[op]?.includes("\\bar C") && own.length > 1;
  return matrices ? broadcastAxes(whole.slice(0, -2), own.slice(0, -2)) : [];
}

/** The axes of `whole` along which `own` was broadcast to it. */
function broadcastAxes(whole: readonly number[], own: readonly number[]): number[] {
  if (own.length > whole.length) return [];
  const padded = [...Array<number>(whole.length - own.length).fill(1), ...own];
  if (!padded.every((size, axis) => size === 1 || size === whole[axis])) return [];
  return padded.flatMap((size, axis) => (size < whole[axis] ? [axis] : []));
}

function withSum(formula: string, axes: readonly number[]): string {
  const at = formula.indexOf("=");
  const right = formula.slice(at + 1).trim();
  if (axes.length === 0 || at < 0 || right.startsWith("\\sum")) return formula;
  const word = axes.length === 1 ? "axis" : "axes";
  return `${formula.slice(0, at).trimEnd()} = \\sum_{\\text{${word} ${axes.join(", ")}}} ${right}`;
}

/** "d loss / d w1": the gradient of what is differentiated by a tensor. */
export const gradientName = (facts: Facts, { target }: Pick<Step, "target">, tensor: number): string =>
  `d ${target < 0 ? "target" : facts.name(target)} / d ${facts.name(tensor)}`;

/** What a step gives, by name. */
export function resultName(facts: Facts, step: Step): string {
  return step.kind === "forward" ? facts.name(step.result) : gradientName(facts, step, step.subject);
}

/** The gradients that have arrived when a step is done, by the tensor they are of. */
export function adjointsAt(steps: readonly Step[], at: number): Map<number, number> {
  let found = new Map<number, number>();
  let pass = -1;
  for (let i = 0; i <= at && i < steps.length; i++) {
    const { kind, event, subject, result } = steps[i];
    if (kind === "forward") continue;
    if (kind === "seed" && event !== pass) [found, pass] = [new Map<number, number>(), event];
    // A contribution counts once it is added to those before it.
    const next = steps[i + 1];
    const waits = kind === "backward" && next?.kind === "sum" && next.addend === result;
    if (!waits) found.set(subject, result);
  }
  return found;
}
