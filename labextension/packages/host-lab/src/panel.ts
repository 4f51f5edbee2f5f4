// The panel at the right: the tapes of the active notebook's kernel, one of them in the views that cells show, or why there
// is none.
import { Disposer, Signal, h, type Dispose } from "@tapeviz/core";
import loader from "@tapeviz/host-anywidget/loader";
import type { KernelConnection } from "./kernelconnection";
import { TapeList } from "./history";
import { TapeModel } from "./model";
import { explanation, type KernelState, type KernelStatus, type Tape } from "./state";
import { watchStatus, type SwitchOptions } from "./switches";

// A loop may record many a second, and each would be asked for.
const PAUSE_MS = 300;

interface Shown {
  readonly model: TapeModel;
  readonly dispose: Dispose;
}

/** How many findings each tape of a notebook has, where they were asked for. */
export type FindingsOf = (connection: KernelConnection) => Signal<ReadonlyMap<number, readonly number[]>> | undefined;

export class Panel {
  readonly element = h("section", { class: "tapeviz-panel", "aria-label": "tapeviz" });
  readonly dispose: Dispose;
  readonly #title = h("h2");
  readonly #body = h("div", { class: "tapeviz-panel-body" });
  readonly #message = h("div", { class: "tapeviz-panel-said", role: "status" });
  readonly #history: TapeList;
  readonly #current: Signal<KernelConnection | null>;
  readonly #options: SwitchOptions;
  readonly #follows: Signal<boolean>;
  readonly #findingsOf: FindingsOf;
  /** The tape that was opened by hand, of each notebook; the latest where none was. */
  readonly #opened = new WeakMap<KernelConnection, number>();
  /** Of each notebook, so that its view, filter and selection are still there when it is active again. */
  readonly #models = new WeakMap<KernelConnection, TapeModel>();
  #shown: Shown | null = null;
  /** What to select as soon as its tape is shown. */
  #wanted: { tape: number; event: number; tensor: number } | null = null;
  #height = 0;
  #changed = 0;
  #timer = 0;

  constructor(
    current: Signal<KernelConnection | null>,
    name: Signal<string>,
    follows: Signal<boolean>,
    findingsOf: FindingsOf,
    options: SwitchOptions,
  ) {
    this.#current = current;
    this.#options = options;
    this.#follows = follows;
    this.#findingsOf = findingsOf;
    this.#history = new TapeList({ follows, open: (tape) => this.open(tape) });
    this.element.append(h("header", {}, this.#title), this.#history.element, this.#message, this.#body);
    const sizes = new ResizeObserver(([{ contentRect }]) => this.#resize(contentRect.height));
    sizes.observe(this.#body);
    this.dispose = new Disposer().add(
      this.#history.dispose,
      () => sizes.disconnect(),
      () => clearTimeout(this.#timer),
      () => this.#unmount(),
      name.watch((text) => void (this.#title.textContent = text)),
      watchStatus(current, () => this.#sync()),
      follows.on((follow) => {
        const connection = this.#current.value;
        if (connection && follow) this.#opened.delete(connection);
        else if (connection && this.#shown) this.#opened.set(connection, this.#shown.model.tape.number);
        this.#sync();
      }),
    ).dispose;
  }

  /** Shows one of the recorded tapes, whichever is recorded next, and selects in it. */
  open(tape: number, selected?: { event: number; tensor: number }): void {
    const connection = this.#current.value;
    if (!connection) return;
    const { value } = connection.status;
    const latest = value.kind === "there" ? value.state.tapes.at(-1)?.number : undefined;
    if (tape !== latest) this.#follows.set(false);
    if (!this.#follows.value) this.#opened.set(connection, tape);
    this.#wanted = selected ? { tape, ...selected } : null;
    this.#sync();
  }

  /** Whether it is on the page and has room. */
  get isOpen(): boolean {
    return this.#height > 0;
  }

  /** The findings of a tape have become known. */
  refresh(): void {
    this.#sync();
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
    const state = status.kind === "there" ? status.state : null;
    const tape = connection && state ? this.#chosen(connection, state) : null;
    this.#showMessage(status, connection);
    const findings = connection && this.#findingsOf(connection)?.value;
    this.#history.show(state?.tapes ?? [], tape?.number ?? -1, findings ?? new Map());
    if (!connection || !state || !tape) this.#unmount();
    else if (this.#height > 0) this.#show(connection, tape, state.bundle);
  }

  #chosen(connection: KernelConnection, { tapes }: KernelState): Tape | null {
    const opened = this.#opened.get(connection);
    return tapes.find(({ number }) => number === opened) ?? tapes.at(-1) ?? null;
  }

  #show(connection: KernelConnection, tape: Tape, bundle: string): void {
    const model = this.#models.get(connection) ?? new TapeModel(connection, tape, bundle, this.#height);
    this.#models.set(connection, model);
    const left = this.#changed + PAUSE_MS - Date.now();
    clearTimeout(this.#timer);
    if (this.#shown?.model === model && model.tape.number !== tape.number && left > 0) {
      this.#timer = window.setTimeout(() => this.#sync(), left);
      return;
    }
    if (model.tape.number !== tape.number) this.#changed = Date.now();
    const renewed = model.show(tape, bundle);
    if (this.#shown?.model !== model || renewed) {
      this.#unmount();
      model.set("height", this.#height);
      this.#mount(model);
    }
    if (this.#wanted?.tape !== tape.number) return;
    const { event, tensor } = this.#wanted;
    this.#wanted = null;
    const orNull = (value: number): number | null => (value < 0 ? null : value);
    model.set("selected", { event: orNull(event), tensor: orNull(tensor), step: null });
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
    this.#message.replaceChildren(...restarted(connection?.lost.value ?? []));
    if (status.kind === "there") {
      if (status.state.tapes.length > 0) return;
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

/** That a restart has taken the tapes along, and which. */
function restarted(lost: readonly Tape[]): Node[] {
  if (lost.length === 0) return [];
  const what = lost.length === 1 ? "its tape is" : `its ${lost.length} tapes are`;
  const titles = [...new Set(lost.map(({ title }) => title))].slice(-5).join(", ");
  const said = `The kernel was restarted: ${what} gone with it (${titles}). Pictures below cells stay as they were saved.`;
  return [h("p", { class: "tapeviz-restarted" }, said)];
}
