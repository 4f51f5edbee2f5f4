import { select, selectNodes, type Recording } from "@tapeviz/recording";
import type { FilterResult } from "./filterbox";

/** Which events a filter's text matches, how many nodes of graphs, or what is wrong with the text. */
export function applyFilter(recording: Recording, text: string): FilterResult {
  if (text.trim() === "") return { flags: null, count: 0, nodes: 0 };
  try {
    const { eventFlags, events } = select(recording, text);
    const nodes = recording.nodes.rows > 0 ? selectNodes(recording, text).reduce((n, flag) => n + flag, 0) : 0;
    return { flags: eventFlags, count: events.length, nodes };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
