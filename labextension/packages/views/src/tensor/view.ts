import { Disposer, format, guarded, h, on, style, type Dispose } from "@tapeviz/core";
import { factsOf } from "../facts";
import type { View, ViewContext } from "../view";
import { gradientAbsence, type Absence } from "./absence";
import { scaleButton, toolbar } from "./bar";
import { Viewport, type Compare } from "./viewport";
import { mountHeader } from "./head";
import { statsOf, type Stats } from "./layout";
import { columnWidth } from "./numbers";
import { overview } from "./overview";
import { pane, type Pane } from "./pane";
import { facetsInWords, locate, firstPlane, position } from "./plane";
import { scalarPanel, emptyPanel } from "./scalar";
import { colorScale, type ColorScale } from "./scale";
import { sidePanel } from "./side";
import { seriesOf, type Series } from "./series";
import { CellSource } from "./source";
import { goToStep } from "./stepper";
import { selectedTensor, subjectOf, type Subject } from "./subject";
import css from "./tensor.css";
import elementsCss from "./elements.css";
import roomsCss from "./rooms.css";
import sideCss from "./side.css";
import { tensorText } from "./text";

const SIDE_WIDTH = { roomy: 288, tight: 240 } as const;
const NARROW = 720;
const TIGHT = 1080;
/** How often a growing recording is looked at anew, in ms. */
const PACE = 250;

/** One tensor: what it is, what its elements are, and every one of them; the same of its gradient. */
class TensorView {
  readonly #root: HTMLElement;
  readonly #lasting = new Disposer();
  #shown = new Disposer();
  #viewport: Viewport | null = null;
  #compare: Compare = "value";
  #logCounts = false;
  #tensor = -1;
  #series: Series | null = null;
  #panes: Pane[] = [];
  #wide = true;
  #timer = 0;

  constructor(
    parent: HTMLElement,
    private readonly context: ViewContext,
  ) {
    // One text, so that what depends on the room comes after what it changes.
    style(parent, [css, sideCss, elementsCss, roomsCss].join("\n"));
    this.#root = h("div", { class: "tvt" });
    parent.append(this.#root);
    const { selection, theme, changed, keys } = context;
    this.#wide = parent.clientWidth >= NARROW;
    const observer = new ResizeObserver(
      guarded(() => {
        const wide = this.#root.clientWidth >= NARROW;
        if (wide !== this.#wide) this.#render();
        this.#wide = wide;
      }),
    );
    observer.observe(this.#root);
    this.#lasting.add(
      () => observer.disconnect(),
      () => this.#root.remove(),
      () => this.#shown.dispose(),
      selection.selected.on(() => this.#follow()),
      theme.on(() => this.#render()),
      () => clearTimeout(this.#timer),
      changed.on(
        () =>
          (this.#timer ||= window.setTimeout(
            guarded(() => this.#grow()),
            PACE,
          )),
      ),
      keys.bind("v", "Value, gradient, side by side", () => this.#cycle()),
      keys.bind("m", "Map or numbers", () => this.#switchMode()),
      keys.bind("+", "Zoom in", () => this.#viewport?.zoom(2)),
      keys.bind("-", "Zoom out", () => this.#viewport?.zoom(0.5)),
      keys.bind("[", "The tensor a step earlier", () => this.#step(-1)),
      keys.bind("]", "The tensor a step later", () => this.#step(1)),
      keys.bind("f", "Fit", () => this.#viewport?.fit()),
      ...this.#editing(),
    );
    this.#render();
  }

  readonly dispose: Dispose = () => this.#lasting.dispose();

  /** What an edit changes, and the key that begins one. */
  #editing(): Dispose[] {
    const { experiments, keys } = this.context;
    if (!experiments || experiments.refusal) return [];
    return [
      experiments.outcome.on(() => this.#render()),
      keys.bind("e", "Edit the element", () => experiments.focus.set(experiments.focus.value + 1)),
      on(this.#root, "dblclick", () => experiments.focus.set(experiments.focus.value + 1)),
    ];
  }

  /** Has the element under the cursor be the one that is edited. */
  #point({ cursor, plane }: Viewport, { tensor }: Subject): void {
    const { experiments } = this.context;
    if (!cursor || !experiments) return;
    const at = { tensor, index: position(plane, ...cursor) };
    if (JSON.stringify(at) !== JSON.stringify(experiments.cursor.value)) experiments.cursor.set(at);
  }

  #grow(): void {
    this.#timer = 0;
    this.#render();
  }

  #follow(): void {
    if (selectedTensor(this.context.recording, this.context.selection.selected.value) !== this.#tensor) this.#render();
  }

  /** The same tensor at another time of the run. */
  #step(by: 1 | -1): void {
    if (this.#series) goToStep(this.context, this.#series, this.#series.at + by);
  }

  #cycle(): void {
    const order: Compare[] = ["value", "gradient", "both", ...(this.#series ? ["next" as const] : [])];
    this.#choose(order[(order.indexOf(this.#compare) + 1) % order.length]);
  }

  #choose(mode: Compare): void {
    this.#compare = mode;
    this.#render();
  }

  #switchMode(): void {
    this.#viewport?.switch(this.#viewport.mode === "map" ? "numbers" : "map");
    this.#render();
  }

  /** Builds everything anew for the tensor selected; the viewport stays as long as the shape does. */
  #render(): void {
    const focused = this.#focused();
    this.#shown.dispose();
    this.#shown = new Disposer();
    this.#panes = [];
    const { recording, selection } = this.context;
    this.#tensor = selectedTensor(recording, selection.selected.value);
    const subject = subjectOf(recording, this.#tensor);
    this.#series = subject && seriesOf(recording, this.#tensor);
    if (!this.#series && this.#compare === "next") this.#compare = "value";
    this.#root.classList.toggle("tvt-narrow", this.#root.clientWidth < NARROW);
    if (!subject) this.#root.replaceChildren(overview(this.context, this.#shown));
    else this.#show(subject);
    this.#refocus(focused);
  }

  #show(subject: Subject): void {
    const { context } = this;
    const disposer = this.#shown;
    const body = h("div", { class: "tvt-body" });
    const top = mountHeader(context, subject, this.#compare, (mode) => this.#choose(mode), disposer, this.#series);
    this.#root.replaceChildren(top, body);
    if (subject.size <= 1) {
      body.append(subject.size === 1 ? scalarPanel(context, subject, this.#compare) : emptyPanel(subject));
      return;
    }
    // The elements first: the viewport that "show the first" moves is theirs.
    const elements = this.#elements(subject);
    body.append(this.#summary(subject), elements);
  }

  #summary(subject: Subject): HTMLElement {
    const room = this.#root.clientWidth;
    const width = room < NARROW ? Math.max(200, room - 40) : SIDE_WIDTH[room < TIGHT ? "tight" : "roomy"];
    const toggle = (): void => {
      this.#logCounts = !this.#logCounts;
      this.#render();
    };
    const go = (index: readonly number[]): void => {
      const target = this.#viewport && locate(this.#viewport.plane, index);
      if (!target) return;
      this.#viewport?.show(target.plane);
      this.#viewport?.goTo(target.r, target.c);
    };
    const options = { compare: this.#compare, width, logarithmic: this.#logCounts, toggle, go };
    return sidePanel(this.context.recording, subject, options, this.#shown);
  }

  #elements(subject: Subject): HTMLElement {
    const viewport = this.#viewportFor(subject);
    const disposer = this.#shown;
    const foot = h("p", { class: "tvt-foot", "aria-live": "polite" });
    const shown = this.#compare === "gradient" ? (subject.gradient ?? -1) : subject.tensor;
    const isPair = this.#compare === "both" || this.#compare === "next";
    const edited = !isPair && this.#isEdited(shown);
    const panes = h("div", { class: `tvt-panes${edited ? " tvt-stacked" : ""}` });
    const single = isPair || edited ? "" : " tvt-single";
    const bottom = h(
      "div",
      { class: "tvt-bottom" },
      foot,
      viewport.mode === "map" && scaleButton(viewport, () => this.#render(), disposer),
    );
    const main = h(
      "div",
      { class: `tvt-elements${single}` },
      toolbar(viewport, () => this.#render(), disposer),
      panes,
      bottom,
    );
    if (this.#compare !== "gradient") this.#panes.push(this.#valuePane(panes, viewport, subject));
    if (this.#compare === "next") this.#panes.push(this.#nextPane(panes, viewport, subject));
    else if (this.#compare !== "value") this.#panes.push(this.#gradientPane(panes, viewport, subject));
    if (edited) this.#panes.push(this.#editedPane(panes, viewport, subject, shown));
    if (single) bottom.append(this.#panes[0].legend);
    disposer.add(...this.#panes.map((p) => p.dispose));
    const redraw = (): void => {
      for (const shown of this.#panes) shown.redraw();
      requestAnimationFrame(guarded(() => this.#read(foot, viewport, subject)));
    };
    disposer.add(
      viewport.changed.on(redraw),
      viewport.changed.on(() => this.#point(viewport, subject)),
    );
    redraw();
    // With less room the element that was edited may be out of sight.
    if (edited && viewport.cursor) requestAnimationFrame(guarded(() => viewport.goTo(...viewport.cursor!)));
    return main;
  }

  #viewportFor(subject: Subject): Viewport {
    const before = this.#viewport;
    const same = before && String(before.plane.shape) === String(subject.shape);
    const viewport = same ? before : new Viewport(firstPlane(subject.shape));
    if (!same && before) Object.assign(viewport, { mode: before.mode, logarithmic: before.logarithmic });
    viewport.narrowest = columnWidth(subject.dtype);
    return (this.#viewport = viewport);
  }

  #valuePane(host: HTMLElement, viewport: Viewport, subject: Subject): Pane {
    const source = new CellSource(this.context.recording, subject.tensor, this.context.request, () => viewport.touch());
    const scale = this.#scale(this.#statsOfBoth(subject.tensor), viewport);
    return pane(host, viewport, { title: "Value", name: subject.name, source, absence: null, scale }, this.context);
  }

  /** The same elements one step later, in the same colours. */
  #nextPane(host: HTMLElement, viewport: Viewport, { name, tensor }: Subject): Pane {
    const { recording, request } = this.context;
    const { noun } = this.#series!;
    const next = this.#next;
    const source = next < 0 ? null : new CellSource(recording, next, request, () => viewport.touch());
    const absence: Absence | null = source
      ? null
      : { state: "empty", glyph: "—", word: "nothing", text: `This is the last ${noun} of the run.` };
    const scale = this.#scale(this.#statsOfBoth(tensor), viewport);
    return pane(host, viewport, { title: `The next ${noun}`, name, source, absence, scale }, this.context);
  }

  /** The same tensor at the next step of the run; -1 where there is none. */
  get #next(): number {
    return this.#series?.tensors[this.#series.at + 1] ?? -1;
  }

  /** What spans the values of a tensor and, where both are shown, of the next one. */
  #statsOfBoth(tensor: number): Pick<Stats, "min" | "max" | "negative"> | null {
    const { recording } = this.context;
    const [one, other] = [statsOf(recording, tensor), this.#compare === "next" ? statsOf(recording, this.#next) : null];
    if (!one || !other) return one ?? other;
    return {
      min: Math.min(one.min, other.min),
      max: Math.max(one.max, other.max),
      negative: one.negative + other.negative,
    };
  }

  #isEdited(tensor: number): boolean {
    return (this.context.experiments?.editsOf(tensor) ?? []).length > 0;
  }

  /** The same elements as they are with the edits, where they are other; those that changed glow. */
  #editedPane(host: HTMLElement, viewport: Viewport, { name }: Subject, tensor: number): Pane {
    const { recording, request, experiments } = this.context;
    const touch = (): void => viewport.touch();
    const source = new CellSource(recording, tensor, request, touch, experiments?.editsOf(tensor));
    const before = new CellSource(recording, tensor, request, touch);
    const scale = this.#scale(statsOf(recording, tensor), viewport);
    return pane(host, viewport, { title: "With the edit", name, source, absence: null, scale, before }, this.context);
  }

  #gradientPane(host: HTMLElement, viewport: Viewport, subject: Subject): Pane {
    const { recording, request } = this.context;
    const { gradient } = subject;
    const there = gradient !== undefined && gradient >= 0;
    const source = there ? new CellSource(recording, gradient, request, () => viewport.touch()) : null;
    const absence = there ? null : gradientAbsence(recording, subject.tensor, gradient as -1 | undefined);
    if (there) viewport.narrowest = Math.max(viewport.narrowest, columnWidth(factsOf(recording).dtype(gradient)));
    const scale = this.#scale(there ? statsOf(recording, gradient) : null, viewport);
    return pane(host, viewport, { title: "Gradient", name: subject.name, source, absence, scale }, this.context);
  }

  #scale(stats: Pick<Stats, "min" | "max" | "negative"> | null, viewport: Viewport): ColorScale {
    return colorScale(stats ?? { min: 0, max: 1, negative: 0 }, viewport.logarithmic, this.context.theme.value.dark);
  }

  /** The line below: the element under the pointer or the cursor, else what part is in view. */
  #read(foot: HTMLElement, viewport: Viewport, subject: Subject): void {
    const cell =
      viewport.hover ?? (viewport.cursor && this.#panes[0]?.text(...viewport.cursor) ? viewport.cursor : null);
    const present = this.#panes.some((shown) => shown.present());
    foot.parentElement?.classList.toggle("tvt-void", !present);
    foot.textContent = !present ? "" : cell ? this.#element(viewport, subject, cell) : this.#extent(viewport);
  }

  #element(viewport: Viewport, subject: Subject, [r, c]: readonly [number, number]): string {
    const at = `[${position(viewport.plane, r, c).join(", ")}]`;
    const names = {
      value: [subject.name],
      gradient: [`∇${subject.name}`],
      both: [subject.name, `∇${subject.name}`],
      next: [subject.name, "next"],
    }[this.#compare];
    if (this.#compare !== "both" && this.#compare !== "next" && this.#panes.length > 1) names.push("with the edit");
    return names.map((name, i) => `${name}${at} = ${this.#panes[i]?.text(r, c) || "…"}`).join("     ");
  }

  #extent(viewport: Viewport): string {
    const { camera, plane, box } = viewport;
    const part = (noun: string, from: number, seen: number, n: number): string =>
      `${noun} ${format.count(Math.floor(from))}–${format.count(Math.min(n, Math.ceil(from + seen)) - 1)} of ${format.count(n)}`;
    const [down, right] = this.#panes[0]?.stride() ?? [1, 1];
    const thinned = down > 1 || right > 1 ? `  ·  1 in ${format.count(down * right)} drawn` : "";
    if (plane.facets) return facetsInWords(plane) + thinned;
    if (plane.wrap > 0) {
      const first = Math.floor(camera.y) * plane.wrap;
      return (
        part("elements", first, Math.ceil(box.height / camera.h) * plane.wrap, plane.shape[plane.axes[1]]) + thinned
      );
    }
    return `${part("rows", camera.y, box.height / camera.h, plane.rows)}, ${part("columns", camera.x, box.width / camera.w, plane.cols)}${thinned}`;
  }

  /** What had the focus, by what it is: everything is built anew. */
  #focused(): string {
    const active = (this.#root.getRootNode() as Document | ShadowRoot).activeElement;
    if (!(active instanceof HTMLElement) || !this.#root.contains(active)) return "";
    if (active.dataset["name"]) return `[data-name="${active.dataset["name"]}"]`;
    if (active.matches(".tvt-chip, .tvt-link")) return "h2";
    return active.classList.contains("tvt-plane")
      ? ".tvt-plane"
      : active.matches("button")
        ? `button[aria-pressed]`
        : "";
  }

  #refocus(selector: string): void {
    if (!selector) return;
    const group = selector.startsWith("[data-name")
      ? this.#root.querySelector<HTMLElement>(selector)?.parentElement
      : null;
    const target =
      group?.querySelector<HTMLElement>('[aria-checked="true"]') ?? this.#root.querySelector<HTMLElement>(selector);
    if (target?.matches("h2")) target.tabIndex = -1;
    target?.focus({ preventScroll: true });
  }
}

export const tensor: View = {
  id: "tensor",
  title: "Tensor",
  key: "3",
  mount: (root, context) => new TensorView(root, context).dispose,
  text: tensorText,
};
