import { describe, expect, it } from "vitest";
import { Selection, Signal, fixedWidth } from "@tapeviz/core";
import { KIND, opTimesOf, queriesOf, select, type Recording } from "@tapeviz/recording";
import { Rows, SECOND_ORDER, secondOrder, training } from "../fixture/index";
import { hit, layout, heightOf, type LayoutOptions, type Scene } from "./layout";
import { columnMaxima } from "./memory";
import { functionAt, modelOf, withMemory, type Model, type ScaleName } from "./model";
import { Intervals } from "./intervals";
import { upperBound } from "./sort";
import { rangeText, summarize } from "./range";
import { timelineText } from "./text";
import { fit, pan, reveal, zoom } from "./visiblerange";
import { labelCandidates } from "./labeltexts";

const measure = fixedWidth(6);
const MEASURES = { measure, small: measure, code: measure };

function scene(
  recording: Recording,
  scale: ScaleName,
  width = 1200,
  part?: [number, number],
): { model: Model; scene: Scene } {
  const model = modelOf(recording, scale);
  const [from, to] = part ?? model.domain;
  const frame: LayoutOptions = { from, to, width, height: heightOf(model), matches: null, ...MEASURES };
  return { model, scene: layout(model, frame, labelCandidates(recording)) };
}

describe("the scale order", () => {
  const { model, scene: drawn } = scene(training(), "order");
  const at = (row: number) => drawn.blocks.find((b) => b.row === row && b.lane.kind === "op")!;

  it("gives forward ops equal widths, without gaps", () => {
    expect(model.domain).toEqual([0, 15]);
    const widths = new Set(
      drawn.blocks.filter((b) => b.lane.kind === "op" && b.lane.phase === 0).map((b) => b.w.toFixed(3)),
    );
    expect(widths.size).toBe(1);
  });
  it("puts each backward op right under its forward partner", () => {
    const forward = at(6);
    const backward = at(14);
    expect([backward.x, backward.w]).toEqual([forward.x, forward.w]);
    expect(backward.y).toBeGreaterThan(drawn.middle);
    expect(forward.y + forward.h).toBeLessThan(drawn.middle);
  });
  it("stretches spans over their ops of the same phase", () => {
    const hidden = drawn.blocks.find((b) => b.words.label === "hidden")!;
    expect(hidden.x).toBeCloseTo(at(2).x);
    expect(hidden.x + hidden.w).toBeCloseTo(at(4).x + at(4).w);
  });
  it("joins the ops of a line", () => {
    const lines = drawn.blocks
      .filter((b) => b.lane.kind === "line" && b.lane.phase === 0)
      .map((b) => b.words.label.slice(0, 2).trim());
    expect(lines).toEqual(["4", "6", "7", "8", "11"]);
  });
});

describe("the scale time", () => {
  const recording = training();
  const { model, scene: drawn } = scene(recording, "time");

  it("starts with the recording and ends with it", () => {
    expect(model.domain[0]).toBe(recording.events.t0[0]);
    expect(model.domain[1]).toBeGreaterThanOrEqual(recording.events.t0[recording.events.rows - 1]);
    expect(drawn.ruler.ticks[0].label).toBe("0 µs");
  });
  it("keeps blocks inside the plot, without overlap in a lane", () => {
    for (const strip of drawn.strips) {
      const blocks = drawn.blocks.filter((b) => b.lane === strip.lane).sort((a, b) => a.x - b.x);
      blocks.forEach((b, i) => {
        expect(b.x).toBeGreaterThanOrEqual(drawn.plot.x);
        expect(b.x + b.w).toBeLessThanOrEqual(drawn.plot.x + drawn.plot.w + 1e-6);
        if (i > 0) expect(b.x).toBeGreaterThanOrEqual(blocks[i - 1].x + blocks[i - 1].w - 1e-6);
      });
    }
  });
  it("never draws words larger than their block", () => {
    for (const scale of ["time", "order"] as const) {
      for (const width of [400, 600, 900, 1280]) {
        for (const { words, w, h } of scene(recording, scale, width).scene.blocks) {
          const longest = Math.max(...[words.label, words.sub, words.took].map(measure));
          expect(longest).toBeLessThanOrEqual(Math.max(0, words.upright ? h - 30 : w - 10));
          if (words.upright) expect(w).toBeGreaterThanOrEqual(words.sub === "" ? 16 : 36);
        }
      }
    }
  });
  it("finds what is under the pointer, and narrow blocks near it", () => {
    const block = drawn.blocks.find((b) => b.row === 6)!;
    expect(hit(drawn, block.x + block.w / 2, block.y + 5)?.row).toBe(6);
    expect(hit(drawn, block.x - 1, block.y + 5)?.row).toBe(6);
    expect(hit(drawn, block.x, drawn.middle)).toBeNull();
  });
});

describe("lanes", () => {
  const where = (places: readonly (readonly [device: number, thread: number])[]): (readonly [string, string])[] => {
    const rows = new Rows();
    for (const name of ["CPU:0", "GPU:0"]) rows.add("devices", { name });
    for (const name of ["MainThread", "worker"]) rows.add("threads", { name });
    places.forEach(([device, thread], id) =>
      rows.add("events", { id, kind: KIND.op, op: -1, origin: -1, t0: 10 * id, dur: 5, device, thread }),
    );
    const { lanes } = modelOf(rows.recording(), "time");
    return lanes.map((lane) => [lane.title, lane.where] as const);
  };
  const [main, gpu, worker] = [[0, 0] as const, [1, 0] as const, [0, 1] as const];

  it("say on which device and thread they are, where there are several", () => {
    expect(where([main, main])).toEqual([["forward", ""]]);
    expect(where([main, gpu]).map(([, place]) => place)).toEqual(["CPU:0", "GPU:0"]);
    expect(where([main, worker]).map(([, place]) => place)).toEqual(["MainThread", "worker"]);
    expect(where([gpu, worker]).map(([, place]) => place)).toEqual(["CPU:0 · worker", "GPU:0 · MainThread"]);
  });
});

describe("lanes of ranks", () => {
  const rows = new Rows();
  for (const number of [0, 1]) {
    rows.add("ranks", { number, event: 10 * number });
    rows.add("devices", { name: "CPU:0", rank: number });
    rows.add("threads", { name: "MainThread", rank: number });
  }
  rows.add("sites", { file: "train.py", line: 3, cell: -1, function: "train", text: "y = f(x)" });
  const add = (
    id: number,
    rank: number,
    t0: number,
    more: Partial<Record<"kind" | "parent" | "phase" | "dur" | "params" | "op", number>>,
  ): number =>
    rows.add("events", {
      id,
      op: -1,
      origin: -1,
      parent: -1,
      site: 0,
      device: rank,
      thread: rank,
      t0,
      dur: 50,
      ...more,
    });
  for (const rank of [0, 1]) {
    const params = rows.intern(JSON.stringify({ span: "scope", name: "part" }));
    add(10 * rank, rank, 20 * rank, { kind: KIND.span, dur: 0, params });
    rows.add("ends", { event: 10 * rank, t: 400 });
    add(10 * rank + 1, rank, 30 + 20 * rank, { kind: KIND.op, parent: 10 * rank });
    add(10 * rank + 2, rank, 130 + 20 * rank, { kind: KIND.op, parent: 10 * rank, phase: 1 });
    add(10 * rank + 3, rank, 145 + 20 * rank, { kind: KIND.gc, dur: 10 * rank });
    rows.add("setups", { kind: "import", name: "x", t0: 40 + 20 * rank, dur: 5, thread: rank });
  }
  const recording = rows.recording();
  const { lanes } = modelOf(recording, "time");

  it("have the ops, lines, functions, scopes, pauses and setups of a rank apart from the others'", () => {
    const of = (kind: string): string[] => lanes.filter((lane) => lane.kind === kind).map((lane) => lane.where);
    expect(of("op")).toEqual(["rank 0", "rank 1", "rank 0", "rank 1"]);
    for (const kind of ["line", "function", "setup", "span"])
      expect([...new Set(of(kind))], kind).toEqual(["rank 0", "rank 1"]);
    expect(of("pause")).toEqual(["rank 1"]);
    const ranks = (lane: (typeof lanes)[number]): Set<number> =>
      new Set([...lane.row].map((row) => (lane.kind === "setup" ? row : recording.events.thread[row])));
    expect(lanes.every((lane) => ranks(lane).size === 1)).toBe(true);
  });
  it("stand beside each other", () => {
    const forward = scene(recording, "time").scene.strips.filter(({ lane }) => lane.kind === "op" && lane.phase === 0);
    expect(Math.abs(forward[0].y - forward[1].y)).toBeCloseTo(forward[0].h + 3);
  });
  it("have columns of their own in the scale order, each rank's first op at the left", () => {
    const { blocks } = scene(recording, "order").scene;
    const forward = blocks.filter(({ lane }) => lane.kind === "op" && lane.phase === 0);
    expect(forward.map(({ x, w }) => [x, w])).toEqual([
      [forward[0].x, forward[0].w],
      [forward[0].x, forward[0].w],
    ]);
    expect(new Set(forward.map(({ y }) => y)).size).toBe(2);
  });
  it("take no pause of another rank off an op", () => {
    expect(Array.from(opTimesOf(recording)).filter((_, row) => recording.events.kind[row] === KIND.op)).toEqual([
      45, 50, 45, 40,
    ]);
  });
  it("say for whom a call between processes waits, where that takes long", () => {
    const waiting = rows.add("ops", { name: "all_reduce", family: "collective" });
    add(14, 1, 200, { kind: KIND.op, op: waiting, dur: 3e6 });
    add(15, 1, 4e6, { kind: KIND.op, op: waiting, dur: 3e6 });
    rows.add("waits", { event: 14, dur: 2e6, rank: 0 });
    rows.add("waits", { event: 15, dur: 90, rank: 0 });
    const { blocks } = scene(rows.recording(), "time", 2000).scene;
    const said = blocks.filter(({ row, lane }) => lane.kind === "op" && row >= 8).map(({ words }) => words.sub);
    expect(said).toEqual(["waits 2 ms for rank 0", ""]);
  });
  it("give variables of one name their rank", () => {
    const named = new Rows();
    for (const number of [0, 1]) named.add("ranks", { number, variable: 2 * number });
    ["w:0", "b:0", "w:0", "c:0"].forEach((name, id) => {
      named.add("variables", { id, name });
      named.add("tensors", { id, variable: id, producer: -1 });
    });
    const queries = queriesOf(named.recording());
    expect([0, 1, 2, 3].map((id) => queries.name(id))).toEqual(["w rank 0", "b", "w rank 1", "c"]);
  });
  it("are found by their filter", () => {
    const found = select(recording, "rank:1");
    expect([...found.events]).toEqual([10, 11, 12, 13]);
    expect([...select(recording, "rank:0-1").events]).toHaveLength(8);
  });
});

describe("level of detail", () => {
  const n = 100_000;
  const start = Float64Array.from({ length: n }, (_, i) => i * 10);
  const kinds = Uint8Array.from({ length: n }, (_, i) => (i % 4 === 0 ? 1 : 2));
  const intervals = new Intervals(
    Int32Array.from(start.keys()),
    start,
    start.map((s) => s + 7),
    kinds,
  );

  it("says of each column how much is busy, and with what", () => {
    const columns: number[][] = [];
    const visit = (column: { index: number; full: number; kind: number; matching: number }): void =>
      void columns.push([column.index, Number(column.full.toFixed(2)), column.kind, column.matching]);
    const flags = Uint8Array.from({ length: n }, (_, i) => Number(i < n / 2 && i % 2 === 0));
    intervals.columns(intervals.touching(0, n * 10), { from: 0, width: n, count: 10 }, flags, visit);
    expect(columns.map(([index]) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(new Set(columns.map(([, full, kind]) => `${full} ${kind}`))).toEqual(new Set(["0.7 2"]));
    expect(columns.map(([, , , matching]) => Number(matching.toFixed(2)))).toEqual([
      ...new Array<number>(5).fill(0.35),
      ...new Array<number>(5).fill(-1),
    ]);
  });
  it("finds what touches a part, and what is long", () => {
    expect(intervals.touching(500, 600)).toEqual([50, 61]);
    expect(intervals.long(0, n, 7, 3)).toEqual([0, 1, 2]);
    expect(intervals.long(0, n, 8, 3)).toEqual([]);
  });
  it("searches", () => {
    expect([-1, 0, 3, 9].map((x) => upperBound(Float64Array.of(0, 3, 3, 8), x))).toEqual([0, 1, 3, 4]);
  });
});

describe("memory", () => {
  it("is the highest of each part, and says nothing where nothing is known", () => {
    const curve = { x: Float64Array.of(1, 2, 2.2, 6), bytes: Float64Array.of(10, 90, 20, 30), end: 8 };
    expect([...columnMaxima(curve, 0, 10, 5)]).toEqual([10, 90, 20, 30, NaN]);
  });
});

describe("a device's pool", () => {
  // Three ops and the backward step of the second; the pool is asked soon after each has ended.
  const rows = new Rows();
  rows.add("devices", { name: "CPU:0" });
  rows.add("devices", { name: "GPU:0" });
  [100, 200, 300, 400].forEach((t0, id) =>
    rows.add("events", { id, kind: KIND.op, op: -1, t0, dur: 50, phase: Number(id === 3), origin: id === 3 ? 1 : -1 }),
  );
  const asked = [
    [155, 512, 2048],
    [255, 1536, 2048],
    [355, 1024, 2048],
    [455, 2560, 4096],
  ];
  for (const [t, used, total] of asked) rows.add("pools", { device: 1, t, used, total });
  const recording = rows.recording();

  it("is its curve over time, and in columns what it says before the next op begins", () => {
    const [time] = scene(recording, "time").model.pools;
    expect(time).toMatchObject({ device: "GPU:0", peak: 2560, held: 4096 });
    expect([[...time.curves[0].x], [...time.curves[0].bytes]]).toEqual([
      [155, 255, 355, 455],
      [512, 1536, 1024, 2560],
    ]);
    const [forward, backward] = scene(recording, "order").model.pools[0].curves;
    expect([[...forward.x], [...forward.bytes]]).toEqual([
      [0, 1, 2],
      [512, 1536, 1024],
    ]);
    expect([[...backward.x], [...backward.bytes], backward.end]).toEqual([[1], [2560], 2]);
  });
  it("says nothing of the time before it was first asked", () => {
    const late = new Rows();
    [0, 10].forEach((t0, id) => late.add("events", { id, kind: KIND.op, op: -1, t0, dur: 5, origin: -1 }));
    late.add("pools", { device: 0, t: 16, used: 8, total: 8 });
    const model = modelOf(late.recording(), "order");
    expect([model.pools[0].device, ...model.pools[0].curves[0].bytes]).toEqual(["device 0", NaN, 8]);
  });
  it("has an area of its own, with its name and figures, below the tensors' memory", () => {
    const without = scene(training(), "order");
    const { model, scene: drawn } = scene(training({ pool: true }), "order");
    const [memory, pool] = drawn.areas;
    expect([memory.title, pool.title, pool.said]).toEqual(["memory", "GPU:0 pool", ["52.5 KiB", "of 64 KiB"]]);
    expect(pool.y).toBeGreaterThan(memory.y + memory.h);
    expect(pool.curves[0].length).toBe(Math.floor(drawn.plot.w));
    expect([drawn.floor, drawn.overview.y > drawn.floor]).toEqual([pool.y + pool.h, true]);
    expect(drawn.bottom).toBe(heightOf(model));
    expect(heightOf(model)).toBe(heightOf(without.model) + pool.h + pool.y - memory.y - memory.h);
    expect(without.scene.areas.length).toBe(1);
  });
  it("of a long recording is counted after the rest is painted", () => {
    const rows = new Rows();
    rows.add("events", { id: 0, kind: KIND.op, op: -1, t0: 0, dur: 5, origin: -1 });
    for (let id = 0; id <= 100_000; id++) rows.add("tensors", { id, storage: id, producer: 0, nbytes: 8 });
    const recording = rows.recording();
    const { model, scene: drawn } = scene(recording, "time");
    expect([model.memory, drawn.areas[0].said, drawn.areas[0].curves]).toEqual([null, ["counting …"], []]);
    const counted = withMemory(model, recording);
    expect([counted.memory?.peak, withMemory(counted, recording) === counted]).toEqual([800_008, true]);
  });
  it("is in the words", () => {
    const context = { recording, selection: new Selection(), matches: new Signal<Uint8Array | null>(null) };
    expect(timelineText(context)).toContain("GPU:0 pool: at most 2.5 KiB used, 4 KiB taken from the device");
    expect(timelineText({ ...context, recording: training() })).not.toContain("pool");
  });
});

describe("the window", () => {
  const domain = [0, 100] as const;
  it("zooms around a point and stays inside", () => {
    const all = fit(domain);
    const near = zoom(all, 0.5, 20, domain, 1);
    expect((20 - near.from) / (near.to - near.from)).toBeCloseTo((20 - all.from) / (all.to - all.from));
    expect(zoom(near, 1000, 20, domain, 1)).toEqual(all);
    expect(zoom(near, 1e-9, 20, domain, 5).to - zoom(near, 1e-9, 20, domain, 5).from).toBeCloseTo(5);
    expect(pan(near, -1e9, domain).from).toBeCloseTo(all.from);
  });
  it("moves only as far as it must", () => {
    const window = { from: 10, to: 30 };
    expect(reveal(window, 12, 15, domain)).toBe(window);
    const moved = reveal(window, 50, 52, domain);
    expect([moved.from, moved.to]).toEqual([41, 61]);
  });
});

describe("a dragged range", () => {
  it("counts what ran inside", () => {
    const recording = training();
    const { model } = scene(recording, "order");
    const summary = summarize(recording, model.axis, 0, 3);
    expect([summary.ops, summary.top[0].name, summary.top[0].count]).toEqual([6, "matmul", 2]);
    expect(rangeText(summary)).toContain("6 ops");
  });
  it("counts neither views as bytes made nor a pause as an op's time", () => {
    const rows = new Rows();
    rows.add("ops", { name: "split", family: "shape" });
    rows.add("events", { id: 0, kind: KIND.op, op: 0, t0: 0, dur: 100 });
    rows.add("events", { id: 1, kind: KIND.gc, t0: 20, dur: 70 });
    rows.add("tensors", { id: 0, producer: 0, storage: 0, nbytes: 4096 });
    rows.add("tensors", { id: 1, producer: 0, storage: 0, nbytes: 4096 });
    const recording = rows.recording();
    const { busy, bytes } = summarize(recording, scene(recording, "time").model.axis, 0, 1000);
    expect([busy, bytes]).toEqual([30, 4096]);
  });
});

describe("in words", () => {
  const context = (recording: Recording, flags: Uint8Array | null = null) => ({
    recording,
    selection: new Selection(),
    matches: new Signal(flags),
  });
  it("names every op with its inputs, line and partner", () => {
    const text = timelineText(context(training()));
    expect(text).toContain("#6 matmul(h, w2) → 32×10  9.4 µs  line 6");
    expect(text).toContain("#14 ∇ matmul(∇matmul #6) → 32×32, 32×10  19.8 µs  line 6  of #6");
  });
  it("says what failed, and is fine without anything", () => {
    expect(timelineText(context(training({ failed: true })))).toContain("✕ failed");
    expect(timelineText(context(new Rows().recording()))).toContain("0 forward ops, 0 backward ops");
    expect(scene(new Rows().recording(), "time").scene.blocks).toEqual([]);
  });
});

describe("a gradient of a gradient", () => {
  const recording = secondOrder();

  it.each(["order", "time"] as const)("lets each op be pointed at in the scale %s", (scale) => {
    const { scene: drawn } = scene(recording, scale);
    const ops = drawn.blocks.filter(({ lane }) => lane.kind === "op");
    expect(ops.map(({ row }) => row).sort()).toEqual([0, 2, 3, 4, 5, 7, 8]);
    for (const { row, x, y, w, h } of ops) {
      const at = hit(drawn, x + w / 2, y + h / 2);
      expect(at && "row" in at && at.row).toBe(row);
      const over = ops.filter((b) => b.x < x + w - 1 && x < b.x + b.w - 1 && b.y < y + h && y < b.y + b.h);
      expect(over.map((b) => b.row)).toEqual([row]);
    }
  });

  it("keeps steps under their partners, in lanes by their order", () => {
    const { scene: drawn } = scene(recording, "order");
    const at = (row: number) => drawn.blocks.find((b) => b.row === row && b.lane.kind === "op")!;
    const { sin, sinStep, multiply, multiplyStep, cos, cosStep } = SECOND_ORDER;
    for (const [one, other] of [
      [sin, sinStep],
      [multiply, multiplyStep],
      [cos, cosStep],
    ])
      expect(at(one).x).toBe(at(other).x);
    const lanes = [sinStep, cos, cosStep].map((row) => at(row).lane);
    expect(lanes.map(({ title }) => title)).toEqual(["backward", "its ops", "2nd order"]);
    expect(lanes.map(({ isReversed }) => isReversed)).toEqual([true, false, true]);
    expect(at(sinStep).words.label).toBe("∇ sin");
    expect(at(cos).words.label).toBe("cos");
  });
});

describe("a break of the axis", () => {
  it("says that a function was traced where that took most of it, though ops ran while it was traced", () => {
    const rows = new Rows();
    rows.add("ops", { name: "add" });
    const span = (sort: string, name: string) => rows.intern(JSON.stringify({ span: sort, name }));
    const ms = 1e6;
    rows.add("events", { id: 0, parent: -1, op: 0, t0: 0, dur: ms });
    rows.add("events", { id: 1, parent: -1, kind: KIND.span, params: span("trace", "tracing step"), t0: ms });
    rows.add("events", { id: 2, parent: 1, op: 0, t0: 1.5 * ms, dur: ms });
    rows.add("events", { id: 3, parent: -1, kind: KIND.span, params: span("scope", "mine"), t0: 91 * ms });
    rows.add("events", { id: 4, parent: 3, op: 0, t0: 100 * ms, dur: ms });
    rows.add("ends", { event: 1, t: 90 * ms });
    rows.add("ends", { event: 3, t: 101 * ms });
    expect(modelOf(rows.recording(), "time").idle).toEqual(["tracing step 97.5 ms"]);
  });
  it("names tracing and planning where they take most of it together, and puts no words of a span under it", () => {
    const rows = new Rows();
    rows.add("ops", { name: "add" });
    const span = (sort: string, name: string) => rows.intern(JSON.stringify({ span: sort, name }));
    const ms = 1e6;
    rows.add("events", { id: 0, parent: -1, op: 0, t0: 0, dur: 10 * ms });
    rows.add("events", { id: 1, parent: -1, kind: KIND.span, params: span("trace", "tracing step"), t0: 10 * ms });
    rows.add("events", { id: 2, parent: -1, kind: KIND.span, params: span("plan", "planning step"), t0: 50 * ms });
    rows.add("events", { id: 3, parent: -1, kind: KIND.span, params: span("function", "step"), t0: 85 * ms });
    rows.add("events", { id: 4, parent: 3, op: 0, t0: 110 * ms, dur: 10 * ms });
    const ends = [50, 85, 120].map((end, i) => ({ event: i + 1, t: end * ms }));
    for (const end of ends) rows.add("ends", end);
    const { model, scene: drawn } = scene(rows.recording(), "time");
    expect(model.idle).toEqual(["tracing step, planning step 100 ms"]);
    const [gap] = drawn.breaks;
    const step = drawn.blocks.find((b) => b.words.label === "step")!;
    expect(step.x).toBeLessThan(gap.x + gap.w);
    expect(step.left).toBeCloseTo(gap.x + gap.w);
  });
});

describe("what is done once", () => {
  /** Two ops of 10 µs; in the second an import of 500 ms, between them a first use of 60 ms and a nap of 5 ms. */
  const recording = ((): Recording => {
    const rows = new Rows();
    rows.add("devices", { name: "CPU:0" });
    rows.add("threads", { name: "MainThread" });
    rows.add("sites", { file: "a.py", line: 4, cell: -1, function: "<module>", text: "y = erf(x)" });
    rows.add("events", { id: 0, kind: KIND.op, op: -1, origin: -1, parent: -1, t0: 0, dur: 1e4, site: 0 });
    rows.add("events", { id: 1, kind: KIND.op, op: -1, origin: -1, parent: -1, t0: 65e6, dur: 500e6 + 1e4, site: 0 });
    rows.add("setups", { kind: "first_use", name: "erf", t0: 1e6, dur: 60e6, site: 0 });
    rows.add("setups", { kind: "import", name: "scipy.special", t0: 65e6 + 5000, dur: 500e6, site: 0 });
    return rows.recording();
  })();

  it("has a lane of its own by the clock, and none in columns", () => {
    const lane = modelOf(recording, "time").lanes.find(({ kind }) => kind === "setup")!;
    expect([...lane.row]).toEqual([0, 1]);
    expect(modelOf(recording, "order").lanes.some(({ kind }) => kind === "setup")).toBe(false);
  });
  it("is what long stretches are about: neither idle nor the work of the op that waited for it", () => {
    const { axis, idle, domain } = modelOf(recording, "time");
    expect(idle).toEqual(["first use of erf 65 ms", "import scipy.special 500 ms"]);
    expect(axis.breaks.map(({ from, to }) => [from, to])).toEqual([
      [1e4, 65e6],
      [65e6 + 5000, 565e6 + 5000],
    ]);
    // What is left are the ops, 20 µs, and their two breaks.
    expect(domain[1]).toBeLessThan(2e4 * 1.4);
  });
  it("answers the pointer with its own row", () => {
    const { scene: drawn } = scene(recording, "time");
    const strip = drawn.strips.find(({ lane }) => lane.kind === "setup")!;
    const { start, end } = { start: strip.lane.intervals.start(0), end: strip.lane.intervals.end(0) };
    const found = hit(drawn, drawn.scale((start + end) / 2), strip.y + 5)!;
    expect([found.lane.kind, found.row, found.from, found.to]).toEqual(["setup", 0, start, end]);
  });
});

describe("functions of the user's", () => {
  /** An op of 10 ns for each site, one behind the other, but for the last, which comes after 2 ms. */
  const lanesOf = (functions: readonly string[], order: readonly number[]): [string, number[]][] => {
    const rows = new Rows();
    rows.add("devices", { name: "CPU:0" });
    rows.add("threads", { name: "MainThread" });
    functions.forEach((name, i) =>
      rows.add("sites", { file: "a.py", line: i + 1, cell: -1, function: name, text: "x" }),
    );
    order.forEach((site, id) => {
      const t0 = id === order.length - 1 ? 2e6 : 10 * id;
      rows.add("events", { id, kind: KIND.op, op: -1, origin: -1, parent: -1, t0, dur: 10, site });
    });
    const { lanes } = modelOf(rows.recording(), "time");
    return lanes.filter(({ kind }) => kind !== "op").map(({ kind, row }) => [kind, [...row]]);
  };

  it("are blocks over the ops that stand in them, and not over idle time", () => {
    const functions = ["<module>", "dense", "dense", "norm"];
    expect(lanesOf(functions, [0, 1, 2, 3, 3, 1, 1])).toEqual([
      ["line", [0, 1, 2, 3, 5, 6]],
      ["function", [1, 3, 5, 6]],
    ]);
  });
  it("are no lane where all stands in the cell itself", () => {
    expect(lanesOf(["<module>", "<module>"], [0, 1, 0]).map(([kind]) => kind)).toEqual(["line"]);
  });
  it("have the names that they are called by", () => {
    const names = [
      "Net.__call__",
      "run.<locals>.step",
      "run.<locals>.<listcomp>",
      "<lambda>",
      "<listcomp>",
      "<module>",
    ];
    const said = names.map((name) => {
      const rows = new Rows();
      rows.add("sites", { file: "a.py", line: 1, cell: -1, function: name, text: "" });
      return functionAt(rows.recording(), 0);
    });
    expect(said).toEqual(["Net.__call__", "step", "run", "lambda", "", ""]);
  });
});
