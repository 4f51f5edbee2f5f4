import { format } from "@tapeviz/core";
import { magnitude, magnitudeOf, ownName, type Magnitude } from "./figures";
import type { SourceKind } from "./graph";
import type { Model } from "./model";
import { isExploding, isVanishing } from "./scale";

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
}

/** All sources asked for, in the order of the flow; without a backward pass the variables. */
export function ladder(model: Model): Rung[] {
  const { graph } = model;
  const { pass, facts, nodes } = graph;
  const asked = pass?.requests.map(({ source, gradient }) => ({ tensor: source, gradient: magnitudeOf(facts, gradient) }));
  const variables = nodes.filter((n) => n.source === "variable").map((n) => ({ tensor: n.tensor, gradient: magnitude("pending") }));
  return (asked ?? variables)
    .map(({ tensor, gradient }): Rung => {
      const node = graph.nodeOfTensor.get(tensor) ?? -1;
      const kind = nodes[node]?.source ?? "watched";
      const name = ownName(facts, tensor) || (kind === "variable" ? "variable" : facts.name(tensor));
      return { tensor, node, name, shape: format.shape(facts.shape(tensor)), kind, gradient, ...verdictOn(model, tensor, gradient) };
    })
    .sort((a, b) => rank(a) - rank(b));
}

/** The order of the flow; what is in no flow comes last. */
const rank = (rung: Rung): number => (rung.node < 0 ? Infinity : rung.node);

function verdictOn({ gaps, nonfinite, graph }: Model, tensor: number, gradient: Magnitude): { verdict: string; severity: number } {
  const gap = gaps.find((g) => g.source === tensor);
  if (gradient.state === "none") return { verdict: gap ? [gap.title, gap.detail].filter(Boolean).join(", ") : "", severity: 3 };
  if (gradient.state === "nan") {
    const first = graph.nodes[nonfinite.first];
    return { verdict: first ? `begins at ${graph.facts.name(first.tensor)}` : "", severity: 3 };
  }
  if (gradient.state === "zero") return { verdict: "no element moves", severity: 2 };
  if (isVanishing(gradient)) return { verdict: "vanishing", severity: 2 };
  if (isExploding(gradient)) return { verdict: "exploding", severity: 2 };
  return { verdict: "", severity: 0 };
}
