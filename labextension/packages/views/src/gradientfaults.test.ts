import { describe, expect, it } from "vitest";
import { Rows } from "./fixture/rows";
import { faultText, faultsOfNodes, gradientFaults } from "./gradientfaults";

/** A forward op, its backward step, and findings: of each kind, severity, event and layer. */
function judged(findings: readonly (readonly [kind: string, severity: number, event: number, layer: string])[]): Rows {
  const rows = new Rows();
  rows.add("ops", { name: "sqrt", family: "elementwise" });
  rows.add("sites", { file: "model.py", line: 50 });
  rows.add("events", { id: 3, kind: 0, op: 0 });
  rows.add("events", { id: 9, kind: 0, op: 0, phase: 1, origin: 3 });
  for (const [kind, severity, event, layer] of findings)
    rows.add("verdicts", { kind, severity, event, site: 0, evidence: layer && JSON.stringify({ layer }) });
  return rows;
}

describe("gradient faults", () => {
  it("say what happens at which op of which layer on which line, of a backward step at its forward op", () => {
    const recording = judged([["nonfinite", 3, 9, "block_3"]]).recording();
    const [fault] = gradientFaults(recording);
    expect(faultText(fault)).toBe("▲ Not finite from sqrt in block_3, line 50");
    expect([fault.event, fault.forward]).toEqual([9, 3]);
    expect(gradientFaults(recording)).toBe(gradientFaults(recording));
    expect(faultsOfNodes(recording).size).toBe(0);
  });
  it("leave out what is about no gradient or no op, and what is only worth knowing", () => {
    const recording = judged([
      ["retrace", 3, 3, ""],
      ["vanishing", 1, 3, ""],
      ["gradient_none", 3, -1, ""],
    ]).recording();
    expect(gradientFaults(recording)).toEqual([]);
  });
  it("are one for each op, the gravest first", () => {
    const rows = judged([
      ["vanishing", 2, 9, ""],
      ["exploding", 2, 3, ""],
    ]);
    rows.add("events", { id: 10, kind: 0, op: 0 });
    rows.add("verdicts", { kind: "gradient_none", severity: 3, event: 10, site: 0 });
    expect(gradientFaults(rows.recording()).map(faultText)).toEqual([
      "▲ Gradient lost at sqrt, line 50",
      "◆ Gradients vanish at sqrt, line 50",
    ]);
  });
});
