import { describe, expect, it } from "vitest";
import { linesOf } from "./figures";
import { opTimesOf } from "./optimes";
import { Recording } from "./recording";
import { KIND } from "./tables.gen";

/** Rows [op, start, duration]; op -1 for a pause of the garbage collector. */
function recordingOf(rows: readonly (readonly [number, number, number])[]): Recording {
  return Recording.fromTables({
    sites: { file: ["train.py"], line: [3], cell: [-1], text: ["y = f(x)"] },
    events: {
      id: rows.map((_, row) => row),
      kind: rows.map(([op]) => (op < 0 ? KIND.gc : KIND.op)),
      op: rows.map(([op]) => op),
      site: rows.map(() => 0),
      t0: rows.map(([, start]) => start),
      dur: rows.map(([, , took]) => took),
    },
  });
}

describe("the time of an op", () => {
  // An op around a whole pause; two that one pause touches from both sides; an op without; two pauses in one op.
  // The pauses come last, and not in their order, as threads may hand them in.
  const recording = recordingOf([
    [1, 0, 21],
    [0, 30, 2],
    [1, 33, 2],
    [0, 40, 5],
    [0, 50, 10],
    [-1, 55, 2],
    [-1, 1, 19],
    [-1, 31, 3],
    [-1, 51, 1],
  ]);
  it("is without the pauses that fell into it", () => {
    expect(Array.from(opTimesOf(recording))).toEqual([2, 1, 1, 5, 7, 2, 19, 3, 1]);
  });
  it("is without the imports in it; a pause within one counts once", () => {
    const { op, gc } = KIND;
    const within = Recording.fromTables({
      events: { id: [0, 1, 2], kind: [op, gc, op], t0: [10, 30, 200], dur: [100, 20, 5] },
      setups: { kind: ["import", "first_use"], name: ["scipy", "erf"], t0: [20, 150], dur: [60, 40] },
    });
    expect(Array.from(opTimesOf(within))).toEqual([40, 20, 5]);
  });
  it("is found in any order of events and pauses", () => {
    let seed = 1;
    const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
    for (let round = 0; round < 50; round++) {
      const edges = Array.from({ length: 2 * random(8) }, () => random(1000)).sort((a, b) => a - b);
      const pauses = edges
        .filter((_, k) => k % 2 === 0)
        .map((start, k) => [-1, start, edges[2 * k + 1] - start] as const);
      const ops = Array.from({ length: 9 }, () => [random(2), random(1000), random(300)] as const);
      const wanted = ops.map(([, start, took]) =>
        pauses.reduce(
          (left, [, from, length]) => left - Math.max(0, Math.min(start + took, from + length) - Math.max(start, from)),
          took,
        ),
      );
      expect(Array.from(opTimesOf(recordingOf([...ops, ...pauses]))).slice(0, ops.length)).toEqual(wanted);
    }
  });
  it("is what a line of code is charged for", () => {
    expect(linesOf(recording).map(({ forward, forwardTime }) => [forward, forwardTime])).toEqual([[5, 16]]);
  });
});
