import { format, formula, h } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import { nodesOfKey } from "../nodes";
import { siteText } from "../traces/cards";
import { workingOf, type Working } from "./contribution";
import { workedElement } from "./element";
import { matrixElement, type MatrixLook } from "./matrix";
import { label } from "./tapetable";
import type { Values } from "./values";
import { gradientName, resultName, type Step } from "./walk";

/** So many inputs of an op are written out. */
const INPUTS = 4;

export interface ExplanationState {
  readonly step: Step;
  /** The element of the result whose working is shown. */
  readonly element: number;
  /** The result is asked for and not shown: its numbers, or "all" of it. */
  readonly hidden: boolean | "all";
  readonly pick: (element: number) => void;
  /** Called with an element, of a tensor of the step, that is to have another value. */
  readonly edit: (tensor: number, element: number) => void;
}

/** A step as it is told: what happens, the formula, the numbers, how one of them comes about. */
export function explanation(recording: Recording, values: Values, state: ExplanationState): HTMLElement[] {
  const { step, hidden } = state;
  const facts = factsOf(recording);
  const layer = facts
    .spans(step.origin < 0 ? step.event : step.origin)
    .find((span) => facts.span(span).kind === "module");
  const where = [siteText(recording, facts.site(step.event)), layer === undefined ? "" : facts.title(layer)]
    .filter(Boolean)
    .join(" · ");
  const working = workingOf(step, values);
  const note = hidden ? "" : noteOf(recording, step, working);
  const worked = hidden ? null : workedElement(step, working, values, state.element);
  return [
    h("h3", {}, titleOf(recording, values, step), where !== "" && h("small", {}, where)),
    ...(step.formula.trim() === ""
      ? []
      : [h("div", { class: "tvw-formula", "data-text-may-be-cut": true }, formula(step.formula) as HTMLElement)]),
    h("div", { class: "tvw-equation" }, ...equation(recording, values, working, state, worked?.lit)),
    ...(worked ? [h("p", { class: "tvw-worked" }, worked.text)] : []),
    ...(note === "" ? [] : [h("p", { class: "tvw-note" }, note)]),
  ];
}

/** What happens in a step, in a line. */
export function titleOf(recording: Recording, values: Values, step: Step): string {
  const facts = factsOf(recording);
  const result = resultName(facts, step);
  if (step.kind === "forward")
    return `${result} = ${step.op}(${step.inputs.map((input) => label(facts, values, input)).join(", ")})`;
  if (step.kind === "seed") return `The backward pass begins: ${result}`;
  if (step.kind === "sum") return `Added up: ${result}`;
  return `Back through ${step.op}: ${result}`;
}

/** What the numbers alone do not say. */
export function noteOf(recording: Recording, step: Step, working: Working): string {
  const facts = factsOf(recording);
  const name = facts.name(step.subject);
  if (step.kind === "seed") return `How ${name} changes with itself: 1. Everything below is counted from it.`;
  if (step.kind === "sum") return `${name} is read more than once: what comes back from each use is added.`;
  if (hasGraphs(recording, step.origin))
    return `What ${step.op} runs is a graph of its own, and one step here: run eagerly, its ops are steps too.`;
  if (step.kind !== "backward") return "";
  if (working.kind === "product") {
    const factors = [working.left, working.right].map(({ tensor, transposed }) => {
      const shape = facts.shape(tensor);
      return { shape: transposed ? [...shape.slice(0, -2), ...shape.slice(-2).reverse()] : shape, tensor, transposed };
    });
    const turned = factors.filter(({ transposed }) => transposed).map(({ tensor }) => tensor);
    const [own, product] = [spec(facts.shape(step.subject)), factors.map(({ shape }) => spec(shape)).join(" × ")];
    const made = `${name} is ${own}, and so is its gradient: ${product} = ${own}.`;
    return turned.length === 0
      ? made
      : `${made} That is why ${facts.name(turned[0])}, ${spec(facts.shape(turned[0]))}, is transposed.`;
  }
  if (step.axes.length > 0) {
    return `${name} was broadcast along ${axesText(step.axes)}: each of its elements was used more than once, so what comes back is summed there.`;
  }
  if (working.kind === "local" && working.local.numbers.some(Number.isNaN))
    return "· : upstream is 0 there, so the local derivative does not matter and is not known from these numbers.";
  if (working.kind === "none" && !step.elementwise)
    return "Not element by element: the formula says how upstream and the op's values make the contribution.";
  return "";
}

/** Whether an op is a loop, a branch or a call of a traced graph. */
function hasGraphs(recording: Recording, event: number): boolean {
  return event >= 0 && nodesOfKey(recording, { event, tensor: -1 }).some((node) => recording.nodes.regions[node] > 0);
}

const axesText = (axes: readonly number[]): string => `${axes.length === 1 ? "axis" : "axes"} ${axes.join(", ")}`;

const spec = (shape: readonly number[]): string => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;

function equation(
  recording: Recording,
  values: Values,
  working: Working,
  { step, hidden, element, pick, edit }: ExplanationState,
  lit: ReadonlyMap<number, ReadonlySet<number>> | undefined,
): (HTMLElement | string)[] {
  const facts = factsOf(recording);
  const figure = (tensor: number, title: string, look: Partial<MatrixLook> = {}): HTMLElement => {
    const found = values.find(tensor);
    const matrix = "matrix" in found ? found.matrix : null;
    const absence = "absence" in found ? absenceText(recording, tensor, found.absence?.text) : undefined;
    const shape = facts.shape(tensor);
    const cells = { lit: lit?.get(tensor), edit: (i: number): void => edit(tensor, i) };
    return matrixElement(matrix, { title, shape, ...cells, ...(absence ? { absence } : {}), ...look });
  };
  const result = figure(step.result, resultName(facts, step), {
    role: { forward: "result", seed: "seed", backward: "contribution", sum: "sum" }[step.kind],
    hidden,
    ...(hidden ? {} : { pick }),
    ...(lit ? { chosen: element } : {}),
  });
  const upstream = (): HTMLElement => figure(step.upstream, gradientName(facts, step, step.out), { role: "upstream" });
  if (step.kind === "seed") return [result];
  if (step.kind === "sum") {
    const before = figure(step.upstream, resultName(facts, step), { role: "so far" });
    return [
      before,
      sign("+"),
      figure(step.addend, resultName(facts, step), { role: "contribution" }),
      sign("="),
      result,
    ];
  }
  if (working.kind === "product") {
    const factors = [working.left, working.right].map(({ tensor, transposed }) =>
      tensor === step.upstream
        ? upstream()
        : figure(tensor, facts.name(tensor), { transposed, ...(step.kind === "backward" ? { role: "local" } : {}) }),
    );
    return [factors[0], sign("×"), factors[1], sign("="), result];
  }
  if (working.kind === "local") {
    const { local, name } = working;
    const title = name < 0 ? `d ${facts.name(step.out)} / d ${facts.name(step.subject)}` : facts.name(name);
    const derivative = matrixElement(local, { title, role: "local derivative", shape: local.shape, lit: lit?.get(-1) });
    const sum =
      step.axes.length > 0 ? [h("span", { class: "tvw-sign" }, "Σ", h("small", {}, axesText(step.axes)))] : [];
    return [...sum, upstream(), sign("⊙"), derivative, sign("="), result];
  }
  const inputs = step.inputs.slice(0, INPUTS).map((input) => figure(input, label(facts, values, input)));
  const more = step.inputs.length - inputs.length;
  const rest = more > 0 ? [h("span", { class: "tvw-sign" }, `and ${format.count(more)} more`)] : [];
  if (step.kind === "forward") return [...inputs, ...rest, sign(inputs.length > 0 ? "→" : ""), result];
  return [upstream(), ...inputs.map((input) => withRole(input)), ...rest, sign("→"), result];
}

/** Marks what the op read forward: it is there for its formula. */
function withRole(figure: HTMLElement): HTMLElement {
  figure.querySelector("figcaption")?.prepend(h("span", { class: "tvw-role" }, "read forward"));
  return figure;
}

const sign = (text: string): HTMLElement => h("span", { class: "tvw-sign" }, text);

/** Why the numbers of a tensor are not there. */
function absenceText(recording: Recording, tensor: number, said: string | undefined): string {
  const facts = factsOf(recording);
  const size = facts.shape(tensor).reduce((product, n) => product * n, 1);
  if (tensor < 0) return "not in the recording";
  if (size === 0) return "no elements";
  return said ?? `${format.count(size)} elements: see Tensor`;
}
