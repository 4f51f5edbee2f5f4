// A notebook's line to its kernel: finds out whether tapeviz is there, asks, chooses, and hears of changes. Two comms: on
// one the page asks, on the other the kernel tells. See tapeviz/lab/lines.py for why it takes two.
import { Signal, type Dispose } from "@tapeviz/core";
import type { Comm, Kernel, KernelMessage, SessionContext } from "./jupyterlab";
import { TARGET, find } from "./probe";
import { PROTOCOL, type Standing, type State, type What } from "./state";

const SUBSHELL_MS = 2000;
export type Data = Record<string, unknown>;
type Listener = (data: Data, buffers: DataView[]) => void;

export class Line {
  readonly standing = new Signal<Standing>({ kind: "asking" });
  readonly #context: SessionContext;
  readonly #listeners = new Set<Listener>();
  #comms: Comm[] = [];
  #looked = 0;
  /** Look again as soon as the kernel has done what it is doing. */
  #stale = false;

  constructor(context: SessionContext) {
    this.#context = context;
    context.kernelChanged.connect(this.#started);
    context.statusChanged.connect(this.#status);
    context.iopubMessage.connect(this.#overheard);
    this.#started();
  }

  readonly dispose: Dispose = () => {
    this.#context.kernelChanged.disconnect(this.#started);
    this.#context.statusChanged.disconnect(this.#status);
    this.#context.iopubMessage.disconnect(this.#overheard);
    const comms = this.#comms;
    this.#hangUp("none");
    for (const comm of comms) if (!comm.isDisposed) comm.close();
  };

  /** Hears each answer that is no state. */
  on(listener: Listener): Dispose {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  send(data: Data): void {
    const ask = this.#comms[1];
    if (ask && !ask.isDisposed) ask.send(data);
  }

  /** Chooses, and gives what was wrong with it, or "". */
  choose(what: What, word: string): Promise<string> {
    const request = crypto.randomUUID();
    return new Promise((resolve) => {
      const off = this.on((data) => {
        if (data["request"] !== request) return;
        off();
        resolve((data["error"] as string | undefined) ?? "");
      });
      this.send({ kind: "choose", what, word, request });
    });
  }

  /** Does in the kernel what %load_ext tapeviz does, which may still follow, and gives what was wrong, or "". */
  async load(): Promise<string> {
    this.standing.set({ kind: "asking" });
    const asked = { code: '__import__("tapeviz").enable()', silent: true, store_history: false };
    const { status, ename, evalue } = (await this.#kernel?.requestExecute(asked).done)?.content ?? {};
    await this.#look();
    return status === "error" ? `${String(ename)}: ${String(evalue)}` : "";
  }

  get #kernel(): Kernel | null {
    return this.#context.session?.kernel ?? null;
  }

  readonly #started = (): void => {
    this.#hangUp("asking");
    void this.#look();
  };

  readonly #status = (_: unknown, status: string): void => {
    if (/restarting/.test(status)) {
      this.#hangUp("asking");
      this.#stale = true;
    } else if (status === "idle" && this.#stale) void this.#look();
  };

  readonly #overheard = (_: unknown, { header, content }: KernelMessage): void => {
    const came = header.msg_type === "execute_input" && String(content["code"]).includes("tapeviz");
    if (came && this.standing.value.kind !== "there") this.#stale = true;
  };

  /** Nobody is at the other end any more. */
  #hangUp(kind: "asking" | "none"): void {
    this.#looked += 1;
    this.#stale = false;
    this.#comms = [];
    this.standing.set({ kind });
  }

  async #look(): Promise<void> {
    const mine = ++this.#looked;
    this.#stale = false;
    const kernel = this.#kernel;
    const found = kernel ? await find(kernel).catch(() => null) : ({ kind: "none" } as const);
    if (mine !== this.#looked) return;
    // Aborted, because a cell before it raised, or the kernel went away: it will be idle again.
    if (found === null) this.#stale = true;
    else if (found === "loaded") await this.#connect(kernel as Kernel, mine);
    else this.standing.set(found);
  }

  async #connect(kernel: Kernel, mine: number): Promise<void> {
    const comms: Comm[] = [];
    for (const role of ["news", "ask"]) {
      comms.push(await this.#open(kernel, role));
      if (mine === this.#looked) continue;
      // Overtaken by a later look, whose comms are the ones that are heard.
      for (const comm of comms) if (!comm.isDisposed) comm.close();
      return;
    }
    this.#comms = comms;
    this.send({ kind: "state" });
  }

  async #open(kernel: Kernel, role: string): Promise<Comm> {
    const comm = kernel.createComm(TARGET);
    comm.onMsg = ({ content, buffers }) => this.#take(comm, content["data"] as Data, buffers ?? []);
    comm.onClose = () => {
      if (!this.#comms.includes(comm)) return;
      this.#hangUp("asking");
      void this.#look();
    };
    const subshells = kernel.supportsSubshells && comm.commsOverSubshells !== "disabled";
    // What is sent before it has started waits for the cell that runs.
    if (subshells) await Promise.race([comm.subshellStarted, new Promise((done) => setTimeout(done, SUBSHELL_MS))]);
    comm.open({ role, protocol: PROTOCOL });
    return comm;
  }

  #take(comm: Comm, data: Data, buffers: readonly (ArrayBuffer | ArrayBufferView)[]): void {
    if (!this.#comms.includes(comm)) return;
    const views = buffers.map((b) =>
      b instanceof ArrayBuffer ? new DataView(b) : new DataView(b.buffer, b.byteOffset, b.byteLength),
    );
    if (data["kind"] !== "state") for (const listener of [...this.#listeners]) listener(data, views);
    else if (Number(data["protocol"]) > PROTOCOL) this.standing.set({ kind: "newer" });
    else this.standing.set({ kind: "there", state: data as unknown as State });
  }
}
