import { NO_SELECTION, Selection, Signal } from "@tapeviz/core";
import { Recording, SOURCES, type TableInit } from "@tapeviz/recording";
import { describe, expect, it } from "vitest";
import { training } from "../fixture";
import { tensors } from "../fixture/tensors";
import { answerAbsence, gradientAbsence, statsAbsence, valuesAbsence } from "./absence";
import { gradientFor, gradientOf } from "./gradients";
import { scalarText } from "./scalar";
import { selectedTensor, related, subjectOf } from "./subject";
import { tensorText } from "./text";

const named = (recording: Recording, name: string): number =>
  recording.names.tensor[recording.names.name.indexOf(name)];
const withMeta = (facts: Record<string, unknown>, tables: Partial<TableInit> = {}): Recording =>
  Recording.fromTables({
    ...tables,
    meta: { key: Object.keys(facts), value: Object.values(facts).map((value) => JSON.stringify(value)) },
  });
const text = (recording: Recording, tensor: number): string => {
  const selection = new Selection();
  if (tensor >= 0) selection.select({ tensor });
  return tensorText({ recording, selection, matches: new Signal<Uint8Array | null>(null) });
};

describe("the tensor shown", () => {
  const recording = training();

  it("is the one selected, else what the selected op made, else nothing", () => {
    expect(selectedTensor(recording, { ...NO_SELECTION, event: 2, tensor: 1 })).toBe(1);
    expect(subjectOf(recording, selectedTensor(recording, { ...NO_SELECTION, event: 2 }))!.name).toBe("matmul #2");
    expect(selectedTensor(recording, NO_SELECTION)).toBe(-1);
    expect(subjectOf(recording, 9999)).toBeNull();
  });

  it("is told with the user's name, its facts and its line", () => {
    const subject = subjectOf(recording, named(recording, "h"))!;
    expect(subject.facts).toEqual(["(32, 32) float32", "1\u202f024 elements", "4 KiB", "CPU:0"]);
    expect(subject.made).toBe("made by relu");
    expect(recording.sites.line[subject.site]).toBe(4);
    expect(subjectOf(recording, 1)!.made).toBe("a variable's value");
  });

  it("is said to be from before what was kept, where what made it was dropped", () => {
    const earlier = Recording.fromTables({
      tensors: { id: [7], producer: [-1], source: [SOURCES.indexOf("earlier")] },
    });
    expect(subjectOf(earlier, 7)!.made).toBe("made before the ops that the recording kept");
  });

  it("is one step from its inputs, its readers, its gradient and its partner", () => {
    const subject = subjectOf(recording, named(recording, "h"))!;
    const groups = Object.fromEntries(
      related(recording, subject).map(({ title, members }) => [title, members.map(({ name }) => name)]),
    );
    expect(groups).toEqual({
      "made from": ["add #3"],
      "read by": ["matmul"],
      "its gradient": ["∇h"],
      partner: ["backward step"],
    });
    const gradient = subject.gradient!;
    expect(gradientFor(recording, gradient)).toBe(subject.tensor);
    expect(related(recording, subjectOf(recording, gradient)!).map(({ title }) => title)).toContain("gradient of");
  });
});

describe("what is not there", () => {
  const lost = training({ lost: true });

  it("has five texts and five glyphs that are never confused, and more for what was never asked for", () => {
    const kept = withMeta({ policy: { values: "all" } });
    const evicted = withMeta({ policy: { values: "all" }, evicted: { tensors: 2, bytes: 10 } });
    const all = [
      gradientAbsence(lost, 5, -1),
      valuesAbsence(kept, 0),
      valuesAbsence(evicted, 0),
      valuesAbsence(withMeta({}), 0),
      gradientAbsence(kept, 0, undefined),
      answerAbsence(kept, 0, "error", ""),
    ];
    expect(all.map(({ state }) => state)).toEqual(["none", "pending", "evicted", "unkept", "unasked", "unkept"]);
    for (const field of ["word", "text"] as const)
      expect(new Set(all.map((absence) => absence[field])).size).toBe(all.length);
    expect(new Set([...all.slice(0, 4).map(({ glyph }) => glyph), "0", "✕"]).size).toBe(6);
  });

  it("says what to do", () => {
    expect(valuesAbsence(withMeta({ policy: { values: "stats" } }), 0).text).toContain("--values all");
    expect(statsAbsence(withMeta({ policy: { values: "none" } })).text).toContain("--values stats");
    expect(valuesAbsence(withMeta({ policy: { values: "all" }, evicted: { tensors: 1 } }), 0).text).toContain(
      "--budget",
    );
    expect(gradientAbsence(lost, 5, -1).text).toContain("use scale itself instead of scale.numpy().");
    expect(gradientOf(lost, 5)).toBe(-1);
    expect(gradientOf(lost, 0)).toBeUndefined();
  });

  it("is not said of a scalar that its statistics know", () => {
    const recording = tensors();
    expect([scalarText(recording, named(recording, "zero")), scalarText(recording, named(recording, "worst"))]).toEqual(
      ["0", "NaN"],
    );
    const stats = { tensor: [0], min: [0.10000000149011612], max: [0.10000000149011612] };
    const lone = withMeta({}, { tensors: { id: [0], shape: [0], dtype: [2] }, strings: { text: ["[]"] }, stats });
    expect(scalarText(lone, 0)).toBe("0.1");
  });
});

describe("the tensor in words", () => {
  it("has what the picture has: facts, counts, figures, elements, neighbours", () => {
    const recording = training({ nan: true });
    const said = text(recording, named(recording, "images"));
    expect(said).toContain("images: (32, 64) float32, 2\u202f048 elements, 8 KiB, CPU:0");
    expect(said).toContain("1 NaN");
    expect(said).toContain("not finite is at [1, 13]");
    expect(said).toContain("elements (the first 8 by 8):");
    expect(said).toContain("read by: matmul (line 4)");
    expect(text(recording, -1)).toContain("w2: (32, 10) float32");
  });

  it("says None as None", () => {
    expect(text(training({ lost: true }), 5)).toContain("Gradient: None. scale: gradient None, left the engine");
  });
});
