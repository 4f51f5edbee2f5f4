import { readFileSync } from "node:fs";
import { Recording } from "@tapeviz/recording";
import { describe, expect, it } from "vitest";
import { factsOf, meta } from "./facts";
import { figuresOf } from "./code/figures";
import { Rows } from "./fixture/rows";
import { judgementsOf, lookedFor } from "./health";

const FIXTURE = new URL("../../recording/fixtures/judged.tape", import.meta.url);

describe("the health of gradients", () => {
  it("is what Python's rule made of them", async () => {
    const recording = await Recording.open(new Uint8Array(readFileSync(FIXTURE)));
    const { source, gradient } = recording.requests;
    const judgements = judgementsOf(recording);
    const found = Array.from(source, (tensor, row) => [
      factsOf(recording).name(tensor),
      judgements.ofSource(tensor, gradient[row])?.health,
    ]);
    expect(Object.fromEntries(found)).toEqual(meta(recording, "expected"));
    const small = judgements.ofSource(5, 6)!;
    expect([small.low, small.high]).toEqual([expect.closeTo(1e-6, 12), 2000]);
  });

  it("is not said of a line where nobody has judged it, nor where there are no statistics", () => {
    const lines = (judged: boolean): (string | null)[] => {
      const rows = new Rows();
      rows.add("ops", { name: "tanh", family: "elementwise" });
      rows.add("sites", { file: "a.py", line: 1, cell: -1 });
      rows.add("events", { id: 0, op: 0, site: 0 });
      rows.add("tensors", { id: 0, producer: 0 });
      rows.add("tensors", { id: 1, producer: -1 });
      rows.add("edges", { event: 0, tensor: 0, role: 1 });
      rows.add("gradients", { backward: 0, tensor: 0, gradient: 1, addend: 1 });
      rows.add("stats", { tensor: 1, norm: 1e-30 });
      if (judged) rows.meta({ looked_for: { text: "", not: "", unseen: [] } });
      return [...figuresOf(rows.recording()).values()].map(({ health }) => health);
    };
    expect(lines(false)).toEqual([null]);
    expect(lines(true)).toEqual(["ok"]);
  });

  it("says what was looked for only when somebody looked", () => {
    expect(lookedFor(new Rows().recording())).toBeNull();
  });
});
