import { format } from "@tapeviz/core";
import { titleOf } from "./face";
import { magnitude, magnitudeOf, ownName, type Magnitude } from "../figures";
import type { SourceKind } from "./graph";
import type { Model } from "./model";
import { limitsOf, type Limits } from "./limits";

/** A source and the norm of its gradient. */
export interface Rung {
  readonly tensor: number;
  /** The graph's node; -1 when it is not in the graph. */
  readonly node: number;
  readonly name: string;
  readonly shape: string;
  readonly kind: SourceKind;
  readonly gradient: Magnitude;
  /** What is wrong with it in a few words, with the sign that goes with them; "" when nothing is. */
  readonly verdict: string;
  readonly severity: number;
  /** Beyond which norms it is called vanishing or exploding; null without a backward pass. */
  readonly limits: Limits | null;
}

/** All sources asked for, in the order of the flow; without a backward pass the variables. */
export function ladder(model: Model): Rung[] {
  const { graph } = model;
  const { pass, facts, nodes } = graph;
  const asked = pass?.requests.map(({ source, gradient }) => ({
    tensor: source,
    gradient: magnitudeOf(facts, gradient),
  }));
  const variables = nodes
    .filter((n) => n.source === "variable")
    .map((n) => ({ tensor: n.tensor, gradient: magnitude("pending") }));
  const limits = pass ? limitsOf(facts, pass) : null;
  return (asked ?? variables)
    .map(({ tensor, gradient }): Rung => {
      const node = graph.nodeOfTensor.get(tensor) ?? -1;
      const own = limits?.get(tensor) ?? null;
      const kind = nodes[node]?.source ?? "watched";
      const name = ownName(facts, tensor) || (kind === "variable" ? "variable" : facts.name(tensor));
      const shape = format.shape(facts.shape(tensor));
      return { tensor, node, name, shape, kind, gradient, limits: own, ...verdictOn(model, tensor, gradient, own) };
    })
    .sort((a, b) => rank(a) - rank(b));
}

/** The order of the flow; what is in no flow comes last. */
const rank = (rung: Rung): number => (rung.node < 0 ? Infinity : rung.node);

function verdictOn(
  { gaps, nonfinite, graph }: Model,
  tensor: number,
  gradient: Magnitude,
  limits: Limits | null,
): Pick<Rung, "verdict" | "severity"> {
  const gap = gaps.find((g) => g.source === tensor);
  if (gradient.state === "none")
    return { verdict: gap ? [gap.title, gap.detail].filter(Boolean).join(", ") : "", severity: 3 };
  if (gradient.state === "nan") {
    return { verdict: nonfinite.first < 0 ? "" : `begins at ${titleOf(graph, nonfinite.first)}`, severity: 3 };
  }
  if (gradient.state === "zero") return { verdict: "no element moves", severity: 2 };
  if (gradient.state !== "number" || limits === null) return { verdict: "", severity: 0 };
  if (gradient.norm < limits.low) return { verdict: "vanishing", severity: 2 };
  if (gradient.norm > limits.high) return { verdict: "exploding", severity: 2 };
  return { verdict: "", severity: 0 };
}
