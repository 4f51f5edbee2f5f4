import { describe, expect, it } from "vitest";
import { Rows } from "../fixture/rows";
import { gradientAbsence } from "./absence";

describe("a gradient that is None", () => {
  const rows = new Rows();
  const alike = [{ event: 7, tensor: 2, text: "wk: gradient of loss is None, because stop_gradient cuts it off" }];
  rows.add("verdicts", { kind: "vanishing", tensor: 2, text: "wk vanishes", fix: "scale it" });
  rows.add("verdicts", {
    kind: "gradient_none",
    tensor: 1,
    event: 7,
    text: "wq: gradient of loss is None, because stop_gradient cuts it off; the same holds for wk",
    fix: "leave out stop_gradient there",
    evidence: JSON.stringify({ alike }),
  });
  const recording = rows.recording();
  it("has the reason of its finding", () => {
    expect(gradientAbsence(recording, 1, -1).text).toMatch(/^wq: .* wk\. To fix it: leave out stop_gradient there\.$/);
  });
  it("has it where the finding tells of several", () => {
    const said = "wk: gradient of loss is None, because stop_gradient cuts it off.";
    expect(gradientAbsence(recording, 2, -1).text).toBe(`${said} To fix it: leave out stop_gradient there.`);
  });
  it("has none where nothing was found", () => {
    expect(gradientAbsence(recording, 3, -1).text).toMatch(/^gradient\(\) answered None/);
  });
});
