import { guarded, ownedByBoundary } from "./boundary";
import { h } from "./dom";
import type { Dispose } from "./signal";

/** A canvas that fills its parent, sharp at every device pixel ratio, painted at most once a frame. */
export interface Canvas {
  readonly element: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  /** CSS pixels. */
  readonly size: () => { width: number; height: number };
  /** Asks for a paint in the next frame. */
  readonly redraw: () => void;
  readonly dispose: Dispose;
}

/** `paint` gets the context scaled to CSS pixels and cleared. `label` is what a screen reader says of it. */
export function canvas(
  parent: HTMLElement,
  label: string,
  paint: (context: CanvasRenderingContext2D, width: number, height: number) => void,
): Canvas {
  const element = h("canvas", { class: "tv-canvas", role: "img", "aria-label": label });
  parent.append(element);
  const context = element.getContext("2d");
  if (!context) throw new Error("this browser has no 2D canvas");
  const size = (): { width: number; height: number } => ({ width: parent.clientWidth, height: parent.clientHeight });
  let frame = 0;
  const draw = guarded((): void => {
    frame = 0;
    const { width, height } = size();
    const ratio = window.devicePixelRatio || 1;
    const [w, hh] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (element.width !== w || element.height !== hh) Object.assign(element, { width: w, height: hh });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    if (width > 0 && height > 0) paint(context, width, height);
  });
  const redraw = (): void => void (frame ||= requestAnimationFrame(draw));
  const observer = new ResizeObserver(redraw);
  observer.observe(parent);
  redraw();
  const dispose = ownedByBoundary(() => {
    cancelAnimationFrame(frame);
    observer.disconnect();
    element.remove();
  });
  return { element, context, size, redraw, dispose };
}
