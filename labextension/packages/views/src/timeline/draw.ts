import { ERROR, SEVERITIES, clamp, drawGlyph, familyOf, hatch, mix, type Family, type Theme } from "@tapeviz/core";
import { drawNormColumn } from "../flow/normcolumn";
import { NONFINITE } from "../problems";
import { familyAt } from "./model";
import { CODE, FONT, drawCaption } from "./caption";
import {
  WIDE_ENOUGH,
  findBlock,
  type Area,
  type Bar,
  type Block,
  type BreakArea,
  type FaultMarker,
  type Scene,
} from "./layout";
import { ROOMY } from "./labels";

/** What stands out: rows of events, -1 for none, and a range of the x-axis. */
export interface Marks {
  readonly selected: number;
  readonly hovered: number;
  readonly partners: readonly number[];
  readonly range: readonly [number, number] | null;
}

type Pen = CanvasRenderingContext2D;

export function draw(pen: Pen, scene: Scene, theme: Theme, marks: Marks): void {
  pen.textBaseline = "middle";
  backdrop(pen, scene, theme);
  pen.save();
  pen.beginPath();
  pen.rect(scene.plot.x, 0, scene.plot.w, scene.bottom);
  pen.clip();
  for (const bar of scene.bars) if (!bar.failed) drawBar(pen, bar, theme);
  for (const block of scene.blocks) drawBlock(pen, block, theme, scene);
  for (const bar of scene.bars) if (bar.failed) drawFailed(pen, bar, theme);
  for (const area of scene.areas) memory(pen, area, scene.plot, theme);
  if (marks.range) range(pen, scene, theme, marks.range);
  for (const gap of scene.breaks) drawBreak(pen, gap, scene, theme);
  links(pen, scene, theme, marks);
  outlines(pen, scene, theme, marks);
  for (const block of scene.blocks)
    if (block.lane.kind === "op") badge(pen, block, theme, scene.model.severity(block.row));
  for (const { x, y, severity } of scene.signs) sign(pen, x, y, theme, severity);
  for (const marker of scene.signs) faultLabel(pen, scene, theme, marker);
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
  const isTight = scene.plot.x < ROOMY_TITLES;
  const heavy = FONT(theme, isTight ? 11 : 12, 600);
  const left = isTight ? 6 : 12;
  pen.textAlign = "left";
  for (const { lane, y, h } of scene.strips) {
    const arrow = !ordered || isTight ? "" : lane.isReversed ? "←" : "→";
    const isOp = lane.kind === "op";
    const title = isOp ? `${lane.title} ${arrow}` : lane.title && `${lane.title} ${lane.where}`.trim();
    if (title === "" || (lane.kind !== "op" && lane.phase === 1)) continue;
    pen.fillStyle = lane.kind === "op" ? theme.text : theme.muted;
    pen.font = lane.kind === "op" ? heavy : FONT(theme, 11);
    const room = scene.plot.x - left - 4;
    const isTwofold = isOp && lane.where !== "";
    pen.fillText(title, left, y + h / 2 - (isTwofold ? 8 : 0), room);
    if (!isTwofold) continue;
    pen.fillStyle = theme.muted;
    pen.font = FONT(theme, 11);
    pen.fillText(lane.where, left, y + h / 2 + 8, room);
  }
  pen.fillStyle = theme.text;
  pen.font = heavy;
  if (!scene.strips.some((strip) => strip.lane.phase === 1)) pen.fillText("backward", left, scene.middle + 27);
  for (const area of scene.areas) beside(pen, area, theme, { heavy, left, room: scene.plot.x - left - 4 });
}

/** Narrower columns of titles have smaller letters. */
const ROOMY_TITLES = 90;

interface TitleStyle {
  readonly heavy: string;
  readonly left: number;
  readonly room: number;
}

/** The title of an area and its figures, a line each, around its middle. */
function beside(pen: Pen, { y, h, title, said }: Area, theme: Theme, { heavy, left, room }: TitleStyle): void {
  const line = said.length > 1 ? 14 : 16;
  [title, ...said].forEach((text, i) => {
    pen.fillStyle = i === 0 ? theme.text : theme.muted;
    pen.font = i === 0 ? heavy : FONT(theme, 11);
    pen.fillText(text, left, y + h / 2 + (i - said.length / 2) * line, room);
  });
}

function drawBar(pen: Pen, bar: Bar, theme: Theme): void {
  const { lane, matching, full } = bar;
  if (lane.kind !== "op") {
    pen.fillStyle = lane.kind === "pause" || lane.kind === "setup" ? pauseFill(pen, theme) : theme.line;
    pen.fillRect(bar.x, bar.y, bar.w, bar.h);
    return;
  }
  pen.fillStyle = fill(pen, familyAt(bar.family), lane.phase === 1, theme);
  // What matches the filter stands on the middle line, and all of it behind in a fainter colour.
  if (matching < full) {
    pen.globalAlpha = DIM;
    fillBar(pen, bar, full);
    pen.globalAlpha = 1;
  }
  if (matching < 0) return;
  pen.fillStyle = fill(pen, familyAt(bar.matchingFamily), lane.phase === 1, theme);
  fillBar(pen, bar, matching);
}

const DIM = 0.22;
// However short the ops of a column are, so much of its height says that there are any.
const LEAST_PART = 0.25;

/** Busy parts grow from the middle line outwards. */
function fillBar(pen: Pen, { lane, x, y, w, h }: Bar, part: number): void {
  const tall = h * Math.max(LEAST_PART, part);
  pen.fillRect(x, lane.phase === 0 ? y + h - tall : y, w, tall);
}

/** A failed op is at least three pixels wide, and over whatever shares its place. */
function drawFailed(pen: Pen, { x, y, w, h, matching }: Bar, theme: Theme): void {
  pen.globalAlpha = matching < 0 ? DIM : 1;
  pen.fillStyle = theme.forced ? theme.text : ERROR.color;
  const wide = Math.max(3, w);
  pen.fillRect(x + w / 2 - wide / 2, y, wide, h);
  pen.globalAlpha = 1;
}

/** Solid for forward, hatched for backward; the same on a block and on many too narrow to tell apart. */
function fill(pen: Pen, { name, color }: Family, backward: boolean, theme: Theme): CanvasPattern | string {
  if (theme.forced) return theme.text;
  if (name === WAITING) return waitFill(pen, theme, color);
  return backward ? hatch(pen, mix(color, theme.background, 0.55), mix(color, theme.background, 0.25), "/", 6) : color;
}

/** The family of calls between processes, in which one waits for another: hatched wide, the other way than backward. */
const WAITING = "collective";
const waitFill = (pen: Pen, theme: Theme, color: string): CanvasPattern | string =>
  hatch(pen, mix(color, theme.background, 0.16), mix(color, theme.text, 0.6), "\\", 9);

/** A pause is no work: hatched in the colour of lines. */
const pauseFill = (pen: Pen, theme: Theme): CanvasPattern | string =>
  theme.forced ? theme.background : hatch(pen, theme.background, theme.edge, "\\", 4);

// What the signs of the backward lane take under the middle line.
const SIGNS = 22;

/** What is left out of the axis: two cuts across all lanes, and between them how long it was. */
function drawBreak(pen: Pen, { x, w, label }: BreakArea, { ruler, floor, middle }: Scene, theme: Theme): void {
  const [top, wave] = [ruler.h - 4, Math.min(3, w / 4)];
  const cut = (at: number, from: number, to: number): void => {
    const step = from < to ? 6 : -6;
    for (let y = from, i = 0; step > 0 ? y < to : y > to; y += step, i++)
      pen.lineTo(at + (i % 2 === 0 ? -wave : wave), y);
    pen.lineTo(at, to);
  };
  pen.beginPath();
  pen.moveTo(x + wave, top);
  cut(x + wave, top, floor);
  cut(x + w - wave, floor, top);
  pen.closePath();
  pen.fillStyle = theme.background;
  pen.fill();
  for (const at of [x + wave, x + w - wave]) {
    pen.beginPath();
    pen.moveTo(at - wave, top);
    cut(at, top, floor);
    pen.strokeStyle = theme.edge;
    pen.lineWidth = 1;
    pen.stroke();
  }
  if (w < 16) return;
  pen.font = FONT(theme, 11);
  pen.fillStyle = theme.text;
  pen.textAlign = "center";
  pen.save();
  // Where it fits, below the signs of findings, whose names stand across what is left out.
  const long = pen.measureText(label).width + 12;
  const isUpright = w < long;
  const below = middle + SIGNS;
  pen.translate(x + w / 2, ((long < floor - below ? below : top) + floor) / 2);
  if (isUpright) pen.rotate(-Math.PI / 2);
  pen.fillText(label, 0, 0.5);
  pen.restore();
}

function drawBlock(pen: Pen, block: Block, theme: Theme, { matches, model }: Scene): void {
  const { lane, row } = block;
  pen.globalAlpha = matches !== null && matches[row] !== 1 && lane.kind === "op" ? DIM : 1;
  if (lane.kind === "op") op(pen, block, theme, model.failed(row));
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
  else if (family.name === WAITING) pen.fillStyle = waitFill(pen, theme, family.color);
  else pen.fillStyle = backward ? hatch(pen, tint, mix(family.color, theme.background, 0.55), "/", 6) : family.color;
  pen.fill();
  pen.strokeStyle = backward || failed ? mix(family.color, theme.text, 0.75) : mix(family.color, theme.text, 0.7);
  if (theme.forced) pen.strokeStyle = theme.text;
  pen.lineWidth = 1;
  pen.stroke();
  const isHatched = backward || failed || family.name === WAITING;
  drawCaption(pen, block, theme, { plate: isHatched || theme.forced, color: family.color, path: family.path });
}

/** A span or a line: quiet, so that the ops stand out. */
function band(pen: Pen, block: Block, theme: Theme): void {
  shape(pen, block, 3);
  const hatched = pauseFill(pen, theme);
  const ground = {
    op: theme.band,
    span: theme.band,
    function: theme.surface,
    line: theme.background,
    pause: hatched,
    setup: hatched,
  };
  pen.fillStyle = ground[block.lane.kind];
  pen.fill();
  pen.strokeStyle = theme.line;
  pen.lineWidth = 1;
  pen.stroke();
  for (const { x, w, magnitude } of block.columns ?? [])
    drawNormColumn(pen, { x, y: block.y + block.h - NORMS - 3, w: w > 4 ? w - 1 : w, h: NORMS }, magnitude, theme);
  if (block.words.label === "") return;
  pen.textAlign = "left";
  pen.font = block.lane.kind === "line" ? CODE(theme) : FONT(theme, block.lane.kind === "setup" ? 11 : 12);
  if (block.lane.kind === "setup") {
    pen.fillStyle = theme.background;
    pen.fillRect(block.left + 3, block.y + 2, pen.measureText(block.words.label).width + 6, block.h - 4);
  }
  pen.fillStyle = block.lane.kind === "line" ? theme.muted : theme.text;
  const middle = block.columns?.length ? (block.h - NORMS) / 2 : block.h / 2;
  pen.fillText(block.words.label, block.left + 6, block.y + middle + 0.5);
}

/** How high the norms over a repeat are. */
const NORMS = 14;

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
  if (plot.x < 40) {
    // Without a column of titles nothing else says what the curve is.
    pen.fillStyle = theme.text;
    pen.font = FONT(theme, 11);
    pen.textAlign = "left";
    pen.fillText([title, ...said].join(" "), plot.x + 4, y + h - 8);
  }
}

/** From the selected and the hovered op to its partner, across the middle line. */
function links(pen: Pen, scene: Scene, theme: Theme, marks: Marks): void {
  const from = findBlock(scene, marks.hovered) ?? findBlock(scene, marks.selected);
  if (from?.lane.kind !== "op") return;
  pen.strokeStyle = theme.accent;
  pen.lineWidth = 2;
  for (const row of marks.partners) {
    const to = findBlock(scene, row);
    if (to?.lane.kind !== "op") continue;
    const [upper, lower] = from.y < to.y ? [from, to] : [to, from];
    const [x1, y1, x2, y2] = [upper.x + upper.w / 2, upper.y + upper.h, lower.x + lower.w / 2, lower.y];
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.bezierCurveTo(x1, y1 + (y2 - y1) / 2 + 6, x2, y1 + (y2 - y1) / 2 - 6, x2, y2);
    pen.stroke();
  }
}

/** Around what is hovered, its partners and, above them, what is selected. */
function outlines(pen: Pen, scene: Scene, theme: Theme, { selected, hovered, partners }: Marks): void {
  const around = (row: number, color: string, width: number, dash: number[]): void => {
    const block = findBlock(scene, row);
    if (!block) return;
    const { x, y, w, h } = block;
    pen.beginPath();
    pen.roundRect(x - 0.5, y - 0.5, Math.max(3, w + 0.5), h + 1, w > 8 ? 5 : 1);
    pen.setLineDash(dash);
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.stroke();
    pen.setLineDash([]);
  };
  if (hovered !== selected && !partners.includes(hovered)) around(hovered, theme.hover, 2, []);
  for (const row of partners) if (row !== selected) around(row, theme.accent, 2, [4, 2]);
  around(selected, theme.accent, 3, []);
}

/** The sign of a finding in a corner of its op. */
function badge(pen: Pen, { x, y, w, h }: Block, theme: Theme, severity: number): void {
  if (severity === 0 || w < WIDE_ENOUGH) return;
  // On a small op it stands on the edge, out of the words' way.
  if (w < 48 || h < ROOMY) sign(pen, x + w - 7, y + 1, theme, severity);
  else sign(pen, x + w - 10, y + 10, theme, severity);
}

/** Beside the sign of a finding about gradients, in words where it is; on the side where it covers fewer other signs. */
function faultLabel(pen: Pen, { model, signs, plot }: Scene, theme: Theme, { row, lane, x, y }: FaultMarker): void {
  const text = model.fault(row);
  if (text === "") return;
  pen.font = FONT(theme, 11, 600);
  const wide = pen.measureText(text).width;
  const covered = (from: number): number =>
    signs.filter((other) => other.lane === lane && other.x > from - 11 && other.x < from + wide + 11 && other.x !== x)
      .length;
  const [from] = [x + 11, x - 11 - wide]
    .filter((at) => at >= plot.x + 2 && at + wide <= plot.x + plot.w)
    .sort((a, b) => covered(a) - covered(b));
  if (from === undefined) return;
  pen.fillStyle = theme.background;
  pen.beginPath();
  pen.roundRect(from - 3, y - 8, wide + 6, 16, 3);
  pen.fill();
  pen.fillStyle = theme.text;
  pen.textAlign = "left";
  pen.fillText(text, from, y + 0.5);
}

function sign(pen: Pen, x: number, y: number, theme: Theme, severity: number): void {
  pen.fillStyle = theme.background;
  pen.beginPath();
  pen.arc(x, y, 8, 0, 2 * Math.PI);
  pen.fill();
  pen.fillStyle = [theme.muted, theme.info, theme.warn, theme.fault, theme.fault][severity];
  drawGlyph(pen, severity === NONFINITE ? ERROR.path : SEVERITIES[severity].path, x, y, 10);
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
