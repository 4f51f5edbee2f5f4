import { Signal } from "./signal";

/** What is selected or pointed at. -1 means "none", as in the recording. */
export interface Key {
  readonly event: number;
  readonly tensor: number;
  readonly step: number;
}

export const NO_SELECTION: Key = { event: -1, tensor: -1, step: -1 };

/** A node of a traced graph: the graph's id and the node's number. -1 is "none"; no node of a graph is the whole of it. */
export interface NodeKey {
  readonly graph: number;
  readonly node: number;
}

export const NO_NODE: NodeKey = { graph: -1, node: -1 };

const same = (a: Key, b: Key): boolean => a.event === b.event && a.tensor === b.tensor && a.step === b.step;

/**
 * The one selection that all views share: what is selected, what the pointer is over, and a dragged range of time.
 * Views read it and write it; they never talk to each other.
 */
export class Selection {
  readonly selected = new Signal<Key>(NO_SELECTION, same);
  readonly hovered = new Signal<Key>(NO_SELECTION, same);
  /** The node that was chosen, for nodes need not have run: then no event stands for them. */
  readonly node = new Signal<NodeKey>(NO_NODE, (a, b) => a.graph === b.graph && a.node === b.node);
  /** A range of time in ns, [from, to], or null. */
  readonly range = new Signal<readonly [number, number] | null>(null);

  /** Selects; what is left out becomes "none", but the step stays. */
  select(key: Partial<Key>): void {
    this.selectNode(NO_NODE, key);
  }

  /** Selects a node of a traced graph, and with it the op that ran it, where one did. */
  selectNode(node: NodeKey, key: Partial<Key> = {}): void {
    this.node.set(node);
    this.selected.set({ event: key.event ?? -1, tensor: key.tensor ?? -1, step: key.step ?? this.selected.value.step });
  }

  /** Points at something, or at nothing when called without a key. */
  hover(key: Partial<Key> = {}): void {
    this.hovered.set({ ...NO_SELECTION, ...key });
  }

  clear(): void {
    this.node.set(NO_NODE);
    this.selected.set(NO_SELECTION);
    this.range.set(null);
  }
}
