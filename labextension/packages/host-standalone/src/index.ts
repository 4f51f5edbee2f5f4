// One HTML file: this script, and the recording's bytes in base64 in
// <script type="application/octet-stream+base64" data-tapeviz>. Opens from disk, asks the network for nothing.
// A page of a difference has it as JSON instead, in <script type="application/json" data-tapeviz-diff>.
// window.tapeviz.mount(root, bytes) and mountDifference(root, text) show one anywhere in another page, such as the
// documentation's, as high as it says.
import { Selection, Signal, h, on, type Dispose } from "@tapeviz/core";
import { Recording } from "@tapeviz/recording";
import { VIEWS, mountShell } from "@tapeviz/views";
import { mountDiff, readDiff } from "@tapeviz/views/diff";

const BLOCK = 'script[type="application/octet-stream+base64"][data-tapeviz]';

const DIFF = 'script[type="application/json"][data-tapeviz-diff]';

/** What the address says after "#": view=timeline&event=4, so that a link can point at something. */
const place = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));

/** How high it is: so many CSS pixels, or as high as the window, whose size it then follows. */
function heightOf(pixels?: number): { height: Signal<number>; off: Dispose } {
  const height = new Signal(pixels ?? window.innerHeight);
  const follow = (): void => void (pixels === undefined && height.set(window.innerHeight));
  return { height, off: on(window, "resize", follow) };
}

/** Shows a recording in `root`, and gives the way to remove it again. The page's address counts where it fills the window. */
async function mount(root: HTMLElement, bytes: Uint8Array, opening?: string, pixels?: number): Promise<Dispose> {
  const recording = await Recording.open(bytes);
  const selection = new Selection();
  const wanted = pixels === undefined ? place() : new URLSearchParams();
  const view = new Signal(wanted.get("view") ?? opening ?? VIEWS[0].id);
  selection.select({ event: Number(wanted.get("event") ?? -1), tensor: Number(wanted.get("tensor") ?? -1) });
  const { height, off } = heightOf(pixels);
  const shell = mountShell(root, { recording, selection, view, filter: new Signal(""), height, bytes: () => bytes });
  return () => {
    off();
    shell();
  };
}

/** The bytes in a block of base64. A loop, for a callback per byte takes seconds where there are many. */
function decode(text: string): Uint8Array {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The page is ours: its ground follows the reader's choice of light or dark. */
function ground(): void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const paint = (): void => void (document.body.style.background = dark.matches ? "#16191d" : "#ffffff");
  on(dark, "change", paint);
  paint();
}

/** Where a block is shown: the element before it with what there is to see without scripts, or a new one. */
function homeOf(block: Element): HTMLElement {
  const before = block.previousElementSibling;
  if (before instanceof HTMLElement && before.matches("main[data-tapeviz]")) return before;
  const root = h("div");
  block.before(root);
  return root;
}

interface SavedDiff {
  readonly view?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly recordings?: readonly string[];
}

/** Shows the difference of two recordings, and gives the way to remove it again. */
async function mountDifference(root: HTMLElement, text: string, pixels?: number): Promise<Dispose> {
  const saved = JSON.parse(text) as SavedDiff;
  const [a, b] = await Promise.all((saved.recordings ?? []).map((one) => Recording.open(decode(one))));
  const { height, off } = heightOf(pixels);
  const unmount = mountDiff(root, {
    data: readDiff(saved),
    recordings: [a, b],
    row: new Signal(-1),
    view: new Signal(saved.view ?? "flow"),
    height,
    details: (index) => Promise.resolve(saved.details?.[index] ?? NOT_SAVED),
  });
  return () => {
    off();
    unmount();
  };
}

const NOT_SAVED = { said: ["This page was saved with the details of rows that differ, and has none of this one."] };

/** Shows each block of the page. What the element held is hidden by the views, and stays when they cannot be shown. */
async function mountEmbedded(): Promise<void> {
  const blocks = document.querySelectorAll<HTMLElement>(`${BLOCK}, ${DIFF}`);
  if (blocks.length > 0) ground();
  for (const block of blocks) {
    const root = homeOf(block);
    const text = block.textContent ?? "";
    try {
      if (block.matches(DIFF)) await mountDifference(root, text);
      else await mount(root, decode(text), block.dataset["view"]);
    } catch (error) {
      root.prepend(h("p", { role: "alert" }, `This recording cannot be shown: ${String(error)}`));
    }
  }
}

declare global {
  interface Window {
    tapeviz: { mount: typeof mount; mountDifference: typeof mountDifference; mountEmbedded: typeof mountEmbedded };
  }
}

window.tapeviz = { mount, mountDifference, mountEmbedded };
if (document.readyState === "loading") on(document, "DOMContentLoaded", () => void mountEmbedded());
else void mountEmbedded();
