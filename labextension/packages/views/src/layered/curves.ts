import type { Camera } from "./camera";
import type { Pen } from "./paint";

/** The small arrow at the end of what goes forward. */
export function drawArrowhead(pen: Pen, x: number, y: number, color: string): void {
  pen.fillStyle = color;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x - 5.5, y - 3.2);
  pen.lineTo(x - 5.5, y + 3.2);
  pen.fill();
}

export const onScreen = (points: readonly number[], { k, x, y }: Camera): number[] =>
  points.map((v, i) => (i % 2 === 0 ? v * k + x : Math.round(v * k + y) + 0.5));

/** The path through the points: level parts straight, the others curves that leave and arrive level. */
export function curvePath(pen: Pen | Path2D, points: readonly number[]): void {
  if ("beginPath" in pen) pen.beginPath();
  pen.moveTo(points[0], points[1]);
  for (let i = 2; i < points.length; i += 2) {
    const [x0, y0, x1, y1] = [points[i - 2], points[i - 1], points[i], points[i + 1]];
    if (y0 === y1) pen.lineTo(x1, y1);
    else pen.bezierCurveTo((x0 + x1) / 2, y0, (x0 + x1) / 2, y1, x1, y1);
  }
}
