import { figuresOf, magnitudeOf } from "../figures";
import type { FlowGraph } from "./graph";

/** Where values stop being finite. */
export interface Nonfinite {
  /** Nodes whose value, and whose gradient, has NaN or infinite elements. */
  readonly values: ReadonlySet<number>;
  readonly gradients: ReadonlySet<number>;
  /** The node where it begins, and whether it begins in its gradient; -1 when all is finite. */
  readonly first: number;
  readonly backward: boolean;
}

/** The first cause is the first node that is not finite although all it reads is; backward, although its readers are. */
export function nonfinite(graph: FlowGraph): Nonfinite {
  const { facts, pass, nodes, edges } = graph;
  const values = new Set<number>();
  const gradients = new Set<number>();
  nodes.forEach(({ tensor }, node) => {
    const figures = figuresOf(facts, tensor);
    if (figures && figures.nan + figures.inf > 0) values.add(node);
    const { state, norm } = magnitudeOf(facts, pass?.gradient.get(tensor) ?? -1);
    if (state === "nan" || norm === Infinity) gradients.add(node);
  });
  const inherited = new Set(edges.filter(({ from, to }) => values.has(from) && values.has(to)).map(({ to }) => to));
  const forward = nodes.findIndex((_, node) => values.has(node) && !inherited.has(node));
  if (forward >= 0) return { values, gradients, first: forward, backward: false };
  const handed = new Set(
    edges.filter(({ from, to }) => gradients.has(from) && gradients.has(to)).map(({ from }) => from),
  );
  const first = nodes.findLastIndex((_, node) => gradients.has(node) && !handed.has(node));
  return { values, gradients, first, backward: first >= 0 };
}
