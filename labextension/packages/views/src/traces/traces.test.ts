import { describe, expect, it } from "vitest";
import { NO_SELECTION, NO_NODE, Selection, Signal } from "@tapeviz/core";
import { manyNodes, traced, GraphRecordingBuilder, training } from "../fixture";
import { changeText, costParts, sizeText, tracedFunctions } from "./cards";
import { tracesText } from "./text";
import { traces } from "./view";

const recording = traced();
const [head, step, dense] = tracedFunctions(recording);

describe("trace cards", () => {
  it("stand below their function, with what all of them cost", () => {
    expect([head.name, step.name, dense.name]).toEqual(["head", "train_step", "Dense.__call__"]);
    expect(step.facts).toEqual(["3 traces", "3 runs", "51.4 ms of tracing"]);
    expect(head.facts).toEqual(["1 trace", "3.8 ms of tracing"]);
  });

  it("say why a trace was made, and what is another one than in the nearest trace before", () => {
    const [first, second, third] = step.traces;
    expect([first.title, first.kind, first.reason]).toEqual(["First trace", "first", "The first call."]);
    expect(second.title).toBe("Trace 2: images changed");
    expect(second.arguments.map(changeText)).toEqual([
      "images: float32 (32, 64) → float32 (16, 64)",
      "labels: float32 (32, 4) → float32 (16, 4)",
      "rate: 0.1",
    ]);
    // Nearer to the first than to the second: only the rate is another one.
    expect(third.arguments.filter(({ changed }) => changed).map(changeText)).toEqual(["rate: 0.1 → 0.01"]);
    expect(third.fix).toBe("pass it as a tensor: tf.constant(0.01)");
  });

  it("tell a second trace of the same call from a retrace", () => {
    const [, again] = dense.traces;
    expect([again.kind, again.title]).toEqual(["again", "Trace 2: once more in the same call"]);
    expect(again.reason).toMatch(/created variables/);
    expect(again.arguments.some(({ changed }) => changed)).toBe(false);
  });

  it("have the call, the costs, the runs and what Python did once", () => {
    const [first, , third] = step.traces;
    expect([first.where, third.where]).toEqual(["cell 5, line 26", "cell 5, line 28"]);
    expect(costParts(first.costs)).toEqual([
      { name: "AutoGraph", ns: 21.4e6 },
      { name: "tracing", ns: 9.6e6 },
      { name: "planning", ns: 2.2e6 },
    ]);
    expect(costParts(third.costs).map(({ name }) => name)).toEqual(["tracing", "planning"]);
    expect([sizeText(first), sizeText(third), sizeText(head.traces[0])]).toEqual([
      "run 2 times; 62 nodes, 44 after the passes",
      "run once; 62 nodes, 44 after the passes",
      "runs inside train_step, trace 1; 4 nodes",
    ]);
    expect(first.effects[0]).toEqual({ text: 'print wrote "tracing with (32, 64)"', where: "cell 5, line 9" });
  });

  it("are the first and the last ones of very many", () => {
    const builder = new GraphRecordingBuilder({ text: "f(n)", number: 1, first: 1 });
    for (let i = 1; i <= 1000; i++)
      builder.graph({ name: "f", function: 0, trace: i, key: [["n", String(i)]], costs: [0, 1, 0] });
    const [{ facts, traces: cards }] = tracedFunctions(builder.finish().recording());
    expect(facts).toEqual(["1\u202f000 traces", "0 runs", "1 s of tracing", "940 traces after the first left out"]);
    expect([cards.length, cards[0].title, cards[1].title]).toEqual([60, "First trace", "Trace 942: n changed"]);
    expect(cards.at(-1)!.arguments.map(changeText)).toEqual(["n: 999 → 1000"]);
  });

  it("have new and missing arguments", () => {
    expect(changeText({ name: "x", before: null, after: "1", changed: true })).toBe("x: 1 (new)");
    expect(changeText({ name: "x", before: "1", after: null, changed: true })).toBe("x: 1 (gone)");
  });
});

describe("a session", () => {
  const builder = new GraphRecordingBuilder({ text: "session.run(y, {x: 1.0})", number: 1, first: 1 });
  const graph = builder.graph({ name: "Graph", sort: "session" });
  builder.node(graph, "x", { op: "placeholder" });
  builder.ran(graph, "run", 1, false);
  builder.add("graph_runs", { event: 0, graph, fed: '["x:0"]', fetched: '["y:0", "z:0"]', pruned: 3 });
  const made = builder.finish().recording();

  it("has its runs with what was fed and fetched", () => {
    const [{ facts, runs }] = tracedFunctions(made);
    expect(facts).toEqual(["session", "1 node", "2 runs"]);
    expect(runs[1]).toEqual({ event: 0, fed: ["x:0"], fetched: ["y:0", "z:0"], pruned: 3 });
    expect(words(made)).toContain("  run 2: fed x:0; fetched y:0, z:0; 3 nodes not needed");
  });
});

function words(of: typeof recording): string[] {
  return tracesText({ recording: of, selection: new Selection(), matches: new Signal<Uint8Array | null>(null) }).split(
    "\n",
  );
}

describe("traces in words", () => {
  it("have everything that cards have", () => {
    const lines = words(recording);
    expect(lines[0]).toBe("Traces: 3 functions, 6 traces.");
    expect(lines).toContain("  Trace 3: rate changed (cell 5, line 28)");
    expect(lines).toContain("    ≠ rate: 0.1 → 0.01");
    expect(lines).toContain("    to avoid it: pass it as a tensor: tf.constant(0.01)");
    expect(lines).toContain("    AutoGraph 21.4 ms, tracing 9.6 ms, planning 2.2 ms");
    expect(lines).toContain("    Ran once, while tracing: history grew by one element (cell 5, line 16)");
  });

  it("are there only where something was traced", () => {
    expect([traces.fits!(recording), traces.fits!(manyNodes(10)), traces.fits!(training())]).toEqual([
      true,
      true,
      false,
    ]);
    expect(words(training())).toEqual(["Traces: nothing was traced.", ""]);
  });
});

describe("the selection's node", () => {
  it("goes when something else is selected", () => {
    const selection = new Selection();
    selection.selectNode({ graph: 1, node: 2 });
    expect(selection.node.value).toEqual({ graph: 1, node: 2 });
    selection.select({ event: 3 });
    expect([selection.node.value, selection.selected.value.event]).toEqual([NO_NODE, 3]);
    selection.clear();
    expect(selection.selected.value).toEqual(NO_SELECTION);
  });
});
