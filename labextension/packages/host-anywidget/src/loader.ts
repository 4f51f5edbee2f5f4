// What each saved widget holds: small. It shows the summary (unless an element beside it does), asks the kernel for the
// real bundle once a page, and hands over to it. Without a kernel nobody answers, and the summary stays.
import type { Model, Rendered } from "./model";
import { askTape, requestId } from "@tapeviz/core/loop";
import { hideFallback } from "./fallback";

interface Bundle {
  readonly render: (context: { model: Model; el: HTMLElement }) => Rendered;
}
interface Wanted {
  readonly arrived: Promise<Bundle>;
  readonly arrive: (bundle: Promise<Bundle>) => void;
  asked: number;
  isHeard: boolean;
}

const SOON = 30;
const AGAIN = 250;
const PATIENCE = 5000;
const page = globalThis as { tapevizBundles?: Map<string, Wanted> };

function wanted(hash: string): Wanted {
  const bundles = (page.tapevizBundles ??= new Map<string, Wanted>());
  const known = bundles.get(hash);
  if (known) return known;
  let arrive: Wanted["arrive"] = () => undefined;
  const arrived = new Promise<Bundle>((resolve) => (arrive = resolve));
  const made = { arrived, arrive, asked: 0, isHeard: false };
  bundles.set(hash, made);
  return made;
}

function listen(model: Model, el: HTMLElement, bundle: Wanted): () => void {
  const take = (message: { kind?: unknown }, buffers: readonly DataView[]): void => {
    if (message.kind !== "bundle" || !buffers[0]) return;
    const url = URL.createObjectURL(new Blob([buffers[0] as BlobPart], { type: "text/javascript" }));
    bundle.arrive(import(url) as Promise<Bundle>);
  };
  // The page's extension is heard by a busy kernel, and may connect later. Without one the widget's own kernel is asked,
  // by one widget of the page; that kernel may be gone, so another one asks after a while.
  const ask = (): void => {
    const request = requestId();
    bundle.isHeard ||= askTape(el, { message: { kind: "bundle", request }, reply: take });
    if (Date.now() - bundle.asked < PATIENCE) return;
    if (!bundle.isHeard || bundle.asked) model.send({ kind: "bundle", request });
    bundle.asked = Date.now();
  };
  model.on("msg:custom", take);
  // On no page yet, as JupyterLab renders it: nobody above would hear.
  const first = setTimeout(ask, el.isConnected ? 0 : SOON);
  const timer = setInterval(ask, AGAIN);
  return () => {
    clearTimeout(first);
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
  const stop = listen(model, el, bundle);
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
