import { ERROR, SEVERITIES, clamp, drawGlyph, familyOf, hatch, mix, type Theme } from "@tapeviz/core";
import { NONFINITE } from "../problems";
import { familyAt } from "./model";
import { CODE, FONT, caption } from "./caption";
import type { Area, Bar, Block, Scene } from "./layout";
import { ROOMY } from "./words";

/** What stands out: rows of events, -1 for none, and a range of the x-axis. */
export interface Marks {
  readonly selected: number;
  readonly hovered: number;
  readonly partners: readonly number[];
  readonly range: readonly [number, number] | null;
  /** 0 where nothing is wrong, else the severity of what is, or NONFINITE. */
  readonly severity: (row: number) => number;
  readonly failed: (row: number) => boolean;
  readonly dimmed: (row: number) => boolean;
}

type Pen = CanvasRenderingContext2D;

export function draw(pen: Pen, scene: Scene, theme: Theme, marks: Marks): void {
  pen.textBaseline = "middle";
  backdrop(pen, scene, theme);
  pen.save();
  pen.beginPath();
  pen.rect(scene.plot.x, 0, scene.plot.w, scene.bottom);
  pen.clip();
  for (const bar of scene.bars) drawBar(pen, bar, theme);
  for (const block of scene.blocks) drawBlock(pen, block, theme, marks);
  for (const area of scene.areas) memory(pen, area, scene.plot, theme);
  if (marks.range) range(pen, scene, theme, marks.range);
  links(pen, scene, theme, marks);
  for (const block of scene.blocks) outline(pen, block, theme, marks);
  for (const block of scene.blocks) if (block.lane.kind === "op") badge(pen, block, theme, marks.severity(block.row));
  pen.restore();
  overview(pen, scene, theme);
}

/** Bands behind the lanes, their titles, the middle line, the ruler. */
function backdrop(pen: Pen, scene: Scene, theme: Theme): void {
  const { plot, ruler, strips, middle } = scene;
  pen.fillStyle = theme.surface;
  for (const { lane, y, h } of strips) if (lane.kind === "op") pen.fillRect(plot.x, y - 1, plot.w, h + 2);
  pen.strokeStyle = theme.line;
  pen.lineWidth = 1;
  pen.font = FONT(theme, 11);
  for (const { x, label } of ruler.ticks) {
    pen.fillStyle = theme.line;
    pen.fillRect(Math.round(x), ruler.y + 18, 1, scene.floor - 18);
    pen.fillStyle = theme.muted;
    pen.textAlign = "center";
    pen.fillText(label, clamp(x, plot.x + 14, plot.x + plot.w - 18), ruler.y + 9);
  }
  pen.fillStyle = theme.edge;
  pen.fillRect(plot.x, Math.round(middle), plot.w, 1);
  titles(pen, scene, theme);
}

function titles(pen: Pen, scene: Scene, theme: Theme): void {
  if (scene.plot.x < 40) return;
  const ordered = scene.ruler.ticks.length === 0;
  pen.textAlign = "left";
  for (const { lane, y, h } of scene.strips) {
    const arrows = ordered ? ["→", "←"] : ["", ""];
    const title =
      lane.kind === "span"
        ? lane.depth === 1
          ? "scope"
          : ""
        : lane.kind === "op"
          ? `${lane.title} ${arrows[lane.phase]}`
          : lane.title;
    if (title === "" || (lane.kind !== "op" && lane.phase === 1)) continue;
    pen.fillStyle = lane.kind === "op" ? theme.text : theme.muted;
    pen.font = FONT(theme, lane.kind === "op" ? 12 : 11, lane.kind === "op" ? 600 : 400);
    const room = scene.plot.x - 16;
    pen.fillText(title, 12, y + h / 2 - (lane.where === "" ? 0 : 8), room);
    if (lane.where === "") continue;
    pen.fillStyle = theme.muted;
    pen.font = FONT(theme, 11);
    pen.fillText(lane.where, 12, y + h / 2 + 8, room);
  }
  pen.fillStyle = theme.text;
  pen.font = FONT(theme, 12, 600);
  if (!scene.strips.some((strip) => strip.lane.phase === 1)) pen.fillText("backward", 12, scene.middle + 27);
  for (const area of scene.areas) beside(pen, area, theme);
}

/** The title of an area and its figures, a line each, around its middle. */
function beside(pen: Pen, { y, h, title, said }: Area, theme: Theme): void {
  const line = said.length > 1 ? 14 : 16;
  [title, ...said].forEach((text, i) => {
    pen.fillStyle = i === 0 ? theme.text : theme.muted;
    pen.font = i === 0 ? FONT(theme, 12, 600) : FONT(theme, 11);
    pen.fillText(text, 12, y + h / 2 + (i - said.length / 2) * line);
  });
}

function drawBar(pen: Pen, bar: Bar, theme: Theme): void {
  const part = Math.max(0.25, bar.full);
  const h = bar.h * part;
  pen.fillStyle = bar.phase === 1 ? mix(familyAt(bar.family).color, theme.background, 0.6) : familyAt(bar.family).color;
  // Busy parts grow from the middle line outwards.
  pen.fillRect(bar.x, bar.phase === 0 ? bar.y + bar.h - h : bar.y, bar.w, h);
}

function drawBlock(pen: Pen, block: Block, theme: Theme, marks: Marks): void {
  const { lane } = block;
  pen.globalAlpha = marks.dimmed(block.row) && lane.kind === "op" ? 0.22 : 1;
  if (lane.kind === "op") op(pen, block, theme, marks.failed(block.row));
  else band(pen, block, theme);
  pen.globalAlpha = 1;
}

/** A block a pixel smaller than its place, so that neighbours stay apart. */
function shape(pen: Pen, { x, y, w, h }: Block, radius: number): void {
  pen.beginPath();
  pen.roundRect(x + 0.5, y + 0.5, Math.max(1, w - 1.5), h - 1, w > 8 ? radius : 1);
}

function op(pen: Pen, block: Block, theme: Theme, failed: boolean): void {
  const family = failed ? ERROR : familyAt(block.family);
  const backward = block.lane.phase === 1;
  const tint = mix(family.color, theme.background, theme.dark ? 0.3 : 0.16);
  shape(pen, block, 4);
  if (theme.forced) pen.fillStyle = theme.background;
  else if (failed) pen.fillStyle = hatch(pen, tint, family.color, "\\", 6);
  else pen.fillStyle = backward ? hatch(pen, tint, mix(family.color, theme.background, 0.55), "/", 6) : family.color;
  pen.fill();
  pen.strokeStyle = backward || failed ? mix(family.color, theme.text, 0.75) : mix(family.color, theme.text, 0.7);
  if (theme.forced) pen.strokeStyle = theme.text;
  pen.lineWidth = 1;
  pen.stroke();
  caption(pen, block, theme, { plate: backward || failed || theme.forced, color: family.color, path: family.path });
}

/** A span or a line: quiet, so that the ops stand out. */
function band(pen: Pen, block: Block, theme: Theme): void {
  shape(pen, block, 3);
  pen.fillStyle = { op: theme.band, span: theme.band, line: theme.background, pause: theme.edge }[block.lane.kind];
  pen.fill();
  pen.strokeStyle = theme.line;
  pen.lineWidth = 1;
  pen.stroke();
  if (block.words.label === "") return;
  pen.fillStyle = block.lane.kind === "span" ? theme.text : theme.muted;
  pen.textAlign = "left";
  pen.font = block.lane.kind === "line" ? CODE(theme) : FONT(theme, 12);
  pen.fillText(block.words.label, block.x + 6, block.y + block.h / 2 + 0.5);
}

function memory(pen: Pen, { y, h, peak, curves, title, said }: Area, plot: Scene["plot"], theme: Theme): void {
  const color = familyOf("variable").color;
  curves.forEach((values, index) => {
    const backward = index === 1;
    const first = values.findIndex((v) => !Number.isNaN(v));
    const last = values.findLastIndex((v) => !Number.isNaN(v));
    if (first < 0) return;
    pen.beginPath();
    if (!backward) pen.moveTo(plot.x + first, y + h);
    for (let i = first; i <= last; i++) {
      const level = y + h - (peak > 0 ? (values[i] / peak) * (h - 2) : 0);
      pen.lineTo(plot.x + i, level);
      pen.lineTo(plot.x + i + 1, level);
    }
    pen.strokeStyle = theme.forced ? theme.text : mix(color, theme.text, 0.8);
    pen.setLineDash(backward ? [4, 3] : []);
    pen.lineWidth = 1.5;
    if (!backward) {
      pen.lineTo(plot.x + last + 1, y + h);
      pen.fillStyle = theme.forced ? theme.background : mix(color, theme.background, theme.dark ? 0.28 : 0.18);
      pen.fill();
    }
    pen.stroke();
  });
  pen.setLineDash([]);
  pen.fillStyle = theme.line;
  pen.fillRect(plot.x, y + h, plot.w, 1);
  if (plot.x < 40 && said.length > 1) {
    // Without a column of titles two curves could not be told apart.
    pen.fillStyle = theme.text;
    pen.font = FONT(theme, 11);
    pen.textAlign = "left";
    pen.fillText([title, ...said].join(" "), plot.x + 4, y + h - 8);
  }
}

/** From the selected and the hovered op to its partner, across the middle line. */
function links(pen: Pen, scene: Scene, theme: Theme, marks: Marks): void {
  const ops = scene.blocks.filter((b) => b.lane.kind === "op");
  const from = ops.find((b) => b.row === marks.hovered) ?? ops.find((b) => b.row === marks.selected);
  if (!from) return;
  pen.strokeStyle = theme.accent;
  pen.lineWidth = 2;
  for (const to of ops.filter((b) => marks.partners.includes(b.row))) {
    const [upper, lower] = from.y < to.y ? [from, to] : [to, from];
    const [x1, y1, x2, y2] = [upper.x + upper.w / 2, upper.y + upper.h, lower.x + lower.w / 2, lower.y];
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.bezierCurveTo(x1, y1 + (y2 - y1) / 2 + 6, x2, y1 + (y2 - y1) / 2 - 6, x2, y2);
    pen.stroke();
  }
}

function outline(pen: Pen, block: Block, theme: Theme, marks: Marks): void {
  if (block.lane.kind === "line") return;
  const chosen = block.row === marks.selected;
  const partner = marks.partners.includes(block.row);
  if (!chosen && !partner && block.row !== marks.hovered) return;
  const { x, y, w, h } = block;
  pen.beginPath();
  pen.roundRect(x - 0.5, y - 0.5, Math.max(3, w + 0.5), h + 1, 5);
  pen.setLineDash(partner && !chosen ? [4, 2] : []);
  pen.strokeStyle = chosen || partner ? theme.accent : theme.hover;
  pen.lineWidth = chosen ? 3 : 2;
  pen.stroke();
  pen.setLineDash([]);
}

/** The sign of a finding in a corner of its op. */
function badge(pen: Pen, { x, y, w, h }: Block, theme: Theme, severity: number): void {
  if (severity === 0 || w < 16) return;
  // On a small op it stands on the edge, out of the words' way.
  const at = w < 48 || h < ROOMY ? { x: x + w - 7, y: y + 1 } : { x: x + w - 10, y: y + 10 };
  pen.fillStyle = theme.background;
  pen.beginPath();
  pen.arc(at.x, at.y, 8, 0, 2 * Math.PI);
  pen.fill();
  pen.fillStyle = [theme.muted, theme.info, theme.warn, theme.fault, theme.fault][severity];
  drawGlyph(pen, severity === NONFINITE ? ERROR.path : SEVERITIES[severity].path, at.x, at.y, 10);
}

function range(pen: Pen, scene: Scene, theme: Theme, [from, to]: readonly [number, number]): void {
  const [x1, x2] = [scene.scale(from), scene.scale(to)];
  const y = scene.ruler.h - 4;
  const bottom = scene.floor;
  pen.fillStyle = theme.forced ? "transparent" : `${theme.accent}22`;
  pen.fillRect(x1, y, x2 - x1, bottom - y);
  pen.fillStyle = theme.accent;
  pen.fillRect(x1, y, 1, bottom - y);
  pen.fillRect(x2 - 1, y, 1, bottom - y);
}

/** The whole recording as a thin line, and on it the part that is shown. */
function overview(pen: Pen, { overview: o, plot }: Scene, theme: Theme): void {
  if (o.w >= plot.w) return;
  pen.fillStyle = theme.band;
  pen.beginPath();
  pen.roundRect(plot.x, o.y + 2, plot.w, 4, 2);
  pen.fill();
  pen.fillStyle = theme.edge;
  pen.beginPath();
  pen.roundRect(clamp(o.x, plot.x, plot.x + plot.w - 6), o.y + 1, Math.min(o.w, plot.w), 6, 3);
  pen.fill();
}
