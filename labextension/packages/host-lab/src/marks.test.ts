import { describe, expect, it } from "vitest";
import { linesNow, saidOf, signOf, targetOf, type Finding, type MarkedLine } from "./marks";

const at = (ran: string, now: string): number[] => linesNow([...ran], [...now]);

describe("lines that ran", () => {
  it("are where they were while nothing changes", () => expect(at("abc", "abc")).toEqual([1, 2, 3]));

  it("move with what is put in and taken out around them", () => {
    expect(at("abc", "xabc")).toEqual([2, 3, 4]);
    expect(at("abcd", "acd")).toEqual([1, 0, 2, 3]);
    expect(at("abcdef", "axbcyef")).toEqual([1, 3, 4, 0, 6, 7]);
  });

  it("are no more once they are changed, and are again when that is undone", () => {
    expect(at("abc", "aXc")).toEqual([1, 0, 3]);
    expect(at("abc", "xyz")).toEqual([0, 0, 0]);
    expect(at("abc", "")).toEqual([0, 0, 0]);
  });

  it("are each found once among lines that are alike", () => expect(at("aab", "ab")).toEqual([1, 0, 2]));
});

const finding: Finding = { kind: "nonfinite", health: "nan", severity: 3, text: "log", fix: "", event: 5, tensor: 2 };
const line: MarkedLine = { line: 1, findings: [], figures: ["2 ops"], events: [4, 5, 9], part: 1, slowest: true };

describe("a mark", () => {
  it("has the sign of the gravest finding, else of the slowest line", () => {
    expect(signOf(line)).toBe("slowest");
    expect(signOf({ ...line, findings: [finding] })).toBe("nan");
    expect(signOf({ ...line, findings: [{ ...finding, health: "" }] })).toBe("grade3");
    expect(signOf({ ...line, slowest: false })).toBe("");
  });

  it("says what it is, and that the line is the slowest also below a finding", () => {
    expect(saidOf(line)).toEqual(["slowest line", "2 ops"]);
    expect(saidOf({ ...line, findings: [finding] })).toEqual(["NaN or infinity here", "log", "2 ops · slowest line"]);
  });

  it("selects what the finding is about, then the line's ops one after the other", () => {
    const found = { ...line, findings: [finding] };
    expect([0, 1, 2, 3].map((click) => targetOf(found, click).event)).toEqual([5, 4, 9, 5]);
    expect(targetOf({ ...line, events: [] }, 0)).toEqual({ event: -1, tensor: -1 });
  });
});
