// One HTML file: this script, and the recording's bytes in base64 in
// <script type="application/octet-stream+base64" data-tapeviz>. Opens from disk, asks the network for nothing.
import { Selection, Signal, h, on, type Dispose } from "@tapeviz/core";
import { Recording } from "@tapeviz/recording";
import { VIEWS, mountShell } from "@tapeviz/views";

const BLOCK = 'script[type="application/octet-stream+base64"][data-tapeviz]';

/** What the address says after "#": view=timeline&event=4, so that a link can point at something. */
const place = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));

/** Shows a recording in `root` as high as the window, and gives the way to remove it again. */
async function mount(root: HTMLElement, bytes: Uint8Array): Promise<Dispose> {
  const recording = await Recording.open(bytes);
  const selection = new Selection();
  const wanted = place();
  const view = new Signal(wanted.get("view") ?? VIEWS[0].id);
  selection.select({ event: Number(wanted.get("event") ?? -1), tensor: Number(wanted.get("tensor") ?? -1) });
  const height = new Signal(window.innerHeight);
  const off = on(window, "resize", () => height.set(window.innerHeight));
  const shell = mountShell(root, { recording, selection, view, filter: new Signal(""), height, bytes: () => bytes });
  return () => {
    off();
    shell();
  };
}

const decode = (text: string): Uint8Array => Uint8Array.from(atob(text.replace(/\s+/g, "")), (letter) => letter.charCodeAt(0));

/** The page is ours: its ground follows the reader's choice of light or dark. */
function ground(): void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const paint = (): void => void (document.body.style.background = dark.matches ? "#16191d" : "#ffffff");
  on(dark, "change", paint);
  paint();
}

/** Shows each block of the page in the element before it. */
async function mountEmbedded(): Promise<void> {
  if (document.querySelector(BLOCK)) ground();
  for (const block of document.querySelectorAll(BLOCK)) {
    const root = h("div");
    block.before(root);
    try {
      await mount(root, decode(block.textContent ?? ""));
    } catch (error) {
      root.textContent = `This recording cannot be shown: ${String(error)}`;
    }
  }
}

declare global {
  interface Window {
    tapeviz: { mount: typeof mount; mountEmbedded: typeof mountEmbedded };
  }
}

window.tapeviz = { mount, mountEmbedded };
if (document.readyState === "loading") on(document, "DOMContentLoaded", () => void mountEmbedded());
else void mountEmbedded();
