import { expect, it } from "vitest";
import { Rows } from "../fixture/index";
import { problems } from "../problems";
import { comment } from "./dismissal";

it("a finding is dismissed by a comment on its line, where it has one", () => {
  const rows = new Rows();
  const site = rows.add("sites", { line: 9 });
  rows.add("verdicts", { kind: "broadcast", severity: 2, event: -1, site, text: "widens" });
  rows.add("verdicts", { kind: "retrace", severity: 2, event: -1, site: -1, text: "again" });
  const recording = rows.recording();
  expect(problems(recording).map((problem) => comment(recording, problem))).toEqual([
    "# tapeviz: expected broadcast",
    "",
  ]);
});
