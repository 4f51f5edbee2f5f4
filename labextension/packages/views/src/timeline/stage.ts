import { Disposer, Signal, canvas, clamp, h, measurer, on, type Canvas, type Dispose } from "@tapeviz/core";
import { redrawOnChange, type ViewContext } from "../view";
import { factsOf } from "../facts";
import { CODE, FONT } from "./caption";
import { draw, type Marks } from "./draw";
import { gutter, heightOf, hit, layout, type Hit, type Scene } from "./layout";
import { modelOf, withMemory, withOpened, type Model, type ScaleName } from "./model";
import { rangeText, summarize } from "./range";
import { Tip } from "../tip";
import { backwardNote } from "./note";
import { fit, pan, reveal, zoom, type VisibleRange } from "./visiblerange";
import type { Measures, LabelCandidates } from "./labels";
import { labelCandidates } from "./labeltexts";
import { tipFor } from "./tips";

/** How long after the frame of the first picture what it can do without is counted, ms: by then it is there and answers. */
const AFTER_PAINT = 100;

/** The canvas of the timeline: what part is shown, and the pointer on it. */
export class Stage {
  readonly scale: Signal<ScaleName>;
  readonly dispose: Dispose;
  readonly #context: ViewContext;
  readonly #canvas: Canvas;
  readonly #stage: HTMLElement;
  readonly #strip: HTMLElement;
  readonly #note = h("div", { class: "tv-note" });
  readonly #tip: Tip;
  #model: Model;
  #candidates: LabelCandidates;
  #visible: VisibleRange;
  #scene: Scene | null = null;
  #range: readonly [number, number] | null = null;
  /** The keys of the repeats that are open. */
  #opened: ReadonlySet<string> = new Set();
  #measures: Measures | null = null;
  #counting: number | undefined;

  constructor(holder: HTMLElement, strip: HTMLElement, context: ViewContext, scale: ScaleName) {
    this.#context = context;
    this.#strip = strip;
    this.scale = new Signal(scale);
    this.#model = modelOf(context.recording, scale);
    this.#candidates = labelCandidates(context.recording);
    this.#visible = fit(this.#model.domain);
    this.#stage = h("div", { class: "tv-stage" });
    holder.append(this.#stage);
    this.#canvas = canvas(this.#stage, "Timeline of the ops; press t for the same in words", (pen, w, hh) =>
      this.#paint(pen, w, hh),
    );
    this.#stage.append(this.#note);
    this.#tip = new Tip(this.#stage);
    const disposer = new Disposer().add(this.#canvas.dispose, this.#tip.dispose, () => this.#stage.remove());
    redrawOnChange(disposer, context, this.#canvas.redraw);
    disposer.add(
      this.scale.on(() => this.#rebuild()),
      context.changed.on(() => this.#rebuild()),
      context.selection.selected.on(({ event }) => this.#reveal(event)),
      ...this.#pointer(),
    );
    this.#fill();
    this.#stage.ariaBusy = String(this.#model.memory === null);
    const frame = requestAnimationFrame(() => {
      this.#counting = window.setTimeout(() => this.#countMemory(), AFTER_PAINT);
    });
    disposer.add(
      () => cancelAnimationFrame(frame),
      () => window.clearTimeout(this.#counting),
    );
    this.dispose = disposer.dispose;
  }

  fit(): void {
    this.#show(fit(this.#model.domain));
  }

  /** Zooms around the selected op when it is in sight, else around the middle. */
  zoom(factor: number): void {
    const { from, to } = this.#visible;
    const row = this.#row(this.#context.selection.selected.value.event);
    const at = row < 0 ? NaN : (this.#model.axis.start[row] + this.#model.axis.end[row]) / 2;
    this.#zoomAt(factor, at >= from && at <= to ? at : (from + to) / 2);
  }

  /** Opens the repeat around the selected event, or closes it where it is open; without one in sight all of them. */
  toggleRepeats(): void {
    const row = this.#row(this.#context.selection.selected.value.event);
    const bars = this.#model.lanes.flatMap(({ bars }) => [...(bars?.values() ?? [])]).filter(({ block }) => block < 0);
    const at = row < 0 ? NaN : (this.#model.axis.start[row] + this.#model.axis.end[row]) / 2;
    const around = bars.filter(({ edges }) => edges[0] <= at && at <= edges[edges.length - 1]);
    const { phase } = this.#context.recording.events;
    const innermost = around.findLast(({ repeat }) => repeat.phase === phase[row]) ?? around.at(-1);
    if (innermost) return this.#toggle(innermost.repeat.key);
    this.#open(bars.some(({ isOpen }) => isOpen) ? [] : bars.map(({ repeat }) => repeat.key));
  }

  get hasRepeats(): boolean {
    return this.#model.lanes.some(({ bars }) => (bars?.size ?? 0) > 0);
  }

  #toggle(key: string): void {
    const others = [...this.#opened].filter((one) => one !== key);
    this.#open(this.#opened.has(key) ? others : [...others, key]);
  }

  #open(keys: readonly string[]): void {
    this.#opened = new Set(keys);
    this.#model = withOpened(this.#model, this.#context.recording, this.#opened);
    this.#fill();
    this.#canvas.redraw();
  }

  /** Moves by a part of what is shown. */
  pan(part: number): void {
    this.#show(pan(this.#visible, part * (this.#visible.to - this.#visible.from), this.#model.domain));
  }

  /** The smallest range: 20 ns, or half a column. */
  get #least(): number {
    return this.scale.value === "time" ? 20 : 0.5;
  }

  #zoomAt(factor: number, at: number): void {
    this.#show(zoom(this.#visible, factor, at, this.#model.domain, this.#least));
  }

  #show(visible: VisibleRange): void {
    this.#visible = visible;
    this.#tip.hide();
    this.#canvas.redraw();
  }

  #countMemory(): void {
    const counted = withMemory(this.#model, this.#context.recording);
    this.#stage.ariaBusy = "false";
    if (counted === this.#model) return;
    this.#model = counted;
    this.#canvas.redraw();
  }

  #rebuild(): void {
    const { recording } = this.#context;
    this.#model = withMemory(modelOf(recording, this.scale.value, this.#opened), recording);
    this.#candidates = labelCandidates(this.#context.recording);
    this.#setRange(null);
    this.#fill();
    this.fit();
  }

  /** What depends on the model and not on the visible range. */
  #fill(): void {
    this.#tip.hide();
    this.#stage.style.height = `${heightOf(this.#model)}px`;
    const said = backwardNote(this.#context.recording);
    this.#note.hidden = said === null;
    this.#note.textContent = said?.text ?? "";
    this.#note.classList.toggle("tv-fault", said?.fault ?? false);
  }

  #row(event: number): number {
    return factsOf(this.#context.recording).eventRow(event);
  }

  #reveal(event: number): void {
    const row = this.#row(event);
    if (row < 0) return;
    const { start, end } = this.#model.axis;
    if (end[row] > start[row]) this.#show(reveal(this.#visible, start[row], end[row], this.#model.domain));
  }

  #paint(pen: CanvasRenderingContext2D, width: number, height: number): void {
    const theme = this.#context.theme.value;
    // The fonts are the same in light and dark: measured texts stay known.
    this.#measures ??= {
      measure: measurer(pen, FONT(theme, 12, 500)),
      small: measurer(pen, FONT(theme, 11)),
      code: measurer(pen, CODE(theme)),
    };
    const { from, to } = this.#visible;
    const matches = this.#context.matches.value;
    this.#scene = layout(this.#model, { from, to, width, height, matches, ...this.#measures }, this.#candidates);
    draw(pen, this.#scene, theme, this.#marks());
    this.#note.style.left = `${gutter(width) + 10}px`;
    this.#note.style.top = `${this.#scene.middle + 17}px`;
  }

  #marks(): Marks {
    const { recording, selection } = this.#context;
    const facts = factsOf(recording);
    const [selected, hovered] = [selection.selected.value.event, selection.hovered.value.event];
    const of = hovered >= 0 && !facts.isSpan(hovered) ? hovered : selected;
    return {
      selected: facts.eventRow(selected),
      hovered: facts.eventRow(hovered),
      partners: of < 0 ? [] : facts.partners(of).map((event) => facts.eventRow(event)),
      range: this.#range,
    };
  }

  #setRange(range: readonly [number, number] | null): void {
    this.#range = range;
    this.#strip.hidden = range === null;
    this.#strip.replaceChildren();
    if (range) {
      const clear = h("button", { type: "button", title: "Clear the range", "aria-label": "Clear the range" }, "×");
      on(clear, "click", () => this.#setRange(null));
      const text = rangeText(summarize(this.#context.recording, this.#model.axis, range[0], range[1]));
      this.#strip.append(h("span", {}, text), clear);
    }
    const { time } = this.#model.axis;
    if (this.scale.value === "time" || range === null)
      this.#context.selection.range.set(range && [time(range[0]), time(range[1])]);
    this.#canvas.redraw();
  }

  #pointer(): Dispose[] {
    const element = this.#canvas.element;
    return [
      on<WheelEvent>(element, "wheel", (event) => this.#wheel(event), { passive: false }),
      on<PointerEvent>(element, "pointerdown", (event) => this.#press(event)),
      on<PointerEvent>(element, "pointermove", (event) => this.#point(event)),
      on(element, "pointerleave", () => this.#leave()),
      on<MouseEvent>(element, "dblclick", (event) => this.#zoomTo(this.#at(event))),
    ];
  }

  /** Ctrl or ⌘ with the wheel (and a pinch) zooms, sideways pans; otherwise the page scrolls as ever. */
  #wheel(event: WheelEvent): void {
    const scene = this.#scene;
    if (!scene) return;
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) this.#zoomAt(1.0015 ** event.deltaY, scene.scale.invert(event.offsetX));
    else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) this.pan(sideways / scene.plot.w);
    else return;
    event.preventDefault();
  }

  #at(event: MouseEvent): Hit | null {
    return this.#scene && hit(this.#scene, event.offsetX, event.offsetY);
  }

  #zoomTo(block: Hit | null): void {
    if (!block) return this.fit();
    const size = Math.max(this.#least, (block.to - block.from) * 3);
    const middle = (block.from + block.to) / 2;
    this.#show(zoom({ from: middle - size / 2, to: middle + size / 2 }, 1, middle, this.#model.domain, 0));
  }

  /** A press that does not move selects; one that moves drags a range, or on the ruler and the overview what is visible. */
  #press(event: PointerEvent): void {
    const scene = this.#scene;
    if (!scene || event.button > 1) return;
    const [startX, startRange] = [event.offsetX, this.#visible];
    const onOverview = event.offsetY >= scene.overview.y - 4;
    const moving = onOverview || event.offsetY < scene.ruler.h || event.button === 1;
    const x = (value: number): number => scene.scale.invert(clamp(value, scene.plot.x, scene.plot.x + scene.plot.w));
    let dragged = false;
    const move = (to: PointerEvent): void => {
      dragged ||= Math.abs(to.offsetX - startX) > 4;
      if (!dragged) return;
      const pixels = onOverview ? (to.offsetX - startX) / scene.plot.w : (startX - to.offsetX) / scene.plot.w;
      const reach = onOverview ? this.#model.domain[1] - this.#model.domain[0] : startRange.to - startRange.from;
      if (moving) this.#show(pan(startRange, pixels * reach, this.#model.domain));
      else this.#setRange([x(Math.min(startX, to.offsetX)), x(Math.max(startX, to.offsetX))]);
    };
    const element = this.#canvas.element;
    element.setPointerCapture(event.pointerId);
    const drag = new Disposer().add(on<PointerEvent>(element, "pointermove", move));
    const end = (up: PointerEvent): void => {
      drag.dispose();
      if (!dragged && up.type === "pointerup" && !moving) this.#choose(this.#at(up));
    };
    drag.add(on<PointerEvent>(element, "pointerup", end), on<PointerEvent>(element, "pointercancel", end));
  }

  #choose(block: Hit | null): void {
    if (block?.bar && block.bar.block < 0) return this.#toggle(block.bar.repeat.key);
    if (block && block.lane.kind !== "setup")
      this.#context.selection.select({ event: this.#context.recording.events.id[block.row] });
    else this.#context.selection.clear();
    if (!block) this.#setRange(null);
  }

  #point(event: PointerEvent): void {
    const block = event.buttons === 0 ? this.#at(event) : null;
    const { recording, selection } = this.#context;
    const isEvent = block && block.lane.kind !== "setup" && !block.bar;
    selection.hover(isEvent ? { event: recording.events.id[block.row] } : {});
    this.#canvas.element.style.cursor = block ? "pointer" : "";
    if (!block) return this.#tip.hide();
    const at = this.#scene!.scale.invert(event.offsetX);
    this.#tip.show(tipFor(recording, this.#model, block, at), event.offsetX, event.offsetY);
  }

  #leave(): void {
    this.#context.selection.hover();
    this.#tip.hide();
  }
}
