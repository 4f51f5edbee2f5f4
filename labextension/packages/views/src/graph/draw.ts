import { ellipsize, mix, type Theme } from "@tapeviz/core";
import { meet, type Box } from "../layered/box";
import { head, onScreen as pointsOnScreen, trace } from "../layered/curves";
import { drawCard, drawFrame, drawText, FONTS, onScreen, plate, type Brush, type Outline } from "../layered/paint";
import type { Face } from "./face";
import { FRAME_TITLE, LEGIBLE, type Card, type Frame, type Scene, type Strand } from "./layout";
import type { Fused, Marks } from "./marks";
import type { Fate } from "./steps";

export function draw(brush: Brush, scene: Scene, marks: Marks): void {
  const { pen, camera } = brush;
  pen.textBaseline = "middle";
  for (const frame of scene.frames) drawOpen(brush, frame, marks);
  const strong = scene.wires.map(marks.strong);
  scene.wires.forEach((wire, i) => strong[i] || drawWire(brush, wire, marks, false));
  scene.wires.forEach((wire, i) => strong[i] && drawWire(brush, wire, marks, true));
  for (const fused of marks.fused) drawFused(brush, fused);
  for (const card of scene.cards) drawEntry(brush, card, marks);
  const taken: Box[] = [];
  scene.wires.forEach((wire, i) => {
    if (wire.label !== "" && camera.k >= (strong[i] ? LEGIBLE : LABELLED)) label(brush, wire, taken);
  });
}

/** From this scale on all wires say what they hand on. */
const LABELLED = 0.8;

function drawOpen(brush: Brush, frame: Frame, marks: Marks): void {
  const { theme } = brush;
  const chosen = frame.entry !== null && frame.key === marks.selected;
  drawFrame(brush, frame, {
    title: frame.entry ? `▾ ${frame.title}` : frame.title,
    high: FRAME_TITLE,
    fill: frame.depth % 2 === 0 ? theme.surface : theme.background,
    outline: {
      color: chosen ? theme.accent : frame.key === marks.hovered ? theme.hover : theme.line,
      width: chosen ? 2.5 : 1,
      dash: frame.entry === null ? [3, 3] : [],
    },
  });
}

function drawWire({ pen, camera, theme }: Brush, wire: Strand, marks: Marks, strong: boolean): void {
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
function label({ pen, camera, theme, measures: { small } }: Brush, wire: Strand, taken: Box[]): void {
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

function drawFused({ pen, camera, theme, measures }: Brush, fused: Fused): void {
  const box = onScreen(fused, camera);
  plate(pen, box, 9);
  pen.strokeStyle = theme.info;
  pen.lineWidth = 1.5;
  pen.stroke();
  const title = measures.small(fused.title);
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

function drawEntry(brush: Brush, card: Card, marks: Marks): void {
  const { pen, theme } = brush;
  const { face } = card;
  const struck = isStruck(face);
  const now = face.fate.when === "now" || face.touched > 0;
  const color = now ? fateColor(face.fate, theme) : undefined;
  pen.globalAlpha = marks.dim(card) ? 0.3 : face.fate.when === "before" && struck ? 0.45 : 1;
  const tint = color && !theme.forced ? mix(color, theme.background, 0.12) : undefined;
  const outline = { ...outlineOf(card, theme, marks, color), dash: struck ? [4, 3] : [] };
  const { box, parts } = drawCard(brush, card, face, outline, tint);
  for (const text of parts.texts) {
    drawText(brush, text, box, text.role === "shape" ? color : undefined);
    if (struck && (text.role === "title" || text.role === "name"))
      pen.fillRect(box.x + text.x, box.y + Math.round(text.y), text.w, 1.5);
  }
  pen.globalAlpha = 1;
}

function outlineOf({ entry }: Card, theme: Theme, marks: Marks, color: string | undefined): Outline {
  if (entry.key === marks.selected) return { color: theme.accent, width: 2.5 };
  if (entry.key === marks.hovered) return { color: theme.hover, width: 2 };
  return { color: color ?? theme.edge, width: color ? 2 : 1 };
}
