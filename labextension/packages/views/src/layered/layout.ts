import { orderColumns } from "./order";
import { assignColumns, properLayering, type BoundarySide, type ProperLayering, type WeightedEdge } from "./ranks";
import { assignRows } from "./rows";

/** Boxes and edges to be laid out left to right. Boxes come in the order of the flow, sizes in pixels. */
export interface LayoutGraph {
  readonly width: readonly number[];
  readonly height: readonly number[];
  readonly edges: readonly WeightedEdge[];
  /** A box that stands right before what reads it, wherever that is. */
  readonly leaf: (box: number) => boolean;
  /** A box that stands at the left or right boundary, before or behind all others. */
  readonly boundary?: (box: number) => BoundarySide;
  readonly spacing: Spacing;
}

export interface Spacing {
  /** Between columns, between boxes of a column, and beside an edge that passes boxes. */
  readonly column: number;
  readonly row: number;
  readonly edge: number;
}

/** Where everything goes. */
export interface GraphLayout {
  /** Left and top of each box. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly column: Int32Array;
  readonly columns: number;
  /** For each edge x0, y0, x1, y1, ...: level parts are straight, the others curves that leave and arrive level. */
  readonly routes: readonly (readonly number[])[];
  readonly width: number;
  readonly height: number;
}

const PORT = 16;

/** Lays out a graph: no two boxes touch, and no edge passes under a box. */
export function layeredLayout(sketch: LayoutGraph): GraphLayout {
  const { width, height, edges, leaf, boundary, spacing } = sketch;
  const graph = properLayering(assignColumns(width.length, edges, leaf, boundary), edges);
  const layers = orderColumns(graph);
  const tall = Float64Array.from(graph.column, (_, v) => height[v] ?? 2);
  const gap = (a: number, b: number): number => (a < graph.nodes && b < graph.nodes ? spacing.row : spacing.edge);
  const middle = assignRows(graph, layers, { height: tall, gap });
  const [left, wide] = strips(graph, layers.length, width, spacing.column);
  const x = Float64Array.from(width, (w, box) => left[graph.column[box]] + (wide[graph.column[box]] - w) / 2);
  const y = Float64Array.from(height, (h, box) => middle[box] - h / 2);
  const routes = routed(sketch, graph, { middle, left, wide, x });
  const last = layers.length - 1;
  const bottom = middle.reduce((most, m, v) => Math.max(most, m + tall[v] / 2), 0);
  return {
    x,
    y,
    column: graph.column.slice(0, graph.nodes),
    columns: layers.length,
    routes,
    width: last < 0 ? 0 : left[last] + wide[last],
    height: bottom,
  };
}

/** Left edge and width of each column. */
function strips(
  graph: ProperLayering,
  count: number,
  width: readonly number[],
  gap: number,
): [Float64Array, Float64Array] {
  const wide = new Float64Array(count);
  width.forEach((w, box) => (wide[graph.column[box]] = Math.max(wide[graph.column[box]], w)));
  const left = new Float64Array(count);
  for (let c = 1; c < count; c++) left[c] = left[c - 1] + wide[c - 1] + gap;
  return [left, wide];
}

interface Places {
  readonly middle: Float64Array;
  readonly left: Float64Array;
  readonly wide: Float64Array;
  readonly x: Float64Array;
}

function routed(sketch: LayoutGraph, graph: ProperLayering, places: Places): number[][] {
  const { middle, left, wide, x } = places;
  const port = ports(sketch, graph, middle);
  return sketch.edges.map(({ from, to }, w) => {
    const points = [x[from] + sketch.width[from], middle[from]];
    const across = (c: number, y: number): number => points.push(left[c], y, left[c] + wide[c], y);
    points.push(left[graph.column[from]] + wide[graph.column[from]], middle[from]);
    for (const bend of graph.bends[w] ?? []) across(graph.column[bend], middle[bend]);
    points.push(left[graph.column[to]], middle[to] + port[w], x[to], middle[to] + port[w]);
    return points;
  });
}

/** How far above or below its middle a box takes each edge: the heaviest one in the middle, the others by where they come from. */
function ports(sketch: LayoutGraph, graph: ProperLayering, middle: Float64Array): Float64Array {
  const port = new Float64Array(sketch.edges.length);
  const arriving: number[][] = sketch.width.map(() => []);
  sketch.edges.forEach(({ to }, w) => arriving[to].push(w));
  const comesFrom = (w: number): number => middle[graph.bends[w]?.at(-1) ?? sketch.edges[w].from];
  arriving.forEach((list, box) => {
    if (list.length < 2) return;
    const sorted = [...list].sort((a, b) => comesFrom(a) - comesFrom(b));
    const heavy = sorted.reduce((best, w) => (sketch.edges[w].weight > sketch.edges[best].weight ? w : best));
    const main = sorted.indexOf(heavy);
    const room = Math.max(0, sketch.height[box] / 2 - 10);
    const step = Math.min(PORT, room / Math.max(main, sorted.length - 1 - main));
    sorted.forEach((w, i) => (port[w] = (i - main) * step));
  });
  return port;
}
