import type { Key } from "@tapeviz/core";
import type { Step } from "./walk";

/** The step that a selection is about: of an event's steps the one that gives the selected tensor; -1 for none. */
export function stepAt(steps: readonly Step[], { event, tensor }: Key): number {
  if (event < 0)
    return tensor < 0 ? -1 : steps.findIndex(({ kind, result }) => kind === "forward" && result === tensor);
  const exact = steps.findIndex((step) => step.event === event && step.result === tensor);
  if (exact >= 0) return exact;
  const about = steps.findIndex((step) => step.event === event && step.subject === tensor);
  return about >= 0 ? about : steps.findIndex((step) => step.event === event);
}
