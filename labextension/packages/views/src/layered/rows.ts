import type { ProperLayering } from "./ranks";

export interface Heights {
  /** The height of each vertex. */
  readonly height: ArrayLike<number>;
  /** Room between two vertices that are neighbours in a column. */
  readonly gap: (above: number, below: number) => number;
}

const SWEEPS = 10;

/** The middle of each vertex from top to bottom: steps as straight as the order allows, nobody touching. */
export function assignRows(graph: ProperLayering, layers: readonly number[][], { height, gap }: Heights): Float64Array {
  const y = new Float64Array(graph.column.length);
  const offsets = layers.map((layer) => offsetsOf(layer, height, gap));
  layers.forEach((layer, c) => {
    const total = offsets[c][layer.length - 1] ?? 0;
    layer.forEach((v, i) => (y[v] = offsets[c][i] - total / 2));
  });
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const side = sweep >= SWEEPS - 2 ? "both" : sweep % 2 === 0 ? "left" : "right";
    for (let i = 0; i < layers.length; i++) {
      const c = side === "right" ? layers.length - 1 - i : i;
      settle(graph, layers[c], offsets[c], y, side);
    }
  }
  straighten(graph, layers, offsets, y);
  const top = y.reduce((least, middle, v) => Math.min(least, middle - height[v] / 2), Infinity);
  return y.map((middle) => Math.round(middle - top));
}

/** How far below the first vertex of a column each one has to be at least. */
function offsetsOf(layer: readonly number[], height: ArrayLike<number>, gap: Heights["gap"]): Float64Array {
  const offsets = new Float64Array(layer.length);
  for (let i = 1; i < layer.length; i++) {
    const [a, b] = [layer[i - 1], layer[i]];
    offsets[i] = offsets[i - 1] + (height[a] + height[b]) / 2 + gap(a, b);
  }
  return offsets;
}

/** Puts a column's vertices as near to their neighbours as their order and room allow (least squares). */
function settle(
  graph: ProperLayering,
  layer: readonly number[],
  offsets: Float64Array,
  y: Float64Array,
  side: "left" | "right" | "both",
): void {
  const wanted = new Float64Array(layer.length);
  const weight = new Float64Array(layer.length);
  for (let i = 0; i < layer.length; i++) {
    const v = layer[i];
    const [left, right] = [graph.left[v], graph.right[v]];
    let [sum, total] = [0, 0];
    if (left.length > 0 && (side !== "right" || right.length === 0)) {
      for (let k = 0; k < left.length; k++)
        [sum, total] = [sum + y[left[k]] * graph.leftWeight[v][k], total + graph.leftWeight[v][k]];
    }
    if (right.length > 0 && (side !== "left" || left.length === 0)) {
      for (let k = 0; k < right.length; k++)
        [sum, total] = [sum + y[right[k]] * graph.rightWeight[v][k], total + graph.rightWeight[v][k]];
    }
    wanted[i] = (total > 0 ? sum / total : y[v]) - offsets[i];
    weight[i] = Math.max(total, 1e-9);
  }
  const settled = isotonicRegression(wanted, weight);
  for (let i = 0; i < layer.length; i++) y[layer[i]] = settled[i] + offsets[i];
}

/** The never falling values nearest to the wanted ones: neighbours that disagree share their weighted mean. */
export function isotonicRegression(wanted: Float64Array, weight: Float64Array): Float64Array {
  const mean = new Float64Array(wanted.length);
  const mass = new Float64Array(wanted.length);
  const size = new Int32Array(wanted.length);
  let blocks = 0;
  for (let i = 0; i < wanted.length; i++) {
    let [m, w, n] = [wanted[i], weight[i], 1];
    while (blocks > 0 && mean[blocks - 1] >= m) {
      blocks -= 1;
      m = (mean[blocks] * mass[blocks] + m * w) / (mass[blocks] + w);
      w += mass[blocks];
      n += size[blocks];
    }
    mean[blocks] = m;
    mass[blocks] = w;
    size[blocks++] = n;
  }
  const out = new Float64Array(wanted.length);
  for (let block = 0, at = 0; block < blocks; at += size[block++]) out.fill(mean[block], at, at + size[block]);
  return out;
}

/** Gives the bends of an edge one height where there is room for it in every column. */
function straighten(
  graph: ProperLayering,
  layers: readonly number[][],
  offsets: readonly Float64Array[],
  y: Float64Array,
): void {
  const position = new Int32Array(y.length);
  for (const layer of layers) layer.forEach((v, i) => (position[v] = i));
  for (const chain of graph.bends) {
    if (!chain || chain.length < 2) continue;
    let [low, high] = [-Infinity, Infinity];
    for (const v of chain) {
      const [layer, room, i] = [layers[graph.column[v]], offsets[graph.column[v]], position[v]];
      if (i > 0) low = Math.max(low, y[layer[i - 1]] + room[i] - room[i - 1]);
      if (i + 1 < layer.length) high = Math.min(high, y[layer[i + 1]] - room[i + 1] + room[i]);
    }
    if (low > high) continue;
    const middle = chain.map((v) => y[v]).sort((a, b) => a - b)[chain.length >> 1];
    for (const v of chain) y[v] = Math.min(Math.max(middle, low), high);
  }
}
