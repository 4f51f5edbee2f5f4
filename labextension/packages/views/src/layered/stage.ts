import { Disposer, canvas, h, measurer, type Canvas, type Dispose } from "@tapeviz/core";
import { Tip } from "../tip";
import { redrawOnChange, type ViewContext } from "../view";
import type { Box } from "./box";
import { fit, pan, reveal, zoom, type Camera, type Size } from "./camera";
import type { Measures } from "./card";
import { bindGestures } from "./gestures";
import type { Point } from "./hit";
import { Hints } from "./hints";
import { FONTS, type Brush, type Pen } from "./paint";
import type { LayeredScene } from "./scene";

/** What a drawing of cards is called, and below which scale only a part of it is shown. */
export interface StageOptions {
  /** Of the stage, and of its picture, for screen readers. */
  readonly label: string;
  readonly picture: string;
  readonly legible: number;
}

const STEP = 1.4;

/** The canvas of a drawing of cards: what part of its scene is seen, and what the pointer does on it. */
export abstract class LayeredStage<Scene extends LayeredScene, Hit> {
  readonly element: HTMLElement;
  protected readonly context: ViewContext;
  protected readonly canvas: Canvas;
  protected readonly disposer = new Disposer();
  readonly dispose: Dispose = this.disposer.dispose;
  readonly #role: StageOptions;
  readonly #tip: Tip;
  readonly #hints: Hints;
  /** Null before the first paint, and where the picture is to begin anew. */
  #camera: Camera | null = null;
  /** The user chose what part is seen. */
  #moved = false;
  #size = "";
  #measures: Measures | null = null;

  constructor(holder: HTMLElement, context: ViewContext, role: StageOptions) {
    this.context = context;
    this.#role = role;
    this.element = h("div", {
      class: "tv-stage",
      tabindex: 0,
      role: "group",
      "aria-label": `${role.label}; press t for the same in words`,
    });
    holder.append(this.element);
    this.canvas = canvas(this.element, role.picture, (pen, width, height) => this.#paint(pen, { width, height }));
    this.#tip = new Tip(this.element);
    this.#hints = new Hints(this.element, (dx, dy) => this.#pan(dx * this.view.width, dy * this.view.height));
    this.disposer.add(this.canvas.dispose, this.#tip.dispose, () => this.element.remove(), this.#pointer());
    redrawOnChange(this.disposer, context, this.canvas.redraw);
  }

  /** Everything with its place, for the size that there is. */
  protected abstract get scene(): Scene;
  /** What is selected, where that has a place. */
  protected abstract get focus(): Box | null;
  /** Cards, or the size, are others: the scene has to be. */
  protected abstract layOut(): void;
  /** Where a picture that is too large to be seen whole begins: a camera, and what has to be in sight. */
  protected abstract start(scene: Scene, view: Size): { camera: Camera; sight: Box | null | undefined };
  protected abstract draw(scene: Scene, brush: Brush): void;
  protected abstract hit(...point: Point): Hit | null;
  protected abstract tip(at: Hit): { title: string; lines: string[] };
  protected abstract choose(at: Hit | null): void;
  /** What is under the pointer is this now. */
  protected abstract point(at: Hit | null): void;
  /** A double click. */
  protected abstract expand(at: Hit | null): void;

  fit(): void {
    this.#show(fit(this.scene, this.view));
    this.#moved = false;
  }

  zoomIn(): void {
    this.#zoom(STEP);
  }

  zoomOut(): void {
    this.#zoom(1 / STEP);
  }

  protected get view(): Size {
    return this.canvas.size();
  }

  /** Draws anew what is laid out otherwise; from its beginning, where the user has not chosen a part or it is another picture. */
  protected renew(isOther = false): void {
    if (isOther) this.#moved = false;
    this.#tip.hide();
    this.layOut();
    if (!this.#moved) this.#camera = null;
    this.canvas.redraw();
  }

  /** Moves as little as brings a box into sight. */
  protected reveal(box: Box | null): void {
    if (!box || !this.#camera) return;
    const camera = reveal(this.#camera, box, this.view);
    if (camera !== this.#camera) this.#show(camera);
  }

  /** Zooms around what is selected when it is in sight, else around the middle. */
  #zoom(factor: number): void {
    if (!this.#camera) return;
    const { width, height } = this.view;
    const { k, x: left, y: top } = this.#camera;
    const box = this.focus;
    const [x, y] = box ? [(box.x + box.w / 2) * k + left, (box.y + box.h / 2) * k + top] : [-1, -1];
    const seen = x >= 0 && y >= 0 && x < width && y < height;
    this.#show(zoom(this.#camera, factor, seen ? x : width / 2, seen ? y : height / 2));
  }

  #pan(dx: number, dy: number): void {
    if (this.#camera) this.#show(pan(this.#camera, dx, dy, this.scene, this.view));
  }

  #show(camera: Camera): void {
    this.#moved = true;
    this.#camera = camera;
    this.canvas.redraw();
  }

  #start(scene: Scene, view: Size): Camera {
    const whole = fit(scene, view);
    if (whole.k >= this.#role.legible) return whole;
    const { camera, sight } = this.start(scene, view);
    return sight ? pan(reveal(camera, sight, view), 0, 0, scene, view) : camera;
  }

  #paint(pen: Pen, view: Size): void {
    const theme = this.context.theme.value;
    this.#measures ??= { title: measurer(pen, FONTS(theme).title), small: measurer(pen, FONTS(theme).small) };
    const size = `${view.width} ${view.height}`;
    if (size !== this.#size) {
      this.#size = size;
      this.layOut();
      if (!this.#moved) this.#camera = null;
    }
    const { scene } = this;
    const camera = (this.#camera ??= this.#start(scene, view));
    this.#hints.update(scene, camera, view);
    this.draw(scene, { pen, camera, theme, measures: this.#measures });
  }

  #pointer(): Dispose {
    return bindGestures(this.canvas.element, {
      pan: (dx, dy) => this.#pan(dx, dy),
      zoom: (factor, x, y) => this.#camera && this.#show(zoom(this.#camera, factor, x, y)),
      choose: (event) => this.choose(this.#hit(event)),
      point: (event) => this.#point(event),
      leave: () => this.#leave(),
      open: (event) => this.expand(this.#hit(event)),
    });
  }

  #hit({ offsetX, offsetY }: MouseEvent): Hit | null {
    if (!this.#camera) return null;
    const { k, x, y } = this.#camera;
    return this.hit((offsetX - x) / k, (offsetY - y) / k, k);
  }

  #point(event: PointerEvent): void {
    const at = event.buttons === 0 ? this.#hit(event) : null;
    this.point(at);
    this.canvas.element.style.cursor = at ? "pointer" : "";
    if (at) this.#tip.show(this.tip(at), event.offsetX, event.offsetY);
    else this.#tip.hide();
  }

  #leave(): void {
    this.point(null);
    this.#tip.hide();
  }
}
