// A widget's questions to its kernel. The widget's own comm is heard when the cell that runs is done; the page's extension,
// where there is one, is heard at once. It may connect later than the widget is shown, so it is tried again and again, and
// whichever answers first counts.
import { askTape, requestId } from "@tapeviz/core/loop";
import type { Model } from "./model";

export type Message = Readonly<Record<string, unknown>>;
export interface Answer {
  readonly message: Message;
  readonly buffers: DataView[];
}

const AGAIN = 250;
const PATIENCE = 20_000;
// What runs the program again, or changes something, is for the kernel's main thread alone.
const MAIN_THREAD: readonly unknown[] = ["element", "what_if", "digits", "quiz"];
let asked = 0;

export class Questions {
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  readonly #mine = requestId();

  constructor(
    readonly model: Model,
    readonly place: Element,
  ) {
    model.on("msg:custom", this.#take);
  }

  readonly dispose = (): void => {
    this.model.off("msg:custom", this.#take);
    this.#waiting.clear();
  };

  /** Resolves with the answer; never where nobody answers. */
  ask(message: Message): Promise<Answer> {
    const request = `${this.#mine} ${asked++}`;
    const whole = { ...message, request };
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(request, resolve));
    if (!this.#askPromptly(whole)) {
      this.model.send(whole);
      this.#again(whole, performance.now() + PATIENCE);
    }
    return answered;
  }

  #again(message: Message, until: number): void {
    setTimeout(() => {
      const isOpen = this.#waiting.has(String(message["request"])) && performance.now() < until;
      if (isOpen && !this.#askPromptly(message)) this.#again(message, until);
    }, AGAIN);
  }

  /** Asks the page's extension; false: there is none that hears it now, or it is not for that. */
  #askPromptly(message: Message): boolean {
    const widget = this.model.get("_id");
    if (!widget || MAIN_THREAD.includes(message["kind"])) return false;
    const reply = (answer: Message, buffers: readonly DataView[]): void => {
      // Of a widget that this kernel does not know, as after a restart, or of another notebook's.
      if (answer["unknown"]) this.model.send(message);
      else this.#take(answer, [...buffers]);
    };
    return askTape(this.place, { message: { ...message, widget }, reply });
  }

  readonly #take = (message: Message, buffers: DataView[]): void => {
    const request = String(message["request"]);
    this.#waiting.get(request)?.({ message, buffers });
    this.#waiting.delete(request);
  };
}
