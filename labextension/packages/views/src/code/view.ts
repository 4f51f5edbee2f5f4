import { Disposer, guarded, h, on, style, type Dispose } from "@tapeviz/core";
import type { View, ViewContext } from "../view";
import { factsOf } from "../facts";
import { blocksOf, callSpan, nextEventOnLine, type Block } from "./blocks";
import css from "./code.css";
import { fillCode, table, type Row } from "./draw";
import { gradientFaults } from "../gradientfaults";
import { problems } from "../problems";
import { columnsFor, largest } from "./layout";
import { codeText } from "./text";
import tracedCss from "./traced.css";
import { tracedTexts } from "./tracedcode";
import { mountTraced } from "./tracedview";

/** How often a growing recording is counted anew, in ms. */
const PACE = 250;

/** The user's source with what each line did; a line selects its ops, a selected op marks its line. */
class CodeView {
  readonly #root = h("div", { class: "tvc", tabindex: -1 });
  readonly #lasting = new Disposer();
  #shown = new Disposer();
  #rows: Row[] = [];
  #byKey = new Map<string, Row>();
  #marked: Row | null = null;
  #lit: Row | null = null;
  #titles = "";
  #timer = 0;

  constructor(
    parent: HTMLElement,
    private readonly context: ViewContext,
  ) {
    style(parent, css);
    parent.append(this.#root);
    const { selection, matches, changed } = context;
    const observer = new ResizeObserver(guarded(() => this.#resize()));
    observer.observe(this.#root);
    this.#lasting.add(
      () => observer.disconnect(),
      () => this.#root.remove(),
      () => this.#shown.dispose(),
      () => clearTimeout(this.#timer),
      selection.selected.on(() => this.#mark(true)),
      selection.hovered.on(() => this.#light()),
      matches.on(() => this.#dim()),
      changed.on(
        () =>
          (this.#timer ||= window.setTimeout(
            guarded(() => this.#grow()),
            PACE,
          )),
      ),
      on<KeyboardEvent>(this.#root, "keydown", (event) => this.#keydown(event)),
    );
    this.#build();
    this.#mark(true);
    if (this.#marked === null) this.#showFault();
  }

  readonly dispose: Dispose = () => this.#lasting.dispose();

  #grow(): void {
    this.#timer = 0;
    this.#build();
    this.#mark(false);
  }

  #resize(): void {
    if (this.#columnTitles() === this.#titles) return;
    this.#build();
    this.#mark(false);
  }

  #columnTitles(): string {
    return columnsFor(this.#root.clientWidth)
      .map(({ name }) => name)
      .join();
  }

  #build(): void {
    const focused = this.#rows.find(({ button }) => button === (this.#root.getRootNode() as Document).activeElement)
      ?.line.key;
    this.#shown.dispose();
    this.#shown = new Disposer();
    this.#titles = this.#columnTitles();
    this.#marked = this.#lit = null;
    const blocks = blocksOf(this.context.recording);
    this.#root.replaceChildren(blocks.length > 0 ? this.#table(blocks) : nothing());
    this.#byKey = new Map(this.#rows.map((row) => [row.line.key, row]));
    const first = (focused && this.#byKey.get(focused)) || this.#rows.find(({ line }) => line.figures) || this.#rows[0];
    if (first) first.button.tabIndex = 0;
    if (focused) first?.button.focus({ preventScroll: true });
    this.#dim();
  }

  #table(blocks: readonly Block[]): HTMLElement {
    const { element, rows } = table(blocks, columnsFor(this.#root.clientWidth), largest(blocks));
    this.#rows = rows;
    for (const row of rows) {
      this.#shown.add(
        on<MouseEvent>(row.element, "click", (event) => this.#choose(row, event.shiftKey ? -1 : 1)),
        on(row.element, "pointerenter", () => this.#point(row)),
        on(row.element, "pointerleave", () => this.context.selection.hover()),
        on(row.button, "focus", () => this.#enter(row)),
      );
    }
    return element;
  }

  #point({ line }: Row): void {
    const event = line.figures?.events[0];
    this.context.selection.hover(event === undefined ? {} : { event });
  }

  /** Only the line with the focus is a tab stop. */
  #enter(row: Row): void {
    for (const { button } of this.#rows) button.tabIndex = button === row.button ? 0 : -1;
  }

  /** Selects the next op of a line. */
  #choose({ line, button }: Row, by: 1 | -1): void {
    const { selection, recording, announce } = this.context;
    const events = line.figures?.events ?? [];
    const next = nextEventOnLine(events, selection.selected.value.event, this.#matching(), by);
    button.focus({ preventScroll: true });
    if (next < 0) return announce(`no op was recorded on line ${line.number}`);
    selection.select({ event: next });
    announce(`line ${line.number}: ${factsOf(recording).title(next)}, ${events.indexOf(next) + 1} of ${events.length}`);
  }

  #matching(): ((event: number) => boolean) | null {
    const { matches, recording } = this.context;
    const flags = matches.value;
    return flags && ((event) => flags[factsOf(recording).eventRow(event)] === 1);
  }

  #keydown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#rows.findIndex(({ button }) => button === event.target);
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: this.#rows.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#rows[Math.min(Math.max(to, 0), this.#rows.length - 1)].button.focus();
  }

  /** Marks the line and the call of what is selected. */
  #mark(scroll: boolean): void {
    const { recording, selection } = this.context;
    const { event, tensor } = selection.selected.value;
    const call = callSpan(recording, event >= 0 ? event : factsOf(recording).producer(tensor));
    const row = call ? (this.#byKey.get(call.key) ?? null) : null;
    if (this.#marked) {
      this.#marked.element.removeAttribute("aria-selected");
      fillCode(this.#marked.code, this.#marked.line, ...this.#marked.line.fault);
    }
    this.#marked = row;
    if (!row || !call) return;
    row.element.setAttribute("aria-selected", "true");
    fillCode(row.code, row.line, call.from, call.to);
    if (scroll) this.#show(row.element);
  }

  /** Begins at the gravest finding about gradients, else at the gravest of what else is likely a fault. */
  #showFault(): void {
    const { recording } = this.context;
    const [fault] = gradientFaults(recording);
    const lost = fault && this.#rows.find(({ line }) => line.figures?.lost.includes(fault));
    if (lost) return this.#show((lost.element.nextElementSibling as HTMLElement | null) ?? lost.element);
    const gravest = problems(recording).find(({ severity, event }) => severity >= 2 && event >= 0);
    const row = gravest && this.#byKey.get(callSpan(recording, gravest.event)?.key ?? "");
    if (row) this.#show(row.element);
  }

  /** Brings a line into view, moving nothing but this view. */
  #show(element: HTMLElement): void {
    const [outer, inner] = [this.#root.getBoundingClientRect(), element.getBoundingClientRect()];
    const head = this.#root.querySelector("thead")?.clientHeight ?? 0;
    if (inner.top < outer.top + head) this.#root.scrollTop -= outer.top + head - inner.top + 8;
    else if (inner.bottom > outer.bottom) this.#root.scrollTop += inner.bottom - outer.bottom + 8;
  }

  #light(): void {
    const { recording, selection } = this.context;
    const { event, tensor } = selection.hovered.value;
    const call = callSpan(recording, event >= 0 ? event : factsOf(recording).producer(tensor));
    const row = call ? (this.#byKey.get(call.key) ?? null) : null;
    if (row === this.#lit) return;
    this.#lit?.element.classList.remove("tvc-lit");
    row?.element.classList.add("tvc-lit");
    this.#lit = row;
  }

  /** Quietens the lines on which nothing matches the filter. */
  #dim(): void {
    const matching = this.#matching();
    for (const { element, line } of this.#rows) {
      element.classList.toggle("tvc-dim", matching !== null && !(line.figures?.events.some(matching) ?? false));
    }
  }
}

function nothing(): HTMLElement {
  return h("p", { class: "tvc-nothing" }, "The recording has no source: nothing was recorded from a cell or a file.");
}

function mount(root: HTMLElement, context: ViewContext): Dispose {
  const lines = (area: HTMLElement): Dispose => new CodeView(area, context).dispose;
  if (tracedTexts(context.recording).length === 0) return lines(root);
  style(root, tracedCss);
  // Goes before what there is: what is particular comes last.
  style(root, css);
  return mountTraced(root, context, lines);
}

export const code: View = {
  id: "code",
  title: "Code",
  key: "4",
  mount,
  text: codeText,
};
