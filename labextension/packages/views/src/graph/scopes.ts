import { folded, GroupFolder, type FoldedGroup, type GroupDraft, type NodeInfo } from "../layered/fold";

/** A scope, blocks that repeat, a run of nodes, a branch or body. */
export interface Group extends FoldedGroup<Group> {
  readonly kind: "root" | "scope" | "repeat" | "block" | "run" | "region";
  /** What the names of its nodes begin with, for these not to say it again. */
  readonly prefix: string;
}

/** A node (see `GraphModel.nodes`), or a group. */
export type Item = number | Group;

/** With at most so many nodes nothing is folded, and so many are seen before anybody opens something. */
export const FOLD_THRESHOLD = 40;

export interface NamedNodeInfo extends NodeInfo {
  /** A node's name with its scopes. */
  readonly name: (node: number) => string;
}

interface Scope {
  readonly title: string;
  readonly items: (number | Scope)[];
  readonly inner: Map<string, Scope>;
}

/** Nodes, which come in order, as a tree of the scopes in their names. */
export function scopeTree(nodes: readonly number[], info: NamedNodeInfo, key: string, kind: "root" | "region"): Group {
  const root: Scope = { title: "", items: [], inner: new Map() };
  for (const node of nodes) {
    let at = root;
    const parts = info.name(node).split("/");
    for (const part of parts.slice(0, -1)) {
      let next = at.inner.get(part);
      if (!next) {
        next = { title: part, items: [], inner: new Map() };
        at.inner.set(part, next);
        at.items.push(next);
      }
      at = next;
    }
    at.items.push(node);
  }
  const folder = nodes.length > FOLD_THRESHOLD ? new GroupFolder(info) : null;
  return sealed({ title: "", kind, times: 1, items: root.items.map(drafted) }, key, "", folder);
}

/** A scope as a draft; one that holds a single thing is that thing. */
function drafted(item: number | Scope): number | GroupDraft {
  if (typeof item === "number") return item;
  const items = item.items.map(drafted);
  const [only] = items;
  if (items.length > 1) return { title: item.title, kind: "scope", times: 1, items };
  return typeof only === "number" ? only : { ...only, title: `${item.title}/${only.title}` };
}

function sealed(draft: GroupDraft, key: string, prefix: string, folder: GroupFolder | null): Group {
  const group = folded(draft, key, folder, (item, inner) =>
    sealed(item, inner, item.kind === "scope" ? `${prefix}${item.title}/` : prefix, folder),
  );
  return { ...group, kind: draft.kind as Group["kind"], prefix };
}

/** The nodes in an item, in its order. */
export function* nodesIn(item: Item): Generator<number> {
  if (typeof item === "number") yield item;
  else for (const inner of item.items) yield* nodesIn(inner);
}
