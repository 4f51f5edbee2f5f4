import { lineOf } from "./figures";
import type { FlowGraph } from "./graph";
import { repeats } from "./repeats";

/** What stands for many nodes while it is closed: a scope, a layer, a block that repeats, a run of ops. */
export interface Group {
  /** Names of the groups around it and its own: the same in every run of the same code. */
  readonly key: string;
  readonly title: string;
  readonly kind: string;
  /** Its span, or its first op where it has none. */
  readonly event: number;
  /** How many blocks a repeat has; 1 for others. */
  readonly times: number;
  readonly items: readonly Item[];
  /** How many ops it holds. */
  readonly ops: number;
}

/** A node of the graph, or a group. */
export type Item = number | Group;

/** The most items side by side before runs of them are gathered. */
const WIDEST = 40;
/** The aim: with at most so many nodes nothing is folded. */
export const AIM = 60;
const SHOWN = new Set(["scope", "module", "function", "step", "span"]);

/** The ops of a graph as a tree of groups; sources are in none. */
export function groupTree(graph: FlowGraph): Group {
  const builder = new Builder(graph);
  graph.nodes.forEach((node, index) => {
    if (node.source === null) builder.place(index);
  });
  const items = builder.finish();
  return sealed(
    { title: "", kind: "root", event: -1, times: 1, items },
    "",
    graph.nodes.length > AIM ? new Folder(graph) : null,
  );
}

type Draft = Omit<Group, "key" | "ops" | "items"> & { readonly items: readonly (number | Draft)[] };

/** Puts nodes, which come in order, into the spans around them. */
class Builder {
  readonly #root: (number | Draft)[] = [];
  readonly #stack: { readonly span: number; readonly items: (number | Draft)[] }[] = [];
  readonly #paths = new Map<number, readonly number[]>([[-1, []]]);

  constructor(private readonly graph: FlowGraph) {}

  place(node: number): void {
    const { facts, nodes } = this.graph;
    const { events } = facts.recording;
    const path = this.#path(events.parent[facts.eventRow(nodes[node].event)]);
    let same = 0;
    while (same < path.length && this.#stack[same]?.span === path[same]) same += 1;
    while (this.#stack.length > same) this.#pop();
    for (const span of path.slice(same)) this.#stack.push({ span, items: [] });
    (this.#stack.at(-1)?.items ?? this.#root).push(node);
  }

  finish(): readonly (number | Draft)[] {
    while (this.#stack.length > 0) this.#pop();
    return this.#root;
  }

  /** The spans around, outermost first, without tapes, cells and whole passes. */
  #path(span: number): readonly number[] {
    const known = this.#paths.get(span);
    if (known) return known;
    const { facts } = this.graph;
    const row = facts.eventRow(span);
    const above = row < 0 ? [] : this.#path(facts.recording.events.parent[row]);
    const path = row >= 0 && SHOWN.has(facts.span(span).sort) ? [...above, span] : above;
    this.#paths.set(span, path);
    return path;
  }

  #pop(): void {
    const { span, items } = this.#stack.pop()!;
    const { facts } = this.graph;
    const { sort: kind, name } = facts.span(span);
    const into = this.#stack.at(-1)?.items ?? this.#root;
    if (items.length < 2) into.push(items[0]);
    else into.push({ title: name, kind, event: span, times: 1, items });
  }
}

/** Gives keys and counts, and folds long lists on the way down. */
function sealed(draft: Draft, key: string, folder: Folder | null): Group {
  const before = new Map<string, number>();
  const items = (folder ? folder.fold(draft) : draft.items).map((item): Item => {
    if (typeof item === "number") return item;
    const same = before.get(item.title) ?? 0;
    before.set(item.title, same + 1);
    return sealed(item, `${key}/${item.title}${same > 0 ? `#${same + 1}` : ""}`, folder);
  });
  const ops = items.reduce<number>((n, item) => n + (typeof item === "number" ? 1 : item.ops), 0);
  return { ...draft, key, items, ops };
}

/** Shortens long lists: blocks that repeat become one, then neighbours on one line, then equal parts. */
class Folder {
  readonly #numbers = new Map<string, number>();

  constructor(private readonly graph: FlowGraph) {}

  fold({ kind, items }: Draft): readonly (number | Draft)[] {
    const folded = kind === "repeat" ? items : this.#repeats(items);
    if (folded.length <= WIDEST) return folded;
    const lines = this.#lines(folded);
    return lines.length <= WIDEST ? lines : this.#parts(lines);
  }

  #repeats(items: readonly (number | Draft)[]): (number | Draft)[] {
    const signs = Int32Array.from(items, (item) => this.#sign(item));
    let folded: (number | Draft)[] = [];
    let at = 0;
    for (const { start, period, times } of repeats(signs, (i) => typeof items[i] !== "number")) {
      folded = folded.concat(items.slice(at, start));
      const part = (n: number): readonly (number | Draft)[] =>
        items.slice(start + n * period, start + (n + 1) * period);
      const blocks = Array.from({ length: times }, (_, n) => this.#block(part(n), n, times));
      const { title, event } = blocks[0];
      folded.push({
        title: title.replace(/[\s_.:/-]*\d+( of \d+)?$/, ""),
        kind: "repeat",
        event,
        times,
        items: blocks,
      });
      at = start + period * times;
    }
    return folded.concat(items.slice(at));
  }

  /** One of the blocks that repeat: the group itself, or a new one around its ops. */
  #block(items: readonly (number | Draft)[], n: number, times: number): Draft {
    const [first] = items;
    if (items.length === 1 && typeof first !== "number") return first;
    const title = `${this.#line(first) || "block"}: ${n + 1} of ${times}`;
    return { title, kind: "block", event: this.#event(first), times: 1, items };
  }

  #lines(items: readonly (number | Draft)[]): (number | Draft)[] {
    const runs: (number | Draft)[][] = [];
    let before = "";
    for (const item of items) {
      const line = typeof item === "number" ? this.#line(item) : "";
      if (line !== "" && line === before) runs.at(-1)!.push(item);
      else runs.push([item]);
      before = line;
    }
    return runs.flatMap((run) => (run.length < 3 ? run : [this.#run(run, this.#line(run[0]))]));
  }

  #parts(items: readonly (number | Draft)[]): (number | Draft)[] {
    const count = Math.min(24, Math.ceil(Math.sqrt(items.length)));
    const size = Math.ceil(items.length / count);
    const part = (n: number): readonly (number | Draft)[] => items.slice(n * size, (n + 1) * size);
    return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => this.#run(part(n), `part ${n + 1}`));
  }

  #run(items: readonly (number | Draft)[], title: string): Draft {
    return { title, kind: "run", event: this.#event(items[0]), times: 1, items };
  }

  #event(item: number | Draft): number {
    return typeof item === "number" ? this.graph.nodes[item].event : item.event;
  }

  #line(item: number | Draft): string {
    if (typeof item !== "number") return "";
    return lineOf(this.graph.facts, this.graph.nodes[item].event);
  }

  /** Equal numbers for what looks the same: the same op on the same line, a group of the same name and contents. */
  #sign(item: number | Draft): number {
    const text =
      typeof item === "number"
        ? `${this.graph.facts.title(this.graph.nodes[item].event)}@${this.#line(item)}`
        : `${item.kind}:${item.title.replace(/\d+/g, "")}(${item.items.map((i) => this.#sign(i)).join(",")})`;
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

/** Every group, outermost first. */
export function* groupsOf(group: Group): Generator<Group> {
  for (const item of group.items) {
    if (typeof item === "number") continue;
    yield item;
    yield* groupsOf(item);
  }
}
