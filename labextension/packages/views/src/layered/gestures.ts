import { Disposer, on, type Dispose } from "@tapeviz/core";

/** What the pointer does to a picture that is larger than its frame. Places are pixels of the element. */
export interface GestureHandlers {
  readonly pan: (dx: number, dy: number) => void;
  readonly zoom: (factor: number, x: number, y: number) => void;
  /** A press that did not move. */
  readonly choose: (event: PointerEvent) => void;
  readonly point: (event: PointerEvent) => void;
  readonly leave: () => void;
  /** A double click. */
  readonly open: (event: MouseEvent) => void;
}

const STILL = 4;

export function bindGestures(element: HTMLElement, moves: GestureHandlers): Dispose {
  return new Disposer().add(
    on<WheelEvent>(element, "wheel", (event) => wheel(event, moves), { passive: false }),
    on<PointerEvent>(element, "pointerdown", (event) => press(element, event, moves)),
    on<PointerEvent>(element, "pointermove", moves.point),
    on(element, "pointerleave", moves.leave),
    on<MouseEvent>(element, "dblclick", moves.open),
  ).dispose;
}

/** Ctrl or ⌘ with the wheel (and a pinch) zooms; sideways moves; otherwise the page scrolls as ever. */
function wheel(event: WheelEvent, { pan, zoom }: GestureHandlers): void {
  const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
  if (event.ctrlKey || event.metaKey) zoom(1.0015 ** -event.deltaY, event.offsetX, event.offsetY);
  else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) pan(-sideways, 0);
  else return;
  event.preventDefault();
}

/** A press that does not move chooses; one that moves drags the picture. */
function press(element: HTMLElement, event: PointerEvent, { pan, choose }: GestureHandlers): void {
  if (event.button > 1) return;
  let [x, y, far] = [event.offsetX, event.offsetY, 0];
  element.setPointerCapture(event.pointerId);
  const move = (to: PointerEvent): void => {
    far += Math.abs(to.offsetX - x) + Math.abs(to.offsetY - y);
    if (far > STILL) pan(to.offsetX - x, to.offsetY - y);
    [x, y] = [to.offsetX, to.offsetY];
  };
  const drag = new Disposer().add(on<PointerEvent>(element, "pointermove", move));
  const end = (up: PointerEvent): void => {
    drag.dispose();
    if (far <= STILL && up.type === "pointerup") choose(up);
  };
  drag.add(on<PointerEvent>(element, "pointerup", end), on<PointerEvent>(element, "pointercancel", end));
}
