import { describe, expect, it } from "vitest";
import { manyNodes, traced } from "../fixture";
import { GraphRecordingBuilder } from "../fixture/graphbuilder";
import { choicesOf, firstGraph, graphTitle, outermost } from "./choice";
import { GraphModel } from "./model";
import { MAX_CARDS, NO_EXPANSION, type ExpansionState } from "../layered/expansion";
import { entriesOf, flowOrder, levelsOf, type Entry, type Level } from "./levels";
import { LEGIBLE_SCALE } from "./layout";
import { partsOpened, withParts } from "./parts";
import { FOLD_THRESHOLD } from "./scopes";
import { changesAt } from "./steps";

const recording = traced();
const FIRST = 1;
const model = (step = 0, bare = false): GraphModel => new GraphModel(recording, { graph: FIRST, step, bare });
const open = (...keys: string[]): ExpansionState => ({ opened: new Set(keys), closed: new Set() });
const title = (made: GraphModel, { item }: Entry): string =>
  typeof item === "number" ? made.name(item) : `${item.title}${item.times > 1 ? ` ×${item.times}` : ""}`;
const titles = (made: GraphModel, { entries }: Level): string[] => entries.map((entry) => title(made, entry));
const find = (made: GraphModel, level: Level, name: string): Entry =>
  [...entriesOf(level)].map(({ entry }) => entry).find((entry) => title(made, entry) === name)!;
const links = (made: GraphModel, { entries, links: all }: Level): string[] =>
  all.map(({ from, to, control }) => {
    const name = (end: number): string => (end < 0 ? "port" : title(made, entries[end]));
    return `${name(from)} ${control ? "before" : "to"} ${name(to)}`;
  });

describe("a graph that is folded", () => {
  const made = model();
  const level = levelsOf(made);

  it("begins with its outermost scopes, in the order of the flow", () => {
    expect(titles(made, level).slice(0, 5)).toEqual(["images", "labels", "encoder", "Max", "Const"]);
    expect(level.entries.every(({ levels }) => levels.length === 0)).toBe(true);
    expect(level.entries.reduce((n, { members }) => n + members.length, 0)).toBe(made.nodes.length);
  });

  it("has one link for all edges between two things, and tells those that are only an order", () => {
    expect(links(made, level)).toContain("images to encoder");
    expect(links(made, level)).toContain("PrintV2 before Identity_1");
    expect(new Set(links(made, level)).size).toBe(level.links.length);
  });

  it("folds alike scopes side by side into one that says how many", () => {
    const inside = levelsOf(made, open("/encoder"));
    const encoder = find(made, inside, "encoder");
    expect(titles(made, encoder.levels[0])).toEqual(["layer ×6"]);
    expect(links(made, encoder.levels[0])).toEqual(["port to layer ×6", "layer ×6 to port"]);
    const layers = find(made, levelsOf(made, open("/encoder", "/encoder/layer")), "layer ×6").levels[0];
    expect(titles(made, layers).slice(0, 2)).toEqual(["layer_0", "layer_1"]);
    expect(links(made, layers)).toContain("layer_0 to layer_1");
  });

  it("shows what is inside a node: branches, condition and body, a called function", () => {
    const cond = find(made, level, "cond");
    const [yes, no] = find(made, levelsOf(made, open(cond.key)), "cond").levels;
    expect([yes.group.title, no.group.title]).toEqual(["true branch", "false branch"]);
    expect(titles(made, yes)).toEqual(["x", "Max", "truediv"]);
    expect(links(made, yes)).toEqual(["x to Max", "x to truediv", "Max to truediv"]);
    const head = levelsOf(made, open("/head"));
    const call = find(made, head, "head/call");
    expect(find(made, levelsOf(made, open("/head", call.key)), "head/call").levels[0].group.title).toBe("head");
  });
});

describe("what is open by itself", () => {
  /** A model of two layers and its gradients by them, of so many ops each; behind them ops without scopes. */
  const trained = (ops: number): GraphModel => {
    const builder = new GraphRecordingBuilder({ text: "x", number: 1, first: 1 });
    const graph = builder.graph({ name: "step" });
    let last = builder.node(graph, "x", { op: "placeholder" });
    for (const scope of ["net/a", "net/b", "gradient_tape/net/b", "gradient_tape/net/a", "sgd"])
      for (let n = 0; n < ops; n++) last = builder.node(graph, `${scope}/${n}`, { op: "add", inputs: [last] });
    return new GraphModel(builder.finish().recording(), { graph, step: 0, bare: false });
  };

  it("is a model's layers, and its gradients by layer, where all of that can be read", () => {
    expect([...partsOpened(trained(10), NO_EXPANSION, () => 1)]).toEqual(["/net", "/gradient_tape/net"]);
  });

  it("is the model alone where names would be cut, and nothing where nothing could be read", () => {
    expect([...partsOpened(trained(10), NO_EXPANSION, () => LEGIBLE_SCALE)]).toEqual(["/net"]);
    expect([...partsOpened(trained(10), NO_EXPANSION, () => LEGIBLE_SCALE - 0.01)]).toEqual([]);
  });

  it("is closed where the user closed it, and nothing more is opened in a small graph", () => {
    const made = trained(10);
    const parts = partsOpened(made, NO_EXPANSION, () => 1);
    const level = levelsOf(made, withParts({ opened: new Set(), closed: new Set(["/net"]) }, parts));
    expect(find(made, level, "net").levels).toEqual([]);
    expect(find(made, level, "gradient_tape/net").levels.length).toBe(1);
    expect([...partsOpened(trained(4), NO_EXPANSION, () => 1)]).toEqual([]);
  });
});

describe("a small graph", () => {
  it("is open from the beginning, and has no scope around a single thing", () => {
    const builder = new GraphRecordingBuilder({ text: "x", number: 1, first: 1 });
    const graph = builder.graph({ name: "f" });
    const x = builder.node(graph, "a/b/x", { op: "placeholder" });
    const y = builder.node(graph, "a/b/y", { op: "relu", inputs: [x] });
    builder.node(graph, "c/z", { op: "relu", inputs: [y] });
    const made = new GraphModel(builder.finish().recording(), { graph, step: 0, bare: false });
    const level = levelsOf(made);
    expect(titles(made, level)).toEqual(["a/b", "c/z"]);
    expect(titles(made, level.entries[0].levels[0])).toEqual(["a/b/x", "a/b/y"]);
    expect(made.root.size).toBeLessThan(FOLD_THRESHOLD);
  });

  it("may call itself without end", () => {
    const builder = new GraphRecordingBuilder({ text: "x", number: 1, first: 1 });
    const graph = builder.graph({ name: "f", function: 0, trace: 1 });
    const x = builder.node(graph, "x", { op: "placeholder" });
    builder.node(graph, "call", { op: "call", inputs: [x], regions: [graph] });
    const made = new GraphModel(builder.finish().recording(), { graph, step: 0, bare: false });
    expect(titles(made, levelsOf(made))).toEqual(["x", "call"]);
    const opened = levelsOf(made, open(":1", ":1>0:1"));
    expect([...entriesOf(opened)].length).toBe(6);
  });
});

describe("passes", () => {
  it("are steps after the graph as traced", () => {
    const { steps } = model();
    expect(steps.map(({ name, nodes }) => [name, nodes])).toEqual([
      ["traced", 62],
      ["prune", 60],
      ["fold", 58],
      ["inline", 57],
      ["fuse", 44],
    ]);
    expect(steps[2].text).toBe("worked out 1 node whose inputs are all constants");
  });

  it("are told apart from those that changed nothing, here or inside", () => {
    const { graphs, steps } = model();
    expect(changesAt(graphs, FIRST, steps)).toEqual([true, true, true, true, true]);
    const idle = steps.map((step, i) => (i === 4 ? step : { ...step, pass: step.pass + 100, name: `${i}`, fewer: 0 }));
    expect(changesAt(graphs, FIRST, idle).slice(1)).toEqual([false, false, false, true]);
  });

  it("do something to nodes at their step, and have done so afterwards", () => {
    const fate = (step: number, name: string): string => {
      const made = model(step);
      const { when, fate: word, gone } = made.fate(made.nodes.findIndex((_, node) => made.name(node) === name));
      return `${when} ${word} ${gone}`;
    };
    expect([0, 1, 2].map((step) => fate(step, "Identity"))).toEqual([
      "never kept false",
      "now pruned true",
      "before pruned true",
    ]);
    expect(fate(2, "mul")).toBe("now folded false");
    expect([fate(3, "pow"), fate(4, "pow"), fate(4, "sub")]).toEqual([
      "never kept false",
      "now fused false",
      "now fused true",
    ]);
  });

  it("leave a graph whose edges lead to what stands for the nodes that are gone", () => {
    const made = model(4, true);
    const level = levelsOf(made);
    const names = titles(made, level);
    expect(names).not.toContain("sub");
    expect(names).not.toContain("Max_1");
    expect(links(made, level)).toContain("labels to pow");
    expect(links(made, level)).toContain("head to pow");
    // What was inlined stays, for what came in its place is inside it.
    expect(made.nodes.length).toBe(44 + 1);
  });
});

describe("a session", () => {
  const builder = new GraphRecordingBuilder({ text: "session.run(y, {x: 1.0})", number: 1, first: 1 });
  const graph = builder.graph({ name: "Graph", sort: "session" });
  const x = builder.node(graph, "x", { op: "placeholder" });
  const y = builder.node(graph, "y", { op: "relu", inputs: [x] });
  const loss = builder.node(graph, "loss", { op: "reduce_mean", inputs: [y] });
  builder.node(graph, "train", { op: "assign_sub", inputs: [loss] });
  builder.add("graph_runs", { event: -1, graph, fed: '["x:0"]', fetched: '["loss:0"]', pruned: 1 });
  builder.add("graph_runs", { event: -1, graph, fed: '["x:0"]', fetched: '["loss:0"]', pruned: 1 });
  builder.add("graph_runs", { event: -1, graph, fed: "y:0", fetched: "loss:0, train", pruned: 1 });
  const recorded = builder.finish().recording();
  const of = (step: number, bare = false): GraphModel => new GraphModel(recorded, { graph, step, bare });
  const fates = (step: number): string[] => {
    const made = of(step);
    return made.nodes.map((_, node) => `${made.name(node)}: ${made.fate(node).fate}`);
  };

  it("has its runs as steps, those that are alike as one", () => {
    const { steps } = of(0);
    expect(steps.map(({ name, nodes, text }) => [name, nodes, text])).toEqual([
      ["traced", 4, ""],
      ["run 1 ×2", 3, "fed x:0; fetched loss:0"],
      ["run 2", 3, "fed y:0; fetched loss:0, train"],
    ]);
  });

  it("shows what was fed, fetched and not needed", () => {
    expect(fates(1)).toEqual(["x: fed", "y: kept", "loss: fetched", "train: not needed"]);
    expect(fates(2)).toEqual(["x: not needed", "y: fed", "loss: fetched", "train: fetched"]);
    expect(of(1, true).nodes.length).toBe(3);
  });
});

describe("very many nodes", () => {
  const many = new GraphModel(manyNodes(10_000), { graph: 0, step: 0, bare: false });

  it("begin with a handful of cards", () => {
    expect(titles(many, levelsOf(many))).toEqual(["images", "stage ×10", "stage_10", "loss"]);
    expect(many.root.size).toBe(10_000);
  });

  it("are never more than can be seen, whatever is asked", () => {
    const keys: string[] = [];
    for (let round = 0; round < 6; round++) {
      const level = levelsOf(many, open(...keys));
      const all = [...entriesOf(level)];
      expect(all.length).toBeLessThanOrEqual(MAX_CARDS);
      keys.push(...all.flatMap(({ entry }) => (typeof entry.item === "number" ? [] : [entry.item.key])));
    }
    expect(keys.length).toBeGreaterThan(200);
  });

  it("are gathered by their lines where they have no scopes", () => {
    const builder = new GraphRecordingBuilder({
      text: Array.from({ length: 300 }, (_, i) => `x = f(${i})`).join("\n"),
      number: 1,
      first: 1,
    });
    const graph = builder.graph({ name: "flat" });
    let x = builder.node(graph, "x", { op: "placeholder" });
    const ops = ["add", "relu", "tanh", "matmul", "divide"];
    for (let i = 0; i < 900; i++)
      x = builder.node(graph, `n_${i}`, { op: ops[(i * i) % 5], inputs: [x], line: 1 + Math.floor(i / 3) });
    const made = new GraphModel(builder.finish().recording(), { graph, step: 0, bare: false });
    expect(levelsOf(made).entries.length).toBeLessThanOrEqual(FOLD_THRESHOLD);
  });
});

describe("the order of the flow", () => {
  it("puts things behind what they depend on, else leaves them", () => {
    expect(flowOrder(4, [{ from: 3, to: 1 }, { from: 1, to: 0 }])).toEqual([2, 3, 1, 0]); // prettier-ignore
    expect(flowOrder(3, [{ from: 0, to: 1 }, { from: 1, to: 0 }])).toEqual([2, 0, 1]); // prettier-ignore
    expect(flowOrder(0, [])).toEqual([]);
  });
});

describe("the list of graphs", () => {
  it("has traces with their numbers, and below each what is inside it", () => {
    const all = choicesOf(recording);
    expect(all.slice(0, 4).map(({ title: text, depth }) => `${"  ".repeat(depth)}${text}`)).toEqual([
      "train_step, trace 1 (62 nodes)",
      "  head (4 nodes)",
      "  true branch (3 nodes)",
      "  false branch (2 nodes)",
    ]);
  });

  it("begins with the graph that ran last", () => {
    const queries = model().graphs;
    expect(graphTitle(queries, firstGraph(recording))).toBe("train_step, trace 3");
    expect(outermost(queries, 2)).toBe(FIRST);
    expect(firstGraph(new GraphRecordingBuilder({ text: "", number: 1, first: 1 }).recording())).toBe(-1);
  });
});
