import { s } from "./dom";
import type { Family } from "./families";

const paths = new Map<string, Path2D>();

/** Draws a glyph with its middle at (x, y), `size` pixels wide. */
export function drawGlyph(context: CanvasRenderingContext2D, path: string, x: number, y: number, size: number): void {
  let shape = paths.get(path);
  if (!shape) paths.set(path, (shape = new Path2D(path)));
  context.save();
  context.translate(x - size / 2, y - size / 2);
  context.scale(size / 16, size / 16);
  context.fill(shape, "evenodd");
  context.restore();
}

/** The same glyph for DOM: decorative, so hidden from screen readers; say the family in text beside it. */
export function glyphIcon(path: string, color: string, size = 12, outline = "none"): SVGSVGElement {
  return s(
    "svg",
    { viewBox: "0 0 16 16", width: size, height: size, class: "tv-glyph", "aria-hidden": "true" },
    s("path", { d: path, fill: color, "fill-rule": "evenodd", stroke: outline, "stroke-width": 1 }),
  );
}

/** A family's glyph in its colour with the theme's outline. */
export const familyIcon = (family: Family, size = 12): SVGSVGElement =>
  glyphIcon(family.path, family.color, size, "var(--tv-outline)");

const patterns = new WeakMap<CanvasRenderingContext2D, Map<string, CanvasPattern>>();

/** Diagonal hatching, "/" for backward and "\" for failed, sharp at the current device pixel ratio. */
export function hatch(
  context: CanvasRenderingContext2D,
  ground: string,
  line: string,
  lean: "/" | "\\" = "/",
  pitch = 5,
): CanvasPattern | string {
  const ratio = window.devicePixelRatio || 1;
  const key = `${ground} ${line} ${lean} ${pitch} ${ratio}`;
  let own = patterns.get(context);
  if (!own) patterns.set(context, (own = new Map<string, CanvasPattern>()));
  const known = own.get(key);
  if (known) return known;
  const made = tile(context, ground, line, lean, Math.max(3, Math.round(pitch * ratio)), ratio);
  if (made) own.set(key, made);
  return made ?? ground;
}

function tile(
  context: CanvasRenderingContext2D,
  ground: string,
  line: string,
  lean: string,
  side: number,
  ratio: number,
): CanvasPattern | null {
  const square = document.createElement("canvas");
  square.width = square.height = side;
  const pen = square.getContext("2d");
  if (!pen) return null;
  pen.fillStyle = ground;
  pen.fillRect(0, 0, side, side);
  pen.strokeStyle = line;
  pen.lineWidth = Math.max(1, ratio);
  for (const shift of [-side, 0, side]) {
    pen.beginPath();
    pen.moveTo(shift - 1, lean === "/" ? side + 1 : -1);
    pen.lineTo(shift + side + 1, lean === "/" ? -1 : side + 1);
    pen.stroke();
  }
  const pattern = context.createPattern(square, "repeat");
  pattern?.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}
