// What the loader hands over to: the shell or the difference of two tapes, fed by the kernel's messages, its state tied
// to the widget's traits.
import { Disposer, SELECT, Selection, Signal, h, on, type Dispose, type Key, type SelectRequest } from "@tapeviz/core";
import { Recording } from "@tapeviz/recording";
import { mountShell, type Answer, type Message } from "@tapeviz/views";
import { mountDiff, readDiff } from "@tapeviz/views/diff";
import type { Model } from "./model";
import { Questions } from "./questions";

/** Ties a trait to a signal, both ways. */
function tie<T>(
  model: Model,
  trait: string,
  signal: Signal<T>,
  read: (value: unknown) => T,
  write: (value: T) => unknown,
): Dispose {
  const fromKernel = (): void => signal.set(read(model.get(trait)));
  fromKernel();
  model.on(`change:${trait}`, fromKernel);
  const off = signal.on((value) => {
    const next = write(value);
    if (JSON.stringify(next) === JSON.stringify(model.get(trait))) return;
    model.set(trait, next);
    model.save_changes();
  });
  return () => {
    off();
    model.off(`change:${trait}`, fromKernel);
  };
}

const orNone = (value: unknown): number => (typeof value === "number" ? value : -1);
const orNull = (value: number): number | null => (value < 0 ? null : value);

function readKey(value: unknown): Key {
  const key = (value ?? {}) as Record<string, unknown>;
  return { event: orNone(key["event"]), tensor: orNone(key["tensor"]), step: orNone(key["step"]) };
}

const writeKey = ({ event, tensor, step }: Key): unknown => ({
  event: orNull(event),
  tensor: orNull(tensor),
  step: orNull(step),
});

interface Page {
  readonly model: Model;
  readonly host: HTMLElement;
  readonly ask: (message: Message) => Promise<Answer>;
  readonly disposer: Disposer;
}

/** Reads what the kernel gave when it was asked, and gives the way to mount that. */
type Prepare = (answer: Answer) => Promise<() => Dispose>;

/** The views of one tape. */
function ofTape({ model, ask, host, disposer }: Page): Prepare {
  const selection = new Selection();
  const [view, filter, height] = [new Signal("timeline"), new Signal(""), new Signal(560)];
  disposer.add(
    tie(model, "selected", selection.selected, readKey, writeKey),
    tie(model, "view", view, String, (v) => v),
    tie(model, "filter", filter, String, (v) => v),
    tie(model, "height", height, Number, (v) => v),
  );
  // Somebody else on the page, such as a mark beside a line of the cell, points at an op of this tape.
  const select = on<CustomEvent<SelectRequest>>(window, SELECT, (asked) => {
    const { widget, event, tensor } = asked.detail;
    if (widget === "" || widget !== model.get("_id") || host.offsetParent === null) return;
    asked.preventDefault();
    selection.select({ event, tensor });
    host.scrollIntoView({ block: "nearest" });
  });
  disposer.add(select);
  return async ({ message, buffers: [bytes] }) => {
    const recording = await Recording.open(bytes);
    // Of large tensors the page has what it shows; a file is to have everything.
    const all = async (): Promise<Uint8Array> =>
      message["whole"] === false ? ((await ask({ kind: "recording" })).buffers[0] ?? bytes) : bytes;
    return () => mountShell(host, { recording, selection, view, filter, height, request: ask, bytes: all });
  };
}

/** Two tapes and where they differ. */
function ofDiff({ model, ask, host, disposer }: Page): Prepare {
  const [row, view, height] = [new Signal(-1), new Signal("flow"), new Signal(760)];
  disposer.add(
    tie(model, "row", row, orNone, (v) => v),
    tie(model, "view", view, String, (v) => v),
    tie(model, "height", height, Number, (v) => v),
  );
  return async ({ message, buffers }) => {
    const [a, b] = await Promise.all(buffers.slice(0, 2).map((bytes) => Recording.open(bytes)));
    const data = readDiff(message);
    const details = async (index: number): Promise<Message> => (await ask({ kind: "row", row: index })).message;
    const request = (side: 0 | 1, asked: Message): Promise<Answer> => ask({ ...asked, side });
    return () => mountDiff(host, { data, recordings: [a, b], row, view, height, details, request });
  };
}

export function render({ model, el }: { model: Model; el: HTMLElement }): Dispose {
  const disposer = new Disposer();
  const questions = new Questions(model, el);
  const ask = async (message: Message): Promise<Answer> => {
    const { message: said, buffers } = await questions.ask(message);
    return {
      message: said as Message,
      buffers: buffers.map((b) => new Uint8Array(b.buffer, b.byteOffset, b.byteLength)),
    };
  };
  const host = h("div");
  el.append(host);
  // The shell has no width of its own: without this a horizontal box would make it as narrow as nothing.
  if (el.style.width === "") el.style.width = "100%";
  disposer.add(() => host.remove(), questions.dispose);
  // Behind the views, for paper: a picture would be cut where the page ends.
  const summary = model.get("summary");
  if (typeof summary === "string" && summary !== "") host.append(h("pre", { style: "white-space:pre-wrap" }, summary));
  const page = { model, host, ask, disposer };
  const prepare = model.get("_shows") === "diff" ? ofDiff(page) : ofTape(page);
  let unmount: Dispose = () => undefined;
  let wanted = 0;
  const load = async (): Promise<void> => {
    const mine = ++wanted;
    const answer = await ask({ kind: "ready" });
    // None: it was replaced meanwhile, and what replaced it will be said.
    if (!answer.buffers[0]) return;
    const mount = await prepare(answer);
    // Removed meanwhile, or asked again: this answer is of yesterday.
    if (mine !== wanted) return;
    unmount();
    unmount = mount();
  };
  const show = (): void =>
    void load().catch((error: unknown) => {
      console.error("tapeviz: the recording cannot be shown:", error);
      el.append(h("p", { role: "alert" }, `This recording cannot be shown: ${String(error)}`));
    });
  const replaced = (message: Message): void => void (message.kind === "replaced" && show());
  model.on("msg:custom", replaced);
  disposer.add(
    () => (wanted += 1),
    () => unmount(),
    () => model.off("msg:custom", replaced),
  );
  show();
  return disposer.dispose;
}

export default { render };
