/** Which column each node stands in, and the bends of edges that pass columns. Pure; knows no recording. */

/** The weight of an edge whose box follows what reads it, and does not pull that along. */
export const LEAF_WEIGHT = 1e-4;

/** Where a port stands, which edges come in or go out by: in the left boundary (-1) or the right one (1); 0 for a node. */
export type BoundarySide = -1 | 0 | 1;

export interface WeightedEdge {
  readonly from: number;
  readonly to: number;
  /** How much it wants to be straight. */
  readonly weight: number;
}

/**
 * The column of each node: behind all it depends on. `nodes` come in the order of the flow; an edge against it is left
 * out. A node whose inputs are all leaves moves right, next to what reads it; so do the leaves themselves.
 */
export function assignColumns(
  count: number,
  edges: readonly WeightedEdge[],
  leaf: (node: number) => boolean,
  boundary: (node: number) => BoundarySide = () => 0,
): Int32Array {
  const forward = edges.filter((w) => w.from < w.to && boundary(w.from) === 0 && boundary(w.to) === 0);
  const [ins, outs] = [neighbours(count, forward, "to"), neighbours(count, forward, "from")];
  const column = new Int32Array(count).fill(1);
  for (let node = 0; node < count; node++) {
    for (const from of ins[node]) if (!leaf(from)) column[node] = Math.max(column[node], column[from] + 1);
  }
  for (let node = count - 1; node >= 0; node--) {
    if (outs[node].length === 0) continue;
    const room = outs[node].reduce((least, to) => Math.min(least, column[to] - 1), Infinity);
    const inputs = ins[node].reduce((n, from) => n + Number(!leaf(from)), 0);
    if (leaf(node) || inputs < outs[node].length) column[node] = Math.max(leaf(node) ? 0 : column[node], room);
  }
  for (let node = 0; node < count; node++) if (leaf(node) && outs[node].length === 0) column[node] = 0;
  const inner = column.filter((_, node) => boundary(node) === 0);
  const [start, last] = inner.length > 0 ? [Math.min(...inner), Math.max(...inner)] : [0, -1];
  for (let node = 0; node < count; node++)
    if (boundary(node) !== 0) column[node] = boundary(node) < 0 ? start - 1 : last + 1;
  const first = column.reduce((least, c) => Math.min(least, c), Infinity);
  return count === 0 ? column : column.map((c) => c - first);
}

function neighbours(count: number, edges: readonly WeightedEdge[], end: "from" | "to"): number[][] {
  const lists: number[][] = Array.from({ length: count }, () => []);
  for (const edge of edges) lists[edge[end]].push(end === "to" ? edge.from : edge.to);
  return lists;
}

/** A graph whose every edge goes to the next column: the nodes, then a bend for each column that an edge passes. */
export interface ProperLayering {
  /** Nodes come first: vertex i < nodes is node i. */
  readonly nodes: number;
  readonly column: Int32Array;
  /** The vertices left and right of each, and the weights of these steps. */
  readonly left: readonly number[][];
  readonly right: readonly number[][];
  readonly leftWeight: readonly number[][];
  readonly rightWeight: readonly number[][];
  /** The bends of each edge, left to right; null for an edge that does not go right. */
  readonly bends: readonly (readonly number[] | null)[];
  /** Where in the order of the flow a vertex stands: its node, for a bend the node its edge comes from. */
  readonly origin: Int32Array;
}

export function properLayering(column: Int32Array, edges: readonly WeightedEdge[]): ProperLayering {
  const nodes = column.length;
  const columnOf: number[] = [...column];
  const origin: number[] = Array.from(column, (_, node) => node);
  const lists = {
    left: [] as number[][],
    right: [] as number[][],
    leftWeight: [] as number[][],
    rightWeight: [] as number[][],
  };
  const vertex = (): void => Object.values(lists).forEach((list) => list.push([]));
  const step = (from: number, to: number, weight: number): void => {
    lists.right[from].push(to);
    lists.rightWeight[from].push(weight);
    lists.left[to].push(from);
    lists.leftWeight[to].push(weight);
  };
  for (let node = 0; node < nodes; node++) vertex();
  const bends = edges.map((edge) => {
    if (column[edge.from] >= column[edge.to]) return null;
    const chain: number[] = [];
    let at = edge.from;
    for (let c = column[edge.from] + 1; c < column[edge.to]; c++) {
      const bend = columnOf.push(c) - 1;
      origin.push(edge.from);
      vertex();
      step(at, bend, edge.weight * (at < nodes ? 2 : 8));
      chain.push(bend);
      at = bend;
    }
    step(at, edge.to, edge.weight * (at < nodes ? 1 : 2));
    return chain;
  });
  return { nodes, column: Int32Array.from(columnOf), ...lists, bends, origin: Int32Array.from(origin) };
}
