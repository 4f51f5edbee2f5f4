/** A rectangle: of a scene, or of the screen. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export const contains = (box: Box, x: number, y: number): boolean =>
  x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h;

export const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Whether `a` has air around all of `b`. */
export const encloses = (a: Box, b: Box): boolean =>
  a.x < b.x && a.y < b.y && a.x + a.w > b.x + b.w && a.y + a.h > b.y + b.h;

/** The smallest box around others, with air at its sides and above them. */
export function boundingBox(boxes: readonly Box[], air: number, above = air): Box {
  const [x, y] = [Math.min(...boxes.map((b) => b.x)) - air, Math.min(...boxes.map((b) => b.y)) - above];
  const [right, bottom] = [Math.max(...boxes.map((b) => b.x + b.w)), Math.max(...boxes.map((b) => b.y + b.h))];
  return { x, y, w: right + air - x, h: bottom + air - y };
}
