import { Disposer, Keys, Selection, Signal, followTheme, h, style, type Dispose } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import base from "../base.css";
import { VIEWS } from "../registry";
import type { ViewContext } from "../view";

export interface ShellOptions {
  readonly recording: Recording;
  readonly selection: Selection;
  /** The id of the view that is shown. */
  readonly view: Signal<string>;
  readonly filter: Signal<string>;
  /** CSS pixels. */
  readonly height: Signal<number>;
  readonly request?: ViewContext["request"];
  /** The recording's bytes, for "save". */
  readonly bytes?: () => Uint8Array;
}

export function mountShell(host: HTMLElement, options: ShellOptions): Dispose {
  const home = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const root = h("section", { class: "tapeviz", "aria-label": "tapeviz" });
  home.append(root);
  style(root, base);
  const { theme, dispose } = followTheme(root);
  const keys = new Keys();
  const context: ViewContext = {
    ...options, changed: new Signal(0), matches: new Signal<Uint8Array | null>(null), theme, keys, announce: () => undefined,
  };
  const main = h("div", { class: "tv-main" });
  root.append(main);
  const disposer = new Disposer().add(() => root.remove(), dispose, keys.listen(root));
  disposer.add(options.height.watch((height) => (root.style.height = `${height}px`)));
  let unmount: Dispose = () => undefined;
  disposer.add(options.view.watch((id) => {
    unmount();
    unmount = (VIEWS.find((v) => v.id === id) ?? VIEWS[0]).mount(main, context);
  }), () => unmount());
  return disposer.dispose;
}
