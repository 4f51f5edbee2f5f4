import { MAX_CARDS, NO_EXPANSION, type ExpansionState } from "../layered/expansion";
import type { GraphModel } from "./model";
import { FOLD_THRESHOLD, nodesIn, type Group, type Item } from "./scopes";

/** Something side by side with others: a node, a closed group, or an open one with what is in it. */
export interface Entry {
  readonly key: string;
  readonly item: Item;
  /** All nodes it stands for, those inside regions left out. */
  readonly members: readonly number[];
  /** What is inside, where it is open: of a group one level, of a node one for each of its regions. */
  readonly levels: readonly Level[];
}

/** Edges that look the same from outside, from one entry to another or through the boundary of the level. */
export interface Link {
  /** Index of an entry; -1 where it comes in through a port. */
  readonly from: number;
  readonly to: number;
  /** The port of the level that it comes in or goes out by; -1 for none. */
  readonly port: number;
  readonly edges: readonly number[];
  /** Only an order: nothing is handed on. */
  readonly control: boolean;
}

/** What is side by side, in the order of the flow, and the links between. */
export interface Level {
  readonly group: Group;
  readonly instance: number;
  readonly entries: readonly Entry[];
  readonly links: readonly Link[];
  /** For each port in the boundary the link of the level around that goes on through it. */
  readonly ports: readonly number[];
}

/** A graph that is folded begins with at least so many things in sight, where there are scopes to be opened. */
const FEW = 4;

/** What is seen: groups open from the outside in while there is room, and where the user wants it. */
export function levelsOf(model: GraphModel, expansion: ExpansionState = NO_EXPANSION): Level {
  return instanceLevel(model, 0, openKeys(model, expansion));
}

interface Waiting {
  readonly key: string;
  readonly size: number;
  readonly byItself: boolean;
  readonly kind: string;
  readonly items: () => readonly Item[];
}

/** The keys of what is open. */
export function openKeys(model: GraphModel, expansion: ExpansionState): Set<string> {
  const open = new Set<string>();
  const waiting: Waiting[] = openable(model, model.root.items, true);
  const whole = model.root.size + insideAll(model);
  let seen = model.root.items.length;
  for (let at = 0; at < waiting.length; at++) {
    const { key, size, byItself, kind, items } = waiting[at];
    const byUser = expansion.opened.has(key);
    if (expansion.closed.has(key) || seen + size > (byUser ? MAX_CARDS : FOLD_THRESHOLD)) continue;
    // The blocks of a repeat are alike: they stay one until somebody asks. What is opened by hand shows its groups closed.
    if (!byUser && (!byItself || kind === "repeat" || (whole > FOLD_THRESHOLD && seen >= FEW))) continue;
    open.add(key);
    seen += size;
    waiting.push(...openable(model, items(), byItself && !byUser));
  }
  return open;
}

/** How many nodes there are in the graphs inside the chosen one's nodes. */
function insideAll(model: GraphModel): number {
  let total = 0;
  for (const node of nodesIn(model.root)) total += model.inside(node);
  return total;
}

function openable(model: GraphModel, items: readonly Item[], byItself: boolean): Waiting[] {
  return items.flatMap((item): Waiting[] => {
    if (typeof item !== "number")
      return [{ key: item.key, size: item.items.length, byItself, kind: item.kind, items: () => item.items }];
    const size = model.inside(item);
    if (size === 0) return [];
    const inner = (): readonly Item[] => model.regions(item).flatMap((region) => model.instances[region].root.items);
    const free = byItself && !model.recursive(item);
    // A region's own groups are folded when it is made: what counts is how many items that leaves.
    const seen = size > FOLD_THRESHOLD ? Math.min(size, inner().length) : size;
    return [{ key: model.nodes[item].key, size: seen, byItself: free, kind: "node", items: inner }];
  });
}

/** An edge on its way down: the ports that it comes in and goes out by; -1 for neither. */
interface CrossingEdge {
  readonly edge: number;
  readonly inPort: number;
  readonly outPort: number;
}

function instanceLevel(model: GraphModel, instance: number, open: ReadonlySet<string>): Level {
  const { edges, root } = model.instances[instance];
  const all = edges.map((_, edge) => ({ edge, inPort: -1, outPort: -1 }));
  return new LevelBuilder(model, instance, open).level(root, all, []);
}

class LevelBuilder {
  readonly #where: Int32Array;

  constructor(
    private readonly model: GraphModel,
    private readonly instance: number,
    private readonly open: ReadonlySet<string>,
  ) {
    this.#where = new Int32Array(model.nodes.length);
  }

  level(group: Group, carried: readonly CrossingEdge[], ports: readonly number[]): Level {
    const { model, instance, open } = this;
    const members = group.items.map((item) => [...nodesIn(item)]);
    members.forEach((nodes, entry) => nodes.forEach((node) => (this.#where[node] = entry)));
    const { links, inner } = this.#links(group.items, carried);
    const entries = group.items.map((item, i): Entry => {
      if (typeof item !== "number") {
        const levels = open.has(item.key) ? [this.level(item, inner[i].carried, inner[i].ports)] : [];
        return { key: item.key, item, members: members[i], levels };
      }
      const { key } = model.nodes[item];
      const regions = open.has(key) ? model.regions(item) : [];
      return { key, item, members: members[i], levels: regions.map((region) => instanceLevel(model, region, open)) };
    });
    return sorted({ group, instance, entries, links, ports });
  }

  /** The links of a level, and what goes on inside each open group of it. */
  #links(items: readonly Item[], carried: readonly CrossingEdge[]): { links: Link[]; inner: Inner[] } {
    const { edges } = this.model.instances[this.instance];
    const inner = items.map((): Inner => ({ carried: [], ports: [], portOf: new Map() }));
    const isOpen = items.map((item) => typeof item !== "number" && this.open.has(item.key));
    const links: { from: number; to: number; port: number; edges: number[]; control: boolean }[] = [];
    const known = new Map<string, number>();
    for (const one of carried) {
      const { from: source, to: target, control } = edges[one.edge];
      const [from, to] = [one.inPort >= 0 ? -1 : this.#where[source], one.outPort >= 0 ? -1 : this.#where[target]];
      if (from === to) {
        if (isOpen[from]) inner[from].carried.push({ edge: one.edge, inPort: -1, outPort: -1 });
        continue;
      }
      const port = Math.max(one.inPort, one.outPort);
      const key = `${from} ${to} ${port}`;
      let link = known.get(key);
      if (link === undefined) {
        known.set(key, (link = links.length));
        links.push({ from, to, port, edges: [], control: true });
      }
      links[link].edges.push(one.edge);
      links[link].control &&= control;
      if (to >= 0 && isOpen[to])
        inner[to].carried.push({ edge: one.edge, inPort: portFor(inner[to], link, link), outPort: -1 });
      if (from >= 0 && isOpen[from])
        inner[from].carried.push({ edge: one.edge, inPort: -1, outPort: portFor(inner[from], OUT, link) });
    }
    return { links, inner };
  }
}

interface Inner {
  readonly carried: CrossingEdge[];
  readonly ports: number[];
  readonly portOf: Map<number, number>;
}

/** All that leaves a group leaves by one port, for it goes on from one point. */
const OUT = -1;

/** The port of an open group for a link of the level around. */
function portFor({ ports, portOf }: Inner, key: number, link: number): number {
  const known = portOf.get(key);
  if (known !== undefined) return known;
  portOf.set(key, ports.length);
  return ports.push(link) - 1;
}

/** The entries in the order of the flow: behind all they depend on, else as they were traced. */
function sorted(level: Level): Level {
  const { entries, links } = level;
  const order = flowOrder(
    entries.length,
    links.filter(({ from, to }) => from >= 0 && to >= 0),
  );
  const position = new Int32Array(entries.length);
  order.forEach((entry, i) => (position[entry] = i));
  const at = (entry: number): number => (entry < 0 ? -1 : position[entry]);
  return {
    ...level,
    entries: order.map((entry) => entries[entry]),
    links: links.map((link) => ({ ...link, from: at(link.from), to: at(link.to) })),
  };
}

/** An order in which few links go back: the first that depends on nothing left, where all do simply the first. */
export function flowOrder(count: number, links: readonly { readonly from: number; readonly to: number }[]): number[] {
  const waits = new Int32Array(count);
  const readers: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of links) {
    readers[from].push(to);
    waits[to] += 1;
  }
  const done = new Uint8Array(count);
  const order: number[] = [];
  while (order.length < count) {
    let next = -1;
    for (let i = 0; i < count && (next < 0 || waits[next] > 0); i++) {
      if (!done[i] && (next < 0 || waits[i] === 0)) next = i;
    }
    done[next] = 1;
    order.push(next);
    for (const reader of readers[next]) waits[reader] -= 1;
  }
  return order;
}

/** Every entry, outermost first, with the level it is in. */
export function* entriesOf(level: Level): Generator<{ readonly entry: Entry; readonly level: Level }> {
  for (const entry of level.entries) {
    yield { entry, level };
    for (const inner of entry.levels) yield* entriesOf(inner);
  }
}
