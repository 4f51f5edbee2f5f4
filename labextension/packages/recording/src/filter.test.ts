import { describe, expect, it } from "vitest";
import { fixtureBytes, fixtureJson } from "./fixtures";
import { hintOf } from "./hints";
import { FilterError, Recording, draftOf, parseFilter, select } from "./index";

interface Cases {
  readonly good: Record<string, { events: number[]; tensors: number[] }>;
  readonly bad: Record<string, string>;
  readonly hints: Record<string, string>;
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

describe("what is not found is named as in Python", () => {
  it.each(Object.entries(cases.hints))("%s", (text, hint) => {
    const empty = parseFilter(text).filter((term, at) => {
      const { events, tensors } = select(recording, text.split(" ")[at]);
      return !term.negated && events.length + tensors.length === 0;
    });
    expect(empty.map((term) => hintOf(recording, term)).join("; ")).toBe(hint);
  });
});

describe("a filter that is being typed", () => {
  it.each([
    ["op:mat", "op:mat*"],
    ["op:matmul", "op:matmul"],
    ["-op:mat", "-op:mat*"],
    ["op:mat ", "op:mat"],
    ["op:relu|mat", "op:relu|mat*"],
    ["dtype:floa", "dtype:floa*"],
    ["phase:back op:re", "phase:back op:re*"],
    ['name:"w', 'name:"w"*'],
    ["shape:[4,", "shape:[4,...]"],
    ["shape:[4", "shape:[4,...]"],
    ["relu", "relu"],
  ])("%s is read as %s", (typed, text) => {
    expect(draftOf(recording, typed)).toMatchObject({
      text: text.replace("phase:back ", ""),
      isWrong: /phase:back /.test(typed),
    });
  });
  it.each([
    "op:",
    "-op:",
    "op",
    "-",
    "nam",
    "|g|",
    "|g|<",
    "|g|<1e",
    "|g|<1e-",
    "dur>",
    "dur>1",
    "line:",
    "shape:[",
    "shape:",
    "wrt:",
    'name:"',
  ])("%s, unfinished, hides nothing and is no mistake", (typed) => {
    expect(draftOf(recording, typed)).toMatchObject({ text: "", isWrong: false });
    expect(draftOf(recording, `op:relu ${typed}`)).toMatchObject({ text: "op:relu", isWrong: false });
  });
  it("is a mistake where nobody will finish it, and the rest holds", () => {
    expect(draftOf(recording, "opp:matmul op:relu")).toEqual({
      text: "op:relu",
      note: "unknown key 'opp' in opp:matmul; did you mean 'op'?",
      isWrong: true,
    });
  });
  it("is what was typed where Python reads that, too, and finds something", () => {
    for (const [text, { events, tensors }] of Object.entries(cases.good)) {
      if (events.length + tensors.length === 0 || /(^| )-$/.test(text)) continue;
      expect([...select(recording, draftOf(recording, text).text).events], text).toEqual(events);
    }
  });
  it("says what was perhaps meant", () => {
    expect(draftOf(recording, "op:matmlu").note).toBe("no op is called 'matmlu'; did you mean 'matmul'?");
    expect(draftOf(recording, "op:mat").note).toBe("");
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
