import { STATES, format, type State } from "@tapeviz/core";
import { parseJson, type Recording } from "@tapeviz/recording";
import { factsOf, meta } from "../facts";
import type { Missing } from "./messages";

/** Why there is nothing to show: a glyph and a word that go with a state, and a sentence on what can be done. */
export interface Absence {
  readonly state: State | "unkept" | "unasked" | "empty";
  readonly glyph: string;
  readonly word: string;
  readonly text: string;
}

const of = (state: State, text: string): Absence => ({
  state,
  glyph: STATES[state].glyph,
  word: STATES[state].text,
  text,
});

/** Why the elements of a tensor are not in the recording, when no kernel can be asked either. */
export function valuesAbsence(recording: Recording, tensor: number): Absence {
  const policy = policyOf(recording);
  const stats = factsOf(recording).stat(tensor) >= 0;
  if (policy === "all") return stats ? evicted(recording) : missingStats(recording);
  return notKept(policy);
}

/** Why there are no statistics of a tensor. */
export function statsAbsence(recording: Recording): Absence {
  const policy = policyOf(recording);
  if (policy === "none") {
    return {
      state: "unkept",
      glyph: "–",
      word: "not kept",
      text: "Statistics were not kept: run again with --values stats.",
    };
  }
  return missingStats(recording);
}

/** What a kernel said instead of giving elements. */
export function answerAbsence(recording: Recording, tensor: number, state: Missing, text: string): Absence {
  if (state === "evicted") return evicted(recording);
  if (state === "pending") return pending();
  if (state === "unknown") return valuesAbsence(recording, tensor);
  return { state: "unkept", glyph: "!", word: "no answer", text: text || "The kernel did not answer." };
}

export const pendingAbsence = (): Absence => of("pending", "Asking the kernel…");

/** Neither statistics nor values: dropped when something was, else still to come. */
const missingStats = (recording: Recording): Absence => (evictions(recording) > 0 ? evicted(recording) : pending());

const pending = (): Absence => of("pending", "Statistics and values come after the step.");

/** Why a gradient is not a tensor: None, or nobody asked. */
export function gradientAbsence(recording: Recording, tensor: number, gradient: -1 | undefined): Absence {
  if (gradient === undefined) {
    const backward = recording.gradients.rows > 0;
    return {
      state: "unasked",
      glyph: "–",
      word: "no gradient",
      text: backward ? "No gradient of this tensor was worked out." : "No backward pass was recorded.",
    };
  }
  const { verdicts } = recording;
  const rows = [...verdicts.kind.keys()].filter((row) => verdicts.kind[row] === "gradient_none");
  // A finding may tell of several, whose gradients are lost in one place.
  const alike = (row: number): Alike | undefined =>
    alikeOf(verdicts.evidence[row]).find((one) => one.tensor === tensor);
  const row = rows.find((each) => verdicts.tensor[each] === tensor) ?? rows.find(alike) ?? -1;
  if (row < 0) return of("none", "gradient() answered None: no path leads from the target to this tensor.");
  const [said, fix] = [alike(row)?.text ?? verdicts.text[row], verdicts.fix[row]];
  return of("none", fix ? `${sentence(said)} To fix it: ${sentence(fix)}` : sentence(said));
}

interface Alike {
  readonly tensor?: number;
  readonly text?: string;
}

const alikeOf = (evidence: string): readonly Alike[] =>
  (parseJson(evidence) as { readonly alike?: readonly Alike[] } | null)?.alike ?? [];

const sentence = (text: string): string => text.trim().replace(/\.?$/, ".");

function policyOf(recording: Recording): string {
  const policy = meta<{ values?: string }>(recording, "policy");
  return policy?.values ?? "stats";
}

function evictions(recording: Recording): number {
  const facts = meta<{ tensors?: number }>(recording, "evicted");
  return facts?.tensors ?? 0;
}

function evicted(recording: Recording): Absence {
  const left = meta<{ tensors?: number | null; bytes?: number | null; limit?: number | null }>(recording, "left_out");
  if (left && evictions(recording) === 0) {
    const [many, size] = [format.plural(left.tensors ?? 0, "tensor"), format.bytes(left.bytes ?? 0)];
    const text = `A page holds ${format.bytes(left.limit ?? 0)} of elements at most, and those of ${many} (${size}) are not in it.`;
    return {
      state: "unkept",
      glyph: "–",
      word: "left out",
      text: `${text} The statistics are exact; a .tape has everything.`,
    };
  }
  const n = evictions(recording);
  const many = n > 0 ? ` ${format.plural(n, "tensor")} in this recording went that way.` : "";
  return of("evicted", `The values were dropped to stay within the budget.${many} Run again with a larger --budget.`);
}

function notKept(policy: string): Absence {
  const also = policy === "stats" ? " The statistics are exact." : "";
  return {
    state: "unkept",
    glyph: "–",
    word: "not kept",
    text: `Values were not kept: run again with --values all.${also}`,
  };
}
