// How the numbers of a step make its result: what is said is tried on them first. As in `analysis/contributions.py`.

import type { Step } from "./walk";
import type { Matrix, Values } from "./values";

/** One of the two matrices of a product. */
export interface Factor {
  readonly tensor: number;
  readonly transposed: boolean;
}

/** How a result comes about, as far as the numbers bear it out. */
export type Working =
  | { readonly kind: "product"; readonly left: Factor; readonly right: Factor }
  /** Upstream times the local derivative, element by element; NaN where nothing is known of it, for upstream is 0. */
  | { readonly kind: "local"; readonly local: Matrix; readonly name: number }
  | { readonly kind: "none" };

const NONE: Working = { kind: "none" };
const FACTOR = /(\\bar\s*C|[AB])(\^\\top)?/g;
const FORWARD_PRODUCT = /^C_\{ij\} = \\sum_k A_\{ik\} B_\{kj\}$/;
const PLAIN = /^(-?)\\bar\s*[a-z](?:_\w|_\{\w+\})?(?:\\,\s*([xy])_i)?$/;
const CLOSE = 1e-4;

export function workingOf(step: Step, values: Values): Working {
  return productOf(step, values) ?? localOf(step, values) ?? NONE;
}

/** The two matrices whose product the result is; the formula says which, and shapes and numbers bear it out. */
function productOf(step: Step, values: Values): Working | null {
  const named = step.kind === "forward" ? forwardFactors(step) : backwardFactors(step);
  if (!named) return null;
  const [left, right] = named;
  const [a, b, made] = [left, right, { tensor: step.result }].map(({ tensor }) => values.matrix(tensor));
  if (!a || !b || !made || a.shape.length < 2 || b.shape.length < 2) return null;
  const [first, second] = [view(a, left.transposed), view(b, right.transposed)];
  if (first.cols !== second.rows || first.rows !== made.rows || second.cols !== made.cols) return null;
  const product = new Float64Array(made.rows * made.cols);
  for (let i = 0; i < made.rows; i++)
    for (let k = 0; k < first.cols; k++)
      for (let j = 0; j < made.cols; j++) product[i * made.cols + j] += first.at(i, k) * second.at(k, j);
  return close(product, made.numbers) ? { kind: "product", left, right } : null;
}

function forwardFactors({ formula, inputs }: Step): [Factor, Factor] | null {
  if (!FORWARD_PRODUCT.test(formula.trim()) || inputs.length !== 2) return null;
  return [
    { tensor: inputs[0], transposed: false },
    { tensor: inputs[1], transposed: false },
  ];
}

function backwardFactors({ formula, inputs, upstream }: Step): [Factor, Factor] | null {
  const named = [...formula.slice(formula.indexOf("=") + 1).matchAll(FACTOR)];
  if (upstream < 0 || inputs.length !== 2 || named.length !== 2) return null;
  const [left, right] = named.map(([, name, turned]): Factor => ({
    tensor: name.includes("bar") ? upstream : inputs["AB".indexOf(name)],
    transposed: turned !== undefined,
  }));
  return [left, right];
}

/** A matrix, or its transpose. */
export function view(
  { rows, cols, numbers }: Matrix,
  transposed: boolean,
): { rows: number; cols: number; at: (i: number, j: number) => number } {
  return transposed
    ? { rows: cols, cols: rows, at: (i, j) => numbers[j * cols + i] }
    : { rows, cols, at: (i, j) => numbers[i * cols + j] };
}

/** The local derivative of an elementwise op, or of one that gives a single number. */
function localOf(step: Step, values: Values): Working | null {
  const [upstream, result] = [values.matrix(step.upstream), values.matrix(step.result)];
  if (step.kind !== "backward" || !upstream || !result) return null;
  // Of more than two axes a plane is seen: it is enough where elements stay where they are.
  const stays = step.elementwise && String(upstream.shape) === String(result.shape);
  if ((upstream.cut || result.cut) && !stays) return null;
  const read = readOff(step, values, upstream, result);
  if (read) return read;
  const single = upstream.numbers.length === 1;
  if (!single && !stays) return null;
  if (step.axes.length > 0) return null;
  const numbers = result.numbers.map((made, i) => {
    const given = upstream.numbers[single ? 0 : i];
    return given === 0 ? NaN : made / given;
  });
  return { kind: "local", local: bare(result, numbers), name: -1 };
}

/** The local derivative that the formula says is one, minus one or the other input, if the numbers bear it out. */
function readOff(step: Step, values: Values, upstream: Matrix, result: Matrix): Working | null {
  const rest = step.formula.slice(step.formula.indexOf("=") + 1).trim();
  const plain = PLAIN.exec(rest.replace(/^\\sum_\{\\text\{[^}]*\}\}\s*|^\\sum_\w\s*/, ""));
  if (!plain || !step.elementwise) return null;
  const name = plain[2] ? step.inputs["xy".indexOf(plain[2])] : -1;
  const factor = plain[2] ? values.matrix(name) : null;
  if (plain[2] && (!factor || factor.rows > upstream.rows || factor.cols > upstream.cols)) return null;
  const numbers = upstream.numbers.map((_, i) => (plain[1] ? -1 : 1) * (factor ? broadcast(factor, upstream, i) : 1));
  const whole = upstream.numbers.map((given, i) => given * numbers[i]);
  const local = bare(upstream, numbers);
  return close(summed(whole, upstream, result), result.numbers) ? { kind: "local", local, name } : null;
}

/** The element of a matrix that goes with an element of a larger one that it is broadcast to. */
function broadcast({ rows, cols, numbers }: Matrix, to: Matrix, i: number): number {
  const [r, c] = [Math.floor(i / to.cols), i % to.cols];
  return numbers[(rows === 1 ? 0 : r) * cols + (cols === 1 ? 0 : c)];
}

/** Summed over the rows or columns along which the result was broadcast. */
function summed(numbers: Float64Array, from: Matrix, to: Matrix): Float64Array {
  const made = new Float64Array(to.rows * to.cols);
  numbers.forEach((x, i) => (made[placeIn(from, to, i)] += x));
  return made;
}

/** Where in a matrix an element of a larger one is summed to. */
export function placeIn(from: Pick<Matrix, "cols">, to: Pick<Matrix, "rows" | "cols">, i: number): number {
  const [r, c] = [Math.floor(i / from.cols), i % from.cols];
  return (to.rows === 1 ? 0 : r) * to.cols + (to.cols === 1 ? 0 : c);
}

/** A matrix of numbers that no tensor holds, in another's shape. */
function bare({ shape, rows, cols, cut }: Matrix, numbers: Float64Array): Matrix {
  return { tensor: -1, shape, rows, cols, numbers, text: (i) => String(numbers[i]), cut };
}

/** Whether they are equal but for rounding, NaN where NaN is. */
function close(made: Float64Array, result: Float64Array): boolean {
  if (made.length !== result.length) return false;
  const size = result.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
  return made.every((x, i) => {
    const y = result[i];
    return x === y || (Number.isNaN(x) && Number.isNaN(y)) || Math.abs(x - y) <= CLOSE * size;
  });
}
