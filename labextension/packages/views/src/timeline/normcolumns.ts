import type { Scale } from "@tapeviz/core";
import type { Magnitude } from "../figures";

/** The norm of a block's gradient, in the block's own place. */
export interface NormColumn {
  readonly x: number;
  readonly w: number;
  readonly magnitude: Magnitude;
}

const GRAVER = { nan: 3, zero: 2, number: 1 } as const;
const rank = ({ state, norm }: Magnitude): number =>
  (state in GRAVER ? GRAVER[state as keyof typeof GRAVER] : 0) + (state === "number" ? 1 - 1 / (1 + norm) : 0);

/** A column for each block that is in sight and has a gradient; of several in one pixel the gravest, then the largest. */
export function normColumns(
  blocks: readonly (Magnitude | null)[],
  edges: Float64Array,
  scale: Scale,
  plot: { readonly x: number; readonly w: number },
): NormColumn[] {
  const columns: NormColumn[] = [];
  blocks.forEach((magnitude, block) => {
    const x = Math.max(plot.x, scale(edges[block]));
    const end = Math.min(plot.x + plot.w, scale(edges[block + 1]));
    if (magnitude === null || end <= x) return;
    const before = columns.at(-1);
    if (!before || x - before.x >= 1) columns.push({ x, w: Math.max(1, end - x), magnitude });
    else if (rank(magnitude) > rank(before.magnitude)) columns[columns.length - 1] = { ...before, magnitude };
  });
  return columns;
}
