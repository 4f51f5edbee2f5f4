import { describe, expect, it } from "vitest";
import {
  cutAxes,
  facetAt,
  locate,
  firstPlane,
  flattener,
  position,
  unflatten,
  withAxis,
  withFacets,
  withIndex,
} from "./plane";

describe("a plane", () => {
  it("first shows the last two axes, or height by width of an image with channels", () => {
    expect(firstPlane([64, 32])).toMatchObject({ axes: [0, 1], rows: 64, cols: 32 });
    expect(firstPlane([2, 3, 4, 5])).toMatchObject({ axes: [2, 3], rows: 4, cols: 5 });
    expect(firstPlane([8, 28, 28, 3])).toMatchObject({ axes: [1, 2], rows: 28, cols: 28 });
    expect(firstPlane([])).toMatchObject({ axes: [-1, -1], rows: 1, cols: 1 });
  });

  it("cuts a single axis into round rows", () => {
    expect(firstPlane([7])).toMatchObject({ axes: [-1, 0], wrap: 7, rows: 1, cols: 7 });
    expect(firstPlane([32])).toMatchObject({ wrap: 10, rows: 4, cols: 10 });
    expect(firstPlane([1e8])).toMatchObject({ wrap: 100, rows: 1e6, cols: 100 });
    const flat = flattener(firstPlane([32]));
    expect([flat(0, 0), flat(3, 1), flat(3, 2)]).toEqual([0, 31, -1]);
  });

  it("swaps its axes rather than showing one twice", () => {
    const swapped = withAxis(firstPlane([4, 5, 6]), 0, 2);
    expect(swapped).toMatchObject({ axes: [2, 1], rows: 6, cols: 5 });
    expect(cutAxes(swapped)).toEqual([0]);
    expect(cutAxes(firstPlane([1, 5, 6]))).toEqual([]);
  });

  it("finds every element of [4, 5, 6] in C order, over any axes", () => {
    for (const axes of [
      [1, 2],
      [0, 2],
      [2, 0],
      [1, 0],
    ] as const) {
      let of = withAxis(withAxis(firstPlane([4, 5, 6]), 0, axes[0]), 1, axes[1]);
      const cut = cutAxes(of)[0];
      of = withIndex(of, cut, 3);
      const at = position(of, 2, 1);
      expect(at[cut]).toBe(3);
      expect(flattener(of)(2, 1)).toBe(at[0] * 30 + at[1] * 6 + at[2]);
      expect(unflatten([4, 5, 6], flattener(of)(2, 1))).toEqual(at);
      expect(locate(of, at)).toMatchObject({ r: 2, c: 1 });
    }
  });

  it("shows a third axis side by side, with gaps in which there is nothing", () => {
    const of = withFacets(firstPlane([6, 28, 28, 3]), 0);
    expect(of).toMatchObject({ facets: { axis: 0, across: 3, gap: 2 }, rows: 58, cols: 88 });
    expect(cutAxes(of)).toEqual([3]);
    expect(position(of, 31, 62)).toEqual([5, 1, 2, 0]);
    expect([facetAt(of, 28, 0), facetAt(of, 0, 29), position(of, 28, 0), flattener(of)(29, 5)]).toEqual([
      null,
      null,
      [],
      -1,
    ]);
    expect(withFacets(of, -1)).toEqual(firstPlane([6, 28, 28, 3]));
    expect(withAxis(of, 0, 0).facets).toBeNull();
  });

  it("finds every element of planes side by side, and past the last one nothing", () => {
    const of = withFacets(firstPlane([5, 3, 4]), 0);
    const seen = new Set<number>();
    for (let r = 0; r < of.rows; r++) {
      for (let c = 0; c < of.cols; c++) {
        const flat = flattener(of)(r, c);
        if (flat < 0) continue;
        seen.add(flat);
        expect(locate(of, position(of, r, c))).toMatchObject({ r, c });
        expect(unflatten(of.shape, flat)).toEqual(position(of, r, c));
      }
    }
    expect(seen.size).toBe(60);
  });

  it("goes to an element of another cut, and nowhere for one that is not there", () => {
    const of = firstPlane([4, 5, 6]);
    expect(locate(of, [3, 4, 5])).toMatchObject({ plane: { index: [3, 0, 0] }, r: 4, c: 5 });
    expect([locate(of, [4, 0, 0]), locate(of, [0, 0]), locate(of, [0.5, 0, 0]), locate(of, [-1, 0, 0])]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(locate(firstPlane([1e8]), [99_999_999])).toMatchObject({ r: 999_999, c: 99 });
    expect(withIndex(of, 0, 99).index).toEqual([3, 0, 0]);
  });
});
