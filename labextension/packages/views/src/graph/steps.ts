import type { Graphs } from "@tapeviz/recording";

/** A moment in the making of a graph: as it was traced, or after a pass. */
export interface Step {
  /** The row of `passes`; -1 for the graph as it was traced. */
  readonly pass: number;
  readonly name: string;
  /** What the pass did, as a sentence. */
  readonly text: string;
  readonly nodes: number;
  /** In ns. */
  readonly took: number;
}

/** What a step is to a node: it is as before, something happens to it now, or something did before. */
export interface Fate {
  readonly when: "never" | "now" | "before";
  /** pruned, folded, merged, simplified, fused or inlined; "kept" for never. */
  readonly fate: string;
  /** Whether nothing of it is left: another node stands for it, or none. */
  readonly gone: boolean;
}

export const KEPT: Fate = { when: "never", fate: "kept", gone: false };

/** The graph as traced, then its passes in order. */
export function stepsOf(graphs: Graphs, graph: number): Step[] {
  const { passes } = graphs.recording;
  const rows = [...graphs.passes(graph)];
  const count = rows.length > 0 ? passes.before[rows[0]] : graphs.nodes(graph).length;
  const traced = { pass: -1, name: "traced", text: "", nodes: count, took: 0 };
  const after = rows.map((pass) => ({
    pass,
    name: passes.name[pass],
    text: passes.text[pass],
    nodes: passes.after[pass],
    took: passes.dur[pass],
  }));
  return [traced, ...after];
}

/** At which step of a graph each pass comes; those of graphs inside it go by their names. */
export function placesOf(graphs: Graphs, steps: readonly Step[]): (pass: number) => number {
  const { passes } = graphs.recording;
  const byRow = new Map(steps.map(({ pass }, i) => [pass, i]));
  const byName = new Map(steps.map(({ name }, i) => [name, i]));
  return (pass) => byRow.get(pass) ?? byName.get(passes.name[pass] ?? "") ?? steps.length;
}

/** What happened to a node, given by its row, up to a step. */
export function fateAt(graphs: Graphs, row: number, step: number, placeOf: (pass: number) => number): Fate {
  const { fate, into, number, stage } = graphs.recording.nodes;
  if (stage[row] < 0) return KEPT;
  const place = placeOf(stage[row]);
  if (place > step) return KEPT;
  return { when: place === step ? "now" : "before", fate: fate[row], gone: into[row] !== number[row] };
}
