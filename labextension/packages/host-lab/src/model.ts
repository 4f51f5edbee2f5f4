// What the views take for a widget's model: the latest tape of a connection, and the traits that a widget would have.
import type { Model } from "@tapeviz/host-anywidget/model";
import type { KernelConnection } from "./kernelconnection";
import type { Tape } from "./state";

const NOTHING = { event: null, tensor: null, step: null };

export class TapeModel implements Model {
  tape: Tape;
  readonly #connection: KernelConnection;
  readonly #traits = new Map<string, unknown>();
  readonly #listeners = new Map<string, Set<(...args: never[]) => void>>();

  constructor(connection: KernelConnection, tape: Tape, height: number) {
    this.#connection = connection;
    this.tape = tape;
    const traits = { view: "timeline", filter: "", selected: NOTHING, height, summary: said(tape) };
    for (const [name, value] of Object.entries({ ...traits, _bundle: tape.bundle, _stand_in: "" })) {
      this.#traits.set(name, value);
    }
    connection.on((data, buffers) => this.#emit("msg:custom", data, buffers));
  }

  /** Another tape in the place of this one; true when its kernel has other views, which are then to be mounted anew. */
  show(tape: Tape): boolean {
    if (tape.number === this.tape.number) return false;
    const renewed = tape.bundle !== this.tape.bundle;
    this.tape = tape;
    this.set("summary", said(tape));
    this.set("_bundle", tape.bundle);
    // Numbers of events mean something else from here on.
    this.set("selected", NOTHING);
    if (!renewed) this.#emit("msg:custom", { kind: "replaced" }, []);
    return renewed;
  }

  get(name: string): unknown {
    return this.#traits.get(name);
  }

  set(name: string, value: unknown): void {
    if (this.#traits.get(name) === value) return;
    this.#traits.set(name, value);
    this.#emit(`change:${name}`);
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

  send(message: unknown): void {
    this.#connection.send({ ...(message as Record<string, unknown>), tape: this.tape.number });
  }

  #emit(event: string, ...args: unknown[]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(...(args as never[]));
  }
}

const said = (tape: Tape): string => [tape.title, ...tape.facts].join(" · ");
