import type { Recording } from "@tapeviz/recording";

/** A recording with more events is searched when the typing rests: each letter would be felt. */
const MANY = 100_000;
const REST = 150; // ms

/** Goes on with a text at once; in a large recording when it has stayed the same for a moment, but for the first and an empty one. */
export class Settled {
  #text: string | null = null;
  #timer = 0;

  constructor(
    private readonly recording: Recording,
    private readonly go: (text: string) => void,
  ) {}

  set(text: string): void {
    const isFirst = this.#text === null;
    this.#text = text;
    window.clearTimeout(this.#timer);
    this.#timer = 0;
    if (isFirst || text === "" || this.recording.events.rows < MANY) this.go(text);
    else this.#timer = window.setTimeout(() => this.flush(), REST);
  }

  /** Goes on with what still waits. */
  flush(): void {
    if (this.#timer === 0) return;
    this.dispose();
    this.go(this.#text!);
  }

  readonly dispose = (): void => {
    window.clearTimeout(this.#timer);
    this.#timer = 0;
  };
}
