/** Level of detail against the truth: whatever runs, whatever part is shown and however wide. */
import { describe, expect, it } from "vitest";
import { fixedWidth } from "@tapeviz/core";
import { KIND, STATUS, type Recording } from "@tapeviz/recording";
import { fixtureJson } from "@tapeviz/recording/fixtures";
import { Rows } from "../fixture/index";
import { breaksOf, gapsOf, positionAt, positionsOf, timeAt } from "./breaks";
import { findBlock, heightOf, hit, layout, type Scene } from "./layout";
import { modelOf, type Lane, type Model } from "./model";
import { labelCandidates } from "./labeltexts";

const measure = fixedWidth(6);
const MEASURES = { measure, small: measure, code: measure };

/** Random numbers in [0, 1), the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    state ^= state >>> 13;
    return (state >>> 0) / 2 ** 32;
  };
}

interface Given {
  readonly recording: Recording;
  readonly matches: Uint8Array | null;
  readonly random: () => number;
}

/** Ops with gaps of all sizes between them, some without a length, some failed, some over each other. */
function given(seed: number): Given {
  const random = chance(seed);
  const rows = new Rows();
  rows.add("ops", { name: "add", family: "elementwise" });
  rows.add("ops", { name: "matmul", family: "linalg" });
  const count = Math.floor(10 ** (1 + 2.5 * random()));
  const [overlap, idle] = [random() < 0.3, 10 ** (5 * random())];
  let t = 0;
  for (let id = 0; id < count; id++) {
    const dur = random() < 0.1 ? 0 : Math.floor(1000 * 10 ** (2 * random() - 1));
    const [phase, op] = [Number(random() < 0.4), Number(random() < 0.5)];
    const status = random() < 0.01 ? STATUS.failed : 0;
    rows.add("events", { id, kind: KIND.op, op, origin: -1, parent: -1, t0: t, dur, phase, status });
    t += Math.floor(overlap ? dur * random() : dur) + (random() < 0.05 ? Math.floor(1000 * idle * random()) : 50);
  }
  const [since, part] = [count * random(), random() < 0.5 ? 0.1 : 1];
  const flags = Uint8Array.from({ length: count }, (_, i) => Number(i > since && random() < part));
  return { recording: rows.recording(), matches: random() < 0.5 ? flags : null, random };
}

function draw({ recording, matches, random }: Given): { model: Model; scene: Scene; unit: number } {
  const model = modelOf(recording, "time");
  const [first, last] = model.domain;
  const size = (last - first) * 10 ** (-2.5 * random() * Math.round(random()));
  const from = first + (last - first - size) * random();
  const frame = { from, to: from + size, width: 40 + Math.floor(10 ** (3.1 * random())), matches, ...MEASURES };
  const scene = layout(model, { ...frame, height: heightOf(model) }, labelCandidates(recording));
  return { model, scene, unit: size / scene.plot.w };
}

/** Which pixels of a lane something is painted on, and which of them not faintly. */
function painted(scene: Scene, lane: Lane): { any: Uint8Array; full: Uint8Array; failed: Uint8Array } {
  const n = Math.ceil(scene.plot.w) + 1;
  const [any, full, failed] = [new Uint8Array(n), new Uint8Array(n), new Uint8Array(n)];
  const fill = (of: Uint8Array, x: number, w: number): void => {
    const [first, last] = [Math.floor(x - scene.plot.x), Math.ceil(x - scene.plot.x + w)];
    of.fill(1, Math.max(0, first), Math.max(first + 1, last));
  };
  for (const bar of scene.bars.filter((one) => one.lane === lane)) {
    fill(any, bar.x, bar.w);
    if (bar.matching >= 0) fill(full, bar.x, bar.w);
    if (bar.failed) fill(failed, bar.x, bar.w);
  }
  for (const { row, x, w } of scene.blocks.filter((one) => one.lane === lane)) {
    fill(any, x, w);
    if (!scene.matches || scene.matches[row] === 1) fill(full, x, w);
    if (scene.model.failed(row)) fill(failed, x, w);
  }
  return { any, full, failed };
}

/** The pixels that ops are on, as far as they are counted. */
function truth({ plot, scale }: Scene, lane: Lane, counts: (row: number) => boolean): Uint8Array {
  const pixels = new Uint8Array(Math.ceil(plot.w) + 1);
  lane.row.forEach((row, i) => {
    if (!counts(row)) return;
    const [first, last] = [scale(lane.intervals.start(i)) - plot.x, scale(lane.intervals.end(i)) - plot.x];
    if (last < 0 || first > plot.w) return;
    pixels.fill(1, Math.max(0, Math.floor(first)), Math.max(Math.floor(first) + 1, Math.ceil(last)));
  });
  return pixels;
}

/** The first pixel that is set in the one, and in the other neither there nor beside it; -1 for none. */
function missing(one: Uint8Array, other: Uint8Array): number {
  return one.findIndex((set, i) => set === 1 && !other[i] && !other[i - 1] && !other[i + 1]);
}

const SEEDS = Array.from({ length: 150 }, (_, i) => i + 1);
const opLanes = (model: Model): Lane[] => model.lanes.filter(({ kind }) => kind === "op");

describe("level of detail", () => {
  it("paints a pixel busy where an op overlaps it, and nowhere else", () => {
    for (const seed of SEEDS) {
      const { model, scene } = draw(given(seed));
      for (const lane of opLanes(model)) {
        const [drawn, real] = [painted(scene, lane).any, truth(scene, lane, () => true)];
        expect([seed, lane.title, missing(real, drawn), missing(drawn, real)]).toEqual([seed, lane.title, -1, -1]);
      }
    }
  });
  it("says how much of a column is busy, and how much of that matches", () => {
    for (const seed of SEEDS) {
      const { recording, matches, random } = given(seed);
      const model = modelOf(recording, "time");
      for (const { intervals, row } of opLanes(model)) {
        if (row.some((_, i) => i > 0 && intervals.start(i) < intervals.end(i - 1))) continue;
        const [from, to] = model.domain;
        const parts = random() < 0.5 ? 9 : 150;
        const columns = {
          from: from + (to - from) * 0.3 * random(),
          width: (to - from) / parts,
          count: Math.floor(0.7 * parts),
        };
        const inside = (left: number, counts: (row: number) => boolean): number => {
          const part = (i: number): number =>
            Math.min(left + columns.width, intervals.end(i)) - Math.max(left, intervals.start(i));
          return row.reduce((sum, r, i) => sum + (counts(r) ? Math.max(0, part(i)) : 0), 0) / columns.width;
        };
        const window = intervals.touching(columns.from, columns.from + columns.count * columns.width);
        intervals.columns(window, columns, matches, ({ index, full, matching }) => {
          if (parts > 9 && index % 9 > 0) return;
          const left = columns.from + index * columns.width;
          const real = [inside(left, () => true), inside(left, (r) => !matches || matches[r] === 1)];
          const off = Math.max(Math.abs(full - real[0]), Math.abs(Math.max(0, matching) - real[1]));
          expect([seed, index, off < 1e-4]).toEqual([seed, index, true]);
        });
      }
    }
  });
  it("is faint where nothing matches the filter, and only there", () => {
    for (const seed of SEEDS) {
      const made = given(seed);
      const { model, scene } = draw(made);
      for (const lane of opLanes(model)) {
        const full = painted(scene, lane).full;
        const real = truth(scene, lane, (row) => !made.matches || made.matches[row] === 1);
        expect([seed, missing(real, full), missing(full, real)]).toEqual([seed, -1, -1]);
      }
    }
  });
  it("keeps what failed", () => {
    for (const seed of SEEDS) {
      const { model, scene } = draw(given(seed));
      for (const lane of opLanes(model)) {
        const [failed, real] = [painted(scene, lane).failed, truth(scene, lane, model.failed)];
        expect([seed, missing(real, failed), missing(failed, real)]).toEqual([seed, -1, -1]);
        const signs = scene.signs.filter((sign) => sign.lane === lane);
        const narrow = real.some(
          (set, i) => set && !scene.blocks.some((b) => b.x - scene.plot.x <= i + 1 && b.w >= 16),
        );
        if (narrow) expect([seed, signs.length > 0]).toEqual([seed, true]);
      }
    }
  });
  it("finds an op under the pointer", () => {
    for (const seed of SEEDS) {
      const { model, scene, unit } = draw(given(seed));
      for (const { lane, y, h } of scene.strips.filter((strip) => strip.lane.kind === "op")) {
        const drawn = painted(scene, lane).any;
        for (let i = 0; i < drawn.length - 1; i += 7) {
          const at = scene.scale.invert(scene.plot.x + i + 0.5);
          const found = hit(scene, scene.plot.x + i + 0.5, y + h - 1);
          const away = (row: number): number =>
            Math.max(0, model.axis.start[row] - at, at - model.axis.end[row]) / unit;
          const nearest = Math.min(...[...lane.row].map(away));
          if (nearest <= 0.5) expect([seed, i, away(found?.row ?? NaN) <= 0.5 + 1e-6]).toEqual([seed, i, true]);
          else if (drawn[i]) expect([seed, i, away(found?.row ?? NaN) <= 4 + 1e-6]).toEqual([seed, i, true]);
          else if (nearest > 4 + 1e-6) expect([seed, i, found]).toEqual([seed, i, null]);
          const isInSight = found && model.axis.end[found.row] >= scene.scale.invert(scene.plot.x);
          if (isInSight && away(found.row) <= 0.5)
            expect([seed, i, findBlock(scene, found.row)?.lane === lane]).toEqual([seed, i, true]);
        }
      }
    }
  });
});

describe("three thousand ops around a second asleep", () => {
  const rows = new Rows();
  rows.add("ops", { name: "add", family: "elementwise" });
  for (let id = 0; id < 3000; id++)
    rows.add("events", {
      id,
      kind: KIND.op,
      op: 0,
      origin: -1,
      parent: -1,
      t0: id * 3000 + (id < 1500 ? 0 : 1e9),
      dur: 900,
    });
  const recording = rows.recording();
  const model = modelOf(recording, "time");
  const [from, to] = model.domain;
  const frame = { from, to, width: 960, height: heightOf(model), matches: null, ...MEASURES };
  const scene = layout(model, frame, labelCandidates(recording));

  it("are seen, and the second is a break", () => {
    const [gap] = scene.breaks;
    expect([scene.breaks.length, gap.label]).toEqual([1, "idle 1 s"]);
    expect(gap.w).toBeLessThan(0.06 * scene.plot.w);
    const inside = scene.bars.filter((bar) => bar.x > gap.x + 1 && bar.x + bar.w < gap.x + gap.w - 1);
    expect(inside).toEqual([]);
    expect(scene.bars.length).toBeGreaterThan(0.9 * scene.plot.w);
    expect(scene.ruler.ticks.map(({ label }) => label)).toEqual(["0 s", "0.002 s", "0.004 s", "1.006 s", "1.008 s"]);
  });
  it("leave the second idle where it is not left out, too", () => {
    const axis = { ...model.axis, breaks: [], place: (t: number) => t, time: (x: number) => x };
    const { t0, dur } = recording.events;
    const whole = modelOf(rows.recording(), "time");
    const lane = whole.lanes[0];
    axis.start.set(t0);
    axis.end.set(t0.map((t, i) => t + dur[i]));
    const domain: [number, number] = [0, 1e9 + 9e6];
    const plain = layout({ ...model, axis, domain }, { ...frame, from: 0, to: domain[1] }, labelCandidates(recording));
    expect(lane.row.length).toBe(3000);
    expect(plain.bars.map(({ x }) => Math.round(x - plain.plot.x)).filter((x) => x > 5 && x < 840)).toEqual([]);
  });
});

describe("the words of a span", () => {
  it.each([0, 1, 2, 3, 4, 5])("stand where no break is: %i", (seed) => {
    const rows = new Rows();
    rows.add("ops", { name: "add", family: "elementwise" });
    const random = chance(seed + 1);
    const starts = Array.from({ length: 30 }, (_, i) => i * 3000 + (i < 10 ? 0 : 1e9) + (i < 20 ? 0 : 2e9));
    starts.forEach((t0, id) => rows.add("events", { id, kind: KIND.op, op: 0, origin: -1, parent: -1, t0, dur: 2000 }));
    for (let id = 30; id < 45; id++) {
      const t0 = random() * 3e9;
      const params = rows.intern(JSON.stringify({ span: "scope", name: "a replacing step" }));
      rows.add("events", { id, kind: KIND.span, op: -1, origin: -1, parent: -1, t0, dur: 0, params });
      rows.add("ends", { event: id, t: t0 + random() * 3e9 });
    }
    const recording = rows.recording();
    const model = modelOf(recording, "time");
    const [from, to] = model.domain;
    const frame = { from, to, width: 960, height: heightOf(model), matches: null, ...MEASURES };
    const scene = layout(model, frame, labelCandidates(recording));
    const said = scene.blocks.filter(({ lane, words }) => lane.kind === "span" && words.label !== "");
    expect(scene.breaks.length).toBeGreaterThanOrEqual(2);
    expect(said.length).toBeGreaterThan(3);
    for (const { left, words, x, w } of said) {
      const right = left + 6 + MEASURES.measure(words.label);
      expect(left).toBeGreaterThanOrEqual(x);
      expect(right).toBeLessThanOrEqual(x + w);
      for (const gap of scene.breaks) expect(right <= gap.x || left >= gap.x + gap.w).toBe(true);
    }
  });
});

describe("breaks", () => {
  interface Case {
    readonly start: number[];
    readonly end: number[];
    readonly domain: [number, number];
    readonly breaks: [number, number, number, number][];
    readonly times: number[];
    readonly places: number[];
  }
  const cases = Object.entries(fixtureJson<Record<string, Case>>("breaks"));

  it.each(cases)("are those of the figure: %s", (_, { start, end, domain, breaks, times, places }) => {
    const found = breaksOf(gapsOf(start, end, domain), domain);
    expect(found.map(({ from, to, at, size }) => [from, to, at, size])).toEqual(breaks);
    const ours = [...positionsOf(found, Float64Array.from(times))];
    ours.forEach((place, i) => expect(place).toBeCloseTo(places[i], 3));
    ours.forEach((place, i) => expect(timeAt(found, place)).toBeCloseTo(times[i], 0));
    for (let i = 1; i < ours.length; i++) expect(ours[i]).toBeGreaterThan(ours[i - 1]);
    for (const t of end) expect(timeAt(found, positionAt(found, t))).toBeCloseTo(t, 0);
  });
});
