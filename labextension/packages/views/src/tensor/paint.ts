import { format, hatch, textColor, measurer, type Theme } from "@tapeviz/core";
import { cellIndex, MISSING, type Cells } from "./cells";
import { labels, NUMBER_ROOM, type Box, type Camera } from "./grid";
import { facetAt, type Facets, type Plane } from "./plane";
import { pixels, type ColorScale } from "./scale";

/** What a heat map is painted from. */
export interface Picture {
  readonly plane: Plane;
  readonly camera: Camera;
  readonly cells: Cells | null;
  readonly scale: ColorScale;
  readonly theme: Theme;
  /** Row and column that are marked: the cursor, and what the pointer is over. */
  readonly cursor: readonly [number, number] | null;
  readonly hover: readonly [number, number] | null;
}

/** Room at the top for column numbers, and on the left for row numbers of a plane. */
export const TOP_MARGIN = 20;
export const leftMargin = (rowLabel: (r: number) => string, rows: number): number => 14 + 7 * rowLabel(rows - 1).length;

/** Row and column numbers. Of a single axis cut into rows: the row's first element, and how far from it. */
export const rowLabel =
  (plane: Plane) =>
  (r: number): string =>
    plane.facets ? String(facetAt(plane, r, 0)?.[1] ?? "") : format.count(plane.wrap > 0 ? r * plane.wrap : r);
export const columnLabel = (plane: Plane, c: number): string =>
  plane.facets ? String(facetAt(plane, 0, c)?.[2] ?? "") : plane.wrap > 0 ? `+${c}` : format.count(c);

const colors = new WeakMap<ColorScale, Uint32Array>();

/** Paints the heat map with its row and column numbers; `box` is the room of the cells, at (left, TOP). */
export function paint(pen: CanvasRenderingContext2D, picture: Picture, left: number, box: Box): void {
  const { plane, camera } = picture;
  const [width, height] = [
    Math.min(box.width, (plane.cols - camera.x) * camera.w),
    Math.min(box.height, (plane.rows - camera.y) * camera.h),
  ];
  edgeLabels(pen, picture, left, box);
  pen.save();
  pen.translate(left, TOP_MARGIN);
  pen.beginPath();
  pen.rect(0, 0, width, height);
  pen.clip();
  // What is not here shows as a quiet band, a place without an element as the page.
  const whole = picture.cells && !picture.cells.missing?.includes(MISSING);
  pen.fillStyle = whole ? picture.theme.background : picture.theme.band;
  pen.fillRect(0, 0, width, height);
  if (picture.cells) {
    paintCells(pen, picture, picture.cells);
    if (Math.min(camera.w, camera.h) >= 10) lines(pen, picture, width, height);
    marks(pen, picture, picture.cells, box);
  }
  if (picture.cells && plane.facets) facetLabels(pen, picture, plane.facets, box);
  pen.restore();
  pen.strokeStyle = picture.theme.line;
  pen.lineWidth = 1;
  if (!plane.facets) pen.strokeRect(left - 0.5, TOP_MARGIN - 0.5, Math.round(width) + 1, Math.round(height) + 1);
  outlines(pen, picture, left, box);
}

/** The index of each plane side by side, in its upper left corner, where it has the room. */
function facetLabels(pen: CanvasRenderingContext2D, { plane, camera, theme }: Picture, facets: Facets, box: Box): void {
  const [down, right] = [plane.shape[plane.axes[0]] + facets.gap, plane.shape[plane.axes[1]] + facets.gap];
  if (down * camera.h < 30 || right * camera.w < 34) return;
  pen.font = `10px ${theme.sans}`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  for (let facet = 0; facet < plane.shape[facets.axis]; facet++) {
    const x = ((facet % facets.across) * right - camera.x) * camera.w;
    const y = (Math.floor(facet / facets.across) * down - camera.y) * camera.h;
    if (x < -40 || y < -20 || x > box.width || y > box.height) continue;
    const text = format.count(facet);
    pen.fillStyle = theme.background;
    pen.fillRect(x, y, pen.measureText(text).width + 8, 14);
    pen.fillStyle = theme.text;
    pen.fillText(text, x + 4, y + 7);
  }
}

/** Where the middle of a slice's cells is, and how large each drawn cell is. */
function placed(
  { camera }: Picture,
  { slice: { start, stride } }: Cells,
): { x: number; y: number; w: number; h: number } {
  return {
    x: (start[1] - camera.x) * camera.w,
    y: (start[0] - camera.y) * camera.h,
    w: stride[1] * camera.w,
    h: stride[0] * camera.h,
  };
}

function paintCells(pen: CanvasRenderingContext2D, picture: Picture, cells: Cells): void {
  const { scale, theme } = picture;
  const [rows, cols] = cells.slice.size;
  if (rows === 0 || cols === 0) return;
  let palette = colors.get(scale);
  if (!palette) colors.set(scale, (palette = pixels(scale.colors)));
  const [low, high] = [palette[0], palette[palette.length - 1]];
  const image = new ImageData(cols, rows);
  const holes = new ImageData(cols, rows);
  const [out, hole] = [new Uint32Array(image.data.buffer), new Uint32Array(holes.data.buffer)];
  const { numbers, missing } = cells;
  let anyHole = false;
  for (let k = 0; k < numbers.length; k++) {
    const v = numbers[k];
    if (missing?.[k]) continue;
    if (Number.isNaN(v)) {
      hole[k] = 0xff000000;
      anyHole = true;
    } else out[k] = v === Infinity ? high : v === -Infinity ? low : palette[scale.index(v)];
  }
  const where = placed(picture, cells);
  blit(pen, image, where);
  if (anyHole) blit(pen, holes, where, hatch(pen, theme.background, theme.fault, "\\", 5));
}

/** Draws a pixel a cell; with a `fill`, its opaque pixels show that instead of their colour. */
function blit(
  pen: CanvasRenderingContext2D,
  image: ImageData,
  { x, y, w, h }: { x: number; y: number; w: number; h: number },
  fill?: CanvasPattern | string,
): void {
  const sheet = new OffscreenCanvas(image.width, image.height);
  sheet.getContext("2d")!.putImageData(image, 0, 0);
  if (!fill) {
    pen.imageSmoothingEnabled = false;
    pen.drawImage(sheet, x, y, image.width * w, image.height * h);
    return;
  }
  const ratio = window.devicePixelRatio || 1;
  const large = new OffscreenCanvas(pen.canvas.width, pen.canvas.height);
  const over = large.getContext("2d")! as unknown as CanvasRenderingContext2D;
  over.setTransform(ratio, 0, 0, ratio, 0, 0);
  over.imageSmoothingEnabled = false;
  over.drawImage(sheet, x, y, image.width * w, image.height * h);
  over.globalCompositeOperation = "source-in";
  over.fillStyle = fill;
  over.fillRect(0, 0, large.width, large.height);
  pen.drawImage(large, 0, 0, large.width / ratio, large.height / ratio);
}

/** Hair lines between cells, in the page's colour: cells as tiles. */
function lines(pen: CanvasRenderingContext2D, { camera, theme }: Picture, width: number, height: number): void {
  pen.strokeStyle = theme.background;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let x = (Math.ceil(camera.x) - camera.x) * camera.w; x <= width; x += camera.w) {
    pen.moveTo(Math.round(x) + 0.5, 0);
    pen.lineTo(Math.round(x) + 0.5, height);
  }
  for (let y = (Math.ceil(camera.y) - camera.y) * camera.h; y <= height; y += camera.h) {
    pen.moveTo(0, Math.round(y) + 0.5);
    pen.lineTo(width, Math.round(y) + 0.5);
  }
  pen.stroke();
}

const MOST_MARKS = 400;

/** Numbers in cells that have the room; a cross or an infinity on those that are not finite, however small they are. */
function marks(pen: CanvasRenderingContext2D, picture: Picture, cells: Cells, box: Box): void {
  const { camera, theme } = picture;
  const { numbers, missing, slice } = cells;
  const where = placed(picture, cells);
  const roomy = camera.w >= NUMBER_ROOM.w && camera.h >= NUMBER_ROOM.h;
  const font = `${camera.w < 50 ? 10 : 11}px ${theme.sans}`;
  const measure = measurer(pen, font);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  let marked = 0;
  for (let k = 0; k < numbers.length && (roomy || marked < MOST_MARKS); k++) {
    const x = where.x + ((k % slice.size[1]) + 0.5) * where.w;
    const y = where.y + (Math.floor(k / slice.size[1]) + 0.5) * where.h;
    const finite = Number.isFinite(numbers[k]);
    if (missing?.[k] || (finite && !roomy) || x < -where.w || y < -where.h || x > box.width + where.w) continue;
    if (!finite && (marked += 1)) pill(pen, x, y, sign(numbers[k]), theme);
    else {
      pen.font = font;
      pen.fillStyle = textColor(picture.scale.colors[picture.scale.index(numbers[k])]);
      pen.fillText(shortest(numbers[k], where.w - 3, measure), x, y + 0.5);
    }
  }
}

const sign = (x: number): string => (Number.isNaN(x) ? "✕" : x > 0 ? "+∞" : "−∞");

/** A mark on a plate, so that it stands out on any colour. */
function pill(pen: CanvasRenderingContext2D, x: number, y: number, text: string, theme: Theme): void {
  pen.font = `600 10px ${theme.sans}`;
  const width = Math.max(13, pen.measureText(text).width + 6);
  pen.fillStyle = theme.background;
  pen.strokeStyle = theme.fault;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.roundRect(x - width / 2, y - 6.5, width, 13, 6.5);
  pen.fill();
  pen.stroke();
  pen.fillStyle = theme.fault;
  pen.fillText(text, x, y + 0.5);
}

/** A number with as many of three digits as fit, at last as a bare power of ten; nothing when not even that does. */
function shortest(x: number, width: number, measure: (text: string) => number): string {
  const forms = [format.number(x), format.number(x, 2), x.toExponential(1), x.toExponential(0)].map((text) =>
    text.replace(/-/g, "−").replace("e+", "e"),
  );
  return forms.find((text) => measure(text) <= width) ?? "";
}

function edgeLabels(pen: CanvasRenderingContext2D, { plane, camera, theme }: Picture, left: number, box: Box): void {
  if (plane.facets) return;
  pen.font = `11px ${theme.sans}`;
  pen.fillStyle = theme.muted;
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  const wide = 14 + 7 * format.count(plane.cols - 1).length;
  for (const { at: c, middle } of labels(camera.x, camera.w, plane.cols, box.width, wide)) {
    pen.fillText(columnLabel(plane, c), left + Math.max(middle, 4), TOP_MARGIN / 2 + 1);
  }
  pen.textAlign = "right";
  const name = rowLabel(plane);
  for (const { at: r, middle } of labels(camera.y, camera.h, plane.rows, box.height, 17)) {
    pen.fillText(name(r), left - 7, TOP_MARGIN + Math.max(middle, 5) + 0.5);
  }
}

function outlines(pen: CanvasRenderingContext2D, picture: Picture, left: number, box: Box): void {
  const { camera, theme, cursor, hover } = picture;
  const frame = (cell: readonly [number, number] | null, color: string, width: number): void => {
    if (!cell) return;
    const [w, h] = [Math.max(camera.w, 5), Math.max(camera.h, 5)];
    const x = left + (cell[1] + 0.5 - camera.x) * camera.w - w / 2;
    const y = TOP_MARGIN + (cell[0] + 0.5 - camera.y) * camera.h - h / 2;
    if (x + w < left - 2 || y + h < TOP_MARGIN - 2 || x > left + box.width || y > TOP_MARGIN + box.height) return;
    pen.lineWidth = width + 2;
    pen.strokeStyle = theme.background;
    pen.strokeRect(x, y, w, h);
    pen.lineWidth = width;
    pen.strokeStyle = color;
    pen.strokeRect(x, y, w, h);
  };
  frame(hover, theme.hover, 1);
  frame(cursor, theme.accent, 2);
}

/** The exact text of a cell; empty when it is not here. */
export function textAt(cells: Cells | null, r: number, c: number): string {
  if (!cells) return "";
  const k = cellIndex(cells, r, c);
  return k < 0 || cells.missing?.[k] ? "" : cells.text(k);
}
