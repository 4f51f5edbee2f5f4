/** What the kernel sends of a training: numbers as bytes in base64, and where training is. */
export interface StripPayload {
  readonly rows: readonly string[];
  /** How many steps a column stands for. */
  readonly stride: number;
  readonly steps: number;
  readonly scales: Readonly<Record<string, Scale>>;
  readonly quantities: Readonly<Record<string, string>>;
  readonly loss: string;
  /** Further numbers by name, as the loss. */
  readonly metrics: Readonly<Record<string, string>>;
  /** Who shows it. */
  readonly title: string;
  /** The first step of each epoch. */
  readonly epochs: readonly number[];
  readonly marks: readonly Mark[];
  readonly progress: Progress | null;
  readonly note: string;
  /** By layer, what shouts: "vanishing", "exploding", "all zero", "NaN". */
  readonly words: Readonly<Record<string, string>>;
  /** Which share of the time is spent on measuring and showing. */
  readonly overhead: number;
  /** What is done between two boundaries, where the loop can be held. */
  readonly unit: "step" | "op";
  /** By what number the kernel knows the loop; 0: it cannot be held. */
  readonly loop: number;
}

export interface Scale {
  readonly title: string;
  readonly low: number;
  readonly high: number;
  readonly log: boolean;
}

export interface Mark {
  readonly step: number;
  readonly kind: "nan" | "rate" | "retrace" | "trigger" | "tape" | "measured";
  readonly text: string;
  /** The tape that its dot opens; 0: none, so that there is no dot. */
  readonly tape: number;
}

export interface Progress {
  readonly state: string;
  readonly epoch: number;
  /** 0: a loop without epochs. */
  readonly epochs: number;
  readonly batch: number;
  /** 0 where it is not known. */
  readonly batches: number;
  readonly seconds: number;
  readonly results: readonly (readonly [string, string])[];
}

export interface Strip extends Omit<StripPayload, "quantities" | "loss" | "metrics"> {
  readonly used: number;
  /** A byte a cell, row after row, by quantity. */
  readonly cells: Readonly<Record<string, Uint8Array>>;
  readonly loss: Float32Array;
  /** The numbers that can be drawn as a curve, the loss first: -inf where there is none yet. */
  readonly curves: Readonly<Record<string, Float32Array>>;
}

/** What a byte says; places in the range of the colours lie between FIRST and LAST. */
export const UNKNOWN = 0;
export const ZERO = 1;
export const FIRST = 2;
export const LAST = 253;
export const INFINITE = 254;
export const NOT_A_NUMBER = 255;

const NOTHING: StripPayload = {
  rows: [],
  stride: 1,
  steps: 0,
  scales: {},
  quantities: {},
  loss: "",
  metrics: {},
  title: "LiveTape",
  epochs: [],
  marks: [],
  progress: null,
  note: "",
  words: {},
  overhead: 0,
  unit: "step",
  loop: 0,
};

/** The payload with its numbers; whatever is left out of it is nothing. */
export function read(payload: Partial<StripPayload>): Strip {
  const { quantities, loss, metrics, ...rest } = { ...NOTHING, ...payload };
  const cells = Object.fromEntries(Object.entries(quantities).map(([name, text]) => [name, bytes(text)]));
  const losses = floats(loss);
  const others = Object.entries(metrics).map(([name, text]) => [name, floats(text)] as const);
  const curves = Object.fromEntries([["loss", losses] as const, ...others].filter(([, of]) => of.some(isThere)));
  return {
    ...rest,
    cells,
    loss: losses,
    curves,
    used: Math.ceil(rest.steps / rest.stride),
  };
}

const isThere = (value: number): boolean => value !== -Infinity;

function floats(base64: string): Float32Array {
  const found = bytes(base64);
  return new Float32Array(found.buffer, 0, found.length >> 2);
}

function bytes(base64: string): Uint8Array {
  const text = atob(base64);
  const found = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) found[i] = text.charCodeAt(i);
  return found;
}

/** The number that a byte stands for. */
export function valueOf(code: number, { low, high, log }: Scale): number {
  if (code === ZERO) return 0;
  if (code === INFINITE) return Infinity;
  if (code < FIRST || code > LAST) return NaN;
  const place = (code - FIRST) / (LAST - FIRST);
  return log ? low * (high / low) ** place : low + place * (high - low);
}
