import { ellipsize, mix, type Theme } from "@tapeviz/core";
import { overlaps, type Box } from "../layered/box";
import { drawArrowhead, onScreen as pointsOnScreen, curvePath } from "../layered/curves";
import {
  drawCard,
  drawFrame,
  drawText,
  FONTS,
  onScreen,
  roundedRect,
  type Brush,
  type Outline,
} from "../layered/paint";
import { drawSeverity, severityColor } from "../severity";
import type { GraphCardContent } from "./cardcontent";
import { LEGIBLE_SCALE, type Card, type Frame, type Scene, type Edge } from "./layout";
import type { Fused, Marks } from "./marks";
import type { Fate } from "./steps";

export function draw(brush: Brush, scene: Scene, marks: Marks): void {
  const { pen, camera } = brush;
  pen.textBaseline = "middle";
  for (const frame of scene.frames) drawOpen(brush, frame, marks);
  const strong = scene.edges.map(marks.strong);
  scene.edges.forEach((edge, i) => strong[i] || drawEdge(brush, edge, marks, false));
  scene.edges.forEach((edge, i) => strong[i] && drawEdge(brush, edge, marks, true));
  for (const fused of marks.fused) drawFused(brush, fused);
  for (const card of scene.cards) drawEntry(brush, card, marks);
  const taken: Box[] = [];
  scene.edges.forEach((edge, i) => {
    if (edge.label !== "" && camera.k >= (strong[i] ? LEGIBLE_SCALE : LABELLED)) label(brush, edge, taken);
  });
}

/** From this scale on all edges say what they hand on. */
const LABELLED = 0.8;

function drawOpen(brush: Brush, frame: Frame, marks: Marks): void {
  const { theme } = brush;
  const chosen = frame.entry !== null && frame.key === marks.selected;
  drawFrame(brush, frame, {
    title: frame.entry ? `▾ ${frame.title}` : frame.title,
    high: frame.high,
    fill: frame.depth % 2 === 0 ? theme.surface : theme.background,
    outline: {
      color: chosen ? theme.accent : frame.key === marks.hovered ? theme.hover : theme.line,
      width: chosen ? 2.5 : 1,
      dash: frame.entry === null ? [3, 3] : [],
    },
  });
}

function drawEdge({ pen, camera, theme }: Brush, edge: Edge, marks: Marks, strong: boolean): void {
  const points = pointsOnScreen(edge.points, camera);
  pen.globalAlpha = !strong && marks.quiet(edge) ? 0.25 : 1;
  pen.strokeStyle = strong ? theme.accent : edge.control ? theme.muted : theme.edge;
  pen.lineWidth = strong ? 2 : 1;
  pen.setLineDash(edge.control ? [1.5, 4] : []);
  pen.lineCap = edge.control ? "round" : "butt";
  curvePath(pen, points);
  pen.stroke();
  pen.setLineDash([]);
  pen.lineCap = "butt";
  if (edge.stub) {
    pen.fillStyle = pen.strokeStyle;
    pen.beginPath();
    pen.arc(points[0], points[1], 2.5, 0, 2 * Math.PI);
    pen.fill();
  }
  // What goes on inside a frame has its arrow there.
  if (camera.k > 0.35 && edge.to && edge.to.levels.length === 0)
    drawArrowhead(pen, points.at(-2)!, points.at(-1)!, pen.strokeStyle);
  pen.globalAlpha = 1;
}

/** What an edge hands on, just before it arrives; left out where there is no room between the columns, or another one. */
function label({ pen, camera, theme, measures: { small } }: Brush, edge: Edge, taken: Box[]): void {
  const { points } = edge;
  const n = points.length;
  const right = points[n - 2] * camera.k + camera.x - 7;
  const left = edge.stub ? right - 30 : points[n - 6] * camera.k + camera.x + 4;
  const text = edge.stub ? ellipsize(edge.label, right - left, small) : edge.label;
  const wide = small(text);
  const y = Math.round(points[n - 1] * camera.k + camera.y);
  const box = { x: Math.round(right - wide), y: y - 15, w: Math.ceil(wide), h: 14 };
  if (text === "" || wide > right - left || taken.some((other) => overlaps(box, other))) return;
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
  roundedRect(pen, box, 9);
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
const isStruck = ({ fate }: GraphCardContent): boolean => fate.gone && fate.fate !== "fused";

/** The colour of what a pass does; a word always goes with it. */
export function fateColor({ fate }: Fate, theme: Theme): string {
  if (fate === "pruned") return theme.fault;
  return fate === "folded" || fate === "merged" ? theme.warn : theme.info;
}

function drawEntry(brush: Brush, card: Card, marks: Marks): void {
  const { pen, theme } = brush;
  const { content } = card;
  const struck = isStruck(content);
  const now = content.fate.when === "now" || content.touched > 0;
  const severity = marks.severity(card);
  const color = now ? fateColor(content.fate, theme) : severity > 0 ? severityColor(severity, theme) : undefined;
  pen.globalAlpha = marks.dim(card) ? 0.3 : content.fate.when === "before" && struck ? 0.45 : 1;
  const tint = color && !theme.forced ? mix(color, theme.background, 0.12) : undefined;
  const outline = { ...outlineOf(card, theme, marks, color), dash: struck ? [4, 3] : [] };
  const { box, parts } = drawCard(brush, card, content, outline, tint);
  for (const text of parts.texts) {
    drawText(brush, text, box, now && text.role === "shape" ? color : undefined);
    if (struck && (text.role === "title" || text.role === "name"))
      pen.fillRect(box.x + text.x, box.y + Math.round(text.y), text.w, 1.5);
  }
  if (severity > 0) drawSeverity(pen, theme, [box.x + box.w / 2, box.y], severity);
  pen.globalAlpha = 1;
}

function outlineOf({ entry }: Card, theme: Theme, marks: Marks, color: string | undefined): Outline {
  if (entry.key === marks.selected) return { color: theme.accent, width: 2.5 };
  if (entry.key === marks.hovered) return { color: theme.hover, width: 2 };
  return { color: color ?? theme.edge, width: color ? 2 : 1 };
}
