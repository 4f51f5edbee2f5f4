import { describe, expect, it } from "vitest";
import { cellAt, confine, fit, labels, pan, reveal, sliceOf, thumb, thumbTo, zoom } from "./grid";

const BOX = { width: 600, height: 400 };
const size = (rows: number, cols: number): { rows: number; cols: number } => ({ rows, cols });

describe("the grid", () => {
  it("fits a plane: cells at most four times as wide as high, and never larger than a number needs", () => {
    expect(fit(size(64, 32), BOX)).toEqual({ x: 0, y: 0, w: 18.75, h: 6.25 });
    expect(fit(size(100, 10), BOX)).toEqual({ x: 0, y: 0, w: 24, h: 4 });
    expect(fit({ ...size(64, 32), shape: [8, 64, 32] }, BOX)).toEqual({ x: 0, y: 0, w: 7.8125, h: 6.25 });
    expect(fit(size(2, 3), BOX)).toEqual({ x: 0, y: 0, w: 88, h: 26 });
    expect(fit(size(1e6, 100), BOX)).toMatchObject({ w: 6, h: 0.0004 });
  });

  it("takes at most one cell a pixel, from multiples of a power of two", () => {
    const all = sliceOf(fit(size(1e6, 100), BOX), size(1e6, 100), BOX);
    expect(all).toEqual({ start: [0, 0], size: [245, 100], stride: [4096, 1] });
    expect(sliceOf({ x: 2.5, y: 700, w: 10, h: 0.5 }, size(2000, 90), BOX)).toEqual({
      start: [700, 2],
      size: [400, 61],
      stride: [2, 1],
    });
    expect(sliceOf({ x: 0, y: 0, w: 88, h: 26 }, size(2, 3), BOX)).toEqual({
      start: [0, 0],
      size: [2, 3],
      stride: [1, 1],
    });
  });

  it("keeps what is under the pointer while zooming, and stops at both ends", () => {
    const plane = size(1000, 1000);
    const before = fit(plane, BOX);
    const after = zoom(before, plane, BOX, 4, 300, 200);
    expect(cellAt(after, plane, 300, 200)).toEqual(cellAt(before, plane, 300, 200));
    expect(zoom(after, plane, BOX, 1e-3, 10, 10)).toEqual(before);
    expect(zoom(after, plane, BOX, 1e6, 10, 10)).toMatchObject({ w: 88, h: 26 });
  });

  it("never shows room beyond an edge while there is more to see", () => {
    const plane = size(100, 100);
    expect(pan({ x: 0, y: 0, w: 20, h: 20 }, plane, BOX, 1e5, -50)).toEqual({ x: 70, y: 0, w: 20, h: 20 });
    expect(confine({ x: 5, y: 5, w: 2, h: 2 }, plane, BOX)).toEqual({ x: 0, y: 0, w: 2, h: 2 });
  });

  it("moves just far enough to show a cell", () => {
    const plane = size(100, 100);
    const camera = { x: 10, y: 10, w: 20, h: 20 };
    expect(reveal(camera, plane, BOX, 15, 20)).toEqual(camera);
    expect(reveal(camera, plane, BOX, 30, 5)).toEqual({ ...camera, x: 5, y: 11 });
  });

  it("says which cell a point is on, and none beside the plane", () => {
    expect(cellAt({ x: 1.5, y: 0, w: 10, h: 10 }, size(3, 4), 6, 29)).toEqual([2, 2]);
    expect(cellAt({ x: 0, y: 0, w: 10, h: 10 }, size(3, 4), 41, 5)).toBeNull();
  });

  it("labels every n-th row, n round", () => {
    expect(
      labels(0, 6, 64, 400, 18)
        .map(({ at }) => at)
        .slice(0, 4),
    ).toEqual([0, 5, 10, 15]);
    expect(labels(2.5, 26, 8, 100, 18)).toEqual([
      { at: 3, middle: 26 },
      { at: 4, middle: 52 },
      { at: 5, middle: 78 },
    ]);
    expect(labels(0, 0.0004, 1e6, 400, 18).length).toBe(20);
  });

  it("has a thumb that stands for where it is", () => {
    expect(thumb(0, 4, 100, 400)).toBeNull();
    expect(thumb(50, 4, 200, 400)).toEqual({ start: 100, size: 200 });
    expect(thumbTo(100, 4, 200, 400)).toBe(50);
    expect(thumb(0, 20, 1e6, 400)!.size).toBe(24);
    expect(thumbTo(376, 20, 1e6, 400)).toBe(1e6 - 20);
  });
});
