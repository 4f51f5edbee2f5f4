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
  { gaps, nonfinite, graph, faults }: Model,
  tensor: number,
  gradient: Magnitude,
  judged: Judgement | null,
): Pick<LadderRow, "verdict" | "severity"> {
  const gap = gaps.find((g) => g.sources.includes(tensor));
  if (gradient.state === "none")
    return { verdict: gap ? [gap.title, gap.detail].filter(Boolean).join(", ") : "", severity: 3 };
  if (gradient.state === "nan") {
    // As the finding has it: the op whose step made it, not the tensor whose gradient it is.
    const first = faults.find(({ kind }) => kind === "nonfinite")?.node ?? nonfinite.first;
    return { verdict: first < 0 ? "" : `begins at ${titleOf(graph, first)}`, severity: 3 };
  }
  if (gradient.state === "zero") return { verdict: "no element moves", severity: 2 };
  const bad = judged?.health === "vanishing" || judged?.health === "exploding";
  return bad && gradient.state === "number" ? { verdict: judged.health, severity: 2 } : { verdict: "", severity: 0 };
}

/** The sources of a layer, in the order of the flow; `layer` is "" where names say none. */
export interface LadderGroup {
  readonly layer: string;
  /** How many letters of its name, and of those of its sources, are the same in all. */
  readonly common: number;
  readonly rows: readonly LadderRow[];
  /** The norm of all their gradients together; null where they are not all numbers. */
  readonly norm: number | null;
}

/** What stands between the parts of a name: a slash in TensorFlow's, a point in PyTorch's. */
const PARTS = /[/.]/;

/** The sources by their layers: by the first part of their names in which they differ. */
export function layersOf(rows: readonly LadderRow[]): LadderGroup[] {
  const paths = rows.map(({ name }) => name.split(PARTS).slice(0, -1));
  const longest = Math.max(0, ...paths.map((path) => path.length));
  let common = 0;
  while (common < longest - 1 && paths.every((path) => path.length > common && path[common] === paths[0][common]))
    common += 1;
  const groups = new Map<string, LadderRow[]>();
  rows.forEach((row, i) => {
    const layer = row.name.slice(0, Math.max(0, lengthOf(paths[i].slice(0, common + 1)) - 1));
    groups.set(layer, [...(groups.get(layer) ?? []), row]);
  });
  const same = lengthOf((paths[0] ?? []).slice(0, common));
  return [...groups].map(([layer, members]) => ({ layer, common: same, rows: members, norm: together(members) }));
}

/** How many letters parts of a name have, with what stands behind each. */
const lengthOf = (parts: readonly string[]): number => parts.reduce((sum, part) => sum + part.length + 1, 0);

function together(rows: readonly LadderRow[]): number | null {
  const known = rows.every(({ gradient }) => gradient.state === "number" || gradient.state === "zero");
  return known ? Math.hypot(...rows.map(({ gradient }) => gradient.norm)) : null;
}
