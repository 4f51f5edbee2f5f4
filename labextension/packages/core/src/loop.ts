// What is asked of a loop that runs. A widget in an output cannot reach a busy kernel by itself; the page's extension
// may, so the question goes up the page as an event, and whoever can deliver it takes it.
export const LOOP = "tapeviz:loop";

/** A name for a request that no other page gives to one. `crypto.randomUUID` is not there on a page served by plain HTTP. */
export const requestId = (): string => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

export interface LoopRequest {
  readonly loop: number;
  /** "pause", "resume", "step", "ten", "snapshot" or "stop"; "" only asks whether any of them would be heard. */
  readonly what: string;
  /** Called with what is wrong, or "". */
  readonly answer: (wrong: string) => void;
}

/** Asks from an element on; false: nobody here delivers it. */
export function askLoop(from: Element, detail: LoopRequest): boolean {
  return !from.dispatchEvent(
    new CustomEvent<LoopRequest>(LOOP, { detail, bubbles: true, composed: true, cancelable: true }),
  );
}

export const TAPE = "tapeviz:tape";

export interface TapeRequest {
  readonly message: Readonly<Record<string, unknown>>;
  /** Called with what the kernel answers. */
  readonly reply: (message: Record<string, unknown>, buffers: readonly DataView[]) => void;
}

/** Asks for something of a tape that a loop has kept; false: nobody here delivers it while a cell runs. */
export function askTape(from: Element, detail: TapeRequest): boolean {
  return !from.dispatchEvent(
    new CustomEvent<TapeRequest>(TAPE, { detail, bubbles: true, composed: true, cancelable: true }),
  );
}

/** Selects in the views of a widget, wherever on the page they are. */
export const SELECT = "tapeviz:select";

export interface SelectRequest {
  readonly widget: string;
  readonly event: number;
  readonly tensor: number;
}

/** Asks the views of a widget to select; false: they are not on this page. */
export const askSelect = (detail: SelectRequest): boolean =>
  !window.dispatchEvent(new CustomEvent<SelectRequest>(SELECT, { detail, cancelable: true }));
