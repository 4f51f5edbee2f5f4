import { ERROR, STATES, drawGlyph, ellipsize, hatch, mix, type Measure, type Theme } from "@tapeviz/core";
import type { Box } from "../layered/box";
import type { FlowCardContent } from "./cardcontent";
import type { Gap } from "./gaps";
import { FRAME_TITLE, type Card, type GapBox, type Scene } from "./layout";
import {
  drawCard,
  drawFrame,
  drawText,
  FONTS,
  onScreen,
  roundedRect,
  within,
  type Brush,
  type Outline,
  type Pen,
} from "../layered/paint";
import type { Magnitude } from "../figures";
import { drawSeverity, severityColor } from "../severity";
import { drawNormColumn } from "./normcolumn";
import { normFraction, normColor } from "./scale";
import { drawBroken, drawEdge, type Emphasis } from "./edges";

/** What stands out. Cards by tile, edges by their place in the scene. */
export interface Marks {
  readonly selected: number;
  readonly hovered: number;
  readonly target: number;
  readonly card: (card: Card) => Emphasis;
  readonly edge: (index: number) => Emphasis;
  /** Whether the value or the gradient of a card is not finite, and how grave is what a finding says of an op in it. */
  readonly bad: (card: Card) => { readonly value: boolean; readonly gradient: boolean; readonly severity: number };
  /** The addends to be written at the ends of the edges that bring them. */
  readonly addends: ReadonlyMap<number, AddendLabel>;
}

/** An addend of a gradient: its number among them, and how large it is. */
export interface AddendLabel {
  readonly number: number;
  readonly text: string;
}

export function draw(brush: Brush, scene: Scene, marks: Marks): void {
  const { pen, camera, theme } = brush;
  pen.textBaseline = "middle";
  for (const frame of scene.frames) {
    const outline = { color: theme.line, width: 1 };
    drawFrame(brush, frame, { title: `▾ ${frame.group.title}`, high: FRAME_TITLE, fill: theme.surface, outline });
  }
  scene.edges.forEach((edge, i) => {
    if (edge.link < 0) drawBroken(pen, edge, camera, theme, marks.edge(i));
    else drawEdge(pen, edge, camera, theme, marks.edge(i));
  });
  for (const gap of scene.gaps) drawGap(brush, gap);
  for (const card of scene.cards) drawTile(brush, card, marks);
  for (const [edge, addend] of marks.addends) drawAddend(brush, scene.edges[edge].points, addend);
}

function drawGap({ pen, camera, theme, measures: { title, small } }: Brush, { gap, ...frame }: GapBox): void {
  const box = onScreen(frame, camera);
  roundedRect(pen, box, 7);
  pen.fillStyle = theme.background;
  pen.fill();
  pen.setLineDash([5, 4]);
  pen.strokeStyle = theme.fault;
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.setLineDash([]);
  pen.fillStyle = theme.fault;
  const beside = gapLines(gap, box.w - 36, (box.h - 6) / 15, title, small);
  // In a narrow one the cross stands above the words.
  const below = beside.length > 0 ? [] : gapLines(gap, box.w - 8, (box.h - 26) / 15, title, small);
  const shown = beside.length > 0 ? beside : below;
  const middle = box.y + box.h / 2;
  const cross =
    beside.length > 0 ? { x: box.x + 15, y: middle } : { x: box.x + box.w / 2, y: middle - 7.5 * below.length };
  drawGlyph(pen, ERROR.path, cross.x, cross.y, Math.min(13, box.h - 4));
  pen.textAlign = beside.length > 0 ? "left" : "center";
  const [x, top] = beside.length > 0 ? [box.x + 28, middle] : [box.x + box.w / 2, middle + 10];
  shown.forEach(({ text, heavy }, i) => {
    pen.font = heavy ? FONTS(theme).title : FONTS(theme).small;
    pen.fillStyle = heavy ? theme.fault : theme.text;
    pen.fillText(text, x, Math.round(top + (i - (shown.length - 1) / 2) * 15));
  });
}

interface GapLine {
  readonly text: string;
  readonly heavy: boolean;
}

/** What happened, and how and where, on so many lines at most; nothing where not even what happened fits. */
function gapLines({ title, detail }: Gap, room: number, most: number, heavy: Measure, small: Measure): GapLine[] {
  const wrapped = room < 44 ? [] : wrap(title, room, heavy);
  if (wrapped.some((text) => text.endsWith("…")) || wrapped.length > most) return [];
  const how = detail === "" ? [] : wrap(detail, room, small).filter((text) => text !== "…");
  return [
    ...wrapped.map((text) => ({ text, heavy: true })),
    ...(wrapped.length > 0 ? how.map((text) => ({ text, heavy: false })) : []),
  ].slice(0, Math.floor(most));
}

/** Words on as many lines as they need; a word that is too long is cut. */
function wrap(text: string, room: number, measure: Measure): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && measure(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(ellipsize(word, room, measure) || "…");
  }
  return lines;
}

function drawTile(brush: Brush, card: Card, marks: Marks): void {
  const { pen, theme } = brush;
  const { content } = card;
  const bad = marks.bad(card);
  pen.globalAlpha = marks.card(card) === "dim" ? 0.3 : 1;
  const { box, parts } = drawCard(
    brush,
    card,
    content,
    outlineOf(card, theme, marks, content.failed ? 3 : bad.severity),
  );
  if (parts.bar) bar(pen, within(box, parts.bar), card, theme);
  if (!parts.texts.some((text) => text.role === "gradient" || text.role === "range"))
    sign(pen, box, content, theme, bad);
  const lost = bad.gradient || (content.requested && content.gradient?.state === "none");
  const norm = lost ? theme.fault : content.gradient?.state === "number" ? theme.text : undefined;
  const range = bad.value ? theme.fault : undefined;
  for (const text of parts.texts)
    drawText(brush, text, box, text.role === "gradient" ? norm : text.role === "range" ? range : undefined);
  if (bad.severity > 0) drawSeverity(pen, theme, [box.x + box.w / 2, box.y], bad.severity);
  pen.globalAlpha = 1;
}

function outlineOf({ tile }: Card, theme: Theme, marks: Marks, severity: number): Outline {
  const isTarget = tile === marks.target;
  if (tile === marks.selected) return { color: theme.accent, width: 2.5 };
  if (severity > 0) return { color: severityColor(severity, theme), width: 2.5 };
  if (tile === marks.hovered) return { color: theme.hover, width: 2 };
  return { color: isTarget ? theme.text : theme.edge, width: isTarget ? 2 : 1 };
}

/** The gradient's norm on the fixed scale, hatched as all that goes backward; of blocks that repeat a column each. */
function bar(pen: Pen, { x, y, w, h }: Box, { content }: Card, theme: Theme): void {
  if (content.blocks.length > 0) return columns(pen, { x, y, w, h }, content.blocks, theme);
  const { norm, state } = content.gradient!;
  pen.fillStyle = theme.band;
  pen.beginPath();
  pen.roundRect(x, y, w, h, 2);
  pen.fill();
  if (state !== "number") return;
  const color = normColor(norm, theme.dark);
  pen.beginPath();
  pen.roundRect(x, y, Math.max(2, w * normFraction(norm)), h, 2);
  pen.fillStyle = theme.forced ? theme.text : hatch(pen, mix(color, theme.background, 0.3), color, "/", 4);
  pen.fill();
  pen.strokeStyle = theme.forced ? theme.text : color;
  pen.lineWidth = 1;
  pen.stroke();
}

/** A column for each block. */
function columns(pen: Pen, { x, y, w, h }: Box, blocks: readonly Magnitude[], theme: Theme): void {
  pen.fillStyle = theme.band;
  pen.fillRect(x, y, w, h);
  const step = w / blocks.length;
  const gap = step > 4 ? 1 : 0;
  blocks.forEach((magnitude, i) => drawNormColumn(pen, { x: x + i * step, y, w: step - gap, h }, magnitude, theme));
}

/** Where there is no room for words the sign of what is there instead of a number, in the corner. */
function sign(
  pen: Pen,
  box: Box,
  content: FlowCardContent,
  theme: Theme,
  bad: { value: boolean; gradient: boolean },
): void {
  const lost = content.requested && content.gradient?.state === "none";
  if ((!bad.value && !bad.gradient && !lost) || box.w < 30 || box.h < 26) return;
  pen.font = FONTS(theme).title;
  pen.textAlign = "center";
  pen.fillStyle = theme.fault;
  pen.fillText(lost ? STATES.none.glyph : STATES.nan.glyph, box.x + box.w - 10, box.y + 11);
}

/** What a consumer adds to a gradient, at the end of its edge: how much where that fits between the columns, else its number. */
function drawAddend({ pen, camera, theme, measures }: Brush, points: readonly number[], addend: AddendLabel): void {
  const { k, x, y } = camera;
  const { small } = measures;
  const [left, right] = [points[points.length - 6] * k + x, points[points.length - 4] * k + x];
  const middle = Math.round(points[points.length - 1] * k + y);
  const text = small(addend.text) + 14 <= right - left ? addend.text : String(addend.number);
  const wide = Math.max(16, Math.round(small(text) + 10));
  if (wide > right - left - 2) return;
  const from = Math.round(right - wide - 1);
  roundedRect(pen, { x: from, y: middle - 8, w: wide, h: 16 }, 8);
  pen.fillStyle = theme.background;
  pen.fill();
  pen.strokeStyle = theme.accent;
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.font = FONTS(theme).small;
  pen.fillStyle = theme.text;
  pen.textAlign = "center";
  pen.fillText(text, from + wide / 2, middle + 0.5);
}
