import { describe, expect, it } from "vitest";
import { fixedWidth } from "@tapeviz/core";
import { RECORDINGS } from "../fixture";
import { deep } from "../fixture/deep";
import { factsOf } from "../facts";
import { magnitude, rangeText } from "../figures";
import { fit, pan, reveal, zoom } from "../layered/camera";
import type { Box } from "../layered/box";
import { cardParts, type CardParts } from "../layered/card";
import { cardsBeyond } from "../layered/hints";
import { countsOf } from "./cardcontent";
import { hit, keyOfTile, tileOfKey, neighbour } from "./find";
import { layout, pitchFor, type Scene } from "./layout";
import { ladder, layersOf, type LadderRow } from "./ladder";
import { marksOf, sumTerms } from "./marks";
import { graphModelOf, modelOf, type Model } from "./model";
import { defaultPass } from "./passes";
import { flowText } from "./text";
import { NO_SELECTION, Selection, Signal } from "@tapeviz/core";
import { KIND, PHASE, type Recording } from "@tapeviz/recording";

const modelFor = (recording: Recording, opened: string[] = []): Model =>
  modelOf(graphModelOf(recording, defaultPass(factsOf(recording))), { opened: new Set(opened), closed: new Set() });
const SMALL = ["training", "lost", "failed", "nan", "deep"];
const measures = { title: fixedWidth(7.2), small: fixedWidth(6.2) };
const meet = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
const title = (scene: Scene, tile: number): string =>
  scene.cards.find((card) => card.tile === tile)?.content.title ?? "";

describe("the layout", () => {
  it("lets no two cards, gaps or foreign frames touch", () => {
    for (const name of SMALL) {
      for (const width of [600, 1000, 1600]) {
        const { cards, gaps, frames } = layout(modelFor(RECORDINGS[name](), ["/block", "/block/block_0"]), width);
        const boxes = [...cards, ...gaps];
        boxes.forEach((a, i) => boxes.slice(0, i).forEach((b) => expect(meet(a, b), `${name} ${width}`).toBe(false)));
        for (const frame of frames)
          for (const box of boxes) {
            const inside = box.x > frame.x && box.x + box.w < frame.x + frame.w;
            if (meet(frame, box)) expect(inside, `${name} ${frame.group.title}`).toBe(true);
          }
      }
    }
  });

  it("fits eight columns into a notebook's width at full size", () => {
    const scene = layout(modelFor(RECORDINGS["training"]()), 1024);
    expect(scene.width).toBeLessThanOrEqual(1026);
    expect(fit(scene, { width: 1024, height: 560 }).k).toBeGreaterThan(0.99);
    expect(pitchFor(3, 1600)).toBe(220);
  });

  it("goes from the sources on the left to the loss on the right, the ops of the chain on one line", () => {
    const scene = layout(modelFor(RECORDINGS["training"]()), 1024);
    const chain = ["add", "h", "logits", "losses", "loss"].map((name) =>
      scene.cards.find((card) => card.content.title === name)!,
    );
    expect(new Set(chain.map((card) => card.y)).size).toBe(1);
    chain.forEach((card, i) => i > 0 && expect(card.x).toBeGreaterThan(chain[i - 1].x));
    expect(Math.max(...scene.cards.map((card) => card.x))).toBe(chain.at(-1)!.x);
  });

  it("draws a gap between the source and where the target's way ends", () => {
    const scene = layout(modelFor(RECORDINGS["lost"]()), 1024);
    const halves = scene.edges.filter((edge) => edge.link < 0);
    expect(halves.map(({ from, to }) => [title(scene, from), title(scene, to)])).toEqual([
      ["scale", ""],
      ["", "losses"],
    ]);
    const [gap] = scene.gaps;
    const of = (name: string): Box => scene.cards.find((card) => card.content.title === name)!;
    expect(of("scale").x + of("scale").w).toBeLessThan(gap.x);
    expect(gap.x + gap.w).toBeLessThan(of("losses").x);
  });
});

/** The boxes of the texts: letters of 12 pixels around their middle line. */
const textBoxes = (parts: CardParts): Box[] =>
  parts.texts.map((text) => ({ x: text.x, y: text.y - 7, w: text.w, h: 14 }));

/** What sticks out of a card of that size, or lies on something else. */
function faults(title: string, parts: CardParts, w: number, h: number): string[] {
  const texts = textBoxes(parts);
  const out = texts.filter((box) => box.x < 2 || box.x + box.w > w - 2 || box.y < -1 || box.y + box.h > h + 1);
  const things = [...texts, ...[parts.spark, parts.glyph].filter((box) => box !== null)];
  const on = things.filter((a, i) => things.slice(0, i).some((b) => meet(a, b)));
  return [...out, ...on].map(() => `${title} ${w}×${h}`);
}

describe("a card", () => {
  const faces = SMALL.flatMap((name) => layout(modelFor(RECORDINGS[name]()), 1024).cards.map((card) => card.content));

  it("keeps its texts inside and apart at every size", () => {
    const wrong: string[] = [];
    for (const content of faces) {
      for (let w = 8; w <= 260; w += 9) {
        for (let h = 6; h <= 130; h += 7)
          wrong.push(...faults(content.title, cardParts(content, w, h, measures), w, h));
      }
    }
    expect(wrong).toEqual([]);
  });

  it("says more the larger it is", () => {
    const content = faces.find((f) => f.title === "h")!;
    const roles = (w: number, h: number): string[] => cardParts(content, w, h, measures).texts.map((text) => text.role);
    expect(roles(160, 88).sort()).toEqual(["gradient", "range", "shape", "sub", "title"]);
    expect(roles(100, 40)).toEqual(["title", "sub", "shape"]);
    expect(roles(100, 32)).toEqual(["title"]);
    expect(roles(56, 48)).toEqual(["name"]);
    expect(roles(20, 12)).toEqual([]);
  });
  it("gives its range less air before it leaves it out", () => {
    const content = { ...faces.find((f) => f.title === "h")!, range: "−1×10⁻³ … 1×10⁻³" };
    const said = (w: number) => cardParts(content, w, 88, measures).texts.find(({ role }) => role === "range")?.text;
    expect([said(160), said(112), said(80)]).toEqual(["−1×10⁻³ … 1×10⁻³", "−1×10⁻³…1×10⁻³", undefined]);
  });
  it("writes bounds that differ so that they do", () => {
    const figures = { min: 1.151, max: 1.158, mean: 1.155, nan: 0, inf: 0, bins: new Uint32Array() };
    expect([rangeText(figures), rangeText({ ...figures, max: 3.42 })]).toEqual(["1.15 … 1.16", "1.2 … 3.4"]);
  });
  it("is never blank for want of room for the whole name", () => {
    const content = { ...faces.find((f) => f.title === "h")!, title: "matmul" };
    for (let w = 44; w < 84; w++)
      expect(cardParts(content, w, 88, measures).texts.length, `${w} px`).toBeGreaterThan(0);
  });
});

describe("selection", () => {
  const recording = RECORDINGS["training"]();
  const model = modelFor(recording);
  const scene = layout(model, 1024);

  it("finds a card by its forward event, its backward step and its gradient", () => {
    const { events, gradients } = recording;
    const step = [...events.id].find((e) => events.phase[e] === PHASE.backward && events.kind[e] === KIND.op)!;
    const tile = tileOfKey(model, { event: step, tensor: -1 });
    expect(tile).toBe(tileOfKey(model, { event: events.origin[step], tensor: -1 }));
    expect(title(scene, tile)).toBe("loss");
    const row = gradients.tensor.indexOf(model.graph.nodes[1].tensor);
    expect(title(scene, tileOfKey(model, { event: -1, tensor: gradients.gradient[row] }))).toBe("w1");
    expect(tileOfKey(model, NO_SELECTION)).toBe(-1);
  });

  it("comes back to the same card through what it selects", () => {
    for (const of of [model, modelFor(deep())])
      of.tiles.forEach((_, tile) => expect(tileOfKey(of, keyOfTile(of, tile))).toBe(tile));
  });

  it("walks along the edges, and up and down a column", () => {
    const go = (from: string, to: "left" | "right" | "up" | "down"): string =>
      title(scene, neighbour(scene, model, scene.cards.find((card) => card.content.title === from)?.tile ?? -1, to));
    expect(go("losses", "right")).toBe("loss");
    expect(go("losses", "left")).toBe("logits");
    expect(go("logits", "down")).toBe("b2");
    expect(go("b2", "right")).toBe("logits");
    expect(go("", "left")).toBe("loss");
    const lost = modelFor(RECORDINGS["lost"]());
    const broken = layout(lost, 1024);
    const scale = broken.cards.find((card) => card.content.title === "scale")!.tile;
    expect(title(broken, neighbour(broken, lost, scale, "right"))).toBe("losses");
  });
});

describe("marks", () => {
  it("dims all but the two ways of a gap", () => {
    const model = modelFor(RECORDINGS["lost"]());
    const scene = layout(model, 1024);
    const marks = marksOf(model, scene, { mode: "why", selected: -1, hovered: -1, matches: null });
    const plain = scene.cards.filter((card) => marks.card(card) === "plain").map((card) => card.content.title);
    expect(plain.sort()).toEqual(["loss", "losses", "scale"]);
  });

  it("numbers the addends of a sum", () => {
    const model = modelFor(deep(), ["/block", "/block/block_0"]);
    const scene = layout(model, 1024);
    const x = scene.cards.find((card) => card.content.addends > 1)!;
    expect(sumTerms(model, scene, x.tile).length).toBe(2);
  });
});

describe("the counts", () => {
  it("are of the sources on the ladder; what else goes in are inputs", () => {
    for (const name of SMALL) {
      const model = modelFor(RECORDINGS[name]());
      const [, sources] = /(\d+) source/.exec(countsOf(model.graph))!;
      const inFlow = model.graph.nodes.filter(({ source, requested }) => source !== null && requested);
      if (model.graph.pass) expect(Number(sources), name).toBe(inFlow.length);
    }
  });
});

describe("the ladder", () => {
  it("lists every source in the order of the flow with words for what is no number", () => {
    const rows = ladder(modelFor(RECORDINGS["lost"]()));
    expect(rows.map((row) => row.name)).toEqual(["w1", "b1", "w2", "b2", "scale"]);
    expect(rows.at(-1)).toMatchObject({ gradient: { state: "none" }, severity: 3 });
    expect(ladder(modelFor(deep()))[0].verdict).toBe("vanishing");
    expect(ladder(modelFor(deep({ blocks: 12, decay: 4 })))[0].verdict).toBe("exploding");
  });
});

describe("the layers of the ladder", () => {
  const row = (name: string, norm = 3): LadderRow =>
    ({ name, gradient: Number.isNaN(norm) ? magnitude("none") : magnitude("number", norm) }) as unknown as LadderRow;
  const layers = (...names: string[]): string[] =>
    layersOf(names.map((name) => row(name))).map(({ layer, rows }) => `${layer} ${rows.length}`);

  it("are what names differ in first", () => {
    const inside = ["lm/block/attention/query", "lm/block/dense/bias", "lm/block_1/dense/bias", "lm/head/bias"];
    expect(layers(...inside)).toEqual(["lm/block 2", "lm/block_1 1", "lm/head 1"]);
    expect(layersOf(inside.map((name) => row(name))).map(({ common }) => common)).toEqual([3, 3, 3]);
    expect(layers("dense/kernel", "dense/bias", "dense_1/kernel")).toEqual(["dense 2", "dense_1 1"]);
    expect(layers("vit/places", "vit/conv/kernel", "vit/conv/bias")).toEqual(["vit 1", "vit/conv 2"]);
    expect(layers("w1", "b1")).toEqual([" 2"]);
    expect(layers("m.layers.0.linear.bias", "m.layers.0.norm.bias", "m.layers.1.linear.bias")).toEqual([
      "m.layers.0 2",
      "m.layers.1 1",
    ]);
    expect(layers("only/kernel", "only/bias")).toEqual(["only 2"]);
    expect(layers()).toEqual([]);
  });
  it("have the norm of all their gradients, where all are known", () => {
    expect(layersOf([row("a/w", 3), row("a/b", 4)])[0].norm).toBe(5);
    expect(layersOf([row("a/w", 3), row("a/b", NaN)])[0].norm).toBeNull();
  });
});

describe("the pointer", () => {
  it("finds cards, the titles of frames and edges", () => {
    const scene = layout(modelFor(RECORDINGS["training"]()), 1024);
    const card = scene.cards[3];
    expect(hit(scene, card.x + 5, card.y + 5, 1)).toEqual({ card });
    const frame = scene.frames[0];
    expect(hit(scene, frame.x + 20, frame.y + 4, 1)).toEqual({ frame });
    const edge = scene.edges[0];
    const [x0, y0, x1, y1] = edge.points.slice(2, 6);
    expect(hit(scene, (x0 + x1) / 2, (y0 + y1) / 2, 1)).toEqual({ edge });
    expect(hit(scene, -50, -50, 1)).toBeNull();
  });

  it("gives cards more height where the width is short", () => {
    const narrow = layout(modelFor(RECORDINGS["training"]()), 640, 400);
    expect(narrow.cards[0].h).toBeGreaterThan(100);
    expect(layout(modelFor(RECORDINGS["training"]()), 1200, 400).cards[0].h).toBe(88);
  });
});

describe("the camera", () => {
  const scene = { width: 2000, height: 500 };
  const view = { width: 1000, height: 500 };

  it("zooms around a point and reveals a box", () => {
    const camera = zoom({ k: 1, x: 0, y: 0 }, 2, 100, 50);
    expect((100 - camera.x) / camera.k).toBe(100);
    const shown = reveal({ k: 1, x: 0, y: 0 }, { x: 1500, y: 100, w: 100, h: 80 }, view);
    expect(1600 * shown.k + shown.x).toBeLessThanOrEqual(1000);
    expect(pan({ k: 1, x: 0, y: 0 }, -9999, 0, scene, view).x).toBe(60 - 2000);
    expect(cardsBeyond({ cards: [{ x: 1500, y: 0, w: 10, h: 10 }] }, { k: 1, x: 0, y: 0 }, view).right).toBe(1);
  });
});

describe("the text twin", () => {
  const matches = new Signal<Uint8Array | null>(null);
  const say = (name: string): string =>
    flowText({ recording: RECORDINGS[name](), selection: new Selection(), matches });

  it("says why a gradient is None, with line and fix", () => {
    const text = say("lost");
    expect(text).toContain("scale  scalar     |g| ∅ None  ▲ left the engine here, .numpy() · line\u00a04");
    expect(text).toContain("back from the target: loss → losses ✕");
    expect(text).toContain("to fix it: use scale itself instead of scale.numpy()");
  });

  it("lists every op with its inputs and gradient, and says so where there is no backward pass", () => {
    expect(say("training")).toMatch(/● logits {2}add {2}32×10 .* \|g\| 0\.169 from matmul #\d+, b2/);
    expect(say("failed")).toContain("no backward pass was recorded");
    expect(say("failed")).toMatch(/w1 .*– not asked/);
    expect(say("failed")).not.toContain("not computed yet");
    expect(say("nan")).toContain("First not finite: images.");
    expect(say("deep")).toContain("■ block ×12  14 ops");
  });
});
