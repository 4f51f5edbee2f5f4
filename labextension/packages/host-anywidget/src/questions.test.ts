import { TAPE, on, type TapeRequest } from "@tapeviz/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Questions, type Message } from "./questions";
import { Traits } from "./traits";

class FakeModel extends Traits {
  readonly sent: Message[] = [];
  send = (message: unknown): void => void this.sent.push(message as Message);
  answer(fields: Message): void {
    this.emit("msg:custom", { ...fields, request: this.sent.at(-1)?.["request"] }, [new DataView(new ArrayBuffer(2))]);
  }
}

/** A page whose extension hears while it is connected. */
function page(connected: boolean) {
  const place = new EventTarget() as unknown as Element;
  const heard: TapeRequest[] = [];
  const state = { connected };
  on<CustomEvent<TapeRequest>>(place, TAPE, (event) => {
    if (!state.connected) return;
    event.preventDefault();
    heard.push(event.detail);
  });
  return { place, heard, state };
}

const settled = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0));

describe("the questions of a widget", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("go to the page's extension, which a busy kernel hears", async () => {
    const { place, heard } = page(true);
    const model = new FakeModel({ _id: "a" });
    const answered = new Questions(model, place).ask({ kind: "ready" });
    expect(model.sent).toEqual([]);
    expect(heard[0].message).toMatchObject({ kind: "ready", widget: "a" });
    heard[0].reply({ kind: "frames", request: heard[0].message["request"] }, [new DataView(new ArrayBuffer(4))]);
    expect((await answered).buffers[0].byteLength).toBe(4);
  });

  it("go to the kernel where there is no extension", async () => {
    const model = new FakeModel({ _id: "a" });
    const answered = new Questions(model, page(false).place).ask({ kind: "ready" });
    expect(model.sent).toMatchObject([{ kind: "ready" }]);
    model.answer({ kind: "frames" });
    expect((await answered).message["kind"]).toBe("frames");
    await vi.advanceTimersByTimeAsync(5000);
    expect(model.sent.length).toBe(1);
  });

  it("are asked once more when the extension has connected, and the first answer counts", async () => {
    const { place, heard, state } = page(false);
    const model = new FakeModel({ _id: "a" });
    const kinds: unknown[] = [];
    void new Questions(model, place).ask({ kind: "ready" }).then(({ message }) => kinds.push(message["kind"]));
    await vi.advanceTimersByTimeAsync(1000);
    expect(heard).toEqual([]);
    state.connected = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(heard.length).toBe(1);
    heard[0].reply({ kind: "prompt", request: heard[0].message["request"] }, []);
    model.answer({ kind: "late" });
    await settled();
    expect(kinds).toEqual(["prompt"]);
  });

  it("go to the kernel where the extension's kernel does not know the widget", async () => {
    const { place, heard } = page(true);
    const model = new FakeModel({ _id: "a" });
    const answered = new Questions(model, place).ask({ kind: "ready" });
    heard[0].reply({ unknown: true, request: heard[0].message["request"] }, []);
    expect(model.sent.length).toBe(1);
    model.answer({ kind: "frames" });
    expect((await answered).message["kind"]).toBe("frames");
  });

  it("that run the program again are for the main thread", () => {
    const { place, heard } = page(true);
    const model = new FakeModel({ _id: "a" });
    const questions = new Questions(model, place);
    for (const kind of ["element", "what_if", "digits", "quiz"]) void questions.ask({ kind });
    expect(heard).toEqual([]);
    expect(model.sent.map(({ kind }) => kind)).toEqual(["element", "what_if", "digits", "quiz"]);
  });

  it("end with the widget", async () => {
    const { place, heard, state } = page(false);
    const questions = new Questions(new FakeModel({ _id: "a" }), place);
    void questions.ask({ kind: "ready" });
    questions.dispose();
    state.connected = true;
    await vi.advanceTimersByTimeAsync(2000);
    expect(heard).toEqual([]);
  });
});
