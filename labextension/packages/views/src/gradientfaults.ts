import { SEVERITIES } from "@tapeviz/core";
import { graphsOf, parseJson, type Recording } from "@tapeviz/recording";
import { factsOf } from "./facts";

/** What a finding about gradients says of the op that it is about. */
export const FAULT_WORDS = {
  gradient_none: "Gradient lost at",
  nonfinite: "Not finite from",
  vanishing: "Gradients vanish at",
  exploding: "Gradients grow at",
} as const;

type Kind = keyof typeof FAULT_WORDS;

/** A finding about gradients, at the op where it happens. */
export interface GradientFault {
  /** 2 likely a fault, 3 a fault. */
  readonly severity: number;
  /** The op of the finding, and the forward op: another one where the finding is about a backward step. */
  readonly event: number;
  readonly forward: number;
  /** The row of `sites` of the line; -1 for none. */
  readonly site: number;
  /** "stop_gradient in block_3". */
  readonly op: string;
  /** "Gradient lost at stop_gradient in block_3, line 50". */
  readonly text: string;
  readonly fix: string;
}

const found = new WeakMap<Recording, { readonly version: number; readonly faults: readonly GradientFault[] }>();

/** The findings that tell at which op gradients are lost, grow or stop being finite, gravest first; one an op. */
export function gradientFaults(recording: Recording): readonly GradientFault[] {
  const known = found.get(recording);
  if (known?.version === recording.version) return known.faults;
  const faults = faultsOf(recording);
  found.set(recording, { version: recording.version, faults });
  return faults;
}

function faultsOf(recording: Recording): GradientFault[] {
  const { verdicts, events, sites } = recording;
  const facts = factsOf(recording);
  const byOp = new Map<number, GradientFault>();
  for (let row = 0; row < verdicts.rows; row++) {
    const words = FAULT_WORDS[verdicts.kind[row] as Kind] as string | undefined;
    const event = facts.eventRow(verdicts.event[row]);
    if (words === undefined || verdicts.severity[row] < 2 || event < 0) continue;
    const forward = facts.isBackward(verdicts.event[row]) ? events.origin[event] : verdicts.event[row];
    if (forward < 0 || byOp.has(forward)) continue;
    const { layer } = (parseJson(verdicts.evidence[row]) ?? {}) as { layer?: unknown };
    const op = typeof layer === "string" ? `${facts.title(forward)} in ${layer}` : facts.title(forward);
    const site = verdicts.site[row];
    const line = sites.line[site] > 0 ? `, line ${sites.line[site]}` : "";
    byOp.set(forward, {
      severity: Math.min(3, verdicts.severity[row]),
      event: verdicts.event[row],
      forward,
      site,
      op,
      text: `${words} ${op}${line}`,
      fix: verdicts.fix[row],
    });
  }
  return [...byOp.values()].sort((a, b) => b.severity - a.severity);
}

/** A fault as a line of text: "▲ Gradient lost at stop_gradient in block_3, line 50". */
export const faultText = ({ severity, text }: GradientFault): string => `${SEVERITIES[severity].glyph} ${text}`;

/** The faults at the nodes of graphs that ran their ops, by the row of the node. */
export function faultsOfNodes(recording: Recording): Map<number, GradientFault> {
  const graphs = graphsOf(recording);
  const faults = new Map<number, GradientFault>();
  for (const fault of gradientFaults(recording))
    for (const node of graphs.nodesOf(fault.forward)) if (!faults.has(node)) faults.set(node, fault);
  return faults;
}
