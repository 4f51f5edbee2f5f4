import { KIND, type Recording } from "@tapeviz/recording";
import { factsOf } from "./facts";

export interface Problem {
  readonly severity: number;
  readonly event: number;
  readonly tensor: number;
  readonly text: string;
  readonly fix: string;
  readonly line: number;
  /** The graph of the trace that it is about, -1 for none. */
  readonly graph: number;
}

/** Whether two are one finding, however often the list was made. */
export const isSame = (a: Problem, b: Problem | null): boolean =>
  b !== null && a.event === b.event && a.tensor === b.tensor && a.line === b.line && a.text === b.text;

/** Whether a finding is about no op and no tensor, but about a line or a trace. */
export const isPlaceless = ({ event, tensor }: Problem): boolean => event < 0 && tensor < 0;

/** The findings, gravest first; failed ops that no finding mentions come with them. */
export function problems(recording: Recording): Problem[] {
  const { verdicts, sites, events, messages } = recording;
  const found: Problem[] = [];
  for (let row = 0; row < verdicts.rows; row++) {
    const line = verdicts.site[row] >= 0 ? sites.line[verdicts.site[row]] : -1;
    found.push({
      severity: Math.min(3, verdicts.severity[row]),
      event: verdicts.event[row],
      tensor: verdicts.tensor[row],
      text: verdicts.text[row],
      fix: verdicts.fix[row],
      line,
      graph: graphOf(verdicts.evidence[row]),
    });
  }
  const facts = factsOf(recording);
  messages.event.forEach((event, i) => {
    const row = facts.eventRow(event);
    if (row < 0 || events.status[row] === 0 || found.some((p) => p.event === event)) return;
    const text = `${facts.title(event)}: ${messages.text[i]}`;
    found.push({ severity: 3, event, tensor: -1, text, fix: "", line: facts.location(event)?.line ?? -1, graph: -1 });
  });
  return found.sort((a, b) => b.severity - a.severity);
}

function graphOf(evidence: string): number {
  const { graph } = JSON.parse(evidence || "{}") as { graph?: unknown };
  return typeof graph === "number" ? graph : -1;
}

/** Graver than any finding: the op made a value that is not finite. */
export const NONFINITE = 4;

/** The gravest that is known of each event row: a finding's severity, or NONFINITE. */
export function bySeverity(recording: Recording): Map<number, number> {
  const { events, stats } = recording;
  const facts = factsOf(recording);
  const out = new Map<number, number>();
  const note = (event: number, severity: number): void => {
    const row = facts.eventRow(event);
    if (row >= 0 && events.kind[row] === KIND.op) out.set(row, Math.max(out.get(row) ?? 0, severity));
  };
  for (const { event, severity } of problems(recording)) note(event, severity);
  for (let i = 0; i < stats.rows; i++) if (stats.bad[i] >= 0) note(facts.producer(stats.tensor[i]), NONFINITE);
  return out;
}
