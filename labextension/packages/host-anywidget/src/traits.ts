// A widget's model without a widget: traits that live in the page, and messages that go some other way.
import type { Model } from "./model";

export abstract class Traits implements Model {
  readonly #traits: Map<string, unknown>;
  readonly #listeners = new Map<string, Set<(...args: never[]) => void>>();

  constructor(traits: Readonly<Record<string, unknown>>) {
    this.#traits = new Map(Object.entries(traits));
  }

  abstract send(message: unknown): void;

  get(name: string): unknown {
    return this.#traits.get(name);
  }

  set(name: string, value: unknown): void {
    if (this.#traits.get(name) === value) return;
    this.#traits.set(name, value);
    this.emit(`change:${name}`);
  }

  save_changes(): void {
    // Nothing is kept in the kernel.
  }

  on(event: string, listener: (...args: never[]) => void): void {
    const there = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, there.add(listener));
  }

  off(event: string, listener: (...args: never[]) => void): void {
    this.#listeners.get(event)?.delete(listener);
  }

  emit(event: string, ...args: unknown[]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(...(args as never[]));
  }
}

/** What a tape's views begin with. */
export const TAPE_TRAITS = {
  view: "timeline",
  filter: "",
  selected: { event: null, tensor: null, step: null },
  height: 560,
  summary: "",
  _bundle: "",
  _stand_in: "",
};
