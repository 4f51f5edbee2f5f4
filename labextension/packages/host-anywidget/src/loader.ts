// What each saved widget holds: small. It shows the summary (unless an element beside it does), asks the kernel for the
// real bundle once a page, and hands over to it. Without a kernel nobody answers, and the summary stays.
import type { Model, Rendered } from "./model";
import { hideFallback } from "./fallback";

interface Bundle {
  readonly render: (context: { model: Model; el: HTMLElement }) => Rendered;
}
interface Wanted {
  readonly arrived: Promise<Bundle>;
  readonly arrive: (bundle: Promise<Bundle>) => void;
  asked: number;
}

const PATIENCE = 5000;
const page = globalThis as { tapevizBundles?: Map<string, Wanted> };

function wanted(hash: string): Wanted {
  const bundles = (page.tapevizBundles ??= new Map<string, Wanted>());
  const known = bundles.get(hash);
  if (known) return known;
  let arrive: Wanted["arrive"] = () => undefined;
  const arrived = new Promise<Bundle>((resolve) => (arrive = resolve));
  const made = { arrived, arrive, asked: 0 };
  bundles.set(hash, made);
  return made;
}

function listen(model: Model, bundle: Wanted): () => void {
  const take = (message: { kind?: string }, buffers: DataView[]): void => {
    if (message.kind !== "bundle" || !buffers[0]) return;
    const url = URL.createObjectURL(new Blob([buffers[0] as BlobPart], { type: "text/javascript" }));
    bundle.arrive(import(url) as Promise<Bundle>);
  };
  // Another widget of the page may have asked already; its kernel may also be gone, so ask again after a while.
  const ask = (): void => {
    if (Date.now() - bundle.asked < PATIENCE) return;
    bundle.asked = Date.now();
    model.send({ kind: "bundle" });
  };
  model.on("msg:custom", take);
  ask();
  const timer = setInterval(ask, PATIENCE + 500);
  return () => {
    clearInterval(timer);
    model.off("msg:custom", take);
  };
}

function render({ model, el }: { model: Model; el: HTMLElement }): Rendered {
  const standIn = (model.get("_stand_in") as string | null) ?? "";
  const summary = document.createElement("pre");
  summary.textContent = String(model.get("summary"));
  summary.style.cssText = "margin:0;padding:8px 0;white-space:pre-wrap;overflow-wrap:anywhere";
  if (!standIn) el.append(summary);
  const bundle = wanted(String(model.get("_bundle")));
  const stop = listen(model, bundle);
  let dispose: Rendered = stop;
  // Not awaited: without a kernel it never arrives, and the summary has to be shown at once.
  void bundle.arrived.then(({ render: start }) => {
    stop();
    if (!el.isConnected && dispose === undefined) return;
    summary.remove();
    const [unhide, stopped] = [hideFallback(standIn), start({ model, el })];
    dispose = () => {
      unhide();
      stopped?.();
    };
  });
  return () => {
    dispose?.();
    dispose = undefined;
  };
}

export default { render };
