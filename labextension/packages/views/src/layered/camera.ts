import { clamp } from "@tapeviz/core";
import type { Box } from "./box";

/** What part of a scene is seen: a point of the scene is drawn at k times it, moved by (x, y). */
export interface Camera {
  readonly k: number;
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const CLOSEST = 2;
const FARTHEST = 0.06;

/** The whole scene in the middle, as large as it is at most. */
export function fit(scene: Size, view: Size): Camera {
  const k = clamp(
    Math.min(view.width / Math.max(1, scene.width), view.height / Math.max(1, scene.height)),
    FARTHEST,
    1,
  );
  return centred(scene, view, k);
}

const centred = (scene: Size, view: Size, k: number): Camera => ({
  k,
  x: Math.round((view.width - scene.width * k) / 2),
  y: Math.round((view.height - scene.height * k) / 2),
});

/** Zooms by a factor around a point of the screen. */
export function zoom(camera: Camera, factor: number, x: number, y: number): Camera {
  const k = clamp(camera.k * factor, FARTHEST, CLOSEST);
  const ratio = k / camera.k;
  return { k, x: x - (x - camera.x) * ratio, y: y - (y - camera.y) * ratio };
}

/** Moves, but never so far that nothing of the scene is left. */
export function pan(camera: Camera, dx: number, dy: number, scene: Size, view: Size): Camera {
  const keep = 60;
  return {
    k: camera.k,
    x: clamp(camera.x + dx, keep - scene.width * camera.k, view.width - keep),
    y: clamp(camera.y + dy, keep - scene.height * camera.k, view.height - keep),
  };
}

/** Brings a box of the scene into view with some air around it; what is seen already stays where it is. */
export function reveal(camera: Camera, box: Box, view: Size): Camera {
  const shift = (from: number, size: number, room: number): number => {
    const air = Math.min(28, Math.max(0, (room - size) / 2));
    if (from < 0) return air - from;
    return from + size > room ? room - air - from - size : 0;
  };
  const dx = shift(box.x * camera.k + camera.x, box.w * camera.k, view.width);
  const dy = shift(box.y * camera.k + camera.y, box.h * camera.k, view.height);
  return dx === 0 && dy === 0 ? camera : { k: camera.k, x: camera.x + dx, y: camera.y + dy };
}
