// The strip of a training, whole in its widget: a kernel that is busy training could not be asked for it. What a dot
// opens is asked for: of the page's extension, which a busy kernel hears, or else of the widget's own kernel.
import { askTape, Disposer, Signal, h, requestId, type Dispose } from "@tapeviz/core";
import { mountStrip, readStrip } from "@tapeviz/views/strip";
import loader from "./loader";
import type { Model } from "./model";
import { hideFallback } from "./fallback";
import { TAPE_TRAITS, Traits } from "./traits";

type Message = Record<string, unknown>;

/** A tape behind a dot. */
class DotModel extends Traits {
  constructor(
    readonly tape: number,
    readonly widget: Model,
    readonly place: Element,
    readonly fail: (why: string) => void,
  ) {
    super({ ...TAPE_TRAITS, _bundle: widget.get("bundle") });
  }

  send(message: unknown): void {
    const asked = { request: requestId(), ...(message as Message), live: this.tape };
    const reply = this.take;
    if (!askTape(this.place, { message: asked, reply })) this.widget.send({ ...asked, tape: this.tape });
  }

  readonly take = (message: Message, buffers: readonly DataView[]): void => {
    if (typeof message["error"] === "string") this.fail(message["error"]);
    else this.emit("msg:custom", message, buffers);
  };
}

/** Shows the tape behind a dot in a place, and says why where it cannot. */
function openTape(widget: Model, tape: number, place: HTMLElement): Dispose {
  const fail = (why: string): void => place.replaceChildren(h("p", { role: "alert" }, why));
  const model = new DotModel(tape, widget, place, fail);
  widget.on("msg:custom", model.take);
  const dispose = loader.render({ model, el: place });
  return () => {
    widget.off("msg:custom", model.take);
    dispose?.();
  };
}

function render({ model, el }: { model: Model; el: HTMLElement }): Dispose {
  if (el.style.width === "") el.style.width = "100%";
  const host = h("div");
  el.append(host);
  const now = () => readStrip(model.get("strip") ?? {});
  const strip = new Signal(now());
  const show = new Signal(String(model.get("show")));
  const told = (): void => strip.set(now());
  const chosen = (): void => show.set(String(model.get("show")));
  model.on("change:strip", told);
  model.on("change:show", chosen);
  const off = show.on((name) => {
    if (name === model.get("show")) return;
    model.set("show", name);
    model.save_changes();
  });
  const open = (tape: number, place: HTMLElement): Dispose => openTape(model, tape, place);
  return new Disposer().add(
    hideFallback((model.get("stand_in") as string | null) ?? ""),
    mountStrip(host, { strip, show, open }),
    off,
    () => model.off("change:strip", told),
    () => model.off("change:show", chosen),
    () => host.remove(),
  ).dispose;
}

export default { render };
