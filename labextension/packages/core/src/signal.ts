import { guarded, ownedByBoundary } from "./boundary";

/** Removes what was added: every `on` gives one, every `mount` gives one. */
export type Dispose = () => void;

/** A value that tells who asked when it changes. Setting an equal value tells nobody. */
export class Signal<T> {
  #value: T;
  readonly #listeners = new Set<(value: T) => void>();
  readonly #equal: (a: T, b: T) => boolean;

  constructor(value: T, equal: (a: T, b: T) => boolean = Object.is) {
    this.#value = value;
    this.#equal = equal;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (this.#equal(this.#value, value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  /** Calls `listener` on each change from now on. */
  on(listener: (value: T) => void): Dispose {
    const guard = guarded(listener);
    const own = (value: T): void => void guard(value);
    this.#listeners.add(own);
    return ownedByBoundary(() => void this.#listeners.delete(own));
  }

  /** Calls `listener` now and on each change. */
  watch(listener: (value: T) => void): Dispose {
    listener(this.#value);
    return this.on(listener);
  }
}

/** Collects disposes, to run them all at once, last first. */
export class Disposer {
  readonly #all: Dispose[] = [];

  add(...disposes: Dispose[]): this {
    this.#all.push(...disposes);
    return this;
  }

  readonly dispose: Dispose = () => {
    for (const dispose of this.#all.splice(0).reverse()) dispose();
  };
}
