import { describe, expect, it } from "vitest";
import { kernelCells, cellIndex, BEYOND, HERE, recordedCells, MISSING, type Run } from "./cells";
import { elements } from "./elements";
import { firstPlane, withAxis, withIndex } from "./plane";

const run = (offset: number, numbers: readonly number[]): Run => ({
  offset,
  elements: elements("float32", new Uint8Array(new Float32Array(numbers).buffer))!,
});
const count = (from: number, n: number): number[] => Array.from({ length: n }, (_, i) => from + i);

describe("cells", () => {
  it("takes every second row and third column of a plane", () => {
    const plane = withIndex(firstPlane([2, 4, 6]), 0, 1);
    const cells = recordedCells(plane, { start: [0, 1], size: [2, 2], stride: [2, 3] }, [run(0, count(0, 48))])!;
    expect([...cells.numbers]).toEqual([25, 28, 37, 40]);
    expect(cells.missing).toBeNull();
    expect(cells.text(3)).toBe("40");
    expect([cellIndex(cells, 2, 4), cellIndex(cells, 3, 6), cellIndex(cells, 2, 0), cellIndex(cells, 4, 1)]).toEqual([
      3, 3, -1, -1,
    ]);
  });

  it("reads a plane over other axes", () => {
    const plane = withAxis(withAxis(firstPlane([2, 3]), 0, 1), 1, 0);
    const cells = recordedCells(plane, { start: [0, 0], size: [3, 2], stride: [1, 1] }, [run(0, count(0, 6))])!;
    expect([...cells.numbers]).toEqual([0, 3, 1, 4, 2, 5]);
  });

  it("marks what was not kept, apart from what is past the end", () => {
    const cells = recordedCells(firstPlane([13]), { start: [0, 0], size: [2, 10], stride: [1, 1] }, [
      run(0, [7]),
      run(11, [8, 9]),
    ])!;
    expect([cells.numbers[0], cells.numbers[11], cells.numbers[12]]).toEqual([7, 8, 9]);
    expect([cells.missing![0], cells.missing![1], cells.missing![10], cells.missing![13]]).toEqual([
      HERE,
      MISSING,
      MISSING,
      BEYOND,
    ]);
    expect(recordedCells(firstPlane([13]), { start: [0, 1], size: [1, 5], stride: [1, 1] }, [run(0, [7])])).toBeNull();
  });

  it("takes an answer only when it is what was asked for", () => {
    const slice = { start: [0, 0], size: [2, 2], stride: [1, 1] } as const;
    const plane = firstPlane([2, 2]);
    const bytes = new Uint8Array(new Float32Array([1, 2, 3, 4]).buffer);
    expect([...kernelCells(plane, slice, [2, 2], "float32", bytes)!.numbers]).toEqual([1, 2, 3, 4]);
    expect(kernelCells(plane, slice, [2, 1], "float32", bytes)).toBeNull();
    expect(kernelCells(plane, slice, [2, 2], "float64", bytes)).toBeNull();
    expect(kernelCells(plane, slice, [2, 2], "string", bytes)).toBeNull();
  });
});
