/** What pictures of cards are painted with; knows no recording. */
import { drawGlyph, ellipsize, type Family, type Theme } from "@tapeviz/core";
import type { Box } from "./box";
import type { Camera } from "./camera";
import { cardParts, type CardContent, type CardParts, type CardText, type Measures } from "./card";

export type Pen = CanvasRenderingContext2D;

/** What a scene is painted with. */
export interface Brush {
  readonly pen: Pen;
  readonly camera: Camera;
  readonly theme: Theme;
  readonly measures: Measures;
}

export interface Outline {
  readonly color: string;
  readonly width: number;
  readonly dash?: number[];
}

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

export function roundedRect(pen: Pen, { x, y, w, h }: Box, radius: number): void {
  pen.beginPath();
  pen.roundRect(x + 0.5, y + 0.5, w - 1, h - 1, Math.min(radius, h / 3));
}

function outlined(pen: Pen, box: Box, radius: number, { color, width, dash = [] }: Outline): void {
  roundedRect(pen, box, radius);
  pen.strokeStyle = color;
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.stroke();
  pen.setLineDash([]);
}

/** The frame around what is open. Its title, in a strip `high` at scale 1, stays in sight while a part of the frame is. */
export function drawFrame(
  { pen, camera, theme, measures }: Brush,
  frame: Box,
  { title, high, fill, outline }: { title: string; high: number; fill: string; outline: Outline },
): void {
  const box = onScreen(frame, camera);
  roundedRect(pen, box, 9);
  pen.fillStyle = fill;
  pen.fill();
  outlined(pen, box, 9, outline);
  if (high * camera.k < 11) return;
  pen.font = FONTS(theme).small;
  pen.fillStyle = theme.muted;
  pen.textAlign = "left";
  const left = Math.max(box.x + 8, 8);
  const text = ellipsize(title, box.x + box.w - 8 - left, measures.small);
  pen.fillText(text, left, Math.round(box.y + high * camera.k * 0.5 + 1));
}

/** A card without its texts, which are left to `drawText`: what else stands on it goes below them. */
export function drawCard(
  { pen, camera, theme, measures }: Brush,
  card: Box,
  content: CardContent,
  outline: Outline,
  tint?: string,
): { box: Box; parts: CardParts } {
  const box = onScreen(card, camera);
  const parts = cardParts(content, box.w, box.h, measures);
  if (content.stack > 0) for (const shift of content.stack > 1 ? [6, 3] : [3]) sheet(pen, box, shift, theme);
  roundedRect(pen, box, 7);
  pen.fillStyle = theme.background;
  pen.fill();
  pen.save();
  pen.clip();
  strips(pen, box, parts.rules, theme);
  if (tint) {
    pen.fillStyle = tint;
    pen.fillRect(box.x, box.y, box.w, box.h);
  }
  pen.restore();
  outlined(pen, box, 7, outline);
  if (parts.spark) spark(pen, within(box, parts.spark), content.figures!.bins, theme);
  if (parts.glyph) glyph(pen, within(box, parts.glyph), content.family, theme);
  return { box, parts };
}

/** A place within a card, on the screen. */
export const within = ({ x, y }: Box, part: Box): Box => ({ ...part, x: x + part.x, y: y + part.y });

export function drawText({ pen, theme }: Brush, { role, text, x, y }: CardText, box: Box, color?: string): void {
  const main = role === "title" || role === "times" || role === "name";
  pen.font = role === "title" ? FONTS(theme).title : FONTS(theme).small;
  pen.fillStyle = color ?? (main ? theme.text : theme.muted);
  pen.textAlign = "left";
  pen.fillText(text, box.x + x, box.y + Math.round(y));
}

/** One more sheet below a closed group. */
function sheet(pen: Pen, box: Box, shift: number, theme: Theme): void {
  roundedRect(pen, { ...box, x: box.x + shift, y: box.y + shift }, 7);
  pen.fillStyle = theme.surface;
  pen.fill();
  pen.strokeStyle = theme.edge;
  pen.lineWidth = 1;
  pen.stroke();
}

function strips(pen: Pen, { x, y, w, h }: Box, rules: readonly number[], theme: Theme): void {
  if (rules.length === 0) return;
  pen.fillStyle = theme.surface;
  pen.fillRect(x, y, w, rules[0]);
  pen.fillRect(x, y + rules[1], w, h - rules[1]);
  pen.fillStyle = theme.line;
  for (const rule of rules) pen.fillRect(x, y + Math.round(rule), w, 1);
}

function spark(pen: Pen, { x, y, w, h }: Box, bins: Uint32Array, theme: Theme): void {
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

function glyph(pen: Pen, { x, y, w, h }: Box, family: Family, theme: Theme): void {
  pen.fillStyle = theme.forced ? theme.text : family.color;
  drawGlyph(pen, family.path, x + w / 2, y + h / 2, w);
}
