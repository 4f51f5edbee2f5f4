import { ellipsize, mix, type Measure, type Theme } from "@tapeviz/core";
import type { Camera } from "../layered/camera";
import { cardParts, type Box, type CardText, type Measures } from "../layered/card";
import { head, onScreen as pointsOnScreen, trace } from "../layered/curves";
import { FONTS, glyph, onScreen, plate, sheet, spark, strips, type Pen } from "../layered/paint";
import type { Face } from "./face";
import { FRAME_TITLE, LEGIBLE, type Card, type Frame, type Scene, type Strand } from "./layout";
import type { Fused, Marks } from "./marks";
import type { Fate } from "./steps";

export function draw(pen: Pen, scene: Scene, camera: Camera, theme: Theme, marks: Marks, measures: Measures): void {
  pen.textBaseline = "middle";
  for (const frame of scene.frames) drawFrame(pen, frame, camera, theme, marks, measures.small);
  const strong = scene.wires.map(marks.strong);
  scene.wires.forEach((wire, i) => strong[i] || drawWire(pen, wire, camera, theme, marks, false));
  scene.wires.forEach((wire, i) => strong[i] && drawWire(pen, wire, camera, theme, marks, true));
  for (const fused of marks.fused) drawFused(pen, fused, camera, theme, measures.small);
  for (const card of scene.cards) drawCard(pen, card, camera, theme, marks, measures);
  const taken: Box[] = [];
  scene.wires.forEach((wire, i) => {
    if (wire.label !== "" && camera.k >= (strong[i] ? LEGIBLE : LABELLED))
      label(pen, wire, camera, theme, measures.small, taken);
  });
}

/** From this scale on all wires say what they hand on. */
const LABELLED = 0.8;

function drawFrame(pen: Pen, frame: Frame, camera: Camera, theme: Theme, marks: Marks, small: Measure): void {
  const box = onScreen(frame, camera);
  const chosen = frame.entry !== null && frame.key === marks.selected;
  plate(pen, box, 9);
  pen.fillStyle = frame.depth % 2 === 0 ? theme.surface : theme.background;
  pen.fill();
  pen.strokeStyle = chosen ? theme.accent : frame.key === marks.hovered ? theme.hover : theme.line;
  pen.lineWidth = chosen ? 2.5 : 1;
  pen.setLineDash(frame.entry === null ? [3, 3] : []);
  pen.stroke();
  pen.setLineDash([]);
  if (camera.k < 0.55) return;
  pen.font = FONTS(theme).small;
  pen.fillStyle = theme.muted;
  pen.textAlign = "left";
  // The title stays in sight while a part of the frame is.
  const left = Math.max(box.x + 8, 8);
  const title = ellipsize(frame.entry ? `▾ ${frame.title}` : frame.title, box.x + box.w - 8 - left, small);
  pen.fillText(title, left, Math.round(box.y + FRAME_TITLE * camera.k * 0.5 + 1));
}

function drawWire(pen: Pen, wire: Strand, camera: Camera, theme: Theme, marks: Marks, strong: boolean): void {
  const points = pointsOnScreen(wire.points, camera);
  pen.globalAlpha = !strong && marks.quiet(wire) ? 0.25 : 1;
  pen.strokeStyle = strong ? theme.accent : wire.control ? theme.muted : theme.edge;
  pen.lineWidth = strong ? 2 : 1;
  pen.setLineDash(wire.control ? [1.5, 4] : []);
  pen.lineCap = wire.control ? "round" : "butt";
  trace(pen, points);
  pen.stroke();
  pen.setLineDash([]);
  pen.lineCap = "butt";
  if (wire.stub) {
    pen.fillStyle = pen.strokeStyle;
    pen.beginPath();
    pen.arc(points[0], points[1], 2.5, 0, 2 * Math.PI);
    pen.fill();
  }
  // What goes on inside a frame has its arrow there.
  if (camera.k > 0.35 && wire.to && wire.to.levels.length === 0)
    head(pen, points.at(-2)!, points.at(-1)!, pen.strokeStyle);
  pen.globalAlpha = 1;
}

/** What a wire hands on, just before it arrives; left out where there is no room between the columns, or another one. */
function label(pen: Pen, wire: Strand, camera: Camera, theme: Theme, small: Measure, taken: Box[]): void {
  const { points } = wire;
  const n = points.length;
  const right = points[n - 2] * camera.k + camera.x - 7;
  const left = wire.stub ? right - 30 : points[n - 6] * camera.k + camera.x + 4;
  const text = wire.stub ? ellipsize(wire.label, right - left, small) : wire.label;
  const wide = small(text);
  const y = Math.round(points[n - 1] * camera.k + camera.y);
  const box = { x: Math.round(right - wide), y: y - 15, w: Math.ceil(wide), h: 14 };
  if (text === "" || wide > right - left || taken.some((other) => meet(box, other))) return;
  taken.push(box);
  pen.globalAlpha = 0.85;
  pen.fillStyle = theme.background;
  pen.fillRect(box.x - 2, box.y, box.w + 4, box.h);
  pen.globalAlpha = 1;
  pen.font = FONTS(theme).small;
  pen.fillStyle = theme.muted;
  pen.textAlign = "left";
  pen.fillText(text, box.x, y - 8);
}

const meet = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

function drawFused(pen: Pen, fused: Fused, camera: Camera, theme: Theme, small: Measure): void {
  const box = onScreen(fused, camera);
  plate(pen, box, 9);
  pen.strokeStyle = theme.info;
  pen.lineWidth = 1.5;
  pen.stroke();
  const title = small(fused.title);
  if (camera.k < 0.7 || title + 20 > box.w) return;
  pen.fillStyle = theme.background;
  pen.fillRect(box.x + 10, box.y + box.h - 7, title + 8, 14);
  pen.font = FONTS(theme).small;
  pen.textAlign = "left";
  pen.fillStyle = theme.info;
  pen.fillText(fused.title, box.x + 14, box.y + box.h);
}

/** Crossed out: nothing of it is left. What was fused goes on as a part of another node. */
const isStruck = ({ fate }: Face): boolean => fate.gone && fate.fate !== "fused";

/** The colour of what a pass does; a word always goes with it. */
export function fateColor({ fate }: Fate, theme: Theme): string {
  if (fate === "pruned") return theme.fault;
  return fate === "folded" || fate === "merged" ? theme.warn : theme.info;
}

function drawCard(pen: Pen, card: Card, camera: Camera, theme: Theme, marks: Marks, measures: Measures): void {
  const box = onScreen(card, camera);
  const { face } = card;
  const parts = cardParts(face, box.w, box.h, measures);
  const ghost = face.fate.when === "before" && isStruck(face);
  pen.globalAlpha = marks.dim(card) ? 0.3 : ghost ? 0.45 : 1;
  if (face.stack > 0) for (const shift of face.stack > 1 ? [6, 3] : [3]) sheet(pen, box, shift, theme);
  plate(pen, box, 7);
  pen.fillStyle = theme.background;
  pen.fill();
  pen.save();
  pen.clip();
  if (face.figures) strips(pen, box, parts.rules, theme);
  if (!theme.forced && (face.fate.when === "now" || face.touched > 0)) {
    pen.fillStyle = mix(fateColor(face.fate, theme), theme.background, 0.12);
    pen.fillRect(box.x, box.y, box.w, box.h);
  }
  pen.restore();
  outline(pen, card, box, theme, marks);
  const at = (part: Box): Box => ({ ...part, x: box.x + part.x, y: box.y + part.y });
  if (parts.spark) spark(pen, at(parts.spark), face.figures!.bins, theme);
  if (parts.glyph) glyph(pen, at(parts.glyph), face.family, theme);
  for (const text of parts.texts) write(pen, text, box, face, theme);
  pen.globalAlpha = 1;
}

function outline(pen: Pen, { entry, face }: Card, box: Box, theme: Theme, marks: Marks): void {
  const [selected, hovered] = [entry.key === marks.selected, entry.key === marks.hovered];
  const now = face.fate.when === "now" || face.touched > 0;
  plate(pen, box, 7);
  pen.strokeStyle = selected ? theme.accent : hovered ? theme.hover : now ? fateColor(face.fate, theme) : theme.edge;
  pen.lineWidth = selected ? 2.5 : hovered || now ? 2 : 1;
  pen.setLineDash(isStruck(face) ? [4, 3] : []);
  pen.stroke();
  pen.setLineDash([]);
}

function write(pen: Pen, text: CardText, box: Box, face: Face, theme: Theme): void {
  const main = text.role === "title" || text.role === "times" || text.role === "name";
  pen.font = text.role === "title" ? FONTS(theme).title : FONTS(theme).small;
  pen.fillStyle = main ? theme.text : theme.muted;
  if (text.role === "shape" && (face.fate.when === "now" || face.touched > 0))
    pen.fillStyle = fateColor(face.fate, theme);
  pen.textAlign = "left";
  const [x, y] = [box.x + text.x, box.y + Math.round(text.y)];
  pen.fillText(text.text, x, y);
  if (isStruck(face) && (text.role === "title" || text.role === "name")) pen.fillRect(x, y, text.w, 1.5);
}
