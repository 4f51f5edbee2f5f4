import { Signal } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { meta } from "./facts";
import type { Message, ViewContext } from "./view";

/** An element with another value. Numbers that JSON has not are text. */
export interface Edit {
  readonly tensor: number;
  readonly index: readonly number[];
  readonly value: number | string;
}

type Figure = number | string | null;

/** What the program gave with the edits, as `tapeviz/tape/experiments.py` says it. */
export interface Outcome {
  readonly changed: readonly number[];
  readonly compared: number;
  /** The value of a scalar, or the least and the most of a tensor, by the ids of those that changed. */
  readonly values: Readonly<Record<string, readonly Figure[] | null>>;
  readonly losses: readonly { tensor: number; name: string; what: string; before: Figure; after: Figure }[];
  readonly gradients: readonly {
    tensor: number;
    name: string;
    before: Figure;
    after: Figure;
    state: "ok" | "none" | "missing";
  }[];
  readonly told: string;
  readonly stopped: string;
}

/** How many digits of each tensor are right, and the lines that lose them. */
export interface Digits {
  readonly precision: string;
  readonly right: Readonly<Record<string, number>>;
  readonly losses: readonly {
    event: number;
    tensor: number;
    line: number;
    op: string;
    before: number;
    after: number;
    rewrite: string;
    better: number;
  }[];
}

export interface Element {
  readonly value: number | string;
  readonly least: number;
  readonly most: number;
  readonly dtype: string;
}

/** What there is of an answer: it was not asked for, it is on its way, it is here, or it cannot be had. */
export type Asked<T> =
  | { readonly state: "idle" | "running" }
  | { readonly state: "ok"; readonly answer: T }
  | { readonly state: "error"; readonly text: string };

const PAUSE = 160; // ms without another change, after which the program runs

/** Runs of the recorded program that a page asks the kernel for: with edited values, or for the digits that are right. */
export class Experiments {
  readonly edits = new Signal<readonly Edit[]>([]);
  readonly outcome = new Signal<Asked<Outcome>>({ state: "idle" });
  readonly digits = new Signal<Asked<Digits>>({ state: "idle" });
  /** The element that a view has its cursor on. */
  readonly cursor = new Signal<{ tensor: number; index: readonly number[] } | null>(null);
  /** Counts up when the field for a value is to get the focus. */
  readonly focus = new Signal(0);
  /** Why the program cannot run again; "" where it can. */
  readonly refusal: string;
  /** Why no code can be made; "" where it can. */
  readonly noCode: string;
  #timer = 0;
  #isRunning = false;

  constructor(
    recording: Recording,
    private readonly request: ViewContext["request"],
  ) {
    this.refusal = refusalOf(recording, request);
    this.noCode = request
      ? ""
      : "This page has no kernel, which writes the code: tape.as_python() in the notebook does.";
  }

  readonly dispose = (): void => clearTimeout(this.#timer);

  /** The edits that a tensor has other elements by; none where it is as it was. */
  editsOf(tensor: number): readonly Edit[] {
    const { value } = this.outcome;
    return value.state === "ok" && value.answer.changed.includes(tensor) ? this.edits.value : [];
  }

  /** Gives an element another value, in the place of the one that it may have been given before. */
  edit(edit: Edit): void {
    this.edits.set([...this.edits.value.filter((other) => !isSame(other, edit)), edit]);
    this.#later();
  }

  /** Takes an edit back; all of them where none is named. */
  reset(edit?: Edit): void {
    this.edits.set(edit ? this.edits.value.filter((other) => !isSame(other, edit)) : []);
    this.#later();
  }

  /** What an element is, or why that cannot be said. */
  async element(tensor: number, index: readonly number[]): Promise<Element | string> {
    const found = await this.#ask<Element>({ kind: "element", tensor, index });
    return found.state === "ok" ? found.answer : found.state === "error" ? found.text : "";
  }

  /** The ops as a cell that runs, or why there is none. */
  async code(events: readonly number[]): Promise<Asked<{ text: string }>> {
    return this.#ask<{ text: string }>({ kind: "python", events });
  }

  async findDigits(): Promise<void> {
    this.digits.set({ state: "running" });
    this.digits.set(await this.#ask<Digits>({ kind: "digits" }));
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#run(), PAUSE);
  }

  /** One run at a time; what was changed meanwhile is run next. */
  async #run(): Promise<void> {
    if (this.#isRunning) return;
    const edits = this.edits.value;
    if (edits.length === 0) return this.outcome.set({ state: "idle" });
    this.#isRunning = true;
    if (this.outcome.value.state !== "ok") this.outcome.set({ state: "running" });
    const found = await this.#ask<Outcome>({ kind: "what_if", edits });
    this.#isRunning = false;
    if (this.edits.value === edits) this.outcome.set(found);
    else await this.#run();
  }

  async #ask<T>(message: Message): Promise<Asked<T>> {
    if (!this.request) return { state: "error", text: this.refusal || this.noCode };
    try {
      const { message: said } = await this.request(message);
      if (said["state"] === "ok") return { state: "ok", answer: said as unknown as T };
      const why = said["text"] ?? said["error"];
      return { state: "error", text: typeof why === "string" ? why : "no answer" };
    } catch (error) {
      return { state: "error", text: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** The elements that edits were made of. */
export const isSame = (a: Edit, b: Edit): boolean => a.tensor === b.tensor && String(a.index) === String(b.index);

function refusalOf(recording: Recording, request: ViewContext["request"]): string {
  if (!request) return "This page has no kernel, and the program runs there: open its notebook and run the cell.";
  const policy = meta<{ values?: string; program?: number }>(recording, "policy");
  if (policy?.program ?? policy?.values === "inputs") return "";
  return `Nothing was kept to run the program again: %%tape --values inputs, or record(values="inputs"), keeps it.`;
}

/** A number that somebody typed, text where JSON has no such number, or null for what is none. */
export function parseNumber(text: string): number | string | null {
  const plain = text.trim().replace("−", "-").toLowerCase();
  if (/^[+-]?(nan|inf|infinity)$/.test(plain)) return plain;
  if (plain === "true" || plain === "false") return Number(plain === "true");
  return plain === "" || Number.isNaN(Number(plain)) ? null : Number(plain);
}
