import { describe, expect, it } from "vitest";
import { deep } from "../fixture/deep";
import { training } from "../fixture";
import { factsOf } from "../facts";
import { magnitudeText, ownName } from "../figures";
import { flowGraph, type FlowGraph } from "./graph";
import { gradientAt, groundOf } from "./model";
import { defaultPass } from "./passes";

const graphOf = (recording: ReturnType<typeof training>): FlowGraph =>
  flowGraph(recording, defaultPass(factsOf(recording)));
const names = ({ nodes, facts }: FlowGraph): string[] =>
  nodes.map(({ tensor, event }) => ownName(facts, tensor) || facts.title(event));

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
  const ground = groundOf(training({ lost: true }), defaultPass(factsOf(training({ lost: true }))));

  it("keeps the source in the graph and says where the way breaks", () => {
    const [gap] = ground.gaps;
    expect(ground.gaps.length).toBe(1);
    expect(names(ground.graph)[gap.near]).toBe("scale");
    expect(names(ground.graph)[gap.far]).toBe("losses");
    expect(gap.title).toBe("left the engine here");
    expect(gap.detail).toBe(".numpy() · line\u00a04");
    expect(gradientAt(ground.graph, gap.source)!.state).toBe("none");
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
    const { nonfinite, graph } = groundOf(recording, defaultPass(factsOf(recording)));
    expect(names(graph)[nonfinite.first]).toBe("images");
    expect(nonfinite.values.size).toBe(8);
    expect(nonfinite.backward).toBe(false);
  });

  it("is nowhere in a sound recording", () => {
    const recording = training();
    expect(groundOf(recording, defaultPass(factsOf(recording))).nonfinite.first).toBe(-1);
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
