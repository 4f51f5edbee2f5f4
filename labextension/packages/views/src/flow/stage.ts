import { Disposer, Signal, canvas, h, measurer, type Canvas, type Dispose } from "@tapeviz/core";
import { Tip } from "../tip";
import { redrawOnChange, type ViewContext } from "../view";
import { factsOf } from "../facts";
import { magnitudeText } from "../figures";
import { fit, pan, reveal, zoom, type Camera, type Size } from "../layered/camera";
import type { Measures } from "../layered/card";
import type { Group } from "./collapse";
import { draw } from "./draw";
import { describe } from "./face";
import { hit, keyOfTile, targetTile, tileOfKey, walk, type Hit } from "./find";
import { gestures } from "../layered/gestures";
import { Hints } from "../layered/hints";
import { FONTS } from "../layered/paint";
import { LEGIBLE, layout, type Scene } from "./layout";
import { gapsInView, marksOf, partsOf, type Mode } from "./marks";
import { groundOf, modelOf, type Ground, type Model } from "./model";
import { defaultPass } from "./passes";
import { tipFor } from "./tips";
import { MOST } from "./visible";

// The scale of a part, where the whole picture would be too small.
const READABLE = 1;

/** The canvas of the gradient flow: what is open, what part is seen, and the pointer on it. */
export class Stage {
  readonly mode = new Signal<Mode>("flow");
  readonly pass: Signal<number>;
  /** Tells when the graph, or what of it is open, is another. */
  readonly model: Signal<Model>;
  readonly dispose: Dispose;
  readonly element = h("div", {
    class: "tv-stage",
    tabindex: 0,
    role: "group",
    "aria-label": "Gradient flow; press t for the same in words",
  });
  readonly #context: ViewContext;
  readonly #canvas: Canvas;
  readonly #tip: Tip;
  readonly #hints: Hints;
  readonly #opened = new Set<string>();
  readonly #closed = new Set<string>();
  #ground: Ground;
  #scene: Scene | null = null;
  #laidOut = "";
  #camera: Camera | null = null;
  #moved = false;
  #measures: Measures | null = null;

  constructor(holder: HTMLElement, context: ViewContext) {
    this.#context = context;
    this.pass = new Signal(defaultPass(factsOf(context.recording)));
    this.#ground = groundOf(context.recording, this.pass.value);
    this.model = new Signal(this.#modelNow());
    holder.append(this.element);
    this.#canvas = canvas(this.element, "The graph that the gradient flows through", (pen, w, hh) =>
      this.#paint(pen, w, hh),
    );
    this.#tip = new Tip(this.element);
    this.#hints = new Hints(this.element, (dx, dy) => this.#pan(dx * this.#view().width, dy * this.#view().height));
    const disposer = new Disposer().add(this.#canvas.dispose, this.#tip.dispose, () => this.element.remove());
    redrawOnChange(disposer, context, this.#canvas.redraw);
    disposer.add(
      this.mode.on(this.#canvas.redraw),
      this.pass.on(() => this.#rebuild()),
      context.changed.on(() => this.#rebuild()),
      context.selection.selected.on(() => this.#reveal()),
      this.#pointer(),
    );
    this.dispose = disposer.dispose;
  }

  get selected(): number {
    return tileOfKey(this.model.value, this.#context.selection.selected.value);
  }

  fit(): void {
    if (this.#scene) this.#show(fit(this.#scene, this.#view()));
    this.#moved = false;
  }

  /** Zooms around the selected card when it is in sight, else around the middle. */
  zoom(factor: number): void {
    const { width, height } = this.#view();
    const card = this.#scene?.cards.find((c) => c.tile === this.selected);
    const camera = this.#camera;
    if (!camera) return;
    const [x, y] = card
      ? [(card.x + card.w / 2) * camera.k + camera.x, (card.y + card.h / 2) * camera.k + camera.y]
      : [-1, -1];
    const seen = x >= 0 && y >= 0 && x < width && y < height;
    this.#show(zoom(camera, factor, seen ? x : width / 2, seen ? y : height / 2));
  }

  /** Goes to the card beside the selected one. */
  walk(to: "left" | "right" | "up" | "down"): void {
    if (this.#scene) this.select(walk(this.#scene, this.model.value, this.selected, to));
  }

  select(tile: number): void {
    if (tile < 0) return;
    const model = this.model.value;
    this.#context.selection.select(keyOfTile(model, tile));
    const card = this.#scene?.cards.find((c) => c.tile === tile);
    if (card) this.#context.announce(describe(card.face));
  }

  /** Opens a closed group. */
  open(tile: number): void {
    const group = this.model.value.tiles[tile]?.group;
    if (!group) return;
    if (this.model.value.tiles.length + group.items.length > MOST) {
      this.#context.announce(`not opened: more than ${MOST} cards would be seen; close another group first`);
      return;
    }
    this.#opened.add(group.key);
    this.#closed.delete(group.key);
    this.#refold();
    this.#context.announce(`${group.title} opened`);
  }

  /** Closes the innermost open group around a card. */
  close(tile: number): void {
    const { open, root, tiles } = this.model.value;
    const inside = [...open].filter(
      ([group, nodes]) => group !== root && nodes.includes(tiles[tile]?.members[0] ?? -1),
    );
    const group = inside.at(-1)?.[0];
    if (group) this.#fold(group);
  }

  #fold(group: Group): void {
    this.#opened.delete(group.key);
    this.#closed.add(group.key);
    this.#refold();
    this.#context.announce(`${group.title} closed`);
  }

  #modelNow(): Model {
    return modelOf(this.#ground, { opened: this.#opened, closed: this.#closed });
  }

  #refold(): void {
    this.#tip.hide();
    this.#laidOut = "";
    this.model.set(this.#modelNow());
    if (!this.#moved) this.#camera = null;
    this.#canvas.redraw();
  }

  #rebuild(): void {
    this.#ground = groundOf(this.#context.recording, this.pass.value);
    this.#moved = false;
    this.#refold();
  }

  #pan(dx: number, dy: number): void {
    if (this.#scene && this.#camera) this.#show(pan(this.#camera, dx, dy, this.#scene, this.#view()));
  }

  #view(): Size {
    return this.#canvas.size();
  }

  #show(camera: Camera): void {
    this.#moved = true;
    this.#camera = camera;
    this.#canvas.redraw();
  }

  /** Lays out anew when cards or the width are others; keeps what part is seen when the user chose it. */
  #place(width: number, height: number): Scene {
    const size = `${width} ${height}`;
    if (this.#scene && this.#laidOut === size) return this.#settle(this.#scene, { width, height });
    this.#scene = layout(this.model.value, width, height);
    this.#laidOut = size;
    if (!this.#moved) this.#camera = null;
    return this.#settle(this.#scene, { width, height });
  }

  #settle(scene: Scene, view: Size): Scene {
    this.#camera ??= this.#start(scene, view);
    return scene;
  }

  /** The whole picture; where that would be too small, the part with the selected card or with what was differentiated. */
  #start(scene: Scene, view: Size): Camera {
    const whole = fit(scene, view);
    if (whole.k >= LEGIBLE) return whole;
    const k = READABLE;
    const chosen = this.selected >= 0 ? this.selected : targetTile(this.model.value);
    const card = scene.cards.find((c) => c.tile === chosen) ?? scene.cards.at(-1);
    const middle = card ? card.y + card.h / 2 : scene.height / 2;
    const camera = { k, x: 0, y: Math.round(view.height / 2 - middle * k) };
    return card ? pan(reveal(camera, card, view), 0, 0, scene, view) : camera;
  }

  #reveal(): void {
    const card = this.#scene?.cards.find((c) => c.tile === this.selected);
    if (!card || !this.#camera) return;
    const camera = reveal(this.#camera, card, this.#view());
    if (camera !== this.#camera) this.#show(camera);
  }

  #paint(pen: CanvasRenderingContext2D, width: number, height: number): void {
    const theme = this.#context.theme.value;
    this.#measures ??= { title: measurer(pen, FONTS(theme).title), small: measurer(pen, FONTS(theme).small) };
    const scene = this.#place(width, height);
    const { selection, matches } = this.#context;
    const asked = {
      mode: this.mode.value,
      selected: this.selected,
      matches: matches.value,
      hovered: tileOfKey(this.model.value, selection.hovered.value),
    };
    this.#hints.update(scene, this.#camera!, { width, height });
    draw(pen, scene, this.#camera!, theme, marksOf(this.model.value, scene, asked), this.#measures);
  }

  /** What the selected card's gradient is the sum of, in words; "" where it is no sum. */
  get sum(): string {
    const parts = this.#scene ? partsOf(this.model.value, this.#scene, this.selected) : [];
    const card = this.#scene?.cards.find((c) => c.tile === this.selected);
    if (parts.length < 2 || !card?.face.gradient) return "";
    const title = (tile: number): string => this.#scene!.cards.find((c) => c.tile === tile)?.face.title ?? "";
    const list = parts.map(({ from, text }, i) => `(${i + 1}) ${text} from ${title(from)}`).join(", ");
    return `Gradient of ${card.face.title}, norm ${magnitudeText(card.face.gradient)}, is a sum: ${list}`;
  }

  /** The gap that is looked at, to be said in words beside the picture. */
  get gaps(): ReturnType<typeof gapsInView> {
    return gapsInView(this.model.value, { mode: this.mode.value, selected: this.selected, hovered: -1, matches: null });
  }

  #pointer(): Dispose {
    return gestures(this.#canvas.element, {
      pan: (dx, dy) => this.#pan(dx, dy),
      zoom: (factor, x, y) => this.#camera && this.#show(zoom(this.#camera, factor, x, y)),
      choose: (event) => this.#choose(this.#at(event)),
      point: (event) => this.#point(event),
      leave: () => this.#leave(),
      open: (event) => this.#toggle(this.#at(event)),
    });
  }

  #at(event: MouseEvent): Hit {
    const camera = this.#camera;
    if (!camera || !this.#scene) return null;
    return hit(this.#scene, (event.offsetX - camera.x) / camera.k, (event.offsetY - camera.y) / camera.k, camera.k);
  }

  #toggle(at: Hit): void {
    if (at && "card" in at && at.card.face.stack > 0) this.open(at.card.tile);
  }

  #choose(at: Hit): void {
    const { selection } = this.#context;
    if (at === null) selection.clear();
    else if ("card" in at) this.select(at.card.tile);
    else if ("frame" in at) this.#fold(at.frame.group);
    else if ("gap" in at) selection.select({ tensor: at.gap.gap.source });
    else selection.select({ tensor: this.model.value.links[at.wire.link].tensor });
  }

  #point(event: PointerEvent): void {
    const at = event.buttons === 0 ? this.#at(event) : null;
    const model = this.model.value;
    const card = at && "card" in at ? at.card : null;
    const wire = at && "wire" in at ? { tensor: model.links[at.wire.link].tensor } : {};
    this.#context.selection.hover(card ? keyOfTile(model, card.tile) : wire);
    this.#canvas.element.style.cursor = at ? "pointer" : "";
    if (at) this.#tip.show(tipFor(model, at), event.offsetX, event.offsetY);
    else this.#tip.hide();
  }

  #leave(): void {
    this.#context.selection.hover();
    this.#tip.hide();
  }
}
