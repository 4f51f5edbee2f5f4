import { describe, expect, it } from "vitest";
import { GraphRecordingBuilder } from "../fixture";
import { seededRandom, type Random } from "../fixture/random";
import { sceneFaults } from "../fixture/scenefaults";
import { GraphModel } from "./model";
import { layout } from "./layout";
import { MAX_CARDS } from "../layered/expansion";
import { entriesOf, levelsOf, type Level } from "./levels";
import { graphText } from "./text";
import { Selection } from "@tapeviz/core";

const OPS = ["matmul", "add", "multiply", "relu", "reduce_sum", "constant", "read_variable"];

/**
 * A traced graph as nobody would write one: scopes that nodes enter and leave again and again, so that closed ones depend
 * on each other both ways, long stretches on one line, branches, names of one part and of many.
 */
function anyGraph({ int, pick }: Random): { recording: ReturnType<GraphRecordingBuilder["recording"]>; graph: number } {
  const builder = new GraphRecordingBuilder({ text: "line\n".repeat(400), number: 1, first: 1 });
  const graph = builder.graph({ name: "step" });
  const [count, scopes, high] = [pick([1, 8, 60, 250]), int(6) + 1, pick([1, 3, 1000])];
  const path = (): string =>
    Array.from({ length: int(4) }, () => `${pick(["net", "block", "dense"])}_${int(scopes)}/`).join("");
  let scope = path();
  for (let n = 0; n < count; n++) {
    if (int(3) === 0) scope = path();
    const inputs =
      n === 0 ? [] : Array.from({ length: int(4) }, () => (int(3) > 0 ? Math.max(0, n - 1 - int(4)) : int(n)));
    const regions: number[] = [];
    if (n > 0 && int(40) === 0) {
      const inner = builder.graph({ name: "branch", sort: "cond", parent: graph });
      for (let m = 0; m < int(60); m++)
        builder.node(inner, `${path()}op_${m}`, { op: pick(OPS), inputs: m ? [m - 1] : [] });
      regions.push(inner);
    }
    const op = regions.length > 0 ? "cond" : pick(OPS);
    builder.node(graph, `${scope}${op}_${n}`, { op, inputs, regions, line: 1 + Math.floor(n / high), shape: [2] });
  }
  return { recording: builder.finish().recording(), graph };
}

/** The keys of everything that can be opened. */
const keysOf = (root: Level): string[] => [...entriesOf(root)].map(({ entry }) => entry.key);

describe("any graph", () => {
  it("is folded, opened and laid out: each node once, nothing touching", () => {
    for (let seed = 0; seed < 60; seed++) {
      const random = seededRandom(seed);
      const { recording, graph } = anyGraph(random);
      const model = new GraphModel(recording, { graph, step: 0, bare: false });
      const count = recording.nodes.graph.reduce((n, of) => n + Number(of === graph), 0);
      const expansion = { opened: new Set<string>(), closed: new Set<string>() };
      for (let round = 0; round < 4; round++) {
        const root = levelsOf(model, expansion);
        const members = root.entries.flatMap((entry) => entry.members);
        expect([seed, new Set(members).size, members.length]).toEqual([seed, count, count]);
        expect([...entriesOf(root)].length).toBeLessThanOrEqual(2 * MAX_CARDS);
        for (const width of [560, 1200])
          expect([seed, sceneFaults(layout(model, root, width, 500))]).toEqual([seed, []]);
        for (const key of keysOf(root))
          if (random.int(3) === 0) random.pick([expansion.opened, expansion.closed]).add(key);
      }
      const said = graphText({ recording, selection: new Selection(), matches: null } as never);
      expect(said).toContain(`${count} node`);
    }
  }, 60_000);
});
