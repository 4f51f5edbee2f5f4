import { describe, expect, it } from "vitest";
import { fixtureBytes } from "./fixtures";
import { Recording, graphsOf, selectNodes } from "./index";

const recording = await Recording.open(fixtureBytes("traced"));
const graphs = graphsOf(recording);
const FIRST = 0;
const SECOND = 1;
const names = (rows: ArrayLike<number>): string[] => Array.from(rows, (row) => recording.nodes.name[row]);
const found = (text: string): string[] => {
  const flags = selectNodes(recording, text);
  return names(graphs.nodes(SECOND).filter((row) => flags[row] === 1));
};

describe("a traced function", () => {
  it("has its traces, with the runs of each", () => {
    const [step, ...others] = graphs.functions();
    const third = step.traces[2];
    expect([step.name, step.traces.length, step.runs, others]).toEqual(["step", 3, 3, []]);
    expect(step.traces.map((id) => graphs.runs(id).length)).toEqual([0, 2, 1]);
    expect([graphs.nearest(FIRST), graphs.nearest(SECOND), graphs.nearest(third)]).toEqual([-1, FIRST, SECOND]);
  });

  it("says which argument is another one", () => {
    const third = graphs.functions()[0].traces[2];
    expect(graphs.arguments(third, SECOND)).toEqual([
      { name: "x", before: "float32 (32, 64)", after: "float32 (16, 64)", changed: true },
      { name: "scale", before: "2.0", after: "2.0", changed: false },
    ]);
    expect(graphs.arguments(FIRST, -1)[1]).toEqual({ name: "scale", before: null, after: "2.0", changed: false });
  });

  it("knows where generated lines come from, and what Python did once", () => {
    expect([...graphs.lines(FIRST)].slice(0, 2)).toEqual([
      [1, 2],
      [2, 3],
    ]);
    expect([graphs.effects(FIRST).length, graphs.effects(SECOND).length]).toEqual([1, 0]);
  });
});

describe("nodes", () => {
  it("come in the order of their numbers, with what they hand on", () => {
    const rows = graphs.nodes(SECOND);
    expect(names(rows).slice(0, 3)).toEqual(["x", "dense/ReadVariableOp", "dense/MatMul"]);
    expect(graphs.specs(rows[2])).toEqual([{ shape: [32, 10], dtype: "float32" }]);
    expect([graphs.nodeRow(SECOND, 2), graphs.nodeRow(SECOND, 999)]).toEqual([rows[2], -1]);
  });

  it("hold graphs", () => {
    const cond = graphs.nodeRow(SECOND, 8);
    const inside = graphs.regions(cond);
    expect(inside.map((id) => recording.graphs.name[graphs.row(id)])).toEqual(["true branch", "false branch"]);
    expect([...graphs.inside(SECOND)]).toEqual(inside);
    expect(graphs.regions(cond - 1)).toEqual([]);
  });

  it("know the events that ran them, and events their nodes", () => {
    const third = graphs.functions()[0].traces[2];
    const row = graphs.nodeRow(third, 2);
    const [event] = graphs.eventsOf(row);
    expect([...graphs.nodesOf(event)]).toEqual([row]);
    expect(graphs.eventsOf(graphs.nodeRow(SECOND, 2)).length).toBe(0);
  });

  it("need not be written in order", () => {
    const other = Recording.fromTables({
      graphs: { id: [4] },
      nodes: { graph: [4, 4, 4], number: [2, 0, 1], name: ["c", "a", "b"], shapes: ["?", "[null]", "[[null]]"], dtypes: ['["bool"]', '["int32"]', '["int32"]'] }, // prettier-ignore
    });
    const made = graphsOf(other);
    expect([...made.nodes(4)]).toEqual([1, 2, 0]);
    expect([0, 1, 2].map((row) => made.specs(row)[0].shape)).toEqual([null, null, [null]]);
  });
});

describe("a filter over nodes", () => {
  it("goes by op, name, scope, line, shape and dtype", () => {
    expect(found("op:matmul|add")).toEqual(["dense/MatMul", "dense/add"]);
    expect(found("name:MatMul")).toEqual(["dense/MatMul"]);
    expect(found("module:dense -op:read_variable")).toEqual(["dense/MatMul", "dense/add"]);
    expect(found("line:5 dtype:bool")).toEqual(["Greater"]);
    expect(found("shape:[*,64]")).toEqual(["x"]);
    expect(found("sum")).toEqual(["Sum", "Sum_1"]);
    expect(found("").length).toBe(12);
  });

  it("goes by what ran, where nodes ran", () => {
    expect(found("dur>1ns")).toEqual([]);
    expect(selectNodes(recording, "dur>1ns op:matmul").reduce((a, b) => a + b, 0)).toBe(1);
  });
});
