// A notebook's connection to its kernel: finds out whether tapeviz is there, asks, chooses, and hears of changes. Two
// comms: on one the page asks, on the other the kernel sends news. See tapeviz/lab/comm_channels.py for why it takes two.
import { Signal, requestId, type Dispose } from "@tapeviz/core";
import type { Comm, Kernel, KernelMessage, SessionContext } from "./jupyterlab";
import { TARGET, isAnnouncement, probe } from "./probe";
import { PROTOCOL, type KernelStatus, type KernelState, type SettingName, type Tape } from "./state";

const SUBSHELL_MS = 2000;
export type Data = Record<string, unknown>;
type Listener = (data: Data, buffers: DataView[]) => void;

export class KernelConnection {
  readonly status = new Signal<KernelStatus>({ kind: "asking" });
  /** The tapes that went with a kernel which was restarted, until something is recorded again. */
  readonly lost = new Signal<readonly Tape[]>([]);
  readonly #context: SessionContext;
  readonly #listeners = new Set<Listener>();
  #comms: Comm[] = [];
  #attempt = 0;
  /** Whether questions are answered while a cell runs. */
  #prompt = false;
  /** Probe again as soon as the kernel has done what it is doing. */
  #stale = false;

  constructor(context: SessionContext) {
    this.#context = context;
    context.kernelChanged.connect(this.#onKernelChanged);
    context.statusChanged.connect(this.#onStatus);
    context.iopubMessage.connect(this.#onIopubMessage);
    this.#onKernelChanged();
  }

  readonly dispose: Dispose = () => {
    this.#context.kernelChanged.disconnect(this.#onKernelChanged);
    this.#context.statusChanged.disconnect(this.#onStatus);
    this.#context.iopubMessage.disconnect(this.#onIopubMessage);
    const comms = this.#comms;
    this.#disconnect("none");
    for (const comm of comms) if (!comm.isDisposed) comm.close();
  };

  /** Calls the listener with each answer that is not a state. */
  on(listener: Listener): Dispose {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  send(data: Data): void {
    const ask = this.#comms[1];
    if (ask && !ask.isDisposed) ask.send(data);
  }

  /** Chooses, and gives what was wrong with it, or "". */
  choose(what: SettingName, word: string): Promise<string> {
    return this.#ask({ kind: "choose", what, word });
  }

  /** Asks something of a loop that runs, and gives what was wrong with it, or "". */
  hold(loop: number, what: string): Promise<string> {
    return this.#ask({ kind: "loop", loop, what });
  }

  /** Why what is asked while a cell runs would wait for its end, or "". */
  get waits(): string {
    if (this.status.value.kind !== "there") return "run %load_ext tapeviz before this cell";
    return this.#prompt ? "" : "this kernel has no subshells, so it hears nothing while a cell runs";
  }

  /** Sends what has a number of its own as its request, and hands on the answer. */
  ask(asked: Data, reply: Listener): void {
    const off = this.on((data, buffers) => {
      if (data["request"] !== asked["request"]) return;
      off();
      reply(data, buffers);
    });
    this.send(asked);
  }

  #ask(data: Data): Promise<string> {
    return new Promise((resolve) => {
      const take = ({ error }: Data): void => resolve((error as string | undefined) ?? "");
      this.ask({ ...data, request: requestId() }, take);
    });
  }

  /** Does in the kernel what %load_ext tapeviz does, which may still follow, and gives what was wrong, or "". */
  async load(): Promise<string> {
    this.status.set({ kind: "asking" });
    const asked = { code: '__import__("tapeviz").enable()', silent: true, store_history: false };
    const { status, ename, evalue } = (await this.#kernel?.requestExecute(asked).done)?.content ?? {};
    await this.#probe();
    return status === "error" ? `${String(ename)}: ${String(evalue)}` : "";
  }

  get #kernel(): Kernel | null {
    return this.#context.session?.kernel ?? null;
  }

  readonly #onKernelChanged = (): void => {
    this.#disconnect("asking");
    void this.#probe();
  };

  readonly #onStatus = (_: unknown, status: string): void => {
    if (/restarting/.test(status)) {
      const { value } = this.status;
      if (value.kind === "there") this.lost.set(value.state.tapes);
      this.#disconnect("asking");
      this.#stale = true;
    } else if (status === "idle" && this.#stale) void this.#probe();
  };

  readonly #onIopubMessage = (_: unknown, { header, content }: KernelMessage): void => {
    if (this.status.value.kind === "there") return;
    if (isAnnouncement(header.msg_type, content)) void this.#answerAnnouncement();
    else if (header.msg_type === "execute_input" && String(content["code"]).includes("tapeviz")) this.#stale = true;
  };

  /** A question by a request of its own would wait for all cells that are queued, as they are by Run All. */
  async #answerAnnouncement(): Promise<void> {
    const mine = ++this.#attempt;
    this.#stale = false;
    const kernel = this.#kernel;
    if (kernel?.handleComms) await this.#connect(kernel, mine);
    else this.#stale = true;
  }

  /** The comms are of no use any more. */
  #disconnect(kind: "asking" | "none"): void {
    this.#attempt += 1;
    this.#stale = false;
    this.#comms = [];
    this.status.set({ kind });
  }

  async #probe(): Promise<void> {
    const mine = ++this.#attempt;
    this.#stale = false;
    const kernel = this.#kernel;
    const found = kernel ? await probe(kernel).catch(() => null) : ({ kind: "none" } as const);
    if (mine !== this.#attempt) return;
    // Aborted, because a cell before it raised, or the kernel went away: it will be idle again.
    if (found === null) this.#stale = true;
    else if (found === "loaded") await this.#connect(kernel as Kernel, mine);
    else this.status.set(found);
  }

  async #connect(kernel: Kernel, mine: number): Promise<void> {
    const comms: Comm[] = [];
    for (const role of ["news", "ask"]) {
      comms.push(await this.#open(kernel, role));
      if (mine === this.#attempt) continue;
      // Overtaken by a later attempt, whose comms are the ones that are heard.
      for (const comm of comms) if (!comm.isDisposed) comm.close();
      return;
    }
    this.#comms = comms;
    this.send({ kind: "state" });
  }

  async #open(kernel: Kernel, role: string): Promise<Comm> {
    const comm = kernel.createComm(TARGET);
    comm.onMsg = ({ content, buffers }) => this.#receive(comm, content["data"] as Data, buffers ?? []);
    comm.onClose = () => {
      if (!this.#comms.includes(comm)) return;
      this.#disconnect("asking");
      void this.#probe();
    };
    const subshells = kernel.supportsSubshells && comm.commsOverSubshells !== "disabled";
    this.#prompt = Boolean(subshells);
    // What is sent before it has started waits for the cell that runs.
    if (subshells) await Promise.race([comm.subshellStarted, new Promise((done) => setTimeout(done, SUBSHELL_MS))]);
    comm.open({ role, protocol: PROTOCOL });
    return comm;
  }

  #take(state: KernelState): void {
    if (state.tapes.length > 0) this.lost.set([]);
    this.status.set({ kind: "there", state });
  }

  #receive(comm: Comm, data: Data, buffers: readonly (ArrayBuffer | ArrayBufferView)[]): void {
    if (!this.#comms.includes(comm)) return;
    const views = buffers.map((b) =>
      b instanceof ArrayBuffer ? new DataView(b) : new DataView(b.buffer, b.byteOffset, b.byteLength),
    );
    if (data["kind"] !== "state") for (const listener of [...this.#listeners]) listener(data, views);
    else if (Number(data["protocol"]) > PROTOCOL) this.status.set({ kind: "newer" });
    else this.#take({ tapes: [], bundle: "", ...data } as unknown as KernelState);
  }
}
