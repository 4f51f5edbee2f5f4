import { contains, type Box } from "./box";
import type { LayeredScene, Polyline } from "./scene";

/** A card, the title of a frame, or the edge nearest to a point. */
export type SceneHit<Card, Frame, Edge> = { readonly card: Card } | { readonly frame: Frame } | { readonly edge: Edge };

/** In a scene that is drawn at k times its size. */
export type Point = readonly [x: number, y: number, k: number];

// So many pixels of the screen beside an edge still hit it.
const NEAR = 7;

/** What is at a point; the titles of frames are `title` high. */
export function hitScene<Card extends Box, Frame extends Box, Edge extends Polyline>(
  { cards, frames, edges }: LayeredScene<Card, Frame, Edge>,
  [x, y, k]: Point,
  title: number,
): SceneHit<Card, Frame, Edge> | null {
  const card = cards.find((one) => contains(one, x, y));
  if (card) return { card };
  const frame = frames.findLast((one) => contains({ ...one, h: title }, x, y));
  if (frame) return { frame };
  let best: Edge | null = null;
  let least = NEAR / k;
  for (const edge of edges) {
    const apart = distance(edge.points, x, y);
    if (apart < least) [least, best] = [apart, edge];
  }
  return best && { edge: best };
}

/** How far above or below a point an edge passes; Infinity where it does not pass. */
function distance(points: readonly number[], x: number, y: number): number {
  for (let i = 2; i < points.length; i += 2) {
    const [x0, y0, x1, y1] = [points[i - 2], points[i - 1], points[i], points[i + 1]];
    if (x < x0 || x > x1 || x1 === x0) continue;
    const t = (x - x0) / (x1 - x0);
    return Math.abs(y0 + (y1 - y0) * t * t * (3 - 2 * t) - y);
  }
  return Infinity;
}
