import { contrast, textColor } from "@tapeviz/core";
import { describe, expect, it } from "vitest";
import { training } from "../fixture";
import { axisTicks, health, histogram, statsOf, type Stats } from "./layout";
import { colorScale, pixels } from "./scale";

const plain: Stats = {
  min: -1,
  max: 3,
  mean: 0,
  std: 1,
  norm: 2,
  nan: 0,
  posinf: 0,
  neginf: 0,
  zero: 10,
  negative: 30,
  bad: -1,
  bins: [4, 0, 2, 1],
};

describe("the health bar", () => {
  it("adds up to its width and counts the positive ones", () => {
    const bar = health(plain, 100, 200);
    expect(bar.map(({ count }) => count)).toEqual([0, 30, 10, 60, 0, 0]);
    expect(bar.map(({ x }) => x)).toEqual([0, 0, 60, 80, 200, 200]);
    expect(bar.map(({ width }) => width)).toEqual([0, 60, 20, 120, 0, 0]);
  });

  it("shows a single NaN in a million, at the cost of the largest part", () => {
    const bar = health({ ...plain, nan: 1, negative: 0, zero: 0 }, 1e6, 200);
    expect(bar.at(-1)).toMatchObject({ kind: "nan", count: 1, width: 3 });
    expect(bar.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(200, 9);
  });

  it("has no parts for a tensor without elements", () => {
    expect(health({ ...plain, zero: 0, negative: 0 }, 0, 200).every(({ width }) => width === 0)).toBe(true);
  });
});

describe("the histogram", () => {
  it("gives value and gradient the same room and each its own heights", () => {
    const { value, gradient, top, bottom } = histogram(plain, { ...plain, bins: [1, 1, 100, 1] }, 220, 150, false);
    expect([top, bottom]).toEqual([32, 118]);
    expect(value!.bars.map(({ height }) => height)).toEqual([86, 0, 43, 21.5]);
    expect(gradient!.bars.map(({ height }) => height)).toEqual([1, 1, 86, 1]);
    expect(value!.bars[2]).toMatchObject({ x: 110, width: 50, from: 1, to: 2, count: 2 });
    expect(histogram(plain, null, 220, 150, true).value!.bars[3].height).toBeCloseTo(
      (Math.log10(2) / Math.log10(5)) * 112,
      9,
    );
  });

  it("is one bar when all elements are the same, and nothing without finite ones", () => {
    const { value, gradient } = histogram(
      { ...plain, min: 2, max: 2, bins: [7, 0, 0, 0] },
      { ...plain, bins: [0, 0] },
      220,
      150,
      false,
    );
    expect(value!.bars).toEqual([{ x: 104, y: 6, width: 12, height: 112, count: 7, from: 2, to: 2 }]);
    expect(gradient).toBeNull();
  });

  it("labels round numbers that do not touch", () => {
    expect(axisTicks(-1.1, 3, 0, 280).map(({ label }) => label)).toEqual(["−1", "0", "1", "2", "3"]);
    const small = axisTicks(-0.00012, 0.00034, 0, 280);
    for (const [i, tick] of small.entries()) if (i > 0) expect(tick.x - small[i - 1].x).toBeGreaterThan(50);
  });

  it("reads a recording's statistics", () => {
    const recording = training();
    const stats = statsOf(recording, 0)!;
    expect(stats.bins.length).toBe(32);
    expect(stats.bins.reduce((a, b) => a + b, 0)).toBe(32 * 64);
    expect(statsOf(recording, 9999)).toBeNull();
  });
});

describe("colours of numbers", () => {
  it("are centred on 0 when some are negative", () => {
    const scale = colorScale(plain, false, false);
    expect([scale.name, scale.low, scale.high]).toEqual(["signed", -3, 3]);
    expect([scale.index(-3), scale.index(3), scale.index(99)]).toEqual([0, 255, 255]);
    expect(scale.ticks.map(({ label }) => label)).toEqual(["−3", "−1.5", "0", "1.5", "3"]);
  });

  it("begin at 0 for magnitudes, but not when all are alike and far from it", () => {
    expect(colorScale({ min: 0.5, max: 2, negative: 0 }, false, false)).toMatchObject({
      name: "magnitude",
      low: 0,
      high: 2,
    });
    expect(colorScale({ min: 100, max: 101, negative: 0 }, false, false)).toMatchObject({ low: 100, high: 101 });
    expect(colorScale({ min: NaN, max: NaN, negative: 0 }, false, false)).toMatchObject({ low: 0, high: 1 });
  });

  it("span six decades by powers of ten", () => {
    const scale = colorScale(plain, true, false);
    expect([scale.low, scale.high]).toEqual([1e-5, 10]);
    expect([scale.index(0), scale.index(-10), scale.index(1e-2)]).toEqual([0, 255, 128]);
  });

  it("all carry a number that reads, in both themes", () => {
    for (const dark of [false, true]) {
      for (const stats of [plain, { min: 0, max: 1, negative: 0 }]) {
        for (const color of colorScale(stats, false, dark).colors)
          expect(contrast(textColor(color), color)).toBeGreaterThan(4.5);
      }
    }
    expect(pixels(["#010203"])[0]).toBe(0xff030201);
  });
});
