// The strip of a training, whole in its widget: a kernel that is busy training could not be asked for it.
import { Disposer, Signal, h, type Dispose } from "@tapeviz/core";
import { mountStrip, readStrip } from "@tapeviz/views/strip";
import type { Model } from "./model";
import { hideFallback } from "./fallback";

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
  return new Disposer().add(
    hideFallback((model.get("stand_in") as string | null) ?? ""),
    mountStrip(host, { strip, show }),
    off,
    () => model.off("change:strip", told),
    () => model.off("change:show", chosen),
    () => host.remove(),
  ).dispose;
}

export default { render };
