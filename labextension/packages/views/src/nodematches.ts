import { FilterError, selectNodes, type Recording } from "@tapeviz/recording";
import type { ViewContext } from "./view";

let last: {
  readonly recording: Recording;
  readonly version: number;
  readonly text: string;
  readonly flags: Uint8Array | null;
} | null = null;

/** One flag a row of `nodes` for the text in the filter box; null where it is empty, or cannot be read. */
export function matchingNodes({ recording, filter }: Pick<ViewContext, "recording" | "filter">): Uint8Array | null {
  const text = filter?.value.trim() ?? "";
  if (text === "") return null;
  const { version } = recording;
  if (last?.recording === recording && last.version === version && last.text === text) return last.flags;
  last = { recording, version, text, flags: flagsOf(recording, text) };
  return last.flags;
}

function flagsOf(recording: Recording, text: string): Uint8Array | null {
  try {
    return selectNodes(recording, text);
  } catch (error) {
    if (error instanceof FilterError) return null;
    throw error;
  }
}
