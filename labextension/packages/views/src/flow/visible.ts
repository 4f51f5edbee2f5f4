import { MAX_CARDS, NO_EXPANSION, type ExpansionState } from "../layered/expansion";
import { FOLD_THRESHOLD, type Group, type Item } from "./groups";
import type { FlowGraph, FlowNode } from "./graph";

/** A node that is seen: an op, a source, a closed group, or sources that go to the same place. */
export interface Tile {
  readonly key: string;
  /** The graph's node; -1 for a group or a bundle. */
  readonly node: number;
  readonly group: Group | null;
  /** All nodes it stands for. */
  readonly members: readonly number[];
  readonly order: number;
}

/** A tensor going from one tile to another: edges of the graph that look the same from outside. */
export interface Link {
  readonly from: number;
  readonly to: number;
  readonly tensor: number;
  readonly edges: readonly number[];
}

export interface Visible {
  readonly tiles: readonly Tile[];
  readonly links: readonly Link[];
  /** The tile of each node of the graph; -1 for none. */
  readonly tileOf: Int32Array;
  /** The groups that are open, the root among them, and the nodes inside each. */
  readonly open: ReadonlyMap<Group, readonly number[]>;
}

const BUNDLE = 6;

/** Chooses what is seen: groups open from the outside in while there is room for cards, and where the user wants it. */
export function visible(
  graph: FlowGraph,
  root: Group,
  expansion: ExpansionState = NO_EXPANSION,
  room = FOLD_THRESHOLD,
): Visible {
  const homes = homesOf(graph, root);
  const open = openGroups(root, homes, expansion, room);
  const tiles: Tile[] = [];
  const tileOf = new Int32Array(graph.nodes.length).fill(-1);
  const put = (tile: Tile): void => {
    for (const node of tile.members) tileOf[node] = tiles.length;
    tiles.push(tile);
  };
  for (const item of outermost(root, open)) put(tileFor(graph, item, homes));
  const loose = graph.nodes.flatMap((node, i) => (node.source !== null && tileOf[i] < 0 ? [i] : []));
  for (const tile of sourceTiles(graph, loose, { tileOf, tiles, expansion })) put(tile);
  return { ...sorted(graph, tiles, tileOf), open: new Map([...open].map((group) => [group, membersOf(group, homes)])) };
}

/** For each group the sources that only it reads and none of its groups alone; these are seen when it is open. */
function homesOf(graph: FlowGraph, root: Group): Map<Group, number[]> {
  const above = new Map<Item, Group | null>([[root, null]]);
  const walk = (group: Group): void =>
    group.items.forEach((item) => {
      above.set(item, group);
      if (typeof item !== "number") walk(item);
    });
  walk(root);
  const path = (node: number): Group[] => {
    const groups: Group[] = [];
    for (let at = above.get(node) ?? null; at; at = above.get(at) ?? null) groups.unshift(at);
    return groups;
  };
  const common = new Map<number, Group[]>();
  for (const { from, to } of graph.edges) {
    if (graph.nodes[from].source === null) continue;
    const now = path(to);
    const before = common.get(from) ?? now;
    common.set(
      from,
      before.filter((group, depth) => group === now[depth]),
    );
  }
  const homes = new Map<Group, number[]>();
  const isLost = ({ requested, tensor }: FlowNode): boolean =>
    requested && graph.pass !== null && !graph.pass.gradient.has(tensor);
  // A few whose gradients are None are always seen; of many it is shown in the cards around them.
  const few = graph.nodes.filter(isLost).length <= BUNDLE;
  graph.nodes.forEach((node, i) => {
    if (node.source === null) return;
    const home = few && isLost(node) ? root : (common.get(i)?.at(-1) ?? root);
    homes.set(home, [...(homes.get(home) ?? []), i]);
  });
  return homes;
}

function openGroups(root: Group, homes: Map<Group, number[]>, expansion: ExpansionState, room: number): Set<Group> {
  const open = new Set([root]);
  const cost = (group: Group): number => group.items.length + Math.min(homes.get(group)?.length ?? 0, 2 * WIDE);
  let seen = cost(root);
  const waiting = families(root, true);
  while (waiting.length > 0) {
    const { groups, byItself } = waiting.shift()!;
    const free = groups.filter((group) => !expansion.closed.has(group.key));
    const wanted = new Set(free.filter((group) => expansion.opened.has(group.key)));
    const others = free.filter((group) => !wanted.has(group));
    const more = (some: readonly Group[]): number => some.reduce((sum, group) => sum + cost(group) - 1, 0);
    // The blocks of a repeat are alike: they stay one until somebody asks. What is opened by hand shows its groups closed.
    const together = byItself && others.every(({ kind }) => kind !== "repeat") && seen + more(others) <= room;
    for (const group of free) {
      if (wanted.has(group) ? seen + more([group]) > MAX_CARDS : !together) continue;
      open.add(group);
      seen += more([group]);
      waiting.push(...families(group, byItself && !expansion.opened.has(group.key)));
    }
  }
  return open;
}

/** The groups in a group, those together that are alike but for a number: of blocks of a model all are opened, or none. */
function families(around: Group, byItself: boolean): { groups: Group[]; byItself: boolean }[] {
  const found = new Map<string, Group[]>();
  for (const group of childGroups(around)) {
    const name = `${group.kind} ${group.title.replace(/[\s_.:-]*\d+/g, "")}`;
    found.set(name, [...(found.get(name) ?? []), group]);
  }
  return [...found.values()].map((groups) => ({ groups, byItself }));
}

const WIDE = 20;
const childGroups = (group: Group): Group[] => group.items.filter((item): item is Group => typeof item !== "number");

/** The nodes and closed groups that are seen, in order. */
function outermost(group: Group, open: ReadonlySet<Group>): Item[] {
  return group.items.flatMap((item) => (typeof item !== "number" && open.has(item) ? outermost(item, open) : [item]));
}

function tileFor(graph: FlowGraph, item: Item, homes: Map<Group, number[]>): Tile {
  if (typeof item === "number")
    return { key: `node ${item}`, node: item, group: null, members: [item], order: graph.nodes[item].order };
  const members = membersOf(item, homes);
  const ops = members.filter((node) => graph.nodes[node].source === null);
  const order = ops.reduce((first, node) => Math.min(first, graph.nodes[node].order), Infinity);
  return { key: item.key, node: -1, group: item, members, order };
}

/** The ops in a group and the sources that only they read. */
function membersOf(group: Group, homes: Map<Group, number[]>): number[] {
  const inside = group.items.flatMap((item) => (typeof item === "number" ? [item] : membersOf(item, homes)));
  return [...(homes.get(group) ?? []), ...inside];
}

interface Places {
  readonly tileOf: Int32Array;
  readonly tiles: readonly Tile[];
  readonly expansion: ExpansionState;
}

/** A tile for each source, or one for many that go to the same place. */
function sourceTiles(graph: FlowGraph, loose: readonly number[], { tileOf, tiles, expansion }: Places): Tile[] {
  const readers = new Map<number, number[]>(loose.map((node) => [node, []]));
  for (const { from, to } of graph.edges) readers.get(from)?.push(tileOf[to]);
  const together = new Map<string, number[]>();
  for (const [node, list] of readers) {
    const key = list.length === 0 ? `alone ${node}` : [...new Set(list)].map((tile) => tiles[tile].key).join(" ");
    together.set(key, [...(together.get(key) ?? []), node]);
  }
  const crowded = loose.length + tiles.length > FOLD_THRESHOLD;
  return [...together].flatMap(([to, nodes]): Tile[] => {
    const key = `sources of ${to}`;
    const first = readers.get(nodes[0])!.reduce((least, tile) => Math.min(least, tiles[tile].order), Infinity);
    const order = (node: number): number => Math.min(graph.nodes[node].order, first - 0.5);
    if (nodes.length > BUNDLE && crowded && !expansion.opened.has(key)) {
      const bundle = {
        key,
        title: `${nodes.length} sources`,
        kind: "sources",
        event: -1,
        times: 1,
        items: nodes,
        size: 0,
      };
      return [{ key, node: -1, group: bundle, members: nodes, order: order(nodes[0]) }];
    }
    return nodes.map((node) => ({ key: `node ${node}`, node, group: null, members: [node], order: order(node) }));
  });
}

/** Tiles in the order of the flow, and the links between them. */
function sorted(graph: FlowGraph, found: readonly Tile[], tileOf: Int32Array): Omit<Visible, "open"> {
  const order = found.map((_, i) => i).sort((a, b) => found[a].order - found[b].order);
  const position = new Int32Array(found.length);
  order.forEach((tile, i) => (position[tile] = i));
  const of = tileOf.map((tile) => (tile < 0 ? -1 : position[tile]));
  const links = new Map<string, { from: number; to: number; tensor: number; edges: number[] }>();
  graph.edges.forEach(({ from, to, tensor }, i) => {
    const [a, b] = [of[from], of[to]];
    if (a < 0 || b < 0 || a === b) return;
    const bundled = found[order[a]].group?.kind === "sources";
    const key = `${a} ${b} ${bundled ? "" : tensor}`;
    const known = links.get(key);
    if (known) known.edges.push(i);
    else links.set(key, { from: a, to: b, tensor, edges: [i] });
  });
  return { tiles: order.map((i) => found[i]), links: [...links.values()], tileOf: of };
}
