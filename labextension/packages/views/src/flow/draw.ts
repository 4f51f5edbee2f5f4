import { ERROR, STATES, drawGlyph, ellipsize, hatch, mix, type Measure, type Theme } from "@tapeviz/core";
import type { Camera } from "../layered/camera";
import { cardParts, type Box, type CardText, type Measures } from "../layered/card";
import type { Face } from "./face";
import { FRAME_TITLE, type Card, type Frame, type GapBox, type Scene } from "./layout";
import { FONTS, glyph, onScreen, plate, sheet, spark, strips, type Pen } from "../layered/paint";
import { part, tone } from "./scale";
import { drawBroken, drawStrand, type Emphasis } from "./strands";

/** What stands out. Cards by tile, wires by their place in the scene. */
export interface Marks {
  readonly selected: number;
  readonly hovered: number;
  readonly target: number;
  readonly card: (card: Card) => Emphasis;
  readonly wire: (index: number) => Emphasis;
  /** Whether the value or the gradient of a card is not finite, and whether it begins here. */
  readonly bad: (card: Card) => { readonly value: boolean; readonly gradient: boolean; readonly first: boolean };
  /** The addends to be written at the ends of the wires that bring them. */
  readonly addends: ReadonlyMap<number, Addend>;
}

/** An addend of a gradient: its number among them, and how large it is. */
export interface Addend {
  readonly number: number;
  readonly text: string;
}

export function draw(pen: Pen, scene: Scene, camera: Camera, theme: Theme, marks: Marks, measures: Measures): void {
  pen.textBaseline = "middle";
  for (const frame of scene.frames) drawFrame(pen, frame, camera, theme, measures.small);
  scene.wires.forEach((strand, i) => {
    if (strand.link < 0) drawBroken(pen, strand, camera, theme, marks.wire(i));
    else drawStrand(pen, strand, camera, theme, marks.wire(i));
  });
  for (const gap of scene.gaps) drawGap(pen, gap, camera, theme, measures);
  for (const card of scene.cards) drawCard(pen, card, camera, theme, marks, measures);
  for (const [wire, addend] of marks.addends)
    drawAddend(pen, scene.wires[wire].points, addend, camera, theme, measures.small);
}

function drawFrame(pen: Pen, frame: Frame, camera: Camera, theme: Theme, small: Measure): void {
  const box = onScreen(frame, camera);
  plate(pen, box, 9);
  pen.fillStyle = theme.surface;
  pen.fill();
  pen.strokeStyle = theme.line;
  pen.lineWidth = 1;
  pen.stroke();
  if (camera.k < 0.55) return;
  pen.font = FONTS(theme).small;
  pen.fillStyle = theme.muted;
  pen.textAlign = "left";
  // The title stays in sight while a part of the frame is.
  const left = Math.max(box.x + 8, 8);
  const title = ellipsize(`▾ ${frame.group.title}`, box.x + box.w - 8 - left, small);
  pen.fillText(title, left, box.y + FRAME_TITLE * camera.k * 0.5 + 1);
}

function drawGap(pen: Pen, { gap, ...place }: GapBox, camera: Camera, theme: Theme, { title, small }: Measures): void {
  const box = onScreen(place, camera);
  plate(pen, box, 7);
  pen.fillStyle = theme.background;
  pen.fill();
  pen.setLineDash([5, 4]);
  pen.strokeStyle = theme.fault;
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.setLineDash([]);
  pen.fillStyle = theme.fault;
  const room = box.w - 36;
  const wrapped = room < 44 || box.h < 22 ? [] : wrap(gap.title, room, title);
  const lines = wrapped.some((text) => text.endsWith("…")) ? [] : wrapped.map((text) => ({ text, heavy: true }));
  if (gap.detail !== "" && lines.length > 0)
    lines.push(...wrap(gap.detail, room, small).map((text) => ({ text, heavy: false })));
  const shown = lines.slice(0, Math.floor((box.h - 6) / 15));
  const middle = box.y + box.h / 2;
  drawGlyph(pen, ERROR.path, shown.length > 0 ? box.x + 15 : box.x + box.w / 2, middle, Math.min(13, box.h - 4));
  pen.textAlign = "left";
  shown.forEach(({ text, heavy }, i) => {
    pen.font = heavy ? FONTS(theme).title : FONTS(theme).small;
    pen.fillStyle = heavy ? theme.fault : theme.text;
    pen.fillText(text, box.x + 28, Math.round(middle + (i - (shown.length - 1) / 2) * 15));
  });
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

function drawCard(pen: Pen, card: Card, camera: Camera, theme: Theme, marks: Marks, measures: Measures): void {
  const box = onScreen(card, camera);
  const { face } = card;
  const parts = cardParts(face, box.w, box.h, measures);
  const bad = marks.bad(card);
  pen.globalAlpha = marks.card(card) === "dim" ? 0.3 : 1;
  if (face.stack > 0) for (const shift of face.stack > 1 ? [6, 3] : [3]) sheet(pen, box, shift, theme);
  plate(pen, box, 7);
  pen.fillStyle = theme.background;
  pen.fill();
  pen.save();
  pen.clip();
  strips(pen, box, parts.rules, theme);
  pen.restore();
  outline(pen, card, box, theme, marks, bad.first || face.failed);
  const at = (part: Box): Box => ({ ...part, x: box.x + part.x, y: box.y + part.y });
  if (parts.spark) spark(pen, at(parts.spark), face.figures!.bins, theme);
  if (parts.bar) bar(pen, at(parts.bar), card, theme);
  if (parts.glyph) glyph(pen, at(parts.glyph), face.family, theme);
  if (!parts.texts.some((text) => text.role === "gradient" || text.role === "range")) sign(pen, box, face, theme, bad);
  for (const text of parts.texts) write(pen, text, box, card, theme, bad);
  pen.globalAlpha = 1;
}

function outline(pen: Pen, { tile }: Card, box: Box, theme: Theme, marks: Marks, fault: boolean): void {
  const [selected, hovered] = [tile === marks.selected, tile === marks.hovered];
  plate(pen, box, 7);
  pen.strokeStyle = selected ? theme.accent : fault ? theme.fault : hovered ? theme.hover : theme.edge;
  pen.lineWidth = selected ? 2.5 : fault || hovered || tile === marks.target ? 2 : 1;
  if (tile === marks.target && !selected && !hovered && !fault) pen.strokeStyle = theme.text;
  pen.stroke();
}

/** The gradient's norm on the fixed scale, hatched as all that goes backward. */
function bar(pen: Pen, { x, y, w, h }: Box, { face }: Card, theme: Theme): void {
  const { norm, state } = face.gradient!;
  pen.fillStyle = theme.band;
  pen.beginPath();
  pen.roundRect(x, y, w, h, 2);
  pen.fill();
  if (state !== "number") return;
  const color = tone(norm, theme.dark);
  pen.beginPath();
  pen.roundRect(x, y, Math.max(2, w * part(norm)), h, 2);
  pen.fillStyle = theme.forced ? theme.text : hatch(pen, mix(color, theme.background, 0.3), color, "/", 4);
  pen.fill();
  pen.strokeStyle = theme.forced ? theme.text : color;
  pen.lineWidth = 1;
  pen.stroke();
}

/** Where there is no room for words the sign of what is there instead of a number, in the corner. */
function sign(pen: Pen, box: Box, face: Face, theme: Theme, bad: { value: boolean; gradient: boolean }): void {
  const lost = face.asked && face.gradient?.state === "none";
  if ((!bad.value && !bad.gradient && !lost) || box.w < 30 || box.h < 26) return;
  pen.font = FONTS(theme).title;
  pen.textAlign = "center";
  pen.fillStyle = theme.fault;
  pen.fillText(lost ? STATES.none.glyph : STATES.nan.glyph, box.x + box.w - 10, box.y + 11);
}

function write(
  pen: Pen,
  text: CardText,
  box: Box,
  { face }: Card,
  theme: Theme,
  bad: { value: boolean; gradient: boolean },
): void {
  pen.font = text.role === "title" ? FONTS(theme).title : FONTS(theme).small;
  pen.fillStyle = theme.muted;
  if (text.role === "title" || text.role === "times" || text.role === "name") pen.fillStyle = theme.text;
  if (text.role === "gradient" && face.gradient!.state === "number") pen.fillStyle = theme.text;
  const lost = text.role === "gradient" && (bad.gradient || (face.asked && face.gradient!.state === "none"));
  if (lost || (text.role === "range" && bad.value)) pen.fillStyle = theme.fault;
  pen.textAlign = "left";
  pen.fillText(text.text, box.x + text.x, box.y + Math.round(text.y));
}

/** What a consumer adds to a gradient, at the end of its wire: how much where that fits between the columns, else its number. */
function drawAddend(
  pen: Pen,
  points: readonly number[],
  addend: Addend,
  camera: Camera,
  theme: Theme,
  small: Measure,
): void {
  const { k, x, y } = camera;
  const [left, right] = [points[points.length - 6] * k + x, points[points.length - 4] * k + x];
  const middle = Math.round(points[points.length - 1] * k + y);
  const text = small(addend.text) + 14 <= right - left ? addend.text : String(addend.number);
  const wide = Math.max(16, Math.round(small(text) + 10));
  if (wide > right - left - 2) return;
  const from = Math.round(right - wide - 1);
  plate(pen, { x: from, y: middle - 8, w: wide, h: 16 }, 8);
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
