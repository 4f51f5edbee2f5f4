import {
  Boundary,
  Disposer,
  KeyBindings,
  Selection,
  Signal,
  h,
  type Dispose,
  type Key,
  type Theme,
} from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { VIEWS } from "../registry";
import { failureNotice } from "../shell/failure";
import type { View, ViewContext } from "../view";
import type { DiffRow } from "./data";
import type { RowIndex } from "./rows";

export interface PaneOptions {
  readonly side: 0 | 1;
  readonly name: string;
  readonly recording: Recording;
  readonly index: RowIndex;
  /** Where in the list the chosen row is. */
  readonly chosen: Signal<number>;
  readonly view: Signal<string>;
  readonly theme: Signal<Theme>;
  readonly announce: (text: string) => void;
  readonly request?: ViewContext["request"];
}

/** One of the two recordings in one of the views; what is chosen here is chosen there, and the other way round. */
export function mountPane(root: HTMLElement, options: PaneOptions): Dispose {
  const { side, name, recording, index, chosen, view, theme, announce, request } = options;
  const letter = side === 0 ? "a" : "b";
  const disposer = new Disposer();
  const selection = new Selection();
  const keys = new KeyBindings();
  const note = h("span", { class: "tvd-alone" });
  const main = h("div", { class: "tvd-view", tabindex: "0", role: "group", "aria-label": `Tape ${letter}: ${name}` });
  const element = h("section", { class: "tvd-pane" }, h("h3", {}, h("b", {}, letter), ` ${name} `, note), main);
  // A view puts its rules where its root stands: that has to be in the page before.
  root.append(element);
  const differing = index.differing(side);
  const context: ViewContext = {
    recording,
    selection,
    theme,
    keys,
    announce,
    changed: new Signal(0),
    matches: new Signal<Uint8Array | null>(flags(recording, differing)),
    ...(request ? { request } : {}),
  };
  const follow = new Follower(selection, index, side, chosen, (text) => void (note.textContent = text));
  disposer.add(keys.listen(main, true), follow.dispose);
  let unmount: Dispose = () => undefined;
  const show = (): void => {
    unmount();
    unmount = mountView(main, VIEWS.find(({ id }) => id === view.value) ?? VIEWS[0], context);
    follow.again();
  };
  disposer.add(view.on(show), () => unmount());
  show();
  return disposer.dispose;
}

/** 1 for each event that differs, so that the view dims the others; null where none does. */
function flags(recording: Recording, differing: ReadonlySet<number>): Uint8Array | null {
  const found = Uint8Array.from(recording.events.id, (id) => (differing.has(id) ? 1 : 0));
  return found.some((flag) => flag === 1) ? found : null;
}

function mountView(root: HTMLElement, view: View, context: ViewContext): Dispose {
  let unmount: Dispose | undefined = undefined;
  const boundary = new Boundary((error) => {
    console.error(`tapeviz: ${view.title} failed:`, error);
    root.replaceChildren(failureNotice(view.title, error));
  });
  unmount = boundary.run(() => view.mount(root, context));
  return () => {
    new Boundary(() => undefined).run(() => unmount?.());
    boundary.dispose();
    root.replaceChildren();
  };
}

/** Ties what is selected in a recording to the row that is chosen. */
class Follower {
  readonly dispose: Dispose;
  #frame = 0;
  #leading = false;

  constructor(
    private readonly selection: Selection,
    private readonly index: RowIndex,
    private readonly side: 0 | 1,
    private readonly chosen: Signal<number>,
    private readonly say: (text: string) => void,
  ) {
    const disposer = new Disposer().add(
      chosen.watch((at) => this.#lead(at)),
      selection.selected.on((key) => this.#take(key)),
      () => cancelAnimationFrame(this.#frame),
    );
    this.dispose = disposer.dispose;
  }

  /** Another view is there: it has to be led to the row. */
  again(): void {
    this.selection.clear();
    this.#lead(this.chosen.value);
  }

  #lead(at: number): void {
    const row: DiffRow | undefined = this.index.rows[at];
    if (!row) return;
    cancelAnimationFrame(this.#frame);
    this.#leading = true;
    const [event, tensor] = [row.events[this.side], row.tensors[this.side]];
    const alone = event < 0 && tensor < 0;
    this.say(alone ? `has no partner of ${row.cells[1] ?? "it"}` : "");
    if (!alone) this.selection.select({ event, tensor: event < 0 ? tensor : -1 });
    else this.#point(this.index.beside(at, this.side));
    this.#leading = false;
  }

  /** Brings the place into view where the partner would stand, and leaves nothing selected there. */
  #point(event: number): void {
    this.selection.select({ event });
    this.#frame = requestAnimationFrame(() => {
      this.#leading = true;
      this.selection.clear();
      this.#leading = false;
    });
  }

  #take({ event, tensor }: Key): void {
    if (this.#leading) return;
    const at = this.index.of(this.side, event, tensor);
    if (at >= 0) this.chosen.set(at);
  }
}
