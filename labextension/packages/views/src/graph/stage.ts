import { Signal, type Key } from "@tapeviz/core";
import { graphsOf, type Recording } from "@tapeviz/recording";
import type { Box } from "../layered/box";
import { fit, type Camera, type Size } from "../layered/camera";
import type { Point } from "../layered/hit";
import type { Brush } from "../layered/paint";
import { LayeredStage } from "../layered/stage";
import { UserExpansion, MAX_CARDS, TOO_MANY_CARDS } from "../layered/expansion";
import { nodesOfKey, selectedNode, selectNode } from "../nodes";
import type { ViewContext } from "../view";
import { firstGraph, outermost } from "./choice";
import { draw } from "./draw";
import { describe } from "./cardcontent";
import {
  framesAround,
  hit,
  selectableOfKey,
  selectableOfNode,
  neighbour,
  type Hit,
  type VisibleGraph,
  type Selectable,
  type Direction,
} from "./find";
import { GraphModel, type Subject } from "./model";
import { LEGIBLE_SCALE, layout, type Scene } from "./layout";
import { entriesOf, levelsOf, type Level } from "./levels";
import { marksOf } from "./marks";
import { partsOpened, withParts } from "./parts";
import { matchingNodes } from "../nodematches";
import { tipFor } from "./tips";

/** What was open of a recording's graphs, and which of them was shown: views come and go. */
class Memory extends UserExpansion {
  subject: Subject | null = null;
  /** Of each graph what is open by itself, and for which size of the view that was chosen. */
  readonly parts = new Map<number, { readonly size: string; readonly keys: ReadonlySet<string> }>();
}

const memories = new WeakMap<Recording, Memory>();

function memoryOf(recording: Recording): Memory {
  const known = memories.get(recording) ?? new Memory();
  memories.set(recording, known);
  return known;
}

const ROLE = {
  label: "Traced graph",
  picture: "The traced graph, from its inputs on the left to its results",
  legible: LEGIBLE_SCALE,
};

/** The canvas of the graph: what is open of it, and what is selected. */
export class Stage extends LayeredStage<Scene, Hit> {
  readonly subject: Signal<Subject>;
  /** The key of what is selected: a card, or a frame, which no other view knows of. */
  readonly at = new Signal("");
  /** Tells when the graph, or what of it is open, is another. */
  readonly shown: Signal<VisibleGraph>;
  readonly #memory: Memory;
  #model: GraphModel;
  /** Node and op are selected one after the other: what is between is nobody's choice. */
  #selecting = false;
  #pointed: Selectable | null = null;

  constructor(holder: HTMLElement, context: ViewContext) {
    super(holder, context, ROLE);
    const { recording, selection, filter } = context;
    this.#memory = memoryOf(recording);
    const asked = selection.node.value.graph;
    const graph = asked >= 0 ? outermost(graphsOf(recording), asked) : firstGraph(recording);
    const before = this.#memory.subject;
    const again = before !== null && (asked < 0 || before.graph === graph);
    this.subject = new Signal<Subject>(again ? before : { graph, step: 0, bare: false });
    this.#model = new GraphModel(recording, this.subject.value);
    this.shown = new Signal(this.#build());
    this.disposer.add(
      this.subject.on((subject) => {
        this.#memory.subject = subject;
        this.#rebuild();
      }),
      context.changed.on(() => this.#rebuild()),
      selection.selected.on(() => this.#follow()),
      selection.node.on(() => this.#follow()),
      this.at.on(() => {
        this.canvas.redraw();
        this.#reveal();
      }),
    );
    if (filter) this.disposer.add(filter.on(this.canvas.redraw));
    this.#follow();
  }

  protected get scene(): Scene {
    return this.shown.value.scene;
  }

  protected get focus(): Selectable | null {
    return this.selected;
  }

  get selected(): Selectable | null {
    return selectableOfKey(this.scene, this.at.value);
  }

  walk(direction: Direction): void {
    const next = neighbour(this.shown.value, this.selected, direction);
    if (next) this.select(next.key);
  }

  /** Selects a card or a frame; of a card that is one node, that node in all views. */
  select(key: string): void {
    const { scene, model } = this.shown.value;
    const target = selectableOfKey(scene, key);
    if (!target) return;
    const card = scene.cards.find(({ entry }) => entry.key === key);
    this.#selecting = true;
    if (card && typeof card.entry.item === "number") {
      selectNode(this.context.recording, this.context.selection, model.nodes[card.entry.item].row);
    } else this.context.selection.selectNode({ graph: this.subject.value.graph, node: -1 });
    this.#selecting = false;
    this.at.set(key);
    this.context.announce(card ? describe(card.content) : `${target.key.split("/").at(-1)}, open`);
  }

  /** Opens what is closed, closes what is open; false where there is neither. */
  toggle(): boolean {
    const selected = this.selected;
    if (!selected) return false;
    if (selected.open) this.#fold(selected.key);
    else return this.open(selected.key);
    return true;
  }

  /** Opens a closed group or a node with something inside; false where there is nothing to open. */
  open(key: string): boolean {
    const { scene, root } = this.shown.value;
    const card = scene.cards.find(({ entry }) => entry.key === key);
    if (!card?.content.closed) return false;
    const { item } = card.entry;
    const more = typeof item === "number" ? this.shown.value.model.inside(item) : item.items.length;
    const seen = [...entriesOf(root)].length;
    if (seen + Math.min(more, MAX_CARDS / 2) > MAX_CARDS) {
      this.context.announce(TOO_MANY_CARDS);
      return true;
    }
    this.#memory.open(key);
    this.renew();
    this.context.announce(`${card.content.title} opened`);
    this.#reveal();
    return true;
  }

  /** Selects the frame around what is selected; false at the outermost. */
  up(): boolean {
    const selected = this.selected;
    const frame = selected && framesAround(this.shown.value.scene, selected).at(-1);
    if (!frame) return false;
    this.select(frame.key);
    return true;
  }

  /** Closes the innermost open group around what is selected, or what is selected. */
  close(): void {
    const selected = this.selected;
    if (!selected) return;
    const key = selected.open ? selected.key : framesAround(this.shown.value.scene, selected).at(-1)?.key;
    if (key) this.#fold(key);
  }

  #fold(key: string): void {
    this.#memory.close(key);
    this.renew();
    this.select(key);
  }

  #build(): VisibleGraph {
    const model = this.#model;
    const view = { width: this.view.width || 1000, height: this.view.height || Infinity };
    const sceneOf = (level: Level): Scene => layout(model, level, view.width, view.height);
    const parts = this.#parts(view, (level) => fit(sceneOf(level), view).k);
    const root = levelsOf(model, withParts(this.#memory, parts));
    return { model, root, scene: sceneOf(root) };
  }

  /** What is open by itself: chosen for a size, and kept as soon as the user opens or closes something. */
  #parts({ width, height }: Size, scaleOf: (level: Level) => number): ReadonlySet<string> {
    const { parts, isUsed } = this.#memory;
    const { graph } = this.subject.value;
    const size = `${width} ${height}`;
    const known = parts.get(graph);
    if (known && (isUsed || known.size === size)) return known.keys;
    const keys = partsOpened(this.#model, this.#memory, scaleOf);
    parts.set(graph, { size, keys });
    return keys;
  }

  protected layOut(): void {
    this.shown.set(this.#build());
  }

  #rebuild(): void {
    const before = this.#model.subject.graph;
    this.#model = new GraphModel(this.context.recording, this.subject.value);
    this.renew(before !== this.subject.value.graph);
  }

  /** Goes where another view's selection points, to another graph too. */
  #follow(): void {
    if (this.#selecting) return;
    const { recording, selection } = this.context;
    const { graph } = selection.node.value;
    const queries = graphsOf(recording);
    if (queries.row(graph) >= 0 && queries.nodes(graph).length > 0 && !this.#holds(graph))
      this.subject.set({ ...this.subject.value, graph: outermost(queries, graph), step: 0 });
    const row = selectedNode(recording, selection);
    const target = selectableOfNode(this.shown.value, row);
    const here = this.selected;
    if (target && here?.key !== target.key) this.at.set(target.key);
    else if (!target && !here?.open && (row >= 0 || graph < 0)) this.at.set("");
  }

  /** Whether a graph is the one that is shown, or inside it. */
  #holds(graph: number): boolean {
    const { parent } = this.context.recording.graphs;
    const queries = graphsOf(this.context.recording);
    const opened = this.shown.value.model.instances.some((instance) => instance.graph === graph);
    if (opened) return true;
    for (let at = graph, hops = 0; at >= 0 && hops < 64; hops++) {
      if (at === this.subject.value.graph) return true;
      at = parent[queries.row(at)] ?? -1;
    }
    return false;
  }

  /** At what is selected, or where the graph begins. */
  protected start(scene: Scene, view: Size): { camera: Camera; sight: Box | undefined } {
    const k = Math.min(1, Math.max(0.75, (view.height - 20) / scene.height));
    const camera = { k, x: 8, y: Math.round((view.height - scene.height * k) / 2) };
    return { camera, sight: this.#inSight(this.selected) ?? scene.cards[0] };
  }

  /** What has to be seen of something: of a frame, which may be larger than the view, where it begins. */
  #inSight(target: Selectable | null): Box | null {
    if (!target?.open) return target;
    const inside = this.scene.cards.filter(({ entry }) => target.members.includes(entry.members[0]));
    const first = inside.reduce<Box | null>((best, card) => (best === null || card.x < best.x ? card : best), null);
    return first && { x: target.x, y: first.y, w: first.x + first.w - target.x, h: first.h };
  }

  #reveal(): void {
    this.reveal(this.#inSight(this.selected));
  }

  protected draw(scene: Scene, brush: Brush): void {
    const hovered = this.#selectableOfEvent(this.context.selection.hovered.value) ?? this.#pointed;
    const highlighted = { selected: this.selected, hovered, matches: matchingNodes(this.context) };
    draw(brush, scene, marksOf(this.shown.value, highlighted));
  }

  #selectableOfEvent(key: Key): Selectable | null {
    const [row] = nodesOfKey(this.context.recording, key);
    return row === undefined ? null : selectableOfNode(this.shown.value, row);
  }

  protected hit(...point: Point): Hit | null {
    return hit(this.scene, ...point);
  }

  protected tip(at: Hit): { title: string; lines: string[] } {
    return tipFor(this.shown.value, at);
  }

  protected expand(at: Hit | null): void {
    if (at && "card" in at) this.open(at.card.entry.key);
  }

  protected choose(at: Hit | null): void {
    if (at && "card" in at) this.select(at.card.entry.key);
    else if (at && "frame" in at) this.#fold(at.frame.key);
    else if (at?.edge.from) this.select(at.edge.from.key);
    else {
      this.at.set("");
      this.context.selection.clear();
    }
  }

  protected point(at: Hit | null): void {
    const key = at && ("card" in at ? at.card.entry.key : "frame" in at ? at.frame.key : "");
    this.#pointed = key ? selectableOfKey(this.scene, key) : null;
    this.canvas.redraw();
  }
}
