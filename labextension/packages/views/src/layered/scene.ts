import type { Box } from "./box";
import type { Size } from "./camera";

/** A drawing of cards: everything with its place, in pixels at scale 1. */
export interface LayeredScene<Card = Box, Frame = Box, Edge = Polyline> extends Size {
  readonly cards: readonly Card[];
  /** Outermost first. */
  readonly frames: readonly Frame[];
  readonly edges: readonly Edge[];
}

/** The points of an edge: x0, y0, x1, y1, ... */
export interface Polyline {
  readonly points: readonly number[];
}
