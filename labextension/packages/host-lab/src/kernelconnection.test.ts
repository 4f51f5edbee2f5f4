import { describe, expect, it } from "vitest";
import type { Comm, JupyterSignal, Kernel, KernelMessage, SessionContext } from "./jupyterlab";
import { KernelConnection, type Data } from "./kernelconnection";
import { explanation, type Absence } from "./state";

class FakeSignal<A> implements JupyterSignal<A> {
  readonly slots = new Set<(sender: unknown, args: A) => void>();
  connect = (slot: (sender: unknown, args: A) => void): void => void this.slots.add(slot);
  disconnect = (slot: (sender: unknown, args: A) => void): void => void this.slots.delete(slot);
  ring = (args: A): void => this.slots.forEach((slot) => slot(null, args));
}

const message = (msg_type: string, content: Data): KernelMessage => ({ header: { msg_type }, content });
const STATE = { kind: "state", protocol: 1, version: "0.1.0", settings: {}, tapes: [], bundle: "" };

/** A notebook whose kernel answers as it is told. */
class Notebook implements SessionContext {
  language = "python";
  status = "ok";
  installed = true;
  loaded = true;
  protocol = 1;
  comms: (Comm & { sent: Data[]; role?: unknown })[] = [];
  readonly kernelChanged = new FakeSignal<unknown>();
  readonly statusChanged = new FakeSignal<string>();
  readonly iopubMessage = new FakeSignal<KernelMessage>();
  readonly session: { kernel: Kernel | null } = { kernel: this.#kernel() };

  #kernel(): Kernel {
    const language = (): string => this.language;
    const answer = (value: boolean): unknown => ({ data: { "text/plain": value ? "True" : "False" } });
    return {
      info: Promise.resolve({ language_info: { get name() { return language(); } } }), // prettier-ignore
      handleComms: true,
      isDisposed: false,
      createComm: () => this.#comm(),
      requestExecute: () => {
        const found = { installed: answer(this.installed), loaded: answer(this.loaded) };
        return { done: Promise.resolve(message("execute_reply", { status: this.status, user_expressions: found })) };
      },
    };
  }

  #comm(): Comm {
    const sent: Data[] = [];
    const comm: (typeof this.comms)[number] = {
      sent,
      isDisposed: false,
      onMsg: () => undefined,
      onClose: () => undefined,
      open: (data) => void (comm.role = data["role"]),
      close: () => undefined,
      send: (data) => {
        sent.push(data);
        if (data["kind"] === "state") comm.onMsg(message("comm_msg", { data: { ...STATE, protocol: this.protocol } }));
      },
    };
    this.comms.push(comm);
    return comm;
  }
}

const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 5));

async function connected(facts: Partial<Notebook>): Promise<{ connection: KernelConnection; notebook: Notebook }> {
  const notebook = Object.assign(new Notebook(), facts);
  const connection = new KernelConnection(notebook);
  await settled();
  return { connection, notebook };
}

describe("the status of a kernel", () => {
  it.each<[Partial<Notebook>, string]>([
    [{}, "there"],
    [{ language: "R" }, "language"],
    [{ installed: false, loaded: false }, "missing"],
    [{ loaded: false }, "unloaded"],
    [{ session: { kernel: null } }, "none"],
    [{ protocol: 2 }, "newer"],
  ])("%j: %s", async (facts, kind) => {
    const { connection } = await connected(facts);
    expect(connection.status.value.kind).toBe(kind);
  });

  it("asks on one comm and hears news on another", async () => {
    const { connection, notebook } = await connected({});
    expect(notebook.comms.map(({ role }) => role)).toEqual(["news", "ask"]);
    expect(notebook.comms.map(({ sent }) => sent.length)).toEqual([0, 1]);
    notebook.comms[0].onMsg(message("comm_msg", { data: { ...STATE, version: "0.2.0" } }));
    expect(connection.status.value).toMatchObject({ kind: "there", state: { version: "0.2.0" } });
  });

  it("looks again when the kernel is idle: after a restart, after a dropped question, after a cell about it", async () => {
    const { connection, notebook } = await connected({});
    notebook.loaded = false;
    notebook.statusChanged.ring("restarting");
    expect(connection.status.value.kind).toBe("asking");
    notebook.status = "aborted";
    notebook.statusChanged.ring("idle");
    await settled();
    expect(connection.status.value.kind).toBe("asking");
    notebook.status = "ok";
    notebook.statusChanged.ring("idle");
    await settled();
    expect(connection.status.value.kind).toBe("unloaded");
    notebook.loaded = true;
    notebook.iopubMessage.ring(message("execute_input", { code: "import numpy" }));
    notebook.statusChanged.ring("idle");
    await settled();
    expect(connection.status.value.kind).toBe("unloaded");
    notebook.iopubMessage.ring(message("execute_input", { code: "%load_ext tapeviz" }));
    notebook.statusChanged.ring("idle");
    await settled();
    expect(connection.status.value.kind).toBe("there");
  });

  it("connects at once where the kernel announces tapeviz, while its own question waits", async () => {
    const notebook = new Notebook();
    const kernel = notebook.session.kernel as { -readonly [K in keyof Kernel]: Kernel[K] };
    kernel.requestExecute = () => ({ done: new Promise(() => undefined) });
    const connection = new KernelConnection(notebook);
    await settled();
    expect(connection.status.value.kind).toBe("asking");
    notebook.iopubMessage.ring(message("update_display_data", { data: {}, transient: { display_id: "other" } }));
    await settled();
    expect(connection.status.value.kind).toBe("asking");
    notebook.iopubMessage.ring(message("update_display_data", { data: {}, transient: { display_id: "tapeviz" } }));
    await settled();
    expect(connection.status.value.kind).toBe("there");
    expect(notebook.comms.length).toBe(2);
  });

  it("is not cut off by an earlier attempt that ends later", async () => {
    const notebook = new Notebook();
    const late: (() => void)[] = [];
    const kernel = notebook.session.kernel as { -readonly [K in keyof Kernel]: Kernel[K] };
    const create = kernel.createComm;
    kernel.supportsSubshells = true;
    kernel.createComm = (target) => {
      const waits = notebook.comms.length ? Promise.resolve() : new Promise<void>((done) => late.push(done));
      return Object.assign(create(target), { subshellStarted: waits });
    };
    const connection = new KernelConnection(notebook);
    await settled();
    notebook.iopubMessage.ring(message("execute_input", { code: "%load_ext tapeviz" }));
    notebook.statusChanged.ring("idle");
    await settled();
    const [early, news] = notebook.comms;
    const closed: unknown[] = [];
    early.close = () => void closed.push(early);
    for (const done of late) done();
    await settled();
    expect(closed).toEqual([early]);
    news.onMsg(message("comm_msg", { data: { ...STATE, version: "0.2.0" } }));
    expect(connection.status.value).toMatchObject({ kind: "there", state: { version: "0.2.0" } });
    connection.send({ kind: "state" });
    expect(notebook.comms[2].sent.length).toBe(2);
  });

  it("hears nothing from comms of before", async () => {
    const { connection, notebook } = await connected({});
    notebook.loaded = false;
    notebook.kernelChanged.ring(null);
    await settled();
    notebook.comms[0].onMsg(message("comm_msg", { data: STATE }));
    expect(connection.status.value.kind).toBe("unloaded");
  });

  it("says what was wrong with a choice", async () => {
    const { connection, notebook } = await connected({});
    const wrong = connection.choose("mode", "grahp");
    const { request } = notebook.comms[1].sent[1];
    notebook.comms[1].onMsg(message("comm_msg", { data: { kind: "choose", request, error: "did you mean graph?" } }));
    expect(await wrong).toBe("did you mean graph?");
  });

  it("lets go of the notebook", async () => {
    const { connection, notebook } = await connected({});
    connection.dispose();
    expect([notebook.kernelChanged, notebook.statusChanged, notebook.iopubMessage].map((b) => b.slots.size)).toEqual([
      0, 0, 0,
    ]);
  });
});

it("each absence is explained with what to do", () => {
  const all: Absence[] = ["none", "asking", "language", "missing", "unloaded", "shared", "newer"];
  for (const kind of all) for (const part of explanation({ kind, language: "R" })) expect(part).toMatch(/^\S.+[.:]$/);
});
