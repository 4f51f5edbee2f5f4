import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import type { Step } from "./walk";

/** The steps that are the same call on the same line, run again: by a loop, or because its function was called again. */
export function iterationsOf(recording: Recording, steps: readonly Step[]): ReadonlyMap<number, readonly number[]> {
  const facts = factsOf(recording);
  const runs = new Map<string, number[]>();
  const nth = new Map<string, number>();
  steps.forEach((step, at) => {
    const site = facts.site(step.event);
    if (site < 0 || step.kind === "seed") return;
    // An op gives a contribution to each of its inputs: which one tells its steps apart.
    const own = `${step.kind} ${step.event}`;
    const count = nth.get(own) ?? 0;
    nth.set(own, count + 1);
    const key = `${step.kind} ${site} ${step.op} ${count}`;
    const list = runs.get(key);
    if (list) list.push(at);
    else runs.set(key, [at]);
  });
  const found = new Map<number, readonly number[]>();
  for (const list of runs.values()) if (list.length > 1) for (const at of list) found.set(at, list);
  return found;
}
