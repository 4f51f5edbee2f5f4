import { Disposer, on, type Dispose } from "@tapeviz/core";
import type { Viewport } from "./viewport";
import { cellAt } from "./grid";
import { TOP_MARGIN } from "./paint";
import { flattener } from "./plane";

/** Pointer and keys over a plane: hover, click, drag, wheel, double click; arrows, pages, ends. */
export function bindPlane(
  surface: HTMLElement,
  viewport: Viewport,
  left: () => number,
  stride: () => readonly [number, number],
): Dispose {
  const place = (event: MouseEvent): readonly [number, number] => {
    const { left: x, top: y } = surface.getBoundingClientRect();
    return [event.clientX - x - left(), event.clientY - y - TOP_MARGIN];
  };
  const cell = (event: MouseEvent): readonly [number, number] | null => {
    const [px, py] = place(event);
    if (px < 0 || py < 0 || px >= viewport.box.width || py >= viewport.box.height) return null;
    const at = cellAt(viewport.camera, viewport.plane, px, py);
    const [down, right] = stride();
    if (!at) return null;
    const taken = [at[0] - (at[0] % down), at[1] - (at[1] % right)] as const;
    return flattener(viewport.plane)(...taken) < 0 ? null : taken;
  };
  return new Disposer().add(
    drag(surface, viewport, cell),
    on<PointerEvent>(surface, "pointerleave", () => viewport.point(null)),
    on<MouseEvent>(surface, "dblclick", (event) => viewport.zoom(4, place(event))),
    on<WheelEvent>(surface, "wheel", (event) => wheel(event, viewport, place(event)), { passive: false }),
    on<KeyboardEvent>(surface, "keydown", (event) => keydown(event, viewport)),
  ).dispose;
}

/** A click puts the cursor; a drag moves the plane. */
function drag(
  surface: HTMLElement,
  viewport: Viewport,
  cell: (event: MouseEvent) => readonly [number, number] | null,
): Dispose {
  let from: { x: number; y: number; moved: boolean } | null = null;
  return new Disposer().add(
    on<PointerEvent>(surface, "pointerdown", (event) => {
      if (event.button !== 0 || (event.target as Element).closest(".tvt-track")) return;
      from = { x: event.clientX, y: event.clientY, moved: viewport.mode === "numbers" };
    }),
    on<PointerEvent>(surface, "pointermove", (event) => {
      if (from && viewport.mode === "map") {
        const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
        if (!from.moved && Math.hypot(dx, dy) < 4) return;
        if (!from.moved) surface.setPointerCapture(event.pointerId);
        from = { x: event.clientX, y: event.clientY, moved: true };
        viewport.pan(-dx, -dy);
      } else viewport.point(cell(event));
    }),
    on<PointerEvent>(surface, "pointerup", (event) => {
      const at = cell(event);
      if (from && (!from.moved || viewport.mode === "numbers") && at) viewport.goTo(...at);
      from = null;
    }),
    on<PointerEvent>(surface, "pointercancel", () => (from = null)),
  ).dispose;
}

/** Ctrl or a pinch zooms; without it the plane moves, and where it cannot, the page does. */
function wheel(event: WheelEvent, viewport: Viewport, at: readonly [number, number]): void {
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    viewport.zoom(2 ** (-event.deltaY / 120), at);
    return;
  }
  const unit = event.deltaMode === 1 ? 24 : 1;
  const before = viewport.camera;
  const [dx, dy] = event.shiftKey && event.deltaX === 0 ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
  viewport.pan(dx * unit, dy * unit);
  if (viewport.camera.x !== before.x || viewport.camera.y !== before.y) event.preventDefault();
}

function keydown(event: KeyboardEvent, viewport: Viewport): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { plane, box, camera } = viewport;
  const [r, c] = viewport.cursor ?? [Math.floor(camera.y), Math.floor(camera.x)];
  const page = Math.max(1, Math.floor(box.height / camera.h) - 1);
  const moves: Record<string, readonly [number, number]> = {
    ArrowUp: [r - 1, c],
    ArrowDown: [r + 1, c],
    ArrowLeft: [r, c - 1],
    ArrowRight: [r, c + 1],
    PageUp: [r - page, c],
    PageDown: [r + page, c],
    Home: [r, 0],
    End: [r, plane.cols - 1],
  };
  const to = moves[event.key];
  if (!to) return;
  event.preventDefault();
  event.stopPropagation();
  viewport.goTo(...to);
}
