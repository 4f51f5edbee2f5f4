import { graphsOf } from "@tapeviz/recording";
import type { Facts } from "../facts";
import { lineOf } from "../figures";
import type { FlowGraph } from "./graph";
import { passTitle } from "./passes";
import { folded, GroupFolder, type FoldedGroup, type GroupDraft, type NodeInfo } from "../layered/fold";

/** A scope, a layer, a block that repeats, a run of ops. */
export interface Group extends FoldedGroup<Group> {
  /** Its span, or its first op where it has none. */
  readonly event: number;
}

/** A node of the graph, or a group. */
export type Item = number | Group;

/** The aim: with at most so many nodes nothing is folded. */
export const FOLD_THRESHOLD = 60;
const SHOWN = new Set("scope module layer build function step span backward loop branch call".split(" "));

/** The ops of a graph as a tree of groups; sources are in none. */
export function groupTree(graph: FlowGraph): Group {
  const builder = new GroupBuilder(graph);
  graph.nodes.forEach((node, index) => {
    if (node.source === null) builder.add(index);
  });
  const items = builder.finish();
  return sealed(
    { title: "", kind: "root", own: -1, times: 1, items },
    "",
    graph,
    graph.nodes.length > FOLD_THRESHOLD ? new GroupFolder(nodeInfo(graph)) : null,
  );
}

/** Something around ops: a span, or a scope in the names of a traced graph's nodes. */
interface Part {
  readonly key: string;
  readonly title: string;
  readonly kind: string;
  /** Its span; -1 for a scope of names. */
  readonly own: number;
}

/** Puts nodes, which come in order, into the parts around them. */
class GroupBuilder {
  readonly #root: (number | GroupDraft)[] = [];
  readonly #stack: { readonly part: Part; readonly items: (number | GroupDraft)[] }[] = [];
  readonly #paths = new Map<number, readonly Part[]>([[-1, []]]);

  constructor(private readonly graph: FlowGraph) {}

  add(node: number): void {
    const { facts, nodes } = this.graph;
    const { event } = nodes[node];
    const around = this.#path(facts.recording.events.parent[facts.eventRow(event)]);
    const path = [...around, ...scopesOf(facts, event)];
    let same = 0;
    while (same < path.length && this.#stack[same]?.part.key === path[same].key) same += 1;
    while (this.#stack.length > same) this.#pop();
    for (const part of path.slice(same)) this.#stack.push({ part, items: [] });
    (this.#stack.at(-1)?.items ?? this.#root).push(node);
  }

  finish(): readonly (number | GroupDraft)[] {
    while (this.#stack.length > 0) this.#pop();
    return this.#root;
  }

  /** The spans around, outermost first, without tapes, cells and whole passes of the first order. */
  #path(span: number): readonly Part[] {
    const known = this.#paths.get(span);
    if (known) return known;
    const { facts } = this.graph;
    const row = facts.eventRow(span);
    const above = row < 0 ? [] : this.#path(facts.recording.events.parent[row]);
    const path = row >= 0 && SHOWN.has(facts.span(span).kind) ? [...above, this.#part(span)] : above;
    this.#paths.set(span, path);
    return path;
  }

  #part(span: number): Part {
    const { facts } = this.graph;
    const { kind, name } = facts.span(span);
    const title = kind === "backward" ? passTitle(facts, span) : name;
    return { key: String(span), title, kind, own: span };
  }

  #pop(): void {
    const { part, items } = this.#stack.pop()!;
    const into = this.#stack.at(-1)?.items ?? this.#root;
    const { title, kind, own } = part;
    if (items.length < 2) into.push(items[0]);
    else into.push({ title, kind, own: own < 0 ? undefined : own, times: 1, items });
  }
}

/** The scopes in the name of the node that an event ran: a traced graph has no spans of its layers. */
function scopesOf(facts: Facts, event: number): Part[] {
  const [row] = graphsOf(facts.recording).nodesOf(event);
  const names = row === undefined ? [] : (facts.recording.nodes.name[row] ?? "").split("/").slice(0, -1);
  return names.map((title, i) => ({ key: names.slice(0, i + 1).join("/"), title, kind: "scope", own: -1 }));
}

const nodeInfo = ({ facts, nodes }: FlowGraph): NodeInfo => ({
  op: (node) => facts.title(nodes[node].event),
  line: (node) => lineOf(facts, nodes[node].event),
});

function sealed(draft: GroupDraft, key: string, graph: FlowGraph, folder: GroupFolder | null): Group {
  const group = folded(draft, key, folder, (item, inner) => sealed(item, inner, graph, folder));
  const [first] = group.items;
  const event = typeof first === "number" ? graph.nodes[first].event : first?.event;
  return { ...group, event: draft.own ?? event ?? -1 };
}

/** Every group, outermost first. */
export function* groupsOf(group: Group): Generator<Group> {
  for (const item of group.items) {
    if (typeof item === "number") continue;
    yield item;
    yield* groupsOf(item);
  }
}
