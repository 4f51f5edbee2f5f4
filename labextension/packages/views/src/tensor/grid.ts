import { clamp } from "@tapeviz/core";
import { WINDOW_LIMIT } from "./messages";
import type { Plane, Slice } from "./plane";

/** Which part of a plane is in view: the row and column at the upper left, and the size of a cell in pixels. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Box {
  readonly width: number;
  readonly height: number;
}

type Size = Pick<Plane, "rows" | "cols"> & Partial<Pick<Plane, "shape">>;

/** The largest cell, and the least room a number needs. */
const LARGEST = { w: 88, h: 26 } as const;
export const NUMBER_ROOM = { w: 36, h: 16 } as const;
/**
 * The most that a cell may measure one way when it measures `other` the other way: cells of matrices may be wide, to
 * fill the box, those of images (which are part of something larger) stay nearly square. What is thin stays visible.
 */
function breadth({ shape }: Size, other: number): number {
  if (shape && shape.length >= 3) return other < 1 ? 24 : 1.25 * other;
  return Math.max(4 * other, 24);
}

/** The whole plane. Cells smaller than a pixel are thinned out; very long planes still get a visible breadth. */
export function fit(size: Size, { width, height }: Box): Camera {
  const { rows, cols } = size;
  const w = Math.min(width / cols, LARGEST.w);
  const h = Math.min(height / rows, LARGEST.h);
  return { x: 0, y: 0, w: Math.min(w, breadth(size, h)), h: Math.min(h, breadth(size, w)) };
}

/** Keeps the plane inside the box: no empty room beyond an edge while there is more to see. */
export function confine(camera: Camera, { rows, cols }: Size, { width, height }: Box): Camera {
  return {
    ...camera,
    x: clamp(camera.x, 0, Math.max(0, cols - width / camera.w)),
    y: clamp(camera.y, 0, Math.max(0, rows - height / camera.h)),
  };
}

/** Zooms by a factor around a point of the box; never out beyond `fit`, never in beyond a cell that shows its number. */
export function zoom(camera: Camera, size: Size, box: Box, factor: number, px: number, py: number): Camera {
  const least = fit(size, box);
  const w = clamp(camera.w * factor, least.w, Math.max(least.w, LARGEST.w));
  const h = clamp(camera.h * factor, least.h, Math.max(least.h, LARGEST.h));
  return confine({ w, h, x: camera.x + px / camera.w - px / w, y: camera.y + py / camera.h - py / h }, size, box);
}

/** Moves by pixels. */
export function pan(camera: Camera, size: Size, box: Box, dx: number, dy: number): Camera {
  return confine({ ...camera, x: camera.x + dx / camera.w, y: camera.y + dy / camera.h }, size, box);
}

/** Moves as little as possible so that a cell is wholly in view. */
export function reveal(camera: Camera, size: Size, box: Box, r: number, c: number): Camera {
  const x = clamp(camera.x, c + 1 - box.width / camera.w, c);
  const y = clamp(camera.y, r + 1 - box.height / camera.h, r);
  return confine({ ...camera, x, y }, size, box);
}

/**
 * The cells in view, thinned so that each one taken covers at least a pixel and all together are no more than a window
 * holds. Starts at multiples of the stride.
 */
export function sliceOf(camera: Camera, { rows, cols }: Size, { width, height }: Box): Slice {
  let [least, broad] = [camera.h, camera.w];
  for (;;) {
    const [top, tall, down] = along(camera.y, camera.h, rows, height, least);
    const [left, wide, right] = along(camera.x, camera.w, cols, width, broad);
    if (tall * wide <= WINDOW_LIMIT) return { start: [top, left], size: [tall, wide], stride: [down, right] };
    if (tall > wide) least = Math.min(least, 1) / 2;
    else broad = Math.min(broad, 1) / 2;
  }
}

/** A power of two as stride, so that panning takes the same elements again; `sampled` is the size of a cell that decides it. */
function along(
  from: number,
  cell: number,
  n: number,
  pixels: number,
  sampled: number,
): [start: number, size: number, stride: number] {
  const stride = sampled >= 1 ? 1 : 2 ** Math.ceil(Math.log2(1 / sampled) - 1e-9);
  const start = Math.floor(Math.max(0, from) / stride + 1e-9) * stride;
  const end = Math.min(n, Math.ceil(from + pixels / cell - 1e-9));
  return [start, Math.max(0, Math.ceil((end - start) / stride)), stride];
}

/** The cell under a point of the box; null beside the plane. */
export function cellAt(camera: Camera, { rows, cols }: Size, px: number, py: number): readonly [number, number] | null {
  const [r, c] = [Math.floor(camera.y + py / camera.h), Math.floor(camera.x + px / camera.w)];
  return r >= 0 && r < rows && c >= 0 && c < cols ? [r, c] : null;
}

/** Numbers along an edge: every n-th row or column, n round, so that labels of `room` pixels do not touch. */
export function labels(
  from: number,
  cell: number,
  n: number,
  pixels: number,
  room: number,
): { at: number; middle: number }[] {
  const every = round(room / cell);
  const first = Math.ceil(Math.max(0, from - 1e-9) / every) * every;
  const out: { at: number; middle: number }[] = [];
  for (let at = first; at < n; at += every) {
    const middle = (at - from + 0.5) * cell;
    if (middle > pixels) break;
    if (middle >= 0) out.push({ at, middle });
  }
  return out;
}

function round(least: number): number {
  if (least <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(least) + 1e-9);
  return [1, 2, 5, 10].map((m) => m * power).find((n) => n >= least - 1e-9) ?? 10 * power;
}

/** A scroll thumb along an edge, in pixels; null when all is in view. */
export function thumb(from: number, cell: number, n: number, pixels: number): { start: number; size: number } | null {
  const seen = pixels / cell;
  if (seen >= n - 1e-6) return null;
  const size = Math.max(24, (seen / n) * pixels);
  return { start: (from / (n - seen)) * (pixels - size), size };
}

/** The first row or column that a thumb put at `start` stands for. */
export function thumbTo(start: number, cell: number, n: number, pixels: number): number {
  const size = thumb(0, cell, n, pixels)?.size ?? pixels;
  const seen = pixels / cell;
  return size >= pixels ? 0 : clamp(start / (pixels - size), 0, 1) * Math.max(0, n - seen);
}
