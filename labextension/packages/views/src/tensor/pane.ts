import { Disposer, format, guarded, h, on, type Dispose } from "@tapeviz/core";
import type { ViewContext } from "../view";
import { valuesAbsence, type Absence } from "./absence";
import { ROW_HEIGHT, type Viewport } from "./viewport";
import type { Cells } from "./cells";
import { bindPlane } from "./gestures";
import { sliceOf } from "./grid";
import { leftMargin, paint, rowLabel, textAt, TOP_MARGIN } from "./paint";
import { numbersTable } from "./numbers";
import { facetsInWords } from "./plane";
import type { ColorScale } from "./scale";
import type { CellLookup, CellSource } from "./source";
import { thumbs, type Thumbs } from "./thumbs";

/** What one pane shows: a tensor's elements, or why there are none. */
export interface PaneContent {
  readonly title: string;
  readonly name: string;
  readonly source: CellSource | null;
  /** Why there is no tensor at all, such as a gradient that is None. */
  readonly absence: Absence | null;
  readonly scale: ColorScale;
  /** Where the elements are that these are the other values of: those that differ glow. */
  readonly before?: CellSource;
}

export interface Pane {
  readonly element: HTMLElement;
  /** The colours with their numbers, at first in the caption. */
  readonly legend: HTMLElement;
  readonly redraw: () => void;
  /** The exact text of an element in view; "" when it is not here. */
  readonly text: (r: number, c: number) => string;
  /** How far apart the elements drawn are. */
  readonly stride: () => readonly [number, number];
  /** True when elements are shown. */
  readonly present: () => boolean;
  readonly dispose: Dispose;
}

/** A heat map or a table of a plane, with its caption and its legend. */
export function pane(parent: HTMLElement, viewport: Viewport, content: PaneContent, context: ViewContext): Pane {
  return new ElementsPane(parent, viewport, content, context);
}

class ElementsPane implements Pane {
  readonly element: HTMLElement;
  readonly legend: HTMLElement;
  readonly #surface: HTMLElement;
  readonly #canvas = h("canvas", { "aria-hidden": "true" });
  readonly #table = h("div", { class: "tvt-numbers" });
  readonly #note = h("div", { class: "tvt-note", role: "status" });
  readonly #thumbs: Thumbs;
  readonly #disposer = new Disposer();
  #cells: Cells | null = null;
  #stride: readonly [number, number] = [1, 1];
  #frame = 0;

  constructor(
    parent: HTMLElement,
    private readonly viewport: Viewport,
    private readonly content: PaneContent,
    private readonly context: ViewContext,
  ) {
    const label = describe(viewport, content);
    this.#surface = h("div", { class: "tvt-plane", tabindex: 0, role: "group", "aria-label": label });
    this.#surface.append(this.#canvas, this.#table, this.#note);
    this.legend = legend(content.scale);
    const caption = h("header", {}, h("h3", {}, content.title), this.legend);
    this.element = h("section", { class: "tvt-pane" }, caption, this.#surface);
    parent.append(this.element);
    this.#thumbs = thumbs(this.#surface, viewport);
    const observer = new ResizeObserver(this.redraw);
    observer.observe(this.#surface);
    this.#disposer.add(
      () => cancelAnimationFrame(this.#frame),
      () => observer.disconnect(),
      () => this.element.remove(),
      this.#thumbs.dispose,
      bindPlane(this.#surface, viewport, () => leftOf(viewport), this.stride),
      on(
        this.#surface,
        "focus",
        () => viewport.cursor ?? viewport.goTo(Math.floor(viewport.camera.y), Math.floor(viewport.camera.x)),
      ),
    );
  }

  readonly dispose: Dispose = () => this.#disposer.dispose();
  readonly text = (r: number, c: number): string => textAt(this.#cells, r, c);
  readonly stride = (): readonly [number, number] => this.#stride;
  readonly present = (): boolean => this.#cells !== null;
  readonly redraw = (): void => void (this.#frame ||= requestAnimationFrame(guarded(() => this.#draw())));

  #draw(): void {
    this.#frame = 0;
    const { viewport, context } = this;
    const left = measure(viewport, this.#surface);
    const { cells, absence } = this.#find();
    this.#cells = cells;
    const numbers = viewport.mode === "numbers";
    this.legend.hidden = numbers || cells === null;
    this.#canvas.hidden = numbers || (cells === null && absence?.state !== "pending");
    this.#table.hidden = !numbers || cells === null;
    tell(this.#note, absence, cells !== null);
    const changed = cells && this.#changed(cells);
    if (!this.#canvas.hidden)
      paintOn(this.#canvas, this.#surface, viewport, cells, this.content.scale, context, left, changed);
    if (!this.#table.hidden && cells) numbersTable(this.#table, viewport, cells, left, changed);
    this.#thumbs.update(left, TOP_MARGIN, cells !== null);
  }

  /** Which elements are other than they were; null where nothing is compared. */
  #changed(cells: Cells): IsChanged | null {
    const { viewport, content } = this;
    const before = content.before?.find(viewport.plane, cells.slice).cells;
    if (!before || JSON.stringify(before.slice) !== JSON.stringify(cells.slice)) return null;
    return (k) => !Object.is(before.numbers[k], cells.numbers[k]);
  }

  #find(): CellLookup {
    const { viewport, content, context } = this;
    const slice = sliceOf(viewport.camera, viewport.plane, viewport.box);
    this.#stride = slice.stride;
    if (content.source) return content.source.find(viewport.plane, slice);
    return { cells: null, absence: content.absence ?? valuesAbsence(context.recording, -1) };
  }
}

/** Says of an element, by its place in the slice, whether it differs. */
export type IsChanged = (k: number) => boolean;

const leftOf = (viewport: Viewport): number => leftMargin(rowLabel(viewport.plane), viewport.plane.rows);

/** Takes the room there is for cells; gives where they start. */
function measure(viewport: Viewport, surface: HTMLElement): number {
  const left = leftOf(viewport);
  viewport.box = {
    width: Math.max(1, surface.clientWidth - left - 12),
    height: Math.max(1, surface.clientHeight - TOP_MARGIN - 12),
  };
  if (viewport.mode === "numbers") {
    // Only whole rows and columns, so that no number is ever cut.
    const rows = Math.max(1, Math.floor(viewport.box.height / ROW_HEIGHT));
    const columns = Math.min(viewport.plane.cols, Math.max(1, Math.floor(viewport.box.width / viewport.narrowest)));
    viewport.column = Math.min(viewport.narrowest * 1.4, Math.floor(viewport.box.width / columns));
    viewport.box = { width: columns * viewport.column, height: rows * ROW_HEIGHT };
  }
  viewport.settle();
  return left;
}

function paintOn(
  canvas: HTMLCanvasElement,
  surface: HTMLElement,
  viewport: Viewport,
  cells: Cells | null,
  scale: ColorScale,
  context: ViewContext,
  left: number,
  changed: IsChanged | null,
): void {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [surface.clientWidth, surface.clientHeight];
  const [w, hh] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== hh) Object.assign(canvas, { width: w, height: hh });
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const { plane, camera, cursor, hover, box } = viewport;
  paint(pen, { plane, camera, cells, scale, theme: context.theme.value, cursor, hover }, left, box);
  if (changed && cells) outline(pen, viewport, cells, changed, left, context.theme.value.warn);
}

/** Draws a frame around each element that is other than it was, where there is room for one. */
function outline(
  pen: CanvasRenderingContext2D,
  { camera }: Viewport,
  { slice }: Cells,
  changed: IsChanged,
  left: number,
  color: string,
): void {
  if (camera.w * slice.stride[1] < 4 || camera.h * slice.stride[0] < 4) return;
  Object.assign(pen, { strokeStyle: color, lineWidth: 2 });
  const [rows, cols] = slice.size;
  for (let k = 0; k < rows * cols; k++) {
    if (!changed(k)) continue;
    const x = left + (slice.start[1] + (k % cols) * slice.stride[1] - camera.x) * camera.w;
    const y = TOP_MARGIN + (slice.start[0] + Math.floor(k / cols) * slice.stride[0] - camera.y) * camera.h;
    pen.strokeRect(x + 1, y + 1, camera.w * slice.stride[1] - 2, camera.h * slice.stride[0] - 2);
  }
}

/** What is said where there are no elements, or while they are on their way. */
function tell(note: HTMLElement, absence: Absence | null, over: boolean): void {
  note.hidden = absence === null;
  note.classList.toggle("tvt-over", over);
  const text = absence ? `${absence.glyph}|${absence.word}|${absence.text}` : "";
  if (!absence || note.dataset["said"] === text) return;
  note.dataset["said"] = text;
  note.replaceChildren(
    h("span", { class: "tvt-state", "aria-hidden": "true" }, absence.glyph),
    h("b", {}, absence.word),
    h("p", {}, absence.text),
  );
}

/** The colours with their numbers. */
function legend(scale: ColorScale): HTMLElement {
  const stops = [0, 32, 64, 96, 128, 160, 192, 224, 255].map((i) => scale.colors[i]).join(",");
  const words = { signed: "signed", magnitude: "magnitude", log: "magnitude, log₁₀" }[scale.name];
  return h(
    "div",
    { class: "tvt-legend" },
    h("span", { class: "tv-muted" }, words),
    h(
      "div",
      {
        class: "tvt-ramp",
        role: "img",
        "aria-label": `colours from ${scale.ticks[0].label} to ${scale.ticks.at(-1)?.label}`,
      },
      h("i", { style: `background:linear-gradient(to right,${stops})` }),
      ...scale.ticks
        .filter((_, i, all) => all.length < 4 || i % 2 === 0)
        .map(({ at, label }) => h("span", { style: `left:${at * 100}%` }, label)),
    ),
  );
}

function describe({ plane }: Viewport, { title, name }: PaneContent): string {
  const extent = `${format.plural(plane.rows, "row")} by ${format.plural(plane.cols, "column")}`;
  return `${title} of ${name}: ${facetsInWords(plane) || extent}; arrow keys move from element to element`;
}
