import { describe, expect, it } from "vitest";
import { deep } from "../fixture/deep";
import { large } from "../fixture/large";
import { Rows, training } from "../fixture";
import { factsOf } from "../facts";
import { FOLD_THRESHOLD, groupsOf } from "./groups";
import { graphModelOf, modelOf, type GraphModel } from "./model";
import { defaultPass } from "./passes";
import { repeats } from "../layered/repeats";
import { MAX_CARDS } from "../layered/expansion";

const graphModel = (recording: ReturnType<typeof deep>): GraphModel =>
  graphModelOf(recording, defaultPass(factsOf(recording)));
const open = (of: GraphModel, ...opened: string[]): ReturnType<typeof modelOf> =>
  modelOf(of, { opened: new Set(opened), closed: new Set() });
const titles = (model: ReturnType<typeof modelOf>): string[] =>
  model.tiles.flatMap(({ group }) => (group ? [group.times > 1 ? `${group.title} ×${group.times}` : group.title] : []));

describe("repeats", () => {
  const none = (): boolean => false;
  const found = (text: string): string[] =>
    repeats(
      [...text].map((c) => c.charCodeAt(0)),
      none,
    ).map((r) => `${r.start} ${r.period}×${r.times}`);

  it("finds the block that covers most", () => {
    expect(found("xabcabcabcy")).toEqual(["1 3×3"]);
    expect(found("aaabaaabaaab")).toEqual(["0 4×3"]);
    expect(found("aaaaaa")).toEqual(["0 1×6"]);
  });

  it("leaves what repeats twice or is short", () => {
    expect(found("ababcc")).toEqual([]);
    expect(found("aaa")).toEqual([]);
    expect(repeats([5, 5, 5], () => true)).toEqual([{ start: 0, period: 1, times: 3 }]);
  });
});

describe("what is seen", () => {
  it("is everything in a small graph", () => {
    const model = modelOf(graphModel(training()));
    expect(model.tiles.length).toBe(12);
    expect([...model.open.keys()].map((group) => group.title)).toEqual(["", "hidden", "output"]);
  });

  it("folds twelve equal blocks into one", () => {
    const model = modelOf(graphModel(deep()));
    expect(titles(model)).toEqual(["block ×12"]);
    expect(model.tiles.length).toBe(7);
    expect(model.tiles.reduce((n, tile) => n + tile.members.length, 0)).toBe(model.graph.nodes.length);
  });

  it("opens to the blocks, and a block to its layers", () => {
    const of = graphModel(deep());
    const twelve = open(of, "/block");
    expect(titles(twelve)).toEqual(Array.from({ length: 12 }, (_, n) => `block_${n}`));
    const one = open(of, "/block", "/block/block_3");
    expect(titles(one)).toContain("attention");
    expect(one.tiles.length).toBe(twelve.tiles.length + 3);
    expect(modelOf(of, { opened: new Set(["/block"]), closed: new Set(["/block"]) }).tiles.length).toBe(7);
  });

  it("keeps within the aim by itself and within the limit whatever is asked", () => {
    for (const recording of [deep({ blocks: 3, decay: 1 }), deep({ blocks: 40, decay: 1 }), large(40_000)]) {
      const of = graphModel(recording);
      expect(modelOf(of).tiles.length).toBeLessThanOrEqual(FOLD_THRESHOLD + 20);
      const all = new Set([...groupsOf(of.root)].map((group) => group.key));
      expect(modelOf(of, { opened: all, closed: new Set() }).tiles.length).toBeLessThanOrEqual(MAX_CARDS);
    }
  });

  it("gives groups the same keys in another run", () => {
    const keys = (decay: number): string[] =>
      [...groupsOf(graphModel(deep({ blocks: 5, decay })).root)].map((group) => group.key);
    expect(keys(0.3)).toEqual(keys(0.9));
    expect(new Set(keys(0.3)).size).toBe(keys(0.3).length);
  });

  it("never links a tile to itself nor against the flow", () => {
    for (const model of [
      modelOf(graphModel(deep())),
      open(graphModel(deep()), "/block", "/block/block_0", "/block/block_0/attention"),
    ]) {
      for (const { from, to } of model.links) expect(from).toBeLessThan(to);
    }
  });
});

describe("ops of a traced graph", () => {
  it("are in the scopes of their nodes' names", () => {
    const rows = new Rows();
    const names = [...Array(40).keys()].flatMap((n) => [`net/block_${n}/MatMul`, `net/block_${n}/Add`]);
    rows.add("ops", { name: "matmul", family: "linalg" });
    rows.add("ops", { name: "add", family: "elementwise" });
    rows.add("graphs", { id: 0, parent: -1, name: "step" });
    rows.add("tensors", { id: 0, producer: -1, variable: -1, source: 0, shape: rows.intern("[2]") });
    names.forEach((name, n) => {
      rows.add("nodes", { graph: 0, number: n, name, op: n % 2, stage: -1, into: -1 });
      rows.add("events", { id: n, parent: -1, op: n % 2, origin: -1, t0: n, dur: 1, site: -1, params: -1 });
      rows.add("node_runs", { event: n, graph: 0, node: n });
      rows.add("tensors", { id: n + 1, producer: n, variable: -1, source: 0, shape: rows.intern("[2]") });
      rows.add("edges", { event: n, tensor: n, role: 0, slot: 0 });
      rows.add("edges", { event: n, tensor: n + 1, role: 1, slot: 0 });
    });
    const model = modelOf(graphModelOf(rows.recording(), -1));
    expect([...model.open.keys()].map((group) => group.title)).toEqual(["", "net"]);
    expect(titles(model)).toEqual(["block ×40"]);
  });
});
