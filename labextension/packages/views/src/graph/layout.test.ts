import { describe, expect, it } from "vitest";
import { contrast, mix, Selection, Signal, themeOn } from "@tapeviz/core";
import { manyNodes, traced, GraphRecordingBuilder } from "../fixture";
import { sceneFaults } from "../fixture/scenefaults";
import { graphsOf } from "@tapeviz/recording";
import type { Box } from "../layered/box";
import { selectedNode, selectNode } from "../nodes";
import { fateColor } from "./draw";
import {
  framesAround,
  hit,
  selectableOfKey,
  selectableOfNode,
  selectablesOf,
  neighbour,
  type VisibleGraph,
  type Selectable,
} from "./find";
import { GraphModel } from "./model";
import { layout, type Scene } from "./layout";
import { NO_EXPANSION, type ExpansionState } from "../layered/expansion";
import { levelsOf } from "./levels";
import { marksOf } from "./marks";
import { graphText } from "./text";
import { tipFor } from "./tips";

const recording = traced();
const THIRD = 11;
const show = (expansion: ExpansionState = NO_EXPANSION, step = 0, width = 1200, graph = 1): VisibleGraph => {
  const model = new GraphModel(recording, { graph, step, bare: false });
  const root = levelsOf(model, expansion);
  return { model, root, scene: layout(model, root, width, 560) };
};
const open = (...keys: string[]): ExpansionState => ({ opened: new Set(keys), closed: new Set() });
const WIDE_OPEN = open("/encoder", "/encoder/layer", "/encoder/layer/layer_0", ":46", ":49", "/head", ":52", ":52>0:3");

const named = (shown: VisibleGraph, name: string): Selectable =>
  selectableOfNode(
    shown,
    shown.model.nodes[shown.model.nodes.findIndex((_, node) => shown.model.name(node) === name)].row,
  )!;

describe("the picture", () => {
  it.each([[NO_EXPANSION], [open("/encoder")], [open(":46")], [WIDE_OPEN]])(
    "lets nothing touch, however much is open",
    (expansion) => {
      for (const width of [560, 1200]) expect(sceneFaults(show(expansion, 0, width).scene)).toEqual([]);
    },
  );

  it("of very many nodes lets nothing touch either", () => {
    const many = new GraphModel(manyNodes(3000), { graph: 0, step: 0, bare: false });
    const expansion = open("/stage", "/stage/stage_0", "/stage/stage_0/block", "/stage/stage_0/block/block_3");
    expect(sceneFaults(layout(many, levelsOf(many, expansion), 1200))).toEqual([]);
  });

  it("leads edges from box to box, through the ports of what is open", () => {
    const { scene } = show(open("/encoder"));
    const at = (name: string): Box => selectableOfKey(scene, name)!;
    const [images, encoder, layer] = [at(":0"), at("/encoder"), at("/encoder/layer")];
    const outer = scene.edges.find(({ from, to }) => from?.key === ":0" && to?.key === "/encoder")!;
    expect(outer.points.slice(0, 2)).toEqual([images.x + images.w, images.y + images.h / 2]);
    expect(outer.points.at(-2)).toBe(encoder.x);
    const inner = scene.edges.find(({ from, to }) => from === null && to?.key === "/encoder/layer")!;
    expect(inner.points.slice(0, 2)).toEqual(outer.points.slice(-2));
    expect(inner.points.at(-2)).toBe(layer.x);
    expect([outer.label, inner.label]).toEqual(["", "32×64"]);
  });

  it("has narrower cards where there is little room, and higher ones for their words", () => {
    const sizes = (width: number): number[] => {
      const [{ w, h }] = show(NO_EXPANSION, 0, width).scene.cards;
      return [w, h];
    };
    expect(sizes(4000)).toEqual([148, 42]);
    expect(sizes(1200)[0]).toBe(116);
    expect(sizes(1200)[1]).toBeGreaterThan(50);
  });

  it("draws only the ends of edges from what is read everywhere, with its name", () => {
    const builder = new GraphRecordingBuilder({ text: "x", number: 1, first: 1 });
    const graph = builder.graph({ name: "f" });
    const w = builder.node(graph, "w/Read/ReadVariableOp", { op: "read", shape: [4, 4] });
    let x = builder.node(graph, "x", { op: "input", shape: [4, 4] });
    for (let i = 0; i < 9; i++) x = builder.node(graph, `MatMul_${i}`, { op: "matmul", inputs: [x, w], shape: [4, 4] });
    const model = new GraphModel(builder.finish().recording(), { graph, step: 0, bare: false });
    const { cards, edges, ...size } = layout(model, levelsOf(model), 4000);
    const stubs = edges.filter(({ stub }) => stub);
    expect([stubs.length, stubs.every(({ label }) => label === "w"), cards[0].content.title]).toEqual([8, true, "w"]);
    const [, y, right] = stubs[0].points;
    expect([right, y - 11]).toEqual([cards.find(({ entry }) => entry.key === stubs[0].to!.key)!.x, cards[2].y]);
    expect(sceneFaults({ cards, edges, ...size })).toEqual([]);
  });

  it("shows the values of the last run where nodes ran by themselves", () => {
    const { scene, model } = show(NO_EXPANSION, 0, 4000, THIRD);
    expect(model.ran).toBe(true);
    const [first] = scene.cards;
    expect([first.h, first.content.title, first.content.range]).toEqual([65, "images", "−0.96 … 0.91"]);
    expect(first.content.figures!.bins.length).toBe(32);
    expect(show().model.ran).toBe(false);
  });

  it("says what a pass did to a card, to a group how many", () => {
    const { scene } = show(NO_EXPANSION, 4);
    const content = (key: string): Scene["cards"][number]["content"] =>
      scene.cards.find(({ entry }) => entry.key === key)!.content;
    expect(content("/encoder")).toMatchObject({ shape: "18 fused", touched: 18 });
    expect(
      scene.cards.filter(({ content: { fate } }) => fate.when === "now").map(({ content: { title } }) => title),
    ).toEqual(["sub", "pow"]);
  });

  it("has a box around what was fused", () => {
    const shown = show(open("/encoder", "/encoder/layer", "/encoder/layer/layer_0"), 4, 4000);
    const { fused } = marksOf(shown, { selected: null, hovered: null, matches: null });
    expect(fused.map(({ title }) => title)).toEqual(["2 of 3 fused into one", "2 fused into one"]);
  });

  it("has words for what passes do that can be read on their grounds", () => {
    for (const theme of [themeOn("#ffffff"), themeOn("#111111")]) {
      for (const fate of ["pruned", "folded", "merged", "fused", "inlined"]) {
        const color = fateColor({ when: "now", fate, gone: true }, theme);
        expect(contrast(color, mix(color, theme.background, 0.12))).toBeGreaterThan(4.5);
      }
    }
  });
});

describe("going through it", () => {
  const shown = show(open("/encoder"));
  const key = (selectable: Selectable | null): string => selectable?.key ?? "";

  it("follows the edges, goes to neighbours, and into what is open", () => {
    const images = selectableOfKey(shown.scene, ":0")!;
    expect(key(neighbour(shown, null, "right"))).toBe(":0");
    const inside = neighbour(shown, images, "right")!;
    expect([inside.key, key(neighbour(shown, inside, "left"))]).toEqual(["/encoder/layer", ":0"]);
    const frame = selectableOfKey(shown.scene, "/encoder")!;
    expect([frame.open, key(neighbour(shown, frame, "down"))]).toEqual([true, "/encoder/layer"]);
    expect(framesAround(shown.scene, inside).map((f) => f.key)).toEqual(["/encoder"]);
    expect(neighbour(shown, images, "left")).toBeNull();
    expect(key(neighbour(shown, named(shown, "Max"), "down"))).toBe(named(shown, "Const").key);
  });

  it("finds what a node is in, inside what is closed and what was never opened, too", () => {
    expect(named(shown, "encoder/layer_3/MatMul").key).toBe("/encoder/layer");
    const inner = graphsOf(recording).nodeRow(2, 1);
    expect(selectableOfNode(shown, inner)!.key).toBe(named(shown, "cond").key);
    expect([selectableOfNode(shown, graphsOf(recording).nodeRow(THIRD, 3)), selectableOfNode(shown, -1)]).toEqual([
      null,
      null,
    ]);
  });

  it("hits cards, titles of frames, and edges", () => {
    const { scene } = shown;
    const [card] = scene.cards;
    const frame = scene.frames[0];
    expect(hit(scene, card.x + 5, card.y + 5, 1)).toEqual({ card });
    expect(hit(scene, frame.x + 5, frame.y + 5, 1)).toEqual({ frame });
    const edge = scene.edges.find(({ from }) => from?.key === ":0")!;
    expect(hit(scene, edge.points[0] + 6, edge.points[1] + 1, 1)).toEqual({ edge });
    expect(hit(scene, -50, -50, 1)).toBeNull();
    expect(tipFor(shown, { edge }).title).toBe("images:0  32×64 float32");
    expect(tipFor(shown, { card }).lines[0]).toBe("placeholder: 32×64 float32");
  });

  it("covers every entry", () => {
    expect(new Set(selectablesOf(shown.scene).map((selectable) => selectable.key)).size).toBe(
      selectablesOf(shown.scene).length,
    );
  });
});

describe("the selection", () => {
  it("goes from a node to the op that ran it, and back", () => {
    const graphs = graphsOf(recording);
    const selection = new Selection();
    const row = graphs.nodeRow(THIRD, 4);
    selectNode(recording, selection, row);
    const [event] = graphs.eventsOf(row);
    expect([selection.selected.value.event, selectedNode(recording, selection)]).toEqual([event, row]);
    selection.select({ event: event + 1 });
    expect([selectedNode(recording, selection), selection.node.value.graph]).toEqual([graphs.nodeRow(THIRD, 5), -1]);
    selection.clear();
    expect(selectedNode(recording, selection)).toBe(-1);
  });

  it("is of a node alone where that did not run by itself", () => {
    const selection = new Selection();
    const row = graphsOf(recording).nodeRow(1, 4);
    selectNode(recording, selection, row);
    expect([selection.selected.value.event, selectedNode(recording, selection)]).toEqual([-1, row]);
  });
});

describe("the graph in words", () => {
  const words = (filter = ""): string => {
    const selection = new Selection();
    selectNode(recording, selection, graphsOf(recording).nodeRow(THIRD, 46));
    return graphText({
      recording,
      selection,
      matches: new Signal<Uint8Array | null>(null),
      filter: new Signal(filter),
    });
  };

  it("has the passes, the nodes with what they read, and the other graphs", () => {
    const lines = words().split("\n");
    expect(lines[0]).toBe("Graph of train_step, trace 3: 62 nodes.");
    expect(lines).toContain("  prune: 60 nodes, 95.8 µs; dropped 2 nodes that nothing fetched needs");
    expect(lines).toContain("  ○ images  placeholder  32×64  −0.96 … 0.91");
    expect(lines.find((line) => line.includes("Identity_1"))).toMatch(/from mul_1 after PrintV2$/);
    expect(lines).toContain("> train_step, trace 3 (62 nodes)");
    expect(lines.filter((line) => line.startsWith("> ")).length).toBe(2);
  });

  it("has only what the filter lets through", () => {
    const text = words("op:reduce_max");
    expect(text).toContain("Max_1");
    expect(text).not.toContain("images");
  });
});

describe("10,000 nodes", () => {
  it("are read and laid out, a scope opened, in the time of sorting a few hundred thousand numbers", () => {
    const many = manyNodes(10_000);
    graphsOf(many);
    const numbers = Float64Array.from({ length: 300_000 }, (_, i) => Math.sin(i * 12.9898) * 43758.5453);
    const timed = (run: () => unknown): number => {
      const from = performance.now();
      run();
      return performance.now() - from;
    };
    const best = { whole: Infinity, opened: Infinity, wholeRatio: Infinity, openedRatio: Infinity };
    // Other work on the machine slows single rounds down: the best of them counts.
    for (let round = 0; round < 8 && (best.wholeRatio > 1 || best.openedRatio > 1); round++) {
      const sorting = timed(() => numbers.slice().sort());
      const subject = { graph: 0, step: 0, bare: false };
      let model!: GraphModel;
      const whole = timed(() => {
        model = new GraphModel(many, subject);
        layout(model, levelsOf(model), 1200, 560);
      });
      const expansion = open("/stage", "/stage/stage_3", "/stage/stage_3/block");
      const opened = timed(() => layout(model, levelsOf(model, expansion), 1200, 560));
      best.whole = Math.min(best.whole, whole);
      best.opened = Math.min(best.opened, opened);
      best.wholeRatio = Math.min(best.wholeRatio, whole / sorting);
      best.openedRatio = Math.min(best.openedRatio, opened / sorting);
    }
    console.info(`10,000 nodes: ${best.whole.toFixed(1)} ms, a scope opened: ${best.opened.toFixed(1)} ms`);
    expect(best.wholeRatio).toBeLessThan(3);
    expect(best.openedRatio).toBeLessThan(2);
  }, 60_000);
});
