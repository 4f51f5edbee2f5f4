import { describe, expect, it } from "vitest";
import { NO_SELECTION, Selection, Signal } from "@tapeviz/core";
import { KIND, ROLES, type Recording } from "@tapeviz/recording";
import { Rows } from "../fixture/index";
import { sameOfEach, seriesOf } from "./series";
import { tensorText } from "./text";

/** Three steps of a loop: `h` on line 2 and a second call on the same line, then a new value of `w`. */
function loop(): Recording {
  const rows = new Rows();
  for (const name of ["tanh", "assign"]) rows.add("ops", { name });
  rows.add("strings", { text: "[2]" });
  for (const column of [0, 9, 20]) rows.add("sites", { line: 2, column });
  rows.add("variables", { id: 7, name: "w:0" });
  rows.add("tensors", { id: 100, variable: 7, producer: -1, shape: 0 });
  for (let step = 0; step < 3; step++)
    for (let call = 0; call < 3; call++) {
      const id = step * 3 + call;
      rows.add("events", { id, kind: KIND.op, op: call === 2 ? 1 : 0, origin: -1, parent: -1, site: call, t0: id });
      rows.add("edges", { event: id, tensor: id, role: ROLES.indexOf("out"), slot: 0 });
      rows.add("tensors", { id, variable: call === 2 ? 7 : -1, producer: id, shape: 0 });
    }
  return rows.recording();
}

describe("one tensor over a run", () => {
  const recording = loop();
  it("is the values of a variable, from the first on", () => {
    expect(seriesOf(recording, 5)).toEqual({ tensors: [100, 2, 5, 8], at: 2, noun: "value" });
  });
  it("is what the same call made, and no other call on its line", () => {
    expect(seriesOf(recording, 4)).toEqual({ tensors: [1, 4, 7], at: 1, noun: "run" });
    expect(seriesOf(recording, 0)!.tensors).toEqual([0, 3, 6]);
  });
  it("is none where there is only one", () => {
    expect(seriesOf(recording, 99)).toBeNull();
  });
  it("takes of each span what is at the same place in it, where all hold as many", () => {
    expect(sameOfEach([0, 1, 2, 3], (row) => row >> 1, 2)).toEqual([0, 2]);
    expect(sameOfEach([0, 1, 2], (row) => row >> 1, 2)).toEqual([0, 1, 2]);
    expect(sameOfEach([0, 1, 2, 3], () => 0, 2)).toEqual([0, 1, 2, 3]);
  });
  it("is listed in words", () => {
    const selection = new Selection();
    selection.select({ ...NO_SELECTION, tensor: 4 });
    const text = tensorText({ recording, selection, matches: new Signal<Uint8Array | null>(null) });
    expect(text).toContain("over the run, run 2 of 3:");
    expect(text).toMatch(/^> run 2: /m);
  });
});
