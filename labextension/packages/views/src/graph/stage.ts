import { Disposer, Signal, canvas, h, measurer, type Canvas, type Dispose, type Key } from "@tapeviz/core";
import { graphsOf, type Recording } from "@tapeviz/recording";
import { fit, pan, reveal, zoom, type Camera, type Size } from "../layered/camera";
import type { Box, Measures } from "../layered/card";
import { gestures } from "../layered/gestures";
import { Hints } from "../layered/hints";
import { FONTS } from "../layered/paint";
import { nodesOfKey, selectedNode, selectNode } from "../nodes";
import { Tip } from "../tip";
import { redrawOnChange, type ViewContext } from "../view";
import { firstGraph, outermost } from "./choice";
import { draw } from "./draw";
import { describe } from "./face";
import { framesAround, hit, spotAt, spotOfNode, walk, type Hit, type Shown, type Spot, type Way } from "./find";
import { Ground, type Subject } from "./ground";
import { LEGIBLE, layout, type Scene } from "./layout";
import { entriesOf, levelsOf, MOST } from "./levels";
import { marksOf } from "./marks";
import { matchingNodes } from "../nodematches";
import { tipFor } from "./tips";

/** What was open of a recording's graphs, and which of them was shown: views come and go. */
interface Memory {
  readonly opened: Set<string>;
  readonly closed: Set<string>;
  subject: Subject | null;
}

const memories = new WeakMap<Recording, Memory>();

function memoryOf(recording: Recording): Memory {
  const known = memories.get(recording) ?? { opened: new Set<string>(), closed: new Set<string>(), subject: null };
  memories.set(recording, known);
  return known;
}

/** The canvas of the graph: what is open, what part is seen, and the pointer on it. */
export class Stage {
  readonly subject: Signal<Subject>;
  /** The key of what is selected: a card, or a frame, which no other view knows of. */
  readonly at = new Signal("");
  /** Tells when the graph, or what of it is open, is another. */
  readonly shown: Signal<Shown>;
  readonly dispose: Dispose;
  readonly element = h("div", {
    class: "tv-stage",
    tabindex: 0,
    role: "group",
    "aria-label": "Traced graph; press t for the same in words",
  });
  readonly #context: ViewContext;
  readonly #canvas: Canvas;
  readonly #tip: Tip;
  readonly #hints: Hints;
  readonly #memory: Memory;
  #camera: Camera | null = null;
  #moved = false;
  /** Node and op are selected one after the other: what is between is nobody's choice. */
  #selecting = false;
  #size = "";
  #measures: Measures | null = null;

  constructor(holder: HTMLElement, context: ViewContext) {
    this.#context = context;
    const { recording, selection } = context;
    this.#memory = memoryOf(recording);
    const asked = selection.node.value.graph;
    const graph = asked >= 0 ? outermost(graphsOf(recording), asked) : firstGraph(recording);
    const before = this.#memory.subject;
    const again = before !== null && (asked < 0 || before.graph === graph);
    this.subject = new Signal<Subject>(again ? before : { graph, step: 0, bare: false });
    holder.append(this.element);
    this.#canvas = canvas(this.element, "The traced graph, from its inputs on the left to its results", (pen, w, hh) =>
      this.#paint(pen, w, hh),
    );
    this.shown = new Signal(this.#build(new Ground(recording, this.subject.value)));
    this.#tip = new Tip(this.element);
    this.#hints = new Hints(this.element, (dx, dy) => this.#pan(dx * this.#view().width, dy * this.#view().height));
    const disposer = new Disposer().add(this.#canvas.dispose, this.#tip.dispose, () => this.element.remove());
    redrawOnChange(disposer, context, this.#canvas.redraw);
    disposer.add(
      this.subject.on((subject) => {
        this.#memory.subject = subject;
        this.#rebuild();
      }),
      context.changed.on(() => this.#rebuild()),
      selection.selected.on(() => this.#follow()),
      selection.node.on(() => this.#follow()),
      this.at.on(() => this.#reveal()),
      this.#pointer(),
    );
    if (context.filter) disposer.add(context.filter.on(this.#canvas.redraw));
    this.dispose = disposer.dispose;
    this.#follow();
  }

  get spot(): Spot | null {
    return spotAt(this.shown.value.scene, this.at.value);
  }

  fit(): void {
    this.#show(fit(this.shown.value.scene, this.#view()));
    this.#moved = false;
  }

  /** Zooms around what is selected when it is in sight, else around the middle. */
  zoom(factor: number): void {
    const { width, height } = this.#view();
    const camera = this.#camera;
    if (!camera) return;
    const spot = this.spot;
    const [x, y] = spot
      ? [(spot.x + spot.w / 2) * camera.k + camera.x, (spot.y + spot.h / 2) * camera.k + camera.y]
      : [-1, -1];
    const seen = x >= 0 && y >= 0 && x < width && y < height;
    this.#show(zoom(camera, factor, seen ? x : width / 2, seen ? y : height / 2));
  }

  walk(way: Way): void {
    const next = walk(this.shown.value, this.spot, way);
    if (next) this.select(next.key);
  }

  /** Selects a card or a frame; of a card that is one node, that node in all views. */
  select(key: string): void {
    const { scene, ground } = this.shown.value;
    const spot = spotAt(scene, key);
    if (!spot) return;
    const card = scene.cards.find(({ entry }) => entry.key === key);
    this.#selecting = true;
    if (card && typeof card.entry.item === "number") {
      selectNode(this.#context.recording, this.#context.selection, ground.cells[card.entry.item].row);
    } else this.#context.selection.selectNode({ graph: this.subject.value.graph, node: -1 });
    this.#selecting = false;
    this.at.set(key);
    this.#context.announce(card ? describe(card.face) : `${spot.key.split("/").at(-1)}, open`);
  }

  /** Opens what is closed, closes what is open; false where there is neither. */
  toggle(): boolean {
    const spot = this.spot;
    if (!spot) return false;
    if (spot.open) this.#fold(spot.key);
    else return this.open(spot.key);
    return true;
  }

  /** Opens a closed group or a node with something inside; false where there is nothing to open. */
  open(key: string): boolean {
    const { scene, root } = this.shown.value;
    const card = scene.cards.find(({ entry }) => entry.key === key);
    if (!card?.face.closed) return false;
    const { item } = card.entry;
    const more = typeof item === "number" ? this.shown.value.ground.inside(item) : item.items.length;
    const seen = [...entriesOf(root)].length;
    if (seen + Math.min(more, MOST / 2) > MOST) {
      this.#context.announce(`not opened: more than ${MOST} cards would be seen; close another group first`);
      return true;
    }
    this.#memory.opened.add(key);
    this.#memory.closed.delete(key);
    this.#refold();
    this.#context.announce(`${card.face.title} opened`);
    this.#reveal();
    return true;
  }

  /** Selects the frame around what is selected; false at the outermost. */
  up(): boolean {
    const spot = this.spot;
    const frame = spot && framesAround(this.shown.value.scene, spot).at(-1);
    if (!frame) return false;
    this.select(frame.key);
    return true;
  }

  /** Closes the innermost open group around what is selected, or what is selected. */
  close(): void {
    const spot = this.spot;
    if (!spot) return;
    const key = spot.open ? spot.key : framesAround(this.shown.value.scene, spot).at(-1)?.key;
    if (key) this.#fold(key);
  }

  #fold(key: string): void {
    this.#memory.opened.delete(key);
    this.#memory.closed.add(key);
    this.#refold();
    this.select(key);
  }

  #build(ground: Ground): Shown {
    const root = levelsOf(ground, this.#memory);
    const { width, height } = this.#view();
    return { ground, root, scene: layout(ground, root, width || 1000, height || Infinity) };
  }

  #refold(): void {
    this.#tip.hide();
    this.shown.set(this.#build(this.shown.value.ground));
    if (!this.#moved) this.#camera = null;
    this.#canvas.redraw();
  }

  #rebuild(): void {
    const before = this.shown.value.ground.subject.graph;
    this.shown.set(this.#build(new Ground(this.#context.recording, this.subject.value)));
    if (before !== this.subject.value.graph) this.#moved = false;
    this.#refold();
  }

  /** Goes where another view's selection points, to another graph too. */
  #follow(): void {
    if (this.#selecting) return;
    const { recording, selection } = this.#context;
    const { graph } = selection.node.value;
    const queries = graphsOf(recording);
    if (queries.row(graph) >= 0 && queries.nodes(graph).length > 0 && !this.#holds(graph))
      this.subject.set({ ...this.subject.value, graph: outermost(queries, graph), step: 0 });
    const row = selectedNode(recording, selection);
    const spot = spotOfNode(this.shown.value, row);
    const here = this.spot;
    if (spot && here?.key !== spot.key) this.at.set(spot.key);
    else if (!spot && !here?.open && (row >= 0 || graph < 0)) this.at.set("");
  }

  /** Whether a graph is the one that is shown, or inside it. */
  #holds(graph: number): boolean {
    const { parent } = this.#context.recording.graphs;
    const queries = graphsOf(this.#context.recording);
    const opened = this.shown.value.ground.instances.some((instance) => instance.graph === graph);
    if (opened) return true;
    for (let at = graph, hops = 0; at >= 0 && hops < 64; hops++) {
      if (at === this.subject.value.graph) return true;
      at = parent[queries.row(at)] ?? -1;
    }
    return false;
  }

  #pan(dx: number, dy: number): void {
    if (this.#camera) this.#show(pan(this.#camera, dx, dy, this.shown.value.scene, this.#view()));
  }

  #view(): Size {
    return this.#canvas.size();
  }

  #show(camera: Camera): void {
    this.#moved = true;
    this.#camera = camera;
    this.#canvas.redraw();
  }

  /** The whole picture; where that would be too small, the part with what is selected, or its beginning. */
  #start(scene: Scene, view: Size): Camera {
    const whole = fit(scene, view);
    if (whole.k >= LEGIBLE) return whole;
    const k = Math.min(1, Math.max(0.75, (view.height - 20) / scene.height));
    const spot = this.#inSight(this.spot) ?? scene.cards[0];
    const camera = { k, x: 8, y: Math.round((view.height - scene.height * k) / 2) };
    return spot ? pan(reveal(camera, spot, view), 0, 0, scene, view) : camera;
  }

  /** What has to be seen of something: of a frame, which may be larger than the view, where it begins. */
  #inSight(spot: Spot | null): Box | null {
    if (!spot?.open) return spot;
    const inside = this.shown.value.scene.cards.filter(({ entry }) => spot.members.includes(entry.members[0]));
    const first = inside.reduce<Box | null>((best, card) => (best === null || card.x < best.x ? card : best), null);
    return first && { x: spot.x, y: first.y, w: first.x + first.w - spot.x, h: first.h };
  }

  #reveal(): void {
    this.#canvas.redraw();
    const spot = this.#inSight(this.spot);
    if (!spot || !this.#camera || this.#size === "") return;
    const camera = reveal(this.#camera, spot, this.#view());
    if (camera !== this.#camera) this.#show(camera);
  }

  #paint(pen: CanvasRenderingContext2D, width: number, height: number): void {
    const theme = this.#context.theme.value;
    this.#measures ??= { title: measurer(pen, FONTS(theme).title), small: measurer(pen, FONTS(theme).small) };
    const size = `${width} ${height}`;
    if (size !== this.#size) {
      this.#size = size;
      this.shown.set(this.#build(this.shown.value.ground));
      if (!this.#moved) this.#camera = null;
    }
    const { scene } = this.shown.value;
    this.#camera ??= this.#start(scene, { width, height });
    const { selection } = this.#context;
    const hovered = this.#spotOf(selection.hovered.value) ?? this.#pointed;
    const asked = { selected: this.spot, hovered, matches: matchingNodes(this.#context) };
    this.#hints.update(scene, this.#camera, { width, height });
    draw(pen, scene, this.#camera, theme, marksOf(this.shown.value, asked), this.#measures);
  }

  #pointed: Spot | null = null;

  #spotOf(key: Key): Spot | null {
    const [row] = nodesOfKey(this.#context.recording, key);
    return row === undefined ? null : spotOfNode(this.shown.value, row);
  }

  #pointer(): Dispose {
    return gestures(this.#canvas.element, {
      pan: (dx, dy) => this.#pan(dx, dy),
      zoom: (factor, x, y) => this.#camera && this.#show(zoom(this.#camera, factor, x, y)),
      choose: (event) => this.#choose(this.#hit(event)),
      point: (event) => this.#point(event),
      leave: () => this.#leave(),
      open: (event) => {
        const at = this.#hit(event);
        if (at && "card" in at) this.open(at.card.entry.key);
      },
    });
  }

  #hit(event: MouseEvent): Hit {
    const camera = this.#camera;
    if (!camera) return null;
    const [x, y] = [(event.offsetX - camera.x) / camera.k, (event.offsetY - camera.y) / camera.k];
    return hit(this.shown.value.scene, x, y, camera.k);
  }

  #choose(at: Hit): void {
    if (at && "card" in at) this.select(at.card.entry.key);
    else if (at && "frame" in at) this.#fold(at.frame.key);
    else if (at?.wire.from) this.select(at.wire.from.key);
    else {
      this.at.set("");
      this.#context.selection.clear();
    }
  }

  #point(event: PointerEvent): void {
    const at = event.buttons === 0 ? this.#hit(event) : null;
    const { scene } = this.shown.value;
    const key = at && ("card" in at ? at.card.entry.key : "frame" in at ? at.frame.key : "");
    this.#pointed = key ? spotAt(scene, key) : null;
    this.#canvas.element.style.cursor = at ? "pointer" : "";
    if (at) this.#tip.show(tipFor(this.shown.value, at), event.offsetX, event.offsetY);
    else this.#tip.hide();
    this.#canvas.redraw();
  }

  #leave(): void {
    this.#pointed = null;
    this.#tip.hide();
    this.#canvas.redraw();
  }
}
