// The panel at the right: the latest tape of the active notebook's kernel in the views that cells show, or why there is
// none.
import { Disposer, Signal, h, type Dispose } from "@tapeviz/core";
import loader from "@tapeviz/host-anywidget/loader";
import type { KernelConnection } from "./kernelconnection";
import { TapeModel } from "./model";
import { explanation, type KernelStatus, type Tape } from "./state";
import { watchStatus, settingSwitches, type SwitchOptions } from "./switches";

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
  readonly #message = h("div", { class: "tapeviz-panel-said", role: "status" });
  readonly #current: Signal<KernelConnection | null>;
  readonly #options: SwitchOptions;
  /** Of each notebook, so that its view, filter and selection are still there when it is active again. */
  readonly #models = new WeakMap<KernelConnection, TapeModel>();
  #shown: Shown | null = null;
  #height = 0;
  #changed = 0;
  #timer = 0;

  constructor(current: Signal<KernelConnection | null>, name: Signal<string>, options: SwitchOptions) {
    this.#current = current;
    this.#options = options;
    const lists = settingSwitches(current, { ...options, named: true });
    this.element.append(h("header", {}, this.#title, lists.element), this.#message, this.#body);
    const sizes = new ResizeObserver(([{ contentRect }]) => this.#resize(contentRect.height));
    sizes.observe(this.#body);
    this.dispose = new Disposer().add(
      lists.dispose,
      () => sizes.disconnect(),
      () => clearTimeout(this.#timer),
      () => this.#unmount(),
      name.watch((text) => void (this.#title.textContent = text)),
      watchStatus(current, () => this.#sync()),
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
    const connection = this.#current.value;
    const status: KernelStatus = connection?.status.value ?? { kind: "none" };
    const tape = status.kind === "there" ? status.state.tape : null;
    this.#showMessage(status, connection);
    if (!connection || !tape) this.#unmount();
    else if (this.#height > 0) this.#show(connection, tape);
  }

  #show(connection: KernelConnection, tape: Tape): void {
    const model = this.#models.get(connection) ?? new TapeModel(connection, tape, this.#height);
    this.#models.set(connection, model);
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

  #showMessage(status: KernelStatus, connection: KernelConnection | null): void {
    this.#message.replaceChildren();
    if (status.kind === "there") {
      if (status.state.tape) return;
      const todo = h("p", {}, "Put ", h("code", {}, "%%tape"), " at the top of a cell and run it.");
      return this.#message.append(h("p", {}, "Nothing is recorded yet."), todo);
    }
    const [what, todo] = connection
      ? explanation(status)
      : ["No notebook is open.", "Its kernel's latest tape is shown here."];
    this.#message.append(h("p", {}, what), h("p", {}, ...marked(todo)));
    if (status.kind !== "unloaded") return;
    const button = h("button", { type: "button", class: "jp-mod-styled jp-mod-accept" }, "Load tapeviz");
    button.onclick = async () => {
      const wrong = (await connection?.load()) ?? "";
      if (wrong) this.#options.complain(wrong);
    };
    this.#message.append(button);
  }
}

/** What is to be typed stands out. */
const marked = (text: string): (Node | string)[] =>
  text.split(/(%\w+(?: \w+)*(?= in a cell))/).map((part) => (part.startsWith("%") ? h("code", {}, part) : part));
