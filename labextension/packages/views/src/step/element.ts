import { format } from "@tapeviz/core";
import { placeIn, view, type Working } from "./contribution";
import type { Matrix, Values } from "./values";
import type { Step } from "./walk";

/** How one element of a result is made: in numbers, and of which elements of which tensors. */
export interface Worked {
  readonly text: string;
  readonly lit: ReadonlyMap<number, ReadonlySet<number>>;
}

/** So many terms of a sum are written. */
const TERMS = 6;

/** The working of one element, by its place in the result; null where it is not known how it is made. */
export function workedElement(step: Step, working: Working, values: Values, i: number): Worked | null {
  const made = values.matrix(step.result);
  if (!made || i >= made.numbers.length) return null;
  const at = `${position(made, i)} `;
  if (step.kind === "sum") {
    const [before, part] = [values.matrix(step.upstream), values.matrix(step.addend)];
    if (!before || !part) return null;
    return {
      text: `${at}${number(before.numbers[i])} + ${bracketed(part.numbers[i])} = ${number(made.numbers[i])}`,
      lit: lit([step.upstream, [i]], [step.addend, [i]]),
    };
  }
  if (working.kind === "product") return product(working, values, made, i, at);
  return working.kind === "local" ? local(step, working, values, made, i, at) : null;
}

function product(
  { left, right }: Working & { kind: "product" },
  values: Values,
  made: Matrix,
  i: number,
  at: string,
): Worked | null {
  const [a, b] = [values.matrix(left.tensor), values.matrix(right.tensor)];
  if (!a || !b) return null;
  const [first, second] = [view(a, left.transposed), view(b, right.transposed)];
  const [r, c] = [Math.floor(i / made.cols), i % made.cols];
  const across = Array.from({ length: first.cols }, (_, k) => k);
  const terms = across.map((k) => `${number(first.at(r, k))}·${bracketed(second.at(k, c))}`);
  const places = (m: Matrix, turned: boolean, row: number, col: number): number =>
    turned ? col * m.cols + row : row * m.cols + col;
  return {
    text: `${at}${sum(terms)} = ${number(made.numbers[i])}`,
    lit: lit(
      [left.tensor, across.map((k) => places(a, left.transposed, r, k))],
      [right.tensor, across.map((k) => places(b, right.transposed, k, c))],
    ),
  };
}

function local(
  step: Step,
  { local: factor }: Working & { kind: "local" },
  values: Values,
  made: Matrix,
  i: number,
  at: string,
): Worked | null {
  const upstream = values.matrix(step.upstream);
  if (!upstream) return null;
  const single = upstream.numbers.length === 1;
  const from = factor.numbers.length > 1 ? factor : upstream;
  const parts = Array.from(from.numbers.keys()).filter((k) => placeIn(from, made, k) === i);
  const terms = parts.map((k) => {
    const derivative = factor.numbers[k];
    const given = number(upstream.numbers[single ? 0 : k]);
    return Number.isNaN(derivative) ? given : `${given}·${bracketed(derivative)}`;
  });
  const places = single ? [0] : parts;
  return {
    text: `${at}${sum(terms)} = ${number(made.numbers[i])}`,
    lit: lit([step.upstream, places], [-1, parts]),
  };
}

function sum(terms: readonly string[]): string {
  if (terms.length <= TERMS) return terms.join(" + ");
  return [...terms.slice(0, TERMS - 1), "…", terms[terms.length - 1]].join(" + ");
}

/** Where an element is, as Python writes it. */
export function position({ shape, cols, rows }: Pick<Matrix, "shape" | "rows" | "cols">, i: number): string {
  if (shape.length === 0 || rows * cols === 1) return "";
  const [r, c] = [Math.floor(i / cols), i % cols];
  const before = Array<string>(Math.max(0, shape.length - 2)).fill("0");
  return `[${[...before, ...(shape.length > 1 ? [String(r)] : []), String(c)].join(", ")}]`;
}

function lit(...all: (readonly [tensor: number, places: readonly number[]])[]): Map<number, Set<number>> {
  const found = new Map<number, Set<number>>();
  for (const [tensor, places] of all) found.set(tensor, new Set([...(found.get(tensor) ?? []), ...places]));
  return found;
}

const number = (x: number): string => format.number(x, 4);
const bracketed = (x: number): string => (x < 0 ? `(${number(x)})` : number(x));
