import type { ProperLayering } from "./ranks";

/** The order of the vertices in each column, top to bottom: few crossings, and the same for the same graph. */
export function orderColumns(graph: ProperLayering): number[][] {
  let layers = initial(graph);
  const position = positionsOf(layers, graph.column.length);
  let best = layers.map((layer) => [...layer]);
  let fewest = crossings(graph, layers, position);
  for (let sweep = 0, idle = 0; sweep < 16 && idle < 4 && fewest > 0; sweep++) {
    layers = swept(graph, layers, position, sweep % 2 === 0);
    const now = crossings(graph, layers, position);
    idle = now < fewest ? 0 : idle + 1;
    if (now < fewest) [fewest, best] = [now, layers.map((layer) => [...layer])];
  }
  if (fewest > 0 && graph.column.length <= 600) exchange(graph, best);
  return best;
}

/** In the order of the flow: what comes first stands above. */
function initial({ column, origin }: ProperLayering): number[][] {
  const layers: number[][] = [];
  for (let v = 0; v < column.length; v++) (layers[column[v]] ??= []).push(v);
  for (let c = 0; c < layers.length; c++) (layers[c] ??= []).sort((a, b) => origin[a] - origin[b] || a - b);
  return layers;
}

function positionsOf(layers: readonly number[][], count: number): Int32Array {
  const position = new Int32Array(count);
  for (const layer of layers) layer.forEach((v, i) => (position[v] = i));
  return position;
}

/** Sorts each column by the mean place of its neighbours on one side; who has none stays where it is. */
function swept(
  graph: ProperLayering,
  layers: readonly number[][],
  position: Int32Array,
  rightwards: boolean,
): number[][] {
  const beside = rightwards ? graph.left : graph.right;
  const next = layers.map((layer) => [...layer]);
  const middle = new Float64Array(position.length);
  for (let i = 1; i < layers.length; i++) {
    const layer = next[rightwards ? i : layers.length - 1 - i];
    for (const v of layer) {
      const near = beside[v];
      middle[v] = near.length === 0 ? -1 : near.reduce((sum, u) => sum + position[u], 0) / near.length;
    }
    // Only those with neighbours change places among themselves, so that the others keep theirs.
    const moving = layer.filter((v) => middle[v] >= 0).sort((a, b) => middle[a] - middle[b]);
    let at = 0;
    layer.forEach((v, index) => (middle[v] >= 0 ? (layer[index] = moving[at++]) : undefined));
    layer.forEach((v, index) => (position[v] = index));
  }
  return next;
}

/** How many pairs of steps cross. */
export function crossings(graph: ProperLayering, layers: readonly number[][], position: Int32Array): number {
  let total = 0;
  for (let c = 0; c + 1 < layers.length; c++) {
    const size = layers[c + 1].length;
    const tree = new Int32Array(size + 1);
    let seen = 0;
    for (const v of layers[c]) {
      const ends = graph.right[v].map((u) => position[u]);
      for (const end of ends) {
        let below = 0;
        for (let i = end + 1; i > 0; i -= i & -i) below += tree[i];
        total += seen - below;
      }
      for (const end of ends) for (let i = end + 1; i <= size; i += i & -i) tree[i] += 1;
      seen += ends.length;
    }
  }
  return total;
}

/** Exchanges neighbours in a column while that saves crossings. */
function exchange(graph: ProperLayering, layers: number[][]): void {
  const position = positionsOf(layers, graph.column.length);
  for (let round = 0, better = true; better && round < 8; round++) {
    better = false;
    for (const layer of layers) {
      for (let i = 0; i + 1 < layer.length; i++) {
        const [a, b] = [layer[i], layer[i + 1]];
        const now = pairs(graph.left, position, a, b) + pairs(graph.right, position, a, b);
        const then = pairs(graph.left, position, b, a) + pairs(graph.right, position, b, a);
        if (then >= now) continue;
        [layer[i], layer[i + 1]] = [b, a];
        [position[a], position[b]] = [i + 1, i];
        better = true;
      }
    }
  }
}

/** Crossings between the steps of two vertices on one side, `a` standing above `b`. */
function pairs(beside: ProperLayering["left"], position: Int32Array, a: number, b: number): number {
  let total = 0;
  for (const u of beside[a]) for (const w of beside[b]) total += Number(position[u] > position[w]);
  return total;
}
