// The panel at the right: the latest tape of the active notebook's kernel in the views that cells show, or why there is
// none.
import { Disposer, Signal, h, type Dispose } from "@tapeviz/core";
import loader from "@tapeviz/host-anywidget/loader";
import type { Line } from "./line";
import { TapeModel } from "./model";
import { explained, type Standing, type Tape } from "./state";
import { follow, switches, type Look } from "./switches";

// A loop may record many a second, and each would be asked for.
const PAUSE_MS = 300;

interface Shown {
  readonly model: TapeModel;
  readonly dispose: Dispose;
}

export class Panel {
  readonly element = h("section", { class: "tapeviz-panel", "aria-label": "tapeviz" });
  readonly dispose: Dispose;
  readonly #title = h("h2");
  readonly #body = h("div", { class: "tapeviz-panel-body" });
  readonly #said = h("div", { class: "tapeviz-panel-said", role: "status" });
  readonly #current: Signal<Line | null>;
  readonly #look: Look;
  /** Of each notebook, so that its view, filter and selection are still there when it is active again. */
  readonly #models = new WeakMap<Line, TapeModel>();
  #shown: Shown | null = null;
  #height = 0;
  #changed = 0;
  #timer = 0;

  constructor(current: Signal<Line | null>, name: Signal<string>, look: Look) {
    this.#current = current;
    this.#look = look;
    const lists = switches(current, { ...look, named: true });
    this.element.append(h("header", {}, this.#title, lists.element), this.#said, this.#body);
    const sizes = new ResizeObserver(([{ contentRect }]) => this.#resize(contentRect.height));
    sizes.observe(this.#body);
    this.dispose = new Disposer().add(
      lists.dispose,
      () => sizes.disconnect(),
      () => clearTimeout(this.#timer),
      () => this.#unmount(),
      name.watch((text) => void (this.#title.textContent = text)),
      follow(current, () => this.#sync()),
    ).dispose;
  }

  /** Nothing is asked for while the panel is closed, when it has no height. */
  #resize(height: number): void {
    this.#height = Math.floor(height);
    if (height > 0) this.#shown?.model.set("height", this.#height);
    this.#sync();
  }

  #sync(): void {
    if (!this.element.isConnected) return;
    const line = this.#current.value;
    const standing: Standing = line?.standing.value ?? { kind: "none" };
    const tape = standing.kind === "there" ? standing.state.tape : null;
    this.#say(standing, line);
    if (!line || !tape) this.#unmount();
    else if (this.#height > 0) this.#show(line, tape);
  }

  #show(line: Line, tape: Tape): void {
    const model = this.#models.get(line) ?? new TapeModel(line, tape, this.#height);
    this.#models.set(line, model);
    const left = this.#changed + PAUSE_MS - Date.now();
    clearTimeout(this.#timer);
    if (this.#shown?.model === model && model.tape.number !== tape.number && left > 0) {
      this.#timer = window.setTimeout(() => this.#sync(), left);
      return;
    }
    if (model.tape.number !== tape.number) this.#changed = Date.now();
    const renewed = model.show(tape);
    if (this.#shown?.model === model && !renewed) return;
    this.#unmount();
    model.set("height", this.#height);
    this.#mount(model);
  }

  #mount(model: TapeModel): void {
    const el = h("div");
    this.#body.append(el);
    const dispose = loader.render({ model, el });
    this.#shown = {
      model,
      dispose: () => {
        el.remove();
        dispose?.();
      },
    };
  }

  #unmount(): void {
    this.#shown?.dispose();
    this.#shown = null;
  }

  #say(standing: Standing, line: Line | null): void {
    this.#said.replaceChildren();
    if (standing.kind === "there") {
      if (standing.state.tape) return;
      const todo = h("p", {}, "Put ", h("code", {}, "%%tape"), " at the top of a cell and run it.");
      return this.#said.append(h("p", {}, "Nothing is recorded yet."), todo);
    }
    const [what, todo] = line
      ? explained(standing)
      : ["No notebook is open.", "Its kernel's latest tape is shown here."];
    this.#said.append(h("p", {}, what), h("p", {}, ...marked(todo)));
    if (standing.kind !== "unloaded") return;
    const button = h("button", { type: "button", class: "jp-mod-styled jp-mod-accept" }, "Load tapeviz");
    button.onclick = async () => {
      const wrong = (await line?.load()) ?? "";
      if (wrong) this.#look.complain(wrong);
    };
    this.#said.append(button);
  }
}

/** What is to be typed stands out. */
const marked = (text: string): (Node | string)[] =>
  text.split(/(%\w+(?: \w+)*(?= in a cell))/).map((part) => (part.startsWith("%") ? h("code", {}, part) : part));
