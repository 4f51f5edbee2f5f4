/** What pictures of cards are painted with; knows no recording. */
import { drawGlyph, type Family, type Theme } from "@tapeviz/core";
import type { Camera } from "./camera";
import type { Box } from "./card";

export type Pen = CanvasRenderingContext2D;

export const FONTS = (theme: Theme): Record<"title" | "small", string> => ({
  title: `600 12px ${theme.sans}`,
  small: `400 11px ${theme.sans}`,
});

/** A box on the screen, at whole pixels so that its lines are crisp; equal boxes stay equal. */
export function onScreen(box: Box, { k, x, y }: Camera): Box {
  return {
    x: Math.round(box.x * k + x),
    y: Math.round(box.y * k + y),
    w: Math.round(box.w * k),
    h: Math.round(box.h * k),
  };
}

export function plate(pen: Pen, { x, y, w, h }: Box, radius: number): void {
  pen.beginPath();
  pen.roundRect(x + 0.5, y + 0.5, w - 1, h - 1, Math.min(radius, h / 3));
}

/** One more sheet below a closed group. */
export function sheet(pen: Pen, box: Box, shift: number, theme: Theme): void {
  plate(pen, { ...box, x: box.x + shift, y: box.y + shift }, 7);
  pen.fillStyle = theme.surface;
  pen.fill();
  pen.strokeStyle = theme.edge;
  pen.lineWidth = 1;
  pen.stroke();
}

export function strips(pen: Pen, { x, y, w, h }: Box, rules: readonly number[], theme: Theme): void {
  if (rules.length === 0) return;
  pen.fillStyle = theme.surface;
  pen.fillRect(x, y, w, rules[0]);
  pen.fillRect(x, y + rules[1], w, h - rules[1]);
  pen.fillStyle = theme.line;
  for (const rule of rules) pen.fillRect(x, y + Math.round(rule), w, 1);
}

export function spark(pen: Pen, { x, y, w, h }: Box, bins: Uint32Array, theme: Theme): void {
  const most = bins.reduce((a, b) => Math.max(a, b), 1);
  const step = w / bins.length;
  pen.fillStyle = theme.muted;
  pen.beginPath();
  bins.forEach((n, i) => {
    const tall = n === 0 ? 0 : Math.max(1, (n / most) * h);
    pen.rect(x + i * step, y + h - tall, step, tall);
  });
  pen.fill();
}

export function glyph(pen: Pen, { x, y, w, h }: Box, family: Family, theme: Theme): void {
  pen.fillStyle = theme.forced ? theme.text : family.color;
  drawGlyph(pen, family.path, x + w / 2, y + h / 2, w);
}
