import { Signal } from "@tapeviz/core";
import type { ViewContext } from "../view";
import { factsOf } from "../facts";
import { magnitudeText } from "../figures";
import type { Box } from "../layered/box";
import { fit, type Camera, type Size } from "../layered/camera";
import type { Point } from "../layered/hit";
import type { Brush } from "../layered/paint";
import { LayeredStage } from "../layered/stage";
import { NO_EXPANSION, UserExpansion, MAX_CARDS, TOO_MANY_CARDS } from "../layered/expansion";
import { FOLD_THRESHOLD, type Group } from "./groups";
import { draw } from "./draw";
import { describe } from "./cardcontent";
import { hit, keyOfTile, targetTile, tileOfKey, neighbour, type Hit } from "./find";
import { LEGIBLE_SCALE, layout, type Card, type Scene } from "./layout";
import { gapsInView, marksOf, sumTerms, type Mode } from "./marks";
import { graphModelOf, modelOf, type GraphModel, type Model } from "./model";
import { defaultPass, passOf } from "./passes";
import { tipFor } from "./tips";

/** How many cards are tried, and at which least scale, until the whole picture is in view: above 0.6 names are whole. */
const WHOLE: readonly (readonly [room: number, scale: number])[] = [
  ...[FOLD_THRESHOLD, 45, 34, 26, 20, 15].map((room) => [room, 0.6] as const),
  ...[26, 20, 15, 11].map((room) => [room, LEGIBLE_SCALE] as const),
];

/** Whether one closed group stands for most of the ops: then the picture says next to nothing, though it is whole. */
function isMostlyHidden({ tiles, graph }: Model): boolean {
  const ops = graph.nodes.filter((node) => node.source === null).length;
  return tiles.some(({ group }) => group !== null && group.kind !== "repeat" && group.size > 0.6 * ops);
}

const ROLE = {
  label: "Gradient flow",
  picture: "The graph that the gradient flows through",
  legible: LEGIBLE_SCALE,
};

/** The canvas of the gradient flow: what is open of the graph, and what stands out in it. */
export class Stage extends LayeredStage<Scene, Hit> {
  readonly mode = new Signal<Mode>("flow");
  readonly pass: Signal<number>;
  /** Tells when the graph, or what of it is open, is another. */
  readonly model: Signal<Model>;
  readonly #expansion = new UserExpansion();
  #graphModel: GraphModel;
  /** How many cards are seen as long as nobody opens more. */
  #room: number | undefined;
  /** Null where cards or the size are others since. */
  #scene: Scene | null = null;

  constructor(holder: HTMLElement, context: ViewContext) {
    super(holder, context, ROLE);
    this.pass = new Signal(this.#passOfSelected() ?? defaultPass(factsOf(context.recording)));
    this.#graphModel = graphModelOf(context.recording, this.pass.value);
    this.model = new Signal(this.#modelNow());
    this.disposer.add(
      this.mode.on(this.canvas.redraw),
      this.pass.on(() => this.#rebuild()),
      context.changed.on(() => this.#rebuild()),
      context.selection.selected.on(() => this.#follow()),
    );
  }

  /** The pass that the selected op is in, null where it is in none. */
  #passOfSelected(): number | null {
    const { event } = this.context.selection.selected.value;
    const pass = event < 0 ? -1 : passOf(factsOf(this.context.recording), event);
    return pass < 0 ? null : pass;
  }

  /** Brings what is selected into view, from another pass too. */
  #follow(): void {
    if (this.selected < 0) this.pass.set(this.#passOfSelected() ?? this.pass.value);
    this.reveal(this.focus);
  }

  get selected(): number {
    return tileOfKey(this.model.value, this.context.selection.selected.value);
  }

  protected get scene(): Scene {
    const { width, height } = this.view;
    return (this.#scene ??= layout(this.model.value, width || 1000, height || Infinity));
  }

  protected get focus(): Card | null {
    const { selected } = this;
    return selected < 0 ? null : this.#card(selected);
  }

  #card(tile: number): Card | null {
    return this.scene.cards.find((card) => card.tile === tile) ?? null;
  }

  /** Goes to the card beside the selected one. */
  walk(to: "left" | "right" | "up" | "down"): void {
    this.select(neighbour(this.scene, this.model.value, this.selected, to));
  }

  select(tile: number): void {
    if (tile < 0) return;
    this.context.selection.select(keyOfTile(this.model.value, tile));
    const card = this.#card(tile);
    if (card) this.context.announce(describe(card.content));
  }

  /** Opens a closed group. */
  open(tile: number): void {
    const { tiles } = this.model.value;
    const group = tiles[tile]?.group;
    if (!group) return;
    if (tiles.length + group.items.length > MAX_CARDS) return this.context.announce(TOO_MANY_CARDS);
    this.#expansion.open(group.key);
    this.#refold();
    this.context.announce(`${group.title} opened`);
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
    this.#expansion.close(group.key);
    this.#refold();
    this.context.announce(`${group.title} closed`);
  }

  #modelNow(): Model {
    return modelOf(this.#graphModel, this.#expansion, this.#room);
  }

  #refold(isOther = false): void {
    this.renew(isOther);
    this.model.set(this.#modelNow());
  }

  #rebuild(): void {
    this.#graphModel = graphModelOf(this.context.recording, this.pass.value);
    this.#refold(true);
  }

  protected layOut(): void {
    this.#scene = null;
    const room = this.#roomInView();
    if (room === this.#room) return;
    this.#room = room;
    this.model.set(this.#modelNow());
  }

  /** The most cards of which the picture is seen whole; what the user has opened or closed stays as it is. */
  #roomInView(): number | undefined {
    const { view } = this;
    if (view.width === 0 || this.#expansion.isUsed) return this.#room;
    const models = new Map(WHOLE.map(([room]) => [room, modelOf(this.#graphModel, NO_EXPANSION, room)]));
    const telling = WHOLE.filter(([room]) => !isMostlyHidden(models.get(room)!));
    const whole = telling.find(([room, scale]) => {
      const scene = layout(models.get(room)!, view.width, view.height);
      return fit(scene, view).k >= scale;
    });
    return (whole ?? telling.at(-1))?.[0];
  }

  /** At the selected card, else where gradients are lost, else at what was differentiated. */
  protected start(scene: Scene, view: Size): { camera: Camera; sight: Box | undefined } {
    const sight = this.focus ?? this.#lost(scene) ?? this.#card(targetTile(this.model.value)) ?? scene.cards.at(-1);
    const middle = sight ? sight.y + sight.h / 2 : scene.height / 2;
    return { camera: { k: 1, x: 0, y: Math.round(view.height / 2 - middle) }, sight };
  }

  /** The first gap, else the card of the gravest finding; null where nothing is lost. */
  #lost({ gaps }: Scene): Box | null {
    const { faults, tileOf } = this.model.value;
    return gaps[0] ?? (faults[0] ? this.#card(tileOf[faults[0].node]) : null);
  }

  protected draw(scene: Scene, brush: Brush): void {
    const { selection, matches } = this.context;
    const highlighted = {
      mode: this.mode.value,
      selected: this.selected,
      matches: matches.value,
      hovered: tileOfKey(this.model.value, selection.hovered.value),
    };
    draw(brush, scene, marksOf(this.model.value, scene, highlighted));
  }

  /** What the selected card's gradient is the sum of, in words; "" where it is no sum. */
  get sum(): string {
    const card = this.focus;
    const parts = card ? sumTerms(this.model.value, this.scene, card.tile) : [];
    if (parts.length < 2 || !card?.content.gradient) return "";
    const title = (tile: number): string => this.#card(tile)?.content.title ?? "";
    const list = parts.map(({ from, text }, i) => `(${i + 1}) ${text} from ${title(from)}`).join(", ");
    return `Gradient of ${card.content.title}, norm ${magnitudeText(card.content.gradient)}, is a sum: ${list}`;
  }

  /** The gap that is looked at, to be said in words beside the picture. */
  get gaps(): ReturnType<typeof gapsInView> {
    return gapsInView(this.model.value, { mode: this.mode.value, selected: this.selected, hovered: -1, matches: null });
  }

  protected hit(...point: Point): Hit | null {
    return hit(this.scene, ...point);
  }

  protected tip(at: Hit): { title: string; lines: string[] } {
    return tipFor(this.model.value, at);
  }

  protected expand(at: Hit | null): void {
    if (at && "card" in at && at.card.content.stack > 0) this.open(at.card.tile);
  }

  protected choose(at: Hit | null): void {
    const { selection } = this.context;
    if (at === null) selection.clear();
    else if ("card" in at) this.select(at.card.tile);
    else if ("frame" in at) this.#fold(at.frame.group);
    else if ("gap" in at) selection.select({ tensor: at.gap.gap.source });
    else selection.select({ tensor: this.model.value.links[at.edge.link].tensor });
  }

  protected point(at: Hit | null): void {
    const model = this.model.value;
    const edge = at && "edge" in at ? { tensor: model.links[at.edge.link].tensor } : {};
    this.context.selection.hover(at && "card" in at ? keyOfTile(model, at.card.tile) : edge);
  }
}
