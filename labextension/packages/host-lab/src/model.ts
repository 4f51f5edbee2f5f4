// What the views take for a widget's model: a tape of a connection, and the traits that a widget would have.
import { TAPE_TRAITS, Traits } from "@tapeviz/host-anywidget/traits";
import type { KernelConnection } from "./kernelconnection";
import type { Tape } from "./state";

export class TapeModel extends Traits {
  tape: Tape;
  readonly #connection: KernelConnection;

  constructor(connection: KernelConnection, tape: Tape, bundle: string, height: number) {
    super({ ...TAPE_TRAITS, height, summary: said(tape), _bundle: bundle });
    this.#connection = connection;
    this.tape = tape;
    connection.on((data, buffers) => this.emit("msg:custom", data, buffers));
  }

  /** Another tape in the place of this one; true when its kernel has other views, which are then to be mounted anew. */
  show(tape: Tape, bundle: string): boolean {
    if (tape.number === this.tape.number) return false;
    const renewed = bundle !== this.get("_bundle");
    this.tape = tape;
    this.set("summary", said(tape));
    this.set("_bundle", bundle);
    // Numbers of events mean something else from here on.
    this.set("selected", TAPE_TRAITS.selected);
    if (!renewed) this.emit("msg:custom", { kind: "replaced" }, []);
    return renewed;
  }

  send(message: unknown): void {
    this.#connection.send({ ...(message as Record<string, unknown>), tape: this.tape.number });
  }
}

const said = (tape: Tape): string => [tape.title, ...tape.facts].join(" · ");
