import { describe, expect, it } from "vitest";
import { fixedWidth } from "@tapeviz/core";
import { KIND, type Recording } from "@tapeviz/recording";
import { Selection, Signal } from "@tapeviz/core";
import { factsOf } from "../facts";
import { RecordingBuilder, training } from "../fixture/index";
import { deep } from "../fixture/deep";
import { arr } from "../fixture/arrays";
import { labelCandidates } from "./labeltexts";
import { heightOf, hit, layout, type Block, type Scene } from "./layout";
import { modelOf, withOpened, type Model } from "./model";
import { timelineText } from "./text";
import { tipFor } from "./tips";

const measure = fixedWidth(6);

function drawn(recording: Recording, model: Model, width = 1200): Scene {
  const [from, to] = model.domain;
  const frame = { from, to, width, height: heightOf(model), matches: null, measure, small: measure, code: measure };
  return layout(model, frame, labelCandidates(recording));
}

const repeatsIn = ({ blocks }: Scene): Block[] => blocks.filter(({ bar }) => bar && bar.block < 0);
const titles = (scene: Scene): string[] =>
  repeatsIn(scene).map(({ bar }) => `${bar!.repeat.title} ×${bar!.repeat.times}`);
const labels = ({ blocks }: Scene, depth: number): string[] =>
  blocks
    .filter(({ lane }) => lane.kind === "span" && lane.phase === 0 && lane.depth === depth)
    .map((b) => b.words.label);

const CELL = `%%tape
for step in range(steps):
    for x in xs:
        h = tf.tanh(h * x)
    tape.gradient(h, w)
print(h)`;

/** Steps of a loop around the steps of an RNN, each with a backward pass whose gradients have norms 1, 2, 3, ... */
function rnn(steps: number, cells = 5): Recording {
  const builder = new RecordingBuilder({ text: CELL, number: 1, first: 2 });
  const w = builder.variable("w", arr([1], [1]));
  for (let step = 0; step < steps; step++) {
    let h = w;
    for (let i = 0; i < cells; i++) {
      h = builder.run("multiply", [h.tensor], arr([1], [1]), { line: 3, dur: 10 });
      h = builder.run("tanh", [h.tensor], arr([1], [1]), { line: 3, dur: 10 });
    }
    const pass = builder.open("backward", "gradient", 4, "backward");
    const value = arr([1], [step + 1]);
    const made = builder.run("tanh", [h.tensor], value, { line: 3, dur: 10, origin: h.event });
    builder.close();
    const gradient = made.tensor;
    builder.add("gradients", { tensor: w.tensor, gradient, addend: gradient, backward: made.event });
    builder.add("requests", { event: pass, tape: 0, target: h.tensor, source: w.tensor, variable: 0, gradient });
  }
  return builder.recording();
}

/** 40 ops in a row and their backward steps, whose gradients have norms 40, 39, 38, ... */
function deepBackward(): Recording {
  const builder = new RecordingBuilder({ text: CELL, number: 1, first: 2 });
  const made = [builder.variable("w", arr([1], [1]))];
  for (let i = 0; i < 40; i++) made.push(builder.run("tanh", [made[i].tensor], arr([1], [1]), { line: 3, dur: 10 }));
  builder.open("backward", "gradient", 4, "backward");
  let gradient = made[40].tensor;
  for (let i = 40; i > 0; i--)
    gradient = builder.run("tanh", [gradient], arr([1], [i]), { line: 3, dur: 10, origin: made[i].event }).tensor;
  builder.close();
  return builder.recording();
}

describe("blocks that repeat", () => {
  const recording = deep();
  const model = modelOf(recording, "time");
  const scene = drawn(recording, model);

  it("are one bar with their number, and what is in them is not drawn", () => {
    expect(titles(scene)).toContain("block ×12");
    const spans = factsOf(recording);
    const shown = scene.blocks.filter(({ lane, bar }) => lane.kind === "span" && !bar).map(({ row }) => row);
    expect(shown.map((row) => spans.title(recording.events.id[row]))).not.toContain("block_3");
  });
  it("have a column for each block's gradient, in its place", () => {
    const [bar] = repeatsIn(scene);
    expect(bar.columns).toHaveLength(12);
    const norms = bar.columns!.map(({ magnitude }) => magnitude.norm);
    // Each block makes a fifth of the gradient behind it.
    expect(norms[11]).toBeGreaterThan(norms[0]);
    bar.bar!.edges.slice(0, 12).forEach((edge, i) => expect(bar.columns![i].x).toBeCloseTo(scene.scale(edge)));
  });
  it("open at a key and close again, their blocks one level deeper", () => {
    const [{ bar }] = repeatsIn(scene);
    const open = withOpened(model, recording, new Set([bar!.repeat.key]));
    const opened = drawn(recording, open);
    const [first] = repeatsIn(opened);
    expect(labels(opened, first.lane.depth + 1)).toHaveLength(12);
    expect(titles(opened)).toContain("block ×12");
    expect(titles(drawn(recording, withOpened(open, recording, new Set())))).toEqual(titles(scene));
  });
  it("say under the pointer how many they are, of which block it is, and its gradient", () => {
    const [block] = repeatsIn(scene);
    const x = block.columns![2].x + block.columns![2].w / 2;
    const found = hit(scene, x, block.y + block.h - 4)!;
    const { title, lines } = tipFor(recording, model, found, scene.scale.invert(x));
    expect(title).toBe("block ×12");
    expect(lines.join("\n")).toContain("3 of 12: |g| ");
    expect(lines.join("\n")).toContain("A click opens it");
  });
  it("are said in words, too", () => {
    const context = {
      recording,
      selection: new Selection(),
      matches: new Signal<Uint8Array | null>(null),
    };
    expect(timelineText(context)).toMatch(/^\[block ×12] {2}events \d+ to \d+ {2}\|g\| .*of what each block hands on/m);
  });
  it("keep their number when the name has to be cut, and the number alone when there is no room for it", () => {
    const [wide, narrow] = [drawn(recording, model, 700), drawn(recording, model, 130)];
    for (const { words } of [...repeatsIn(wide), ...repeatsIn(narrow)])
      if (words.label !== "") expect(words.label).toMatch(/×\d+$/);
    expect(repeatsIn(narrow).some(({ words }) => words.label === "×12")).toBe(true);
  });
  it("stay open to the eye where a program is small", () => {
    expect(titles(drawn(training(), modelOf(training(), "time")))).toEqual([]);
  });
});

describe("steps of a loop", () => {
  const recording = rnn(20);
  const model = modelOf(recording, "time");
  const scene = drawn(recording, model);

  it("are found around what repeats within them, and called by their lines", () => {
    expect(titles(scene)).toEqual(["lines 3–4 ×20"]);
    const [{ bar, lane }] = repeatsIn(scene);
    expect(lane.title).toBe("repeats");
    const opened = drawn(recording, withOpened(model, recording, new Set([bar!.repeat.key])));
    expect(titles(opened).filter((title) => title === "line 3 ×5")).toHaveLength(20);
    expect(labels(opened, 2).slice(0, 2)).toEqual(["1", "2"]);
  });
  it("have the norm of all gradients that were asked for in each", () => {
    const [bar] = repeatsIn(scene);
    expect(model.norms(bar.bar!.repeat).of).toBe("sources");
    expect(bar.columns!.map(({ magnitude }) => magnitude.norm)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });
  it("stand in the columns of their forward ops in the scale of order", () => {
    const ordered = modelOf(recording, "order");
    const [bar] = repeatsIn(drawn(recording, ordered));
    expect([...bar.bar!.edges]).toEqual(Array.from({ length: 21 }, (_, i) => i * 10));
  });
  it("run from right to left below the line where its ops do", () => {
    const program = deepBackward();
    const ordered = modelOf(program, "order");
    const below = repeatsIn(drawn(program, ordered)).find(({ lane }) => lane.phase === 1)!;
    expect(below.bar!.isReversed).toBe(true);
    expect([...below.bar!.edges]).toEqual([...below.bar!.edges].sort((a, b) => a - b));
    const above = repeatsIn(drawn(program, ordered)).find(({ lane }) => lane.phase === 0)!;
    expect([below.x, below.w]).toEqual([above.x, above.w]);
    const norms = below.columns!.map(({ magnitude }) => magnitude.norm);
    // The gradient is 40 beside the loss, on the right, and falls by one a step; nothing reads the last one.
    expect(norms).toEqual(Array.from({ length: 39 }, (_, i) => i + 2));
    const inTime = modelOf(program, "time");
    const timed = repeatsIn(drawn(program, inTime)).find(({ lane }) => lane.phase === 1)!;
    expect(timed.columns!.map(({ magnitude }) => magnitude.norm)).toEqual(norms.toReversed());
  });
  it("end where a step differs", () => {
    const builder = new RecordingBuilder({ text: CELL, number: 1, first: 2 });
    let h = builder.variable("w", arr([1], [1]));
    for (let i = 0; i < 80; i++)
      h = builder.run(i === 50 ? "relu" : "tanh", [h.tensor], arr([1], [1]), { line: 3, dur: 10 });
    const other = builder.recording();
    expect(titles(drawn(other, modelOf(other, "time")))).toEqual(["line 3 ×50", "line 3 ×29"]);
    const [{ columns }] = repeatsIn(drawn(other, modelOf(other, "time")));
    expect(columns).toEqual([]);
  });
  it("are of any number: several in one pixel share a column that has the gravest of them", () => {
    const many = rnn(3000);
    const [bar] = repeatsIn(drawn(many, modelOf(many, "time"), 900));
    expect(bar.bar!.repeat.times).toBe(3000);
    expect(bar.columns!.length).toBeLessThan(900);
    expect(Math.max(...bar.columns!.map(({ magnitude }) => magnitude.norm))).toBe(3000);
  });
});

describe("a function's block", () => {
  it("says how many ops it holds, their time and lines, and that calls are not recorded", () => {
    const recording = training();
    const { sites } = recording;
    const inside = { ...sites, function: sites.function.map(() => "train.<locals>.step") };
    const program = Object.assign(Object.create(recording) as Recording, { sites: inside });
    const model = modelOf(program, "time");
    const lane = model.lanes.find(({ kind, phase }) => kind === "function" && phase === 0)!;
    const at = { lane, row: lane.row[0], index: 0, from: 0, to: 0, among: 1 };
    const { title, lines } = tipFor(program, model, at, 0);
    expect(title).toBe("step()");
    const { kind, phase, site } = program.events;
    const forward = [...kind.keys()].filter((row) => kind[row] === KIND.op && phase[row] === 0 && site[row] >= 0);
    expect(lane.stretches!.ops.reduce((sum, ops) => sum + ops)).toBe(forward.length);
    expect(lines[0]).toMatch(new RegExp(`^${lane.stretches!.ops[0]} ops {2}· {2}\\S+ µs in them$`));
    expect(lines[1]).toMatch(/^lines \d+–\d+$/);
    expect(lines.slice(2)).toEqual(["and in 1 other place of this lane", "how often it was called is not recorded"]);
  });
});
