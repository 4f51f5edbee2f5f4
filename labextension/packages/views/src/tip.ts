import { h, type Dispose } from "@tapeviz/core";

/** What appears beside the pointer: a title and lines, always inside its parent. */
export class Tip {
  readonly #element = h("div", { class: "tv-tip", role: "tooltip", hidden: true });
  readonly #parent: HTMLElement;
  readonly dispose: Dispose = () => this.#element.remove();

  constructor(parent: HTMLElement) {
    this.#parent = parent;
    parent.append(this.#element);
  }

  show({ title, lines }: { title: string; lines: readonly string[] }, x: number, y: number): void {
    const element = this.#element;
    element.replaceChildren(h("b", {}, title), ...lines.map((line) => h("div", {}, line)));
    element.hidden = false;
    const { clientWidth, clientHeight } = this.#parent;
    const left = x + 14 + element.offsetWidth > clientWidth ? x - 14 - element.offsetWidth : x + 14;
    const top = y + 18 + element.offsetHeight > clientHeight ? y - 10 - element.offsetHeight : y + 18;
    element.style.left = `${Math.max(4, left)}px`;
    element.style.top = `${Math.max(4, top)}px`;
  }

  hide(): void {
    this.#element.hidden = true;
  }
}
