import { format } from "@tapeviz/core";
import { KIND, type Recording } from "@tapeviz/recording";
import { meta } from "../facts";

/** What is not there, where only the newest ops were kept. */
interface Dropped {
  readonly ops?: number;
  readonly failures?: Readonly<Record<string, number>>;
}

/** What the header says about a recording, in the order of importance. */
export function headline(recording: Recording): { title: string; facts: string[] } {
  const title = meta<string>(recording, "title") ?? "tape";
  const cell = meta<number | null>(recording, "cell");
  const seconds = meta<number | null>(recording, "seconds");
  const { kind } = recording.events;
  let ops = 0;
  for (const k of kind) ops += Number(k === KIND.op);
  const before = meta<Dropped>(recording, "dropped")?.ops ?? 0;
  const facts = [
    typeof cell === "number" ? `cell ${cell}` : "",
    (before > 0 ? `the last ${format.count(ops)} of ` : "") + format.plural(before + ops, "op"),
    recording.graph_runs.rows > 0 ? format.plural(recording.graph_runs.rows, "graph run") : "",
    known(seconds) ? format.duration(seconds * 1e9) : "",
    recording.ranks.rows > 0 ? format.plural(recording.ranks.rows, "rank") : "",
    modeOf(recording),
    meta<string>(recording, "device") ?? "",
  ];
  return { title: title === "" ? "tape" : title, facts: facts.filter((fact) => fact !== "") };
}

/** What is kept of tensors: the budget is for their elements, which go when it is used up; statistics stay. */
function kept(recording: Recording, values: string, budget: number): string {
  if (values === "none") return "keeps neither statistics nor elements";
  const statistics = `keeps statistics of ${format.plural(recording.stats.rows, "tensor")}`;
  return budget > 0 ? `${statistics}, elements up to ${format.bytes(budget)}` : statistics;
}

/** "eager" is not said of a recording in which functions ran as graphs: how many is. */
function modeOf(recording: Recording): string {
  const mode = meta<string>(recording, "mode") ?? "";
  return mode === "eager" && recording.graph_runs.rows > 0 ? "" : mode;
}

/** Where a recording that ended early stopped: null for one that ran through. */
export function stopOf(recording: Recording): { event: number; text: string } | null {
  const stop = meta<{ event?: number; line?: number | null; type?: string; text?: string }>(recording, "stopped");
  if (!stop) return null;
  const event = stop.event ?? -1;
  const { messages } = recording;
  const row = messages.event.indexOf(event);
  const where = [event >= 0 ? `at op ${event}` : "", stop.line && stop.line > 0 ? `line ${stop.line}` : ""]
    .filter(Boolean)
    .join(", ");
  const [type, text] = row < 0 ? [stop.type, stop.text] : [messages.type[row], messages.text[row]];
  // The further lines name inputs and place, which the views show.
  const said = [type, (text ?? "").split("\n")[0]].filter(Boolean).join(": ");
  return { event, text: `Stopped ${where}${said ? ` · ${said}` : ""}` };
}

/** Not known yet is null. */
interface Overhead {
  readonly ns_per_op?: number | null;
  readonly inside_s?: number | null;
  readonly stats_s?: number | null;
}

const known = (x: number | null | undefined): x is number => typeof x === "number";

/** What the footer says: what recording cost, what was kept, and what is missing. */
export function footnotes(recording: Recording): string[] {
  const out: string[] = [];
  const merged = meta<string>(recording, "merged");
  if (merged) out.push(merged);
  const overhead = meta<Overhead>(recording, "overhead");
  const seconds = meta<number>(recording, "seconds") ?? 0;
  if (known(overhead?.inside_s)) {
    const part = seconds > 0 ? ` (${format.percent(overhead.inside_s / seconds)})` : "";
    const each = known(overhead.ns_per_op) ? `, ${format.duration(overhead.ns_per_op)} an op` : "";
    out.push(`recording took ${format.duration(overhead.inside_s * 1e9)}${part}${each}`);
  }
  if (known(overhead?.stats_s)) out.push(`statistics took ${format.duration(overhead.stats_s * 1e9)} afterwards`);
  const policy = meta<{ values?: string; budget?: number }>(recording, "policy");
  if (policy?.values !== undefined) out.push(kept(recording, policy.values, policy.budget ?? 0));
  const evicted = meta<{ tensors?: number; bytes?: number }>(recording, "evicted");
  if (evicted?.tensors)
    out.push(`⌫ elements of ${format.plural(evicted.tensors, "tensor")} let go, ${format.bytes(evicted.bytes ?? 0)}`);
  const full = meta<{ ops?: number | null }>(recording, "truncated")?.ops;
  if (known(full)) out.push(`the recording was full after ${format.plural(full, "op")}: what ran then is not in it`);
  const left = meta<{ tensors?: number | null; bytes?: number | null }>(recording, "left_out");
  if (left) {
    out.push(`without the elements of ${format.plural(left.tensors ?? 0, "tensor")}, ${format.bytes(left.bytes ?? 0)}`);
  }
  const here = recording.values.data.reduce((sum, data) => sum + data.length, 0);
  if (here > 0) out.push(`has ${format.bytes(here)} of elements`);
  const failures = Object.entries(meta<Dropped>(recording, "dropped")?.failures ?? {});
  if (failures.length > 0)
    out.push(`of the ops before these, some failed: ${failures.map(([op, n]) => `${op} ${n}`).join(", ")}`);
  const missing = meta<unknown>(recording, "not_recorded");
  if (missing) out.push(`not recorded: ${typeof missing === "string" ? missing : JSON.stringify(missing)}`);
  if (recording.problem) out.push(`✕ ${recording.problem}`);
  return out;
}
