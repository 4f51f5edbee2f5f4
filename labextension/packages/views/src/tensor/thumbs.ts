import { Disposer, h, on, type Dispose } from "@tapeviz/core";
import type { Viewport } from "./viewport";
import { thumb, thumbTo } from "./grid";

export interface Thumbs {
  /** Puts them along the right and the lower edge of the cells, which start at (left, top). */
  readonly update: (left: number, top: number, shown: boolean) => void;
  readonly dispose: Dispose;
}

/**
 * Scroll bars for planes that no browser could scroll: 100 000 000 rows. They are for the pointer alone; the keyboard
 * has its arrows, pages and "go to".
 */
export function thumbs(surface: HTMLElement, viewport: Viewport): Thumbs {
  const make = (name: string): [HTMLElement, HTMLElement] => {
    const knob = h("i", {});
    const track = h("div", { class: `tvt-track tvt-${name}`, "aria-hidden": "true" }, knob);
    surface.append(track);
    return [track, knob];
  };
  const [down, downKnob] = make("down");
  const [across, acrossKnob] = make("across");
  const update = (left: number, top: number, shown: boolean): void => {
    const { plane, camera, box } = viewport;
    const vertical = shown ? thumb(camera.y, camera.h, plane.rows, box.height) : null;
    const horizontal = shown ? thumb(camera.x, camera.w, plane.cols, box.width) : null;
    down.hidden = vertical === null;
    across.hidden = horizontal === null;
    down.style.cssText = `left:${left + box.width + 3}px;top:${top}px;height:${box.height}px`;
    across.style.cssText = `top:${top + box.height + 3}px;left:${left}px;width:${box.width}px`;
    if (vertical) downKnob.style.cssText = `top:${vertical.start}px;height:${vertical.size}px`;
    if (horizontal) acrossKnob.style.cssText = `left:${horizontal.start}px;width:${horizontal.size}px`;
  };
  const disposer = new Disposer().add(
    dragged(down, (by) => {
      const { plane, camera, box } = viewport;
      const start = thumb(camera.y, camera.h, plane.rows, box.height)?.start ?? 0;
      viewport.camera = { ...camera, y: thumbTo(start + by.y, camera.h, plane.rows, box.height) };
    }),
    dragged(across, (by) => {
      const { plane, camera, box } = viewport;
      const start = thumb(camera.x, camera.w, plane.cols, box.width)?.start ?? 0;
      viewport.camera = { ...camera, x: thumbTo(start + by.x, camera.w, plane.cols, box.width) };
    }),
  );
  return { update, dispose: disposer.dispose };
}

function dragged(track: HTMLElement, moved: (by: { x: number; y: number }) => void): Dispose {
  let last: { x: number; y: number } | null = null;
  return new Disposer().add(
    on<PointerEvent>(track, "pointerdown", (event) => {
      event.preventDefault();
      track.setPointerCapture(event.pointerId);
      last = { x: event.clientX, y: event.clientY };
      const knob = track.firstElementChild!.getBoundingClientRect();
      if (event.target === track)
        moved({ x: event.clientX - knob.left - knob.width / 2, y: event.clientY - knob.top - knob.height / 2 });
    }),
    on<PointerEvent>(track, "pointermove", (event) => {
      if (!last) return;
      moved({ x: event.clientX - last.x, y: event.clientY - last.y });
      last = { x: event.clientX, y: event.clientY };
    }),
    on(track, "pointerup", () => (last = null)),
    on(track, "pointercancel", () => (last = null)),
  ).dispose;
}
