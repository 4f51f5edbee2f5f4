// The choice of the curve under the strip, and of its axis.
import { format, h, on, Signal } from "@tapeviz/core";
import type { Strip } from "./data";
import { lossLine, type Axis } from "./layout";

export class Curves {
  readonly element = h("div", { class: "tvs-curves", hidden: true });
  readonly name = new Signal("");
  readonly axis = new Signal<Axis>("auto");
  readonly #select = h("select", { "aria-label": "Which curve" });
  readonly #log = h("button", { type: "button", title: "A logarithmic axis for the curve" }, "log axis");
  #isLog = false;
  #names = "";

  constructor() {
    this.element.append(this.#select, this.#log);
    on(this.#select, "change", () => this.name.set(this.#select.value));
    on(this.#log, "click", () => {
      this.axis.set(this.#isLog ? "linear" : "log");
      this.#press(!this.#isLog);
    });
  }

  /** The curve that is shown: the one that was chosen, while there is one of that name, or else the first. */
  shown({ curves }: Strip): string {
    return this.name.value in curves ? this.name.value : (Object.keys(curves)[0] ?? "loss");
  }

  /** What stands beside the curve: its name, its highest and its lowest. */
  labels(strip: Strip): string[] {
    const shown = this.shown(strip);
    const { low, high } = lossLine(strip, { top: 0, height: 60 }, shown, this.axis.value);
    return [shown, ...[low, high].filter(Number.isFinite).map((value) => format.number(value))];
  }

  update(strip: Strip): void {
    const names = Object.keys(strip.curves);
    this.element.hidden = names.length === 0;
    this.#select.hidden = names.length < 2;
    const shown = this.shown(strip);
    if (names.join("\n") !== this.#names) {
      this.#names = names.join("\n");
      this.#select.replaceChildren(
        ...names.map((name) => h("option", { value: name, selected: name === shown }, name)),
      );
    }
    if (this.axis.value === "auto") this.#press(lossLine(strip, { top: 0, height: 60 }, shown).log);
  }

  #press(isLog: boolean): void {
    this.#isLog = isLog;
    this.#log.setAttribute("aria-pressed", String(isLog));
  }
}
