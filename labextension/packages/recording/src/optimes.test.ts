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
    expect([...Array.from(opTimesOf(recording))]).toEqual([2, 1, 1, 5, 7, 2, 19, 3, 1]);
  });
  it("is what a line of code is charged for", () => {
    expect(linesOf(recording).map(({ forward, forwardTime }) => [forward, forwardTime])).toEqual([[5, 16]]);
  });
});
