import { describe, expect, it } from "vitest";
import { memoryOf, Recording } from "./index";
import { firstRow, lastRow, risingOrder } from "./lists";

let state = 7;
const random = (below: number): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};

describe("the order in which values rise", () => {
  it("is a stable sort's, whatever stands there", () => {
    for (let round = 0; round < 200; round++) {
      const values = Float64Array.from({ length: random(60) }, () => random(round % 2 === 0 ? 10 : 1e6));
      if (round % 3 === 0) values.subarray(0, random(values.length + 1)).sort();
      const expected = [...values.keys()].sort((a, b) => values[a] - values[b] || a - b);
      expect([...risingOrder(values)]).toEqual(expected);
    }
  });
});

describe("rows of keys", () => {
  it("are the first and the last ones", () => {
    const keys = Int32Array.of(3, -1, 5, 3, 5, 90_000_000);
    expect([3, 5, 90_000_000, 4, -1].map(firstRow(keys))).toEqual([0, 2, 5, -1, -1]);
    expect([3, 5, 90_000_000, 4, -1].map(lastRow(keys))).toEqual([3, 4, 5, -1, -1]);
  });
});

describe("the memory of tensors", () => {
  it("is what each change adds up to, in the order of time, shared memory once", () => {
    for (let round = 0; round < 60; round++) {
      const n = 1 + random(40);
      const id = Int32Array.from({ length: n }, (_, i) => i);
      const storage = id.map((i) => (random(4) === 0 ? random(i + 1) : i)).map((s, _, all) => (all[s] === s ? s : -5));
      const nbytes = Float64Array.from(id, () => random(100));
      const t0 = Float64Array.from(id, () => random(50));
      const released = [...id].filter(() => random(3) > 0);
      const t = released.map(() => random(80));
      const recording = Recording.fromTables({
        events: { id, t0 },
        tensors: { id, storage, nbytes, producer: id },
        releases: { tensor: Int32Array.from(released), t: Float64Array.from(t) },
      });
      const changes: [number, number][] = [...id].filter((i) => storage[i] === i).map((i) => [t0[i], nbytes[i]]);
      const left = new Map<number, number>();
      for (const s of storage) left.set(s, (left.get(s) ?? 0) + 1);
      released.forEach((i, k) => {
        const owner = storage[i];
        left.set(owner, left.get(owner)! - 1);
        if (owner >= 0 && left.get(owner) === 0) changes.push([t[k], -nbytes[owner]]);
      });
      changes.sort(([a], [b]) => a - b);
      let alive = 0;
      const { t: times, bytes } = memoryOf(recording);
      expect([...times]).toEqual(changes.map(([at]) => at));
      expect([...bytes]).toEqual(changes.map(([, more]) => (alive += more)));
    }
  });
});
