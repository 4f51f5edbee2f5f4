import { describe, expect, it } from "vitest";
import { KIND, Recording } from "./index";

describe("fromTables", () => {
  it("gives typed columns, and the none of columns left out", () => {
    const recording = Recording.fromTables({
      events: { id: [0, 1], kind: [KIND.op, KIND.span], t0: [0, 2 ** 40] },
      strings: { text: ["[]", "[2,3]"] },
    });
    expect(recording.events.rows).toBe(2);
    expect(recording.events.id).toEqual(Int32Array.of(0, 1));
    expect(recording.events.t0).toEqual(Float64Array.of(0, 2 ** 40));
    expect(recording.events.parent).toEqual(Int32Array.of(-1, -1));
    expect(recording.events.kind).toEqual(Uint8Array.of(0, 1));
    expect(recording.text(1)).toBe("[2,3]");
    expect(recording.text(-1)).toBe("");
    expect(recording.tensors.rows).toBe(0);
    expect(recording.stats.bad).toBeInstanceOf(Float64Array);
    expect(recording.problem).toBeNull();
  });

  it("refuses columns of different lengths", () => {
    const uneven = { events: { id: [0], t0: [1, 2] } };
    expect(() => Recording.fromTables(uneven)).toThrow("events: columns of different lengths");
  });
});
