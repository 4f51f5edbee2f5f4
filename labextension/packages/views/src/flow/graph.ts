import { SOURCE, STATUS, traitsOf } from "@tapeviz/recording";
import { factsOf, type Facts } from "../facts";
import { userName } from "../figures";
import { endsOf, evidenceTensors } from "./gaps";
import { isDifferentiated, readPass, type Addend, type Pass } from "./passes";
import type { Recording } from "@tapeviz/recording";

export type SourceKind = "variable" | "watched" | "data" | "constant";

/** An op that ran, or something that was there before: a variable, a watched tensor, data. */
export interface FlowNode {
  /** The forward event; -1 for a source. */
  readonly event: number;
  /** The output that stands for it, or the source itself; -1 for an op that failed. */
  readonly tensor: number;
  /** What sort of source; null for an op. */
  readonly source: SourceKind | null;
  /** Asked for in the call of `gradient()`. */
  readonly requested: boolean;
  /** Whether anything that was asked for goes into it: to what nothing does, no gradient had to come. */
  readonly sought: boolean;
  readonly failed: boolean;
  /** Where it stands in the flow: the event, for a source just before the first event that reads it. */
  readonly order: number;
}

/** A tensor going into an op. */
export interface FlowEdge {
  readonly from: number;
  readonly to: number;
  /** The tensor, and what the op read where a cast or an identity lies between. */
  readonly tensor: number;
  readonly read: number;
  /** What the op's backward step added to the tensor's gradient; empty where no gradient flows. */
  readonly addends: readonly Addend[];
}

/** The part of a recording that a gradient flows through, in the order of the flow; casts and identities are folded. */
export interface FlowGraph {
  readonly facts: Facts;
  readonly pass: Pass | null;
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  /** The node that was differentiated, or the last one; -1 in an empty graph. */
  readonly target: number;
  /** The node of a forward tensor or event, the folded ones included. */
  readonly nodeOfTensor: ReadonlyMap<number, number>;
  readonly nodeOfEvent: ReadonlyMap<number, number>;
  /** The edges that a tensor goes along. */
  readonly edgesOf: ReadonlyMap<number, readonly FlowEdge[]>;
  /** Whether there was more than is kept: then the ops nearest to the target are. */
  readonly cut: boolean;
}

/** Of longer ways only the ops nearest to the target are kept: more than this nobody unfolds. */
export const MAX_OPS = 20_000;

/** Builds the graph of a backward pass; with `span` -1 that of all forward ops. */
export function flowGraph(recording: Recording, span: number): FlowGraph {
  const facts = factsOf(recording);
  const pass = readPass(facts, span);
  const maker = new GraphBuilder(facts, pass);
  const events = pass ? [...ancestors(facts, pass.target), ...beyond(facts, pass)] : lastForward(facts);
  const sorted = [...new Set(events)].sort((a, b) => a - b);
  for (const event of sorted) maker.op(event);
  pass?.requests.forEach(({ source, variable }) => maker.request(source, variable));
  return maker.graph(events.length >= MAX_OPS);
}

function lastForward(facts: Facts): number[] {
  const { events } = facts.recording;
  const found: number[] = [];
  for (let row = events.rows - 1; row >= 0 && found.length < MAX_OPS; row--) {
    if (isDifferentiated(facts, events.id[row])) found.push(events.id[row]);
  }
  return found;
}

/** The event that made a tensor; -1 for a source. */
export function producerOf(facts: Facts, tensor: number): number {
  const { tensors } = facts.recording;
  const row = facts.tensorRow(tensor);
  if (row < 0 || tensors.variable[row] >= 0 || tensors.source[row] === SOURCE.variable) return -1;
  return isDifferentiated(facts, tensors.producer[row]) ? tensors.producer[row] : -1;
}

/** Whether an event only hands its input on: an identity, a read, a cast that keeps the gradient. */
function isFolded(facts: Facts, event: number): boolean {
  const { events } = facts.recording;
  const row = facts.eventRow(event);
  const traits = traitsOf(facts.recording, events.op[row]);
  if (events.status[row] !== STATUS.ok || facts.inputs(event).length !== 1 || traits.has("stops_gradient"))
    return false;
  return traits.has("identity") || (traits.has("cast") && /float|complex/.test(facts.dtype(facts.outputs(event)[0])));
}

/** The tensor behind casts, reads and identities. */
export function resolveAliases(facts: Facts, tensor: number): number {
  let at = tensor;
  for (let event = producerOf(facts, at); event >= 0 && isFolded(facts, event); event = producerOf(facts, at)) {
    at = facts.inputs(event)[0];
  }
  return at;
}

/** The events that a tensor was computed by, latest first. Inputs are made before they are read: one way back finds all. */
export function ancestors(facts: Facts, tensor: number): number[] {
  const { events } = facts.recording;
  const needed = new Uint8Array(events.rows);
  const need = (made: number): void => {
    const row = facts.eventRow(producerOf(facts, made));
    if (row >= 0) needed[row] = 1;
  };
  need(tensor);
  const found: number[] = [];
  for (let row = needed.lastIndexOf(1); row >= 0 && found.length < MAX_OPS; row--) {
    if (needed[row] === 0) continue;
    found.push(events.id[row]);
    for (const input of facts.inputs(events.id[row])) need(input);
  }
  return found;
}

/**
 * What was computed from the sources whose gradient is None, as far as the tape was on: where the reason is known only
 * what leads to where they are lost, else all, the steps of other models among it.
 */
function beyond(facts: Facts, pass: Pass): number[] {
  const { events } = facts.recording;
  const lost = pass.requests.filter((r) => r.gradient < 0);
  const reached = new Set(lost.map((r) => r.source));
  const found: number[] = [];
  if (reached.size === 0) return found;
  const ends = endsOf(facts, lost);
  if (ends !== null) return ends.flatMap((tensor) => ancestors(facts, tensor));
  for (
    let row = facts.eventRow(since(facts, pass));
    row < events.rows && events.id[row] < pass.span && found.length < MAX_OPS;
    row++
  ) {
    const event = events.id[row];
    if (!isDifferentiated(facts, event) || !facts.inputs(event).some((tensor) => reached.has(tensor))) continue;
    found.push(event);
    for (const tensor of facts.outputs(event)) reached.add(tensor);
  }
  return found;
}

/** The first event under the tape that was asked. */
function since(facts: Facts, pass: Pass): number {
  const { requests, tapes, events } = facts.recording;
  const tape = requests.tape[requests.event.indexOf(pass.span)];
  let entered = 0;
  for (let row = 0; row < tapes.rows; row++) {
    if (tapes.id[row] === tape && tapes.change[row] === "enter") entered = tapes.t[row];
  }
  return events.id[events.t0.findIndex((t) => t >= entered)] ?? 0;
}

/** Nodes and edges in the making. Sources get their place when the first op reads them. */
class GraphBuilder {
  readonly #nodes: FlowNode[] = [];
  readonly #edges: FlowEdge[] = [];
  readonly #ofTensor = new Map<number, number>();
  readonly #ofEvent = new Map<number, number>();
  readonly #requested: ReadonlySet<number>;
  readonly #watched: ReadonlySet<number>;
  readonly #evidence: ReadonlySet<number>;

  constructor(
    private readonly facts: Facts,
    private readonly pass: Pass | null,
  ) {
    this.#requested = new Set(pass?.requests.map((r) => r.source));
    this.#evidence = evidenceTensors(facts.recording);
    this.#watched = new Set(facts.recording.watches.tensor);
  }

  op(event: number): void {
    const { facts } = this;
    if (isFolded(facts, event)) return this.#fold(event);
    const inputs = [...facts.inputs(event)].map((read) => ({ read, tensor: resolveAliases(facts, read) }));
    inputs.forEach(({ tensor }, slot) => this.#source(tensor, event - 0.9 + (0.5 * slot) / (inputs.length + 1)));
    const outputs = facts.outputs(event);
    const failed = facts.recording.events.status[facts.eventRow(event)] !== STATUS.ok;
    const tensor = this.#main(outputs);
    const node =
      this.#nodes.push({ event, tensor, source: null, requested: false, sought: false, failed, order: event }) - 1;
    this.#ofEvent.set(event, node);
    for (const tensor of outputs) this.#ofTensor.set(tensor, node);
    const joined = new Set<number>();
    for (const { read, tensor } of inputs) {
      const from = this.#ofTensor.get(tensor);
      if (from === undefined || from === node || joined.has(tensor)) continue;
      joined.add(tensor);
      const reads = new Set(inputs.filter((i) => i.tensor === tensor).map((i) => i.read));
      const addends = [...reads].flatMap((r) => this.pass?.addends(event, r) ?? []);
      this.#edges.push({ from, to: node, tensor, read, addends });
    }
  }

  /** The output that stands for an op: the first one that a gradient comes back to, else the first one. */
  #main(outputs: Int32Array): number {
    return outputs.find((tensor) => this.pass?.gradient.has(tensor) ?? false) ?? outputs[0] ?? -1;
  }

  /** A folded event belongs to the node of what it reads; so does what it makes. */
  #fold(event: number): void {
    const { facts } = this;
    const tensor = resolveAliases(facts, facts.inputs(event)[0]);
    this.#source(tensor, event - 0.9);
    const node = this.#ofTensor.get(tensor);
    if (node === undefined) return;
    this.#ofEvent.set(event, node);
    for (const output of facts.outputs(event)) this.#ofTensor.set(output, node);
  }

  /** A node for what was asked for, also where nothing reads it. */
  request(source: number, variable: number): void {
    if (this.#ofTensor.has(source)) return;
    const { tensors } = this.facts.recording;
    const same = this.#nodes.findIndex(
      (n) => n.source && variable >= 0 && tensors.variable[this.facts.tensorRow(n.tensor)] === variable,
    );
    if (same >= 0) this.#ofTensor.set(source, same);
    else this.#source(source, (this.pass?.span ?? 0) - 0.5);
  }

  /** Makes a node of a tensor that no event of the graph made; plain numbers of the user's code stay inside the op. */
  #source(tensor: number, order: number): void {
    if (this.#ofTensor.has(tensor)) return;
    const kind = this.#kind(tensor);
    const plain =
      (kind === "constant" || kind === "data") &&
      userName(this.facts, tensor) === "" &&
      this.facts.shape(tensor).length === 0;
    if (plain && !this.#requested.has(tensor) && !this.#evidence.has(tensor)) return;
    const requested = this.#requested.has(tensor);
    const node = { event: -1, tensor, source: kind, requested, sought: requested, failed: false, order };
    this.#ofTensor.set(tensor, this.#nodes.push(node) - 1);
  }

  #kind(tensor: number): SourceKind {
    const { tensors, variables } = this.facts.recording;
    const row = this.facts.tensorRow(tensor);
    const variable = row < 0 ? -1 : tensors.variable[row];
    if (variable >= 0 || tensors.source[row] === SOURCE.variable) return variables.rows > 0 ? "variable" : "data";
    if (this.#requested.has(tensor) || this.#watched.has(tensor)) return "watched";
    return tensors.source[row] === SOURCE.constant ? "constant" : "data";
  }

  /** The graph with its nodes in the order of the flow. */
  graph(cut: boolean): FlowGraph {
    const order = this.#nodes.map((_, i) => i).sort((a, b) => this.#nodes[a].order - this.#nodes[b].order);
    const position = new Int32Array(order.length);
    order.forEach((node, i) => (position[node] = i));
    const sought = new Set<number>();
    // Edges come in the order of the ops that they go into.
    for (const { from, to } of this.#edges) if (this.#nodes[from].requested || sought.has(from)) sought.add(to);
    const nodes = order.map((i) => (sought.has(i) ? { ...this.#nodes[i], sought: true } : this.#nodes[i]));
    const moved = (map: Map<number, number>): Map<number, number> =>
      new Map([...map].map(([key, node]) => [key, position[node]]));
    const [nodeOfTensor, nodeOfEvent] = [moved(this.#ofTensor), moved(this.#ofEvent)];
    const edges = this.#edges.map((edge) => ({ ...edge, from: position[edge.from], to: position[edge.to] }));
    const last = nodes.findLastIndex((node) => node.source === null);
    const target = this.pass ? (nodeOfTensor.get(this.pass.target) ?? -1) : last;
    return {
      facts: this.facts,
      pass: this.pass,
      nodes,
      edges,
      target,
      nodeOfTensor,
      nodeOfEvent,
      edgesOf: byTensor(edges),
      cut,
    };
  }
}

function byTensor(edges: readonly FlowEdge[]): Map<number, FlowEdge[]> {
  const found = new Map<number, FlowEdge[]>();
  for (const edge of edges) {
    const list = found.get(edge.tensor);
    if (list) list.push(edge);
    else found.set(edge.tensor, [edge]);
  }
  return found;
}
