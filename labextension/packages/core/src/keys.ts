import { guarded, ownedByBoundary } from "./boundary";
import { on } from "./dom";
import type { Dispose } from "./signal";

interface Binding {
  readonly key: string;
  readonly title: string;
  readonly run: () => unknown;
}

/**
 * The keys of one mounted shell. A view binds its own while it is mounted; the last binding of a key wins, and the
 * earlier one is back when that is disposed. Keys with Ctrl, Alt or Meta are never taken, nor is Tab: focus is not trapped.
 */
export class KeyBindings {
  readonly #bindings: Binding[] = [];

  /**
   * `key` as in KeyboardEvent.key: "f", "ArrowLeft", "?", "Escape". `title` is what the help says. A `run` that gives
   * false has nothing to do now: the key is then the earlier binding's.
   */
  bind(key: string, title: string, run: () => unknown): Dispose {
    const binding = { key, title, run: guarded(run) };
    this.#bindings.push(binding);
    return ownedByBoundary(() => {
      const index = this.#bindings.indexOf(binding);
      if (index >= 0) this.#bindings.splice(index, 1);
    });
  }

  /** What can be pressed now, for the help: one entry a key, the binding that would run. */
  list(): { key: string; title: string }[] {
    const last = new Map<string, Binding>();
    for (const binding of this.#bindings) last.set(binding.key, binding);
    return [...last.values()].map(({ key, title }) => ({ key, title }));
  }

  /** Runs what is bound to a key; true when something was. */
  press(key: string): boolean {
    const own = this.#bindings.filter((b) => b.key === key);
    return own.reverse().some(({ run }) => run() !== false);
  }

  /**
   * Listens on an element. What is pressed inside stays inside, so that a notebook does not take "d d" for "delete the
   * cell"; where text is typed only Escape is ours. A part `within` another keeps what it has a binding for, and the rest
   * goes on to that.
   */
  listen(element: HTMLElement, within = false): Dispose {
    return on<KeyboardEvent>(element, "keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
      const typing = isTyping(event.composedPath()[0]);
      if (event.key === "Tab") return;
      if (!within) event.stopPropagation();
      if (typing && event.key !== "Escape") return;
      if (isButton(event.composedPath()[0]) && (event.key === "Enter" || event.key === " ")) return;
      if (!this.press(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
}

const isTyping = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLElement && target.matches("input:not([type=checkbox]):not([type=range]), textarea, select");

const isButton = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLElement && target.matches("button, a[href], summary, [role=button]");
