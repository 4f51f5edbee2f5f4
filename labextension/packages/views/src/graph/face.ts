import { format, OTHER, type Family } from "@tapeviz/core";
import { figuresOf, rangeText } from "../figures";
import type { CardFace } from "../layered/card";
import { familyOfNode } from "../nodes";
import { regionTitle } from "./choice";
import type { Ground } from "./ground";
import type { Entry } from "./levels";
import type { Group } from "./scopes";
import { KEPT, type Fate } from "./steps";

/** What a card of the graph says. */
export interface Face extends CardFace {
  readonly fate: Fate;
  /** How many nodes of a closed group something happens to now, and how many are gone. */
  readonly touched: number;
  readonly gone: number;
  /** Can be opened. */
  readonly closed: boolean;
}

export function faceOf(ground: Ground, entry: Entry, around: Group): Face {
  return typeof entry.item === "number" ? nodeFace(ground, entry.item, around) : groupFace(ground, entry, entry.item);
}

// As TensorFlow calls it: the variable's name says more.
const READ = /\/Read\/ReadVariableOp(?=$|_)/;

/** A node's name without the scopes that are seen around it. */
export function titleOf(ground: Ground, cell: number, around: Group): string {
  const name = ground.name(cell).replace(READ, "");
  return name.startsWith(around.prefix) ? name.slice(around.prefix.length) : name;
}

function nodeFace(ground: Ground, cell: number, around: Group): Face {
  const { facts } = ground;
  const title = titleOf(ground, cell, around) || ground.op(cell) || "?";
  const tensor = latestOf(ground, cell);
  const figures = tensor < 0 ? null : figuresOf(facts, tensor);
  const fate = ground.fate(cell);
  const inner = ground.graphs.regions(ground.cells[cell].row);
  return {
    title,
    sub: subOf(ground, cell, title),
    // What happens now is said where there is room for one word only, too.
    shape: fate.when === "now" ? fate.fate : shapeOf(ground, cell),
    family: familyOfCell(ground, cell),
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
function subOf(ground: Ground, cell: number, title: string): string {
  const inner = ground.graphs.regions(ground.cells[cell].row);
  if (inner.length > 0) return inner.map((id) => regionTitle(ground.graphs, id)).join(", ");
  const op = ground.op(cell);
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z]|\d+$/g, "");
  return op === "" || plain(title.split("/").at(-1)!) === plain(op) ? ground.line(cell) : op;
}

/** The first output's shape; "3 outputs" where there are several. */
export function shapeOf(ground: Ground, cell: number): string {
  const specs = ground.graphs.specs(ground.cells[cell].row);
  if (specs.length === 0) return "";
  return specs.length > 1 ? format.plural(specs.length, "output") : shapeText(specs[0].shape);
}

/** A shape as far as tracing knows it. */
export function shapeText(shape: readonly (number | null)[] | null): string {
  return shape === null ? "any shape" : format.shape(shape.map((size) => size ?? -1));
}

/** What a node made when it last ran; -1 when it did not run by itself. */
export function latestOf(ground: Ground, cell: number): number {
  if (!ground.ran) return -1;
  const event = ground.graphs.eventsOf(ground.cells[cell].row).at(-1);
  return event === undefined ? -1 : (ground.facts.outputs(event)[0] ?? -1);
}

export const familyOfCell = (ground: Ground, cell: number): Family =>
  familyOfNode(ground.recording, ground.cells[cell].row);

function groupFace(ground: Ground, { members }: Entry, group: Group): Face {
  const fates = ground.subject.step > 0 ? members.map((cell) => ground.fate(cell)) : [];
  const touched = fates.filter(({ when }) => when === "now").length;
  const gone = fates.filter((fate) => fate.gone && fate.when === "before").length;
  const each = format.plural(group.size / group.times, "node") + (group.times > 1 ? " each" : "");
  return {
    title: group.title,
    sub: each,
    shape: touched > 0 ? `${format.count(touched)} ${words(fates)}` : "",
    family: familyAround(ground, members),
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
function familyAround(ground: Ground, members: readonly number[]): Family {
  const counts = new Map<Family, number>();
  for (const cell of members) {
    const family = familyOfCell(ground, cell);
    if (family.name === "linalg") return family;
    if (family !== OTHER) counts.set(family, (counts.get(family) ?? 0) + 1);
  }
  return [...counts].reduce<[Family, number]>((best, one) => (one[1] > best[1] ? one : best), [OTHER, 0])[0];
}

/** A card in words, for the text twin, the tooltip and screen readers. */
export function describe(face: Face): string {
  const times = face.stack > 1 ? ` times ${face.stack}` : "";
  return [`${face.title}${times}`, face.sub, face.shape, face.range].filter(Boolean).join(", ");
}
