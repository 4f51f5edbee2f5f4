import { describe, expect, it } from "vitest";
import { deep } from "../fixture/deep";
import { Rows, secondOrder, training } from "../fixture";
import { factsOf } from "../facts";
import { magnitudeText, userName } from "../figures";
import { flowGraph, type FlowGraph } from "./graph";
import { flowAlong, gradientAt, graphModelOf, modelOf } from "./model";
import { defaultPass } from "./passes";

const graphOf = (recording: ReturnType<typeof training>): FlowGraph =>
  flowGraph(recording, defaultPass(factsOf(recording)));
const names = ({ nodes, facts }: FlowGraph): string[] =>
  nodes.map(({ tensor, event }) => userName(facts, tensor) || facts.title(event));

describe("the graph of a training step", () => {
  const graph = graphOf(training());

  it("holds what the gradient flows through, in the order of the flow", () => {
    expect(names(graph)).toEqual([
      "images",
      "w1",
      "matmul",
      "b1",
      "add",
      "h",
      "w2",
      "matmul",
      "b2",
      "logits",
      "losses",
      "loss",
    ]);
    expect(graph.nodes[graph.target].event).toBe(graph.nodes.at(-1)!.event);
    for (const { from, to } of graph.edges) expect(from).toBeLessThan(to);
  });

  it("knows the gradient that comes back along every edge but that of the data", () => {
    const without = graph.edges.filter((edge) => edge.addends.length === 0).map((edge) => names(graph)[edge.from]);
    expect(without).toEqual(["images"]);
    const images = gradientAt(graph, graph.nodes[0].tensor)!;
    expect(magnitudeText(images)).toBe("not asked");
    expect(gradientAt(graph, graph.nodes[graph.target].tensor)).toEqual({ state: "number", norm: 1 });
  });

  it("leaves out the update that follows", () => {
    expect(names(graph)).not.toContain("assign_sub");
  });
});

describe("a gradient that is None", () => {
  const graphModel = graphModelOf(training({ lost: true }), defaultPass(factsOf(training({ lost: true }))));

  it("keeps the source in the graph and says where the way breaks", () => {
    const [gap] = graphModel.gaps;
    expect(graphModel.gaps.length).toBe(1);
    expect(names(graphModel.graph)[gap.near]).toBe("scale");
    expect(names(graphModel.graph)[gap.far]).toBe("losses");
    expect(gap.title).toBe("left the engine here");
    expect(gap.detail).toBe(".numpy() · line\u00a04");
    expect(gradientAt(graphModel.graph, gap.source)!.state).toBe("none");
  });
});

describe("a gradient of a gradient", () => {
  const graph = graphOf(secondOrder());

  it("goes back through the ops that the inner pass ran", () => {
    expect(names(graph)).toEqual(["x", "y", "ones_like", "cos", "dy"]);
    expect(graph.nodes[graph.target].event).toBe(5);
    const from = (title: string): string[] => {
      const node = names(graph).indexOf(title);
      return graph.edges.filter((edge) => edge.from === node).map((edge) => names(graph)[edge.to]);
    };
    expect([from("x"), from("y"), from("cos")]).toEqual([["y", "cos"], ["ones_like"], ["dy"]]);
  });

  it("knows the gradient along each edge that the outer pass went back", () => {
    const flows = graph.edges.filter((edge) => edge.addends.length > 0);
    expect(flows.map(({ from, to }) => `${names(graph)[from]} ${names(graph)[to]}`)).toEqual(["x cos", "cos dy"]);
  });

  it("leaves the inner pass as it was", () => {
    const inner = flowGraph(secondOrder(), 1);
    expect(names(inner)).toEqual(["x", "y"]);
  });
});

describe("an op with several outputs", () => {
  it("stands for the one that a gradient comes back to", () => {
    const rows = new Rows();
    rows.add("ops", { name: "while", family: "control" });
    rows.add("variables", { id: 0, name: "w:0", trainable: 1 });
    rows.add("events", { id: 0, parent: -1, op: 0, origin: -1, t0: 1, dur: 1 });
    const params = rows.intern(JSON.stringify({ span: "backward", name: "gradient" }));
    rows.add("events", { id: 1, parent: -1, kind: 1, params, phase: 1, origin: -1, t0: 3 });
    rows.add("events", { id: 2, parent: 1, op: 0, phase: 1, origin: 0, t0: 4, dur: 1 });
    for (const [id, producer] of [-1, -1, 0, 0, 1, 2].entries())
      rows.add("tensors", { id, producer, variable: id === 0 ? 0 : -1, source: id === 0 ? 2 : 0 });
    for (const [event, tensor, role, slot] of [
      [0, 0, 0, 0],
      [0, 2, 1, 0],
      [0, 3, 1, 1],
      [2, 4, 0, 0],
      [2, 5, 1, 0],
    ])
      rows.add("edges", { event, tensor, role, slot });
    rows.add("gradients", { backward: 1, tensor: 3, gradient: 4, addend: 4 });
    rows.add("gradients", { backward: 2, tensor: 0, gradient: 5, addend: 5 });
    rows.add("requests", { event: 1, tape: 0, target: 3, source: 0, variable: 0, gradient: 5 });
    const graph = graphOf(rows.recording());
    expect(graph.nodes.map(({ tensor }) => tensor)).toEqual([0, 3]);
    expect(graph.edges.map(({ addends }) => addends.length)).toEqual([1]);
  });
});

describe("a loop that a pass goes through in one step", () => {
  const rows = new Rows();
  for (const name of ["while", "multiply"]) rows.add("ops", { name, family: "control" });
  rows.add("variables", { id: 0, name: "w:0", trainable: 1 });
  const span = (sort: string): number => rows.intern(JSON.stringify({ span: sort, name: sort }));
  rows.add("events", { id: 0, parent: -1, kind: 1, params: span("loop"), origin: -1, t0: 0 });
  rows.add("events", { id: 1, parent: 0, op: 1, origin: -1, t0: 1, dur: 1 });
  rows.add("events", { id: 2, parent: 0, op: 0, origin: -1, t0: 2, dur: 1 });
  rows.add("events", { id: 3, parent: -1, kind: 1, params: span("backward"), phase: 1, origin: -1, t0: 4 });
  rows.add("events", { id: 4, parent: 3, op: 0, phase: 1, origin: 2, t0: 5, dur: 1 });
  for (const [id, producer] of [-1, 1, 2, 3, 4].entries())
    rows.add("tensors", { id, producer, variable: id === 0 ? 0 : -1, source: id === 0 ? 2 : 0 });
  for (const [event, tensor, role, slot] of [
    [1, 0, 0, 0],
    [1, 1, 1, 0],
    [2, 0, 0, 0],
    [2, 1, 0, 1],
    [2, 2, 1, 0],
    [4, 3, 0, 0],
    [4, 4, 1, 0],
  ])
    rows.add("edges", { event, tensor, role, slot });
  rows.add("gradients", { backward: 3, tensor: 2, gradient: 3, addend: 3 });
  rows.add("gradients", { backward: 4, tensor: 0, gradient: 4, addend: 4 });
  rows.add("requests", { event: 3, tape: 0, target: 2, source: 0, variable: 0, gradient: 4 });

  it("has no gradient inside that could be None", () => {
    const graphModel = graphModelOf(rows.recording(), 3);
    const state = (tensor: number): string => gradientAt(graphModel.graph, tensor)!.state;
    expect([state(1), state(2)]).toEqual(["unseen", "pending"]);
    const model = modelOf(graphModel);
    const flows = model.links.map((link) => `${link.from} ${link.to} ${flowAlong(model, link)!.state}`);
    expect(flows).toEqual(["0 1 unseen", "0 2 pending", "1 2 unseen"]);
  });
});

describe("what nothing goes into that was asked for", () => {
  it("has no gradient that could be None", () => {
    const graph = graphOf(training());
    const plain = { ...graph, pass: { ...graph.pass!, gradient: new Map(), requests: [] } };
    const state = (title: string): string => gradientAt(plain, graph.nodes[names(graph).indexOf(title)].tensor)!.state;
    expect([state("images"), state("matmul")]).toEqual(["unasked", "none"]);
  });
});

describe("without a backward pass", () => {
  it("shows the forward graph with the op that failed", () => {
    const graph = graphOf(training({ failed: true }));
    expect(graph.pass).toBeNull();
    expect(names(graph)).toEqual(["images", "w1", "matmul", "b1", "h", "w2", "matmul"]);
    expect(graph.nodes.at(-1)).toMatchObject({ failed: true, tensor: -1 });
    expect(gradientAt(graph, graph.nodes[0].tensor)).toBeNull();
  });
});

describe("NaN", () => {
  it("begins at the first node that is not finite although what it reads is", () => {
    const recording = training({ nan: true });
    const { nonfinite, graph } = graphModelOf(recording, defaultPass(factsOf(recording)));
    expect(names(graph)[nonfinite.first]).toBe("images");
    expect(nonfinite.values.size).toBe(8);
    expect(nonfinite.backward).toBe(false);
  });

  it("is nowhere in a sound recording", () => {
    const recording = training();
    expect(graphModelOf(recording, defaultPass(factsOf(recording))).nonfinite.first).toBe(-1);
  });
});

describe("sums", () => {
  it("gives a tensor that is read twice an addend for each reader", () => {
    const graph = graphOf(deep({ blocks: 2, decay: 0.5 }));
    const x = graph.nodes.find((node) => node.source === null && graph.facts.title(node.event) === "reshape")!;
    const edges = graph.edgesOf.get(x.tensor)!;
    expect(edges.map((edge) => edge.addends.length)).toEqual([1, 1]);
  });
});
