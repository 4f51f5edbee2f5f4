import { describe, expect, it } from "vitest";
import { fixtureBytes, fixtureJson } from "./fixtures";
import { FilterError, Recording, select } from "./index";

interface Cases {
  readonly good: Record<string, { events: number[]; tensors: number[] }>;
  readonly bad: Record<string, string>;
}

const cases = fixtureJson<Cases>("filters");
const recording = await Recording.open(fixtureBytes("network"));

describe("a filter finds what Python finds", () => {
  it.each(Object.entries(cases.good))("%s", (text, { events, tensors }) => {
    const found = select(recording, text);
    expect([...found.events]).toEqual(events);
    expect([...found.tensors]).toEqual(tensors);
    expect(found.eventFlags.reduce((a, b) => a + b, 0)).toBe(events.length);
  });
});

describe("a bad filter is explained as in Python", () => {
  it.each(Object.entries(cases.bad))("%s", (text, message) => {
    expect(() => select(recording, text)).toThrow(new FilterError(message));
  });
});

it("finds nothing in an empty recording", () => {
  const found = select(Recording.fromTables({}), "op:add name:w |g|<1 nan wrt:w shape:[] module:a");
  expect([found.events.length, found.tensors.length]).toEqual([0, 0]);
});

it("does not stumble over ids that are no row numbers, or numbers that point nowhere", () => {
  const odd = Recording.fromTables({
    events: { id: [30, 10, 20], op: [0, 0, 7], parent: [-1, 20, 99], kind: [0, 0, 1], site: [5, -1, 0] },
    ops: { name: ["add"] },
    tensors: { id: [7, 5, 6], producer: [10, 30, 77], shape: [9, -1, 0] },
    names: { tensor: [5, 99], name: ["a", "a"] },
    edges: { event: [10, 99, 20], tensor: [5, 5, 99], role: [0, 0, 0] },
    gradients: { backward: [4], tensor: [5], gradient: [1000], addend: [-1] },
    requests: { source: [5], target: [1000] },
  });
  expect([...select(odd, "name:a").events]).toEqual([10]);
  expect([...select(odd, "op:add").tensors]).toEqual([7, 5]);
  for (const text of ["line:1", "shape:[]", "module:a", "|g|<1", "nan", "dur>1s", "wrt:a", "a"]) select(odd, text);
});
