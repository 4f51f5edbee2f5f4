import type { Dispose } from "./signal";

let current: Boundary | null = null;

/**
 * Keeps what a part of the page throws within that part. What is tied to signals, events, keys and frames while `run`
 * runs belongs to the boundary, and so does what is tied later by any of that. The first error ends it all: `onFailure`
 * is told once, and nothing of the part is called again. Who caused it from outside, by selecting something, goes on.
 */
export class Boundary {
  readonly #owned = new Set<Dispose>();
  #failed = false;

  constructor(private readonly onFailure: (error: unknown) => void) {}

  /** What `work` gives; undefined when it fails, or when the part has failed before. */
  run<T>(work: () => T): T | undefined {
    if (this.#failed) return undefined;
    const outer = current;
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- what `work` builds asks for the boundary around it
    current = this;
    try {
      return work();
    } catch (error) {
      this.#failed = true;
      this.dispose();
      this.onFailure(error);
      return undefined;
    } finally {
      current = outer;
    }
  }

  /** Takes a dispose into keeping until it is called. */
  own(dispose: Dispose): Dispose {
    const own = (): void => {
      this.#owned.delete(own);
      dispose();
    };
    this.#owned.add(own);
    return own;
  }

  /** Removes what is still tied: of a part that failed half-way nobody else knows how. */
  readonly dispose: Dispose = () => {
    for (const dispose of [...this.#owned]) dispose();
  };
}

/** A callback as one of the part that is running: what it throws fails that part. Outside of all parts as it is. */
export function guarded<A extends unknown[], R>(callback: (...args: A) => R): (...args: A) => R | undefined {
  const owner = current;
  return owner ? (...args) => owner.run(() => callback(...args)) : callback;
}

/** Lets the part that is running keep a dispose, which is then called in any case. */
export const ownedByBoundary = (dispose: Dispose): Dispose => current?.own(dispose) ?? dispose;
