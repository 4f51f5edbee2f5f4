import { EXIT, parseJson, type Recording } from "@tapeviz/recording";
import type { Facts } from "../facts";
import type { FlowGraph } from "./graph";
import type { Request } from "./passes";

/** Where the way from sources to the target breaks, so that their gradients are None. */
export interface Gap {
  /** The row of `verdicts`; -1 where nobody said why. */
  readonly verdict: number;
  /** All whose gradients are lost here, and the one whose way is shown. */
  readonly sources: readonly number[];
  readonly source: number;
  /** The last node on the way from the source, and the last on the way back from the target. */
  readonly near: number;
  readonly far: number;
  /** The nodes on both ways. */
  readonly fromSource: ReadonlySet<number>;
  readonly fromTarget: ReadonlySet<number>;
  /** What happened, and how and where. */
  readonly title: string;
  readonly detail: string;
}

/** Up to so many gaps without a known reason are shown one by one. */
const MANY = 4;

const TITLES: Readonly<Record<string, string>> = {
  not_watched: "not watched",
  rebound: "re-bound to a tensor",
  left_engine: "left the engine here",
  integer_dtype: "whole numbers or bools",
  no_gradient: "an op without a gradient",
  stop_gradient: "stopped here",
  outside_tape: "outside the tape",
  unconnected: "not connected",
};

const HOW: Readonly<Record<number, string>> = {
  [EXIT.numpy]: ".numpy()",
  [EXIT.array]: "as an array",
  [EXIT.python]: "as a Python number",
  [EXIT.enter]: "came back as data",
  [EXIT.unwatched]: "unwatched",
  [EXIT.dtype]: "dtype",
  [EXIT.shown]: "shown as text",
};

interface Evidence {
  readonly reason?: string;
  readonly certain?: boolean;
  readonly from_source?: readonly unknown[];
  readonly source?: readonly unknown[];
  readonly from_target?: readonly unknown[];
  readonly target?: readonly unknown[];
  readonly gap?: { readonly tensor?: number };
  readonly alike?: readonly { readonly tensor?: number }[];
}

/** The sources whose gradients are None, by where they are lost; of those of which nobody knows, many are one. */
export function gapsOf(graph: FlowGraph): Gap[] {
  const none = graph.pass?.requests.filter((request) => request.gradient < 0) ?? [];
  const byVerdict = new Map<number, Request[]>();
  for (const request of none) {
    const verdict = verdictOn(graph.facts, request);
    byVerdict.set(verdict, [...(byVerdict.get(verdict) ?? []), request]);
  }
  return [...byVerdict].flatMap(([verdict, requests]) =>
    verdict < 0 && requests.length <= MANY
      ? requests.map((request) => gapOf(graph, verdict, [request]))
      : [gapOf(graph, verdict, requests)],
  );
}

function gapOf(graph: FlowGraph, verdict: number, requests: readonly Request[]): Gap {
  const { recording } = graph.facts;
  const [request] = requests;
  const evidence = verdict < 0 ? {} : evidenceOf(recording, verdict);
  const source = graph.nodeOfTensor.get(request.source) ?? -1;
  const fromSource = [source, ...nodesOf(graph, evidence.from_source ?? evidence.source)].filter((node) => node >= 0);
  const fromTarget = [graph.target, ...nodesOf(graph, evidence.from_target ?? evidence.target)].filter(
    (node) => node >= 0,
  );
  const near = fromSource.at(-1) ?? -1;
  const last = fromTarget.at(-1) ?? -1;
  const far = last === near ? (graph.edges.find((edge) => edge.from === near)?.to ?? -1) : last;
  const title = TITLES[evidence.reason ?? ""] ?? "no gradient comes back";
  return {
    verdict,
    sources: requests.map((one) => one.source),
    source: request.source,
    near,
    far,
    fromSource: new Set(fromSource),
    fromTarget: new Set(fromTarget),
    title: evidence.certain === false ? `probably ${title}` : title,
    detail: detailOf(graph, verdict, evidence, request.source),
  };
}

/** The verdict on this source, which may tell of several; the tensor named may be another value of the same variable. */
function verdictOn(facts: Facts, { source, variable }: Request): number {
  const { recording } = facts;
  const { verdicts, tensors } = recording;
  const isSource = (tensor = -1): boolean =>
    tensor === source || (variable >= 0 && tensors.variable[facts.tensorRow(tensor)] === variable);
  const found = verdicts.kind.findIndex((kind, row) => kind === "gradient_none" && isSource(verdicts.tensor[row]));
  if (found >= 0) return found;
  return verdicts.kind.findIndex(
    (kind, row) => kind === "gradient_none" && evidenceOf(recording, row).alike?.some(({ tensor }) => isSource(tensor)),
  );
}

/** The last tensors on the ways from sources to where their gradients are lost; null where that of one is not known. */
export function endsOf(facts: Facts, lost: readonly Request[]): number[] | null {
  const verdicts = new Set(lost.map((request) => verdictOn(facts, request)));
  const ends = [...verdicts].map((verdict) => {
    const { reason, from_source: way = [] } = verdict < 0 ? {} : evidenceOf(facts.recording, verdict);
    return reason === "unconnected" ? undefined : way.at(-1);
  });
  return ends.every((tensor) => typeof tensor === "number") ? ends : null;
}

/** The tensors that the evidence on a missing gradient is about: they are shown even where they are plain numbers. */
export function evidenceTensors(recording: Recording): Set<number> {
  const { verdicts } = recording;
  const rows = [...verdicts.kind.keys()].filter((row) => verdicts.kind[row] === "gradient_none");
  return new Set(
    rows.flatMap((row) => {
      const { from_target: target = [], from_source: source = [] } = evidenceOf(recording, row);
      return [...target, ...source].filter((tensor) => typeof tensor === "number");
    }),
  );
}

function evidenceOf(recording: Recording, verdict: number): Evidence {
  const found = parseJson(recording.verdicts.evidence[verdict]);
  return typeof found === "object" && found !== null ? found : {};
}

/** Nodes behind the evidence: numbers are tensors, or events where no such tensor is in the graph. */
function nodesOf(graph: FlowGraph, path: readonly unknown[] = []): number[] {
  return path.map((step) => {
    if (typeof step === "number") return graph.nodeOfTensor.get(step) ?? graph.nodeOfEvent.get(step) ?? -1;
    const { tensor, event } = (step ?? {}) as { tensor?: number; event?: number };
    return graph.nodeOfTensor.get(tensor ?? -1) ?? graph.nodeOfEvent.get(event ?? -1) ?? -1;
  });
}

function detailOf(
  graph: FlowGraph,
  verdict: number,
  { gap, reason = "left_engine" }: Evidence,
  source: number,
): string {
  const { exits, verdicts, sites } = graph.facts.recording;
  const exit = reason === "left_engine" ? exits.tensor.indexOf(gap?.tensor ?? source) : -1;
  const how = exit < 0 ? "" : (HOW[exits.kind[exit]] ?? "");
  const site = verdict < 0 ? (exits.site[exit] ?? -1) : verdicts.site[verdict];
  const line = sites.line[site] ?? -1;
  return [how, line > 0 ? `line\u00a0${line}` : ""].filter(Boolean).join(" · ");
}
