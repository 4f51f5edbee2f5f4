// The dots of a strip: one for each mark whose tape is still kept, and the place where that tape is shown.
import { h, on, type Dispose } from "@tapeviz/core";
import type { Mark } from "./data";
import { GLYPHS } from "./draw";
import type { Layout } from "./layout";

const APART = 18;

export class Rail {
  readonly element = h("div", { class: "tvs-rail", role: "group", "aria-label": "Tapes of steps" });
  readonly tape = h("div", { class: "tvs-tape", hidden: true });
  readonly #open: ((tape: number, place: HTMLElement) => Dispose) | undefined;
  readonly #buttons = new Map<number, HTMLButtonElement>();
  #shown = 0;
  #close: Dispose = () => undefined;
  readonly dispose: Dispose = () => this.#close();

  constructor(open?: (tape: number, place: HTMLElement) => Dispose) {
    this.#open = open;
  }

  update(where: Layout): void {
    const dots = this.#open ? spread(where) : [];
    const there = new Set(dots.map(({ mark }) => mark.tape));
    for (const [tape, button] of this.#buttons) {
      if (there.has(tape)) continue;
      button.remove();
      this.#buttons.delete(tape);
    }
    for (const { mark, x } of dots) {
      const button = this.#buttons.get(mark.tape) ?? this.#button(mark);
      button.style.left = `${x}px`;
    }
  }

  #button(mark: Mark): HTMLButtonElement {
    const text = `step ${mark.step + 1}: ${mark.text}`;
    const button = h(
      "button",
      { type: "button", title: `${text}; click to see its tape`, "aria-label": text, "aria-expanded": "false" },
      GLYPHS[mark.kind],
    );
    button.dataset["kind"] = mark.kind;
    on(button, "click", () => (this.#shown === mark.tape ? this.#hide() : this.#show(mark.tape, text)));
    this.#buttons.set(mark.tape, button);
    this.element.append(button);
    return button;
  }

  #show(tape: number, text: string): void {
    this.#hide();
    const place = h("div");
    const close = h("button", { type: "button" }, "Close");
    on(close, "click", () => {
      this.#buttons.get(tape)?.focus();
      this.#hide();
    });
    this.tape.replaceChildren(h("header", {}, h("b", {}, text), close), place);
    this.tape.hidden = false;
    this.#shown = tape;
    this.#buttons.get(tape)?.setAttribute("aria-expanded", "true");
    const unmount = this.#open?.(tape, place);
    this.#close = () => unmount?.();
  }

  #hide(): void {
    this.#close();
    this.#close = () => undefined;
    this.tape.hidden = true;
    this.tape.replaceChildren();
    this.#buttons.get(this.#shown)?.setAttribute("aria-expanded", "false");
    this.#shown = 0;
  }
}

/** Where the dots go: at their steps, pushed apart where they would hide each other. */
export function spread(where: Layout): { mark: Mark; x: number }[] {
  const dots = where.marks.filter(({ mark }) => mark.tape > 0).map(({ mark, x }) => ({ mark, x }));
  dots.sort((a, b) => a.x - b.x);
  const last = where.width - APART / 2;
  for (let i = dots.length - 1; i >= 0; i--) dots[i].x = Math.min(dots[i].x, last - APART * (dots.length - 1 - i));
  for (let i = 1; i < dots.length; i++) dots[i].x = Math.max(dots[i].x, dots[i - 1].x + APART);
  return dots;
}
