import { drawGlyph, textColor, mix, type Theme } from "@tapeviz/core";
import type { Block } from "./layout";
import { HEAD, NARROW, ROOMY, inset } from "./labels";

type Pen = CanvasRenderingContext2D;

export const FONT = (theme: Theme, size = 12, weight = 400): string => `${weight} ${size}px ${theme.sans}`;
export const CODE = (theme: Theme): string => `11px ${theme.mono}`;

/** How an op looks: on hatching its words stand on a plate of the background's colour, so that they can be read. */
export interface CaptionStyle {
  readonly plate: boolean;
  readonly color: string;
  readonly path: string;
}

/** The colours of the words and of the glyph. */
function tones(theme: Theme, look: CaptionStyle): { tone: string; sign: string } {
  const tone = look.plate ? theme.text : textColor(look.color);
  return { tone, sign: look.plate && !theme.forced ? mix(look.color, theme.text, 0.8) : tone };
}

/** The glyph and the words of an op. */
export function drawCaption(pen: Pen, block: Block, theme: Theme, look: CaptionStyle): void {
  const clear = { ...block, x: block.left, w: block.room };
  if (clear.w < 14) return;
  if (block.words.label === "") lone(pen, clear, theme, look);
  else if (block.words.upright) upright(pen, clear, theme, look);
  else flat(pen, clear, theme, look);
}

function flat(pen: Pen, block: Block, theme: Theme, look: CaptionStyle): void {
  const { x, y, w, h } = block;
  const { label, sub, took } = block.words;
  const { tone, sign } = tones(theme, look);
  const roomy = h >= ROOMY;
  const rows = roomy ? 3 : sub === "" ? 1 : 2;
  const top = y + h / 2 - (rows - 1) * 8;
  const left = x + inset(w);
  const beside = left + 16;
  pen.textAlign = "left";
  if (look.plate) flatPlate(pen, block, theme, rows, roomy ? 0 : 16);
  pen.fillStyle = sign;
  drawGlyph(pen, look.path, left + 5, top, 10);
  pen.fillStyle = tone;
  pen.font = labelFont(theme, w);
  pen.fillText(label, roomy ? left : beside, roomy ? top + 16 : top);
  pen.font = FONT(theme, 11);
  if (took !== "") pen.fillText(took, beside, top);
  if (sub !== "" && rows > 1) pen.fillText(sub, roomy ? left : beside, top + (rows - 1) * 16);
}

/** Words that read upwards, below the glyph. */
function upright(pen: Pen, block: Block, theme: Theme, look: CaptionStyle): void {
  const { x, y, w, h } = block;
  const { label, sub } = block.words;
  const { tone, sign } = tones(theme, look);
  const lines = sub === "" ? [label] : [label, sub];
  const middle = x + w / 2 - 0.5;
  pen.font = FONT(theme, 11);
  pen.textAlign = "left";
  if (look.plate) {
    const long = Math.max(...lines.map((line) => pen.measureText(line).width));
    plate(pen, theme, middle - 7.5, y + 4, 15, 16);
    plate(pen, theme, middle - lines.length * 7.5, y + h - 8 - long, lines.length * 15, long + 5);
  }
  pen.fillStyle = sign;
  drawGlyph(pen, look.path, middle, y + HEAD / 2 + 1, 10);
  pen.fillStyle = tone;
  lines.forEach((line, i) => {
    pen.save();
    pen.translate(middle + (i - (lines.length - 1) / 2) * 14, y + h - 6);
    pen.rotate(-Math.PI / 2);
    pen.fillText(line, 0, 0.5);
    pen.restore();
  });
}

/** A block too narrow for words: its glyph in the middle. */
function lone(pen: Pen, { x, y, w, h }: Block, theme: Theme, look: CaptionStyle): void {
  if (look.plate) plate(pen, theme, x + w / 2 - 7.5, y + h / 2 - 7.5, 14, 15);
  pen.fillStyle = tones(theme, look).sign;
  drawGlyph(pen, look.path, x + w / 2 - 0.5, y + h / 2, 10);
}

const labelFont = (theme: Theme, w: number): string => (w < NARROW ? FONT(theme, 11) : FONT(theme, 12, 500));

function flatPlate(pen: Pen, { x, y, w, h, words }: Block, theme: Theme, rows: number, icon: number): void {
  pen.font = labelFont(theme, w);
  const first = pen.measureText(words.label).width + icon;
  pen.font = FONT(theme, 11);
  const head = words.took === "" ? 16 : pen.measureText(words.took).width + 16;
  const wide = Math.max(first, pen.measureText(words.sub).width + icon, head);
  const air = inset(w) - 3;
  plate(pen, theme, x + air, y + h / 2 - rows * 8 - 1, Math.min(wide + 6, w - 2 * air), rows * 16 + 2);
}

function plate(pen: Pen, theme: Theme, x: number, y: number, w: number, h: number): void {
  pen.fillStyle = theme.background;
  pen.beginPath();
  pen.roundRect(x, y, w, h, 3);
  pen.fill();
}
