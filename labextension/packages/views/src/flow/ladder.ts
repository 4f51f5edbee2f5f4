import { format } from "@tapeviz/core";
import { titleOf } from "./cardcontent";
import { magnitude, magnitudeOf, userName, type Magnitude } from "../figures";
import type { SourceKind } from "./graph";
import type { Model } from "./model";
import { judgementsOf, type Judgement } from "../health";

/** A source and the norm of its gradient. */
export interface LadderRow {
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
  /** What it was judged to be, and beyond which norms; null where nobody has judged it. */
  readonly judged: Judgement | null;
}

/** All sources asked for, in the order of the flow; without a backward pass the variables. */
export function ladder(model: Model): LadderRow[] {
  const { graph } = model;
  const { pass, facts, nodes } = graph;
  const judgements = judgementsOf(facts.recording);
  const asked = pass?.requests.map(({ source, gradient }) => ({
    tensor: source,
    gradient: magnitudeOf(facts, gradient),
    judged: judgements.ofSource(source, gradient),
  }));
  const variables = nodes
    .filter((n) => n.source === "variable")
    .map((n) => ({ tensor: n.tensor, gradient: magnitude("unasked"), judged: null }));
  return (asked ?? variables)
    .map(({ tensor, gradient, judged }): LadderRow => {
      const node = graph.nodeOfTensor.get(tensor) ?? -1;
      const kind = nodes[node]?.source ?? "watched";
      const name = userName(facts, tensor) || (kind === "variable" ? "variable" : facts.name(tensor));
      const shape = format.shape(facts.shape(tensor));
      return { tensor, node, name, shape, kind, gradient, judged, ...verdictOn(model, tensor, gradient, judged) };
    })
    .sort((a, b) => rank(a) - rank(b));
}

/** The order of the flow; what is in no flow comes last. */
const rank = (row: LadderRow): number => (row.node < 0 ? Infinity : row.node);

function verdictOn(
  { gaps, nonfinite, graph }: Model,
  tensor: number,
  gradient: Magnitude,
  judged: Judgement | null,
): Pick<LadderRow, "verdict" | "severity"> {
  const gap = gaps.find((g) => g.source === tensor);
  if (gradient.state === "none")
    return { verdict: gap ? [gap.title, gap.detail].filter(Boolean).join(", ") : "", severity: 3 };
  if (gradient.state === "nan") {
    return { verdict: nonfinite.first < 0 ? "" : `begins at ${titleOf(graph, nonfinite.first)}`, severity: 3 };
  }
  if (gradient.state === "zero") return { verdict: "no element moves", severity: 2 };
  const bad = judged?.health === "vanishing" || judged?.health === "exploding";
  return bad && gradient.state === "number" ? { verdict: judged.health, severity: 2 } : { verdict: "", severity: 0 };
}
