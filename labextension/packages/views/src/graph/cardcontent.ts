import { format, OTHER, type Family } from "@tapeviz/core";
import { figuresOf, rangeText } from "../figures";
import type { CardContent } from "../layered/card";
import { familyOfNode } from "../nodes";
import { regionTitle } from "./choice";
import type { GraphModel } from "./model";
import type { Entry } from "./levels";
import type { Group } from "./scopes";
import { KEPT, type Fate } from "./steps";

/** What a card of the graph says. */
export interface GraphCardContent extends CardContent {
  readonly fate: Fate;
  /** How many nodes of a closed group something happens to now, and how many are gone. */
  readonly touched: number;
  readonly gone: number;
  /** Can be opened. */
  readonly closed: boolean;
}

export function contentOf(model: GraphModel, entry: Entry, around: Group): GraphCardContent {
  return typeof entry.item === "number"
    ? nodeContent(model, entry.item, around)
    : groupContent(model, entry, entry.item);
}

// As TensorFlow calls it: the variable's name says more.
const READ = /\/Read\/ReadVariableOp(?=$|_)/;

/** A node's name without the scopes that are seen around it. */
export function titleOf(model: GraphModel, node: number, around: Group): string {
  const name = model.name(node).replace(READ, "");
  return name.startsWith(around.prefix) ? name.slice(around.prefix.length) : name;
}

function nodeContent(model: GraphModel, node: number, around: Group): GraphCardContent {
  const { facts } = model;
  const title = titleOf(model, node, around) || model.op(node) || "?";
  const tensor = latestOf(model, node);
  const figures = tensor < 0 ? null : figuresOf(facts, tensor);
  const fate = model.fate(node);
  const inner = model.graphs.regions(model.nodes[node].row);
  return {
    title,
    sub: subOf(model, node, title),
    // What happens now is said where there is room for one word only, too.
    shape: fate.when === "now" ? fate.fate : shapeOf(model, node),
    family: nodeFamily(model, node),
    figures,
    range: figures ? rangeText(figures) : "",
    gradient: null,
    stack: inner.length > 0 ? 1 : 0,
    named: true,
    fate,
    touched: 0,
    gone: 0,
    closed: inner.length > 0,
  };
}

/** What it computes, where its name does not say so; else what is inside it, or its line. */
function subOf(model: GraphModel, node: number, title: string): string {
  const inner = model.graphs.regions(model.nodes[node].row);
  if (inner.length > 0) return inner.map((id) => regionTitle(model.graphs, id)).join(", ");
  const op = model.op(node);
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z]|\d+$/g, "");
  return op === "" || plain(title.split("/").at(-1)!) === plain(op) ? model.line(node) : op;
}

/** The first output's shape; "3 outputs" where there are several. */
export function shapeOf(model: GraphModel, node: number): string {
  const specs = model.graphs.specs(model.nodes[node].row);
  if (specs.length === 0) return "";
  return specs.length > 1 ? format.plural(specs.length, "output") : shapeText(specs[0].shape);
}

/** A shape as far as tracing knows it. */
export function shapeText(shape: readonly (number | null)[] | null): string {
  return shape === null ? "any shape" : format.shape(shape.map((size) => size ?? -1));
}

/** What a node made when it last ran; -1 when it did not run by itself. */
export function latestOf(model: GraphModel, node: number): number {
  if (!model.ran) return -1;
  const event = model.graphs.eventsOf(model.nodes[node].row).at(-1);
  return event === undefined ? -1 : (model.facts.outputs(event)[0] ?? -1);
}

export const nodeFamily = (model: GraphModel, node: number): Family =>
  familyOfNode(model.recording, model.nodes[node].row);

function groupContent(model: GraphModel, { members }: Entry, group: Group): GraphCardContent {
  const fates = model.subject.step > 0 ? members.map((node) => model.fate(node)) : [];
  const touched = fates.filter(({ when }) => when === "now").length;
  const gone = fates.filter((fate) => fate.gone && fate.when === "before").length;
  const each = format.plural(group.size / group.times, "node") + (group.times > 1 ? " each" : "");
  return {
    title: group.title,
    sub: each,
    shape: touched > 0 ? `${format.count(touched)} ${words(fates)}` : "",
    family: familyAround(model, members),
    figures: null,
    range: "",
    gradient: null,
    stack: Math.max(1, group.times),
    named: true,
    fate: gone === members.length && gone > 0 ? { when: "before", fate: "gone", gone: true } : KEPT,
    touched,
    gone,
    closed: true,
  };
}

/** What happens to nodes now, in words. */
const words = (fates: readonly Fate[]): string =>
  [...new Set(fates.filter(({ when }) => when === "now").map(({ fate }) => fate))].join(", ");

/** The family of a group: that of its weightiest nodes. */
function familyAround(model: GraphModel, members: readonly number[]): Family {
  const counts = new Map<Family, number>();
  for (const node of members) {
    const family = nodeFamily(model, node);
    if (family.name === "linalg") return family;
    if (family !== OTHER) counts.set(family, (counts.get(family) ?? 0) + 1);
  }
  return [...counts].reduce<[Family, number]>((best, one) => (one[1] > best[1] ? one : best), [OTHER, 0])[0];
}

/** A card in words, for the text twin, the tooltip and screen readers. */
export function describe(content: GraphCardContent): string {
  const times = content.stack > 1 ? ` times ${content.stack}` : "";
  return [`${content.title}${times}`, content.sub, content.shape, content.range].filter(Boolean).join(", ");
}
