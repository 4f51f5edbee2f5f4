import { graphsOf, type Graphs, type Recording } from "@tapeviz/recording";
import { factsOf, type Facts } from "../facts";
import { regionTitle } from "./choice";
import { scopeTree, type Group, type NamedNodeInfo } from "./scopes";
import { fateAt, KEPT, stepByPass, runFates, stepsOf, type Fate, type Step } from "./steps";

/** A node in the place where it is shown: one of a called function is there for each call that is opened. */
export interface NodeInstance {
  /** The row of `nodes`. */
  readonly row: number;
  readonly instance: number;
  readonly key: string;
}

/** An output of a node that another one takes; both by their places in `GraphModel.nodes`. */
export interface NodeEdge {
  readonly from: number;
  readonly to: number;
  readonly slot: number;
  /** The target only has to run later. */
  readonly control: boolean;
}

/** A graph in the place where it is shown: the one that was chosen, or one inside a node. */
export interface GraphInstance {
  readonly graph: number;
  readonly title: string;
  readonly edges: readonly NodeEdge[];
  readonly root: Group;
  /** The graphs around it, outermost first, itself included. */
  readonly path: readonly number[];
}

/** What is shown of a graph: which one, at which step, and whether nodes that are gone by then are left out. */
export interface Subject {
  readonly graph: number;
  readonly step: number;
  readonly bare: boolean;
}

/** The nodes of a graph and their groups: what stays while groups are opened and closed. */
export class GraphModel {
  readonly graphs: Graphs;
  readonly facts: Facts;
  readonly steps: readonly Step[];
  readonly nodes: NodeInstance[] = [];
  readonly instances: GraphInstance[] = [];
  /** Whether anything of it ran node by node, with statistics. */
  readonly ran: boolean;
  /** What the run did that is the chosen step; null for other steps. */
  readonly #run: ReadonlyMap<number, Fate> | null;
  readonly #stepOfPass: (pass: number) => number;
  readonly #regions = new Map<number, readonly number[]>();
  readonly #lines = new Map<number, string>();

  constructor(
    readonly recording: Recording,
    readonly subject: Subject,
  ) {
    this.graphs = graphsOf(recording);
    this.facts = factsOf(recording);
    this.steps = stepsOf(this.graphs, subject.graph);
    this.#stepOfPass = stepByPass(this.graphs, this.steps);
    const run = this.steps[subject.step]?.run;
    this.#run = run ? runFates(this.graphs, subject.graph, run) : null;
    this.ran = recording.node_runs.rows > 0 && recording.stats.rows > 0 && this.#runs();
    this.#instance(subject.graph, "", "root", []);
  }

  get root(): Group {
    return this.instances[0].root;
  }

  /** The graphs inside a node, as numbers of `instances`; made when they are first asked for. */
  regions(node: number): readonly number[] {
    const known = this.#regions.get(node);
    if (known) return known;
    const { row, instance, key } = this.nodes[node];
    const { path } = this.instances[instance];
    const inner = this.graphs.regions(row);
    // A loop asks before it does something, in whichever order the two were traced.
    const asksLast = inner.length === 2 && regionTitle(this.graphs, inner[1]) === "condition";
    const ordered = asksLast ? inner.reverse() : inner;
    const made = ordered.map((graph) => this.#instance(graph, `${key}>${graph}`, "region", path));
    this.#regions.set(node, made);
    return made;
  }

  /** How many nodes the graphs inside a node have; 0 for an ordinary one. */
  inside(node: number): number {
    return this.graphs.regions(this.nodes[node].row).reduce((n, graph) => n + this.graphs.nodes(graph).length, 0);
  }

  /** Whether a graph inside a node is one that the node is in: a function that calls itself. */
  recursive(node: number): boolean {
    const { path } = this.instances[this.nodes[node].instance];
    return this.graphs.regions(this.nodes[node].row).some((graph) => path.includes(graph));
  }

  fate(node: number): Fate {
    return this.#fateOf(this.nodes[node].row);
  }

  #fateOf(row: number): Fate {
    if (this.#run) return this.#run.get(row) ?? KEPT;
    return fateAt(this.graphs, row, this.subject.step, this.#stepOfPass);
  }

  #runs(): boolean {
    const { graph } = this.subject;
    return [graph, ...this.graphs.inside(graph)].some((id) => this.recording.node_runs.graph.includes(id));
  }

  #instance(graph: number, key: string, kind: "root" | "region", around: readonly number[]): number {
    const { graphs, recording } = this;
    const index = this.instances.length;
    const rows = [...graphs.nodes(graph)].filter((row) => !this.#isLeftOut(row));
    const nodeOfNumber = new Map<number, number>();
    for (const row of rows) {
      nodeOfNumber.set(recording.nodes.number[row], this.nodes.length);
      this.nodes.push({ row, instance: index, key: `${key}:${recording.nodes.number[row]}` });
    }
    const title = regionTitle(graphs, graph);
    const root = { ...scopeTree([...nodeOfNumber.values()], this.#nodeInfo(), key, kind), title };
    this.instances.push({ graph, title, root, edges: this.#edges(graph, nodeOfNumber), path: [...around, graph] });
    return index;
  }

  /** What was inlined stays: what came in its place is what is inside it. */
  #isLeftOut(row: number): boolean {
    if (!this.subject.bare) return false;
    const { gone, fate } = this.#fateOf(row);
    return gone && fate !== "inlined";
  }

  /** The edges between nodes; where nodes are left out, between those that stand for them. */
  #edges(graph: number, nodeOfNumber: ReadonlyMap<number, number>): NodeEdge[] {
    const { node_edges: table } = this.recording;
    const seen = new Set<string>();
    const found: NodeEdge[] = [];
    for (const row of this.graphs.edges(graph)) {
      const [from, to] = [
        this.#standIn(graph, table.source[row], nodeOfNumber),
        this.#standIn(graph, table.target[row], nodeOfNumber),
      ];
      if (from < 0 || to < 0 || from === to) continue;
      const edge = { from, to, slot: table.slot[row], control: table.position[row] < 0 };
      const key = `${from} ${to} ${edge.slot} ${edge.control}`;
      if (this.subject.bare && seen.has(key)) continue;
      if (this.subject.bare) seen.add(key);
      found.push(edge);
    }
    return found;
  }

  #standIn(graph: number, number: number, nodeOfNumber: ReadonlyMap<number, number>): number {
    let at = number;
    for (let hops = 0; hops < 64; hops++) {
      const node = nodeOfNumber.get(at);
      if (node !== undefined) return node;
      const row = this.graphs.nodeRow(graph, at);
      if (row < 0 || this.recording.nodes.into[row] < 0) return -1;
      at = this.recording.nodes.into[row];
    }
    return -1;
  }

  #nodeInfo(): NamedNodeInfo {
    const { nodes, ops } = this.recording;
    return {
      name: (node) => nodes.name[this.nodes[node].row],
      op: (node) => ops.name[nodes.op[this.nodes[node].row]] ?? "",
      line: (node) => this.line(node),
    };
  }

  /** "line 9", or "" where that is not known. */
  line(node: number): string {
    const { nodes, sites } = this.recording;
    const site = nodes.site[this.nodes[node].row];
    let text = this.#lines.get(site);
    if (text === undefined) {
      text = sites.line[site] > 0 ? `line ${sites.line[site]}` : "";
      this.#lines.set(site, text);
    }
    return text;
  }

  /** A node's name with its scopes. */
  name(node: number): string {
    return this.recording.nodes.name[this.nodes[node].row];
  }

  op(node: number): string {
    return this.recording.ops.name[this.recording.nodes.op[this.nodes[node].row]] ?? "";
  }

  /** The instances of a node, given by its row, in the order in which they were made; none yet in a called function that is closed. */
  nodesOfRow(row: number): number[] {
    return this.nodes.flatMap((node, i) => (node.row === row ? [i] : []));
  }
}
