import { describe, expect, it } from "vitest";
import { GroupFolder, MAX_SIBLINGS, type GroupDraft } from "./fold";
import { seededRandom } from "../fixture/random";

type Item = number | GroupDraft;

const looks = (line: (node: number) => string, op: (node: number) => string = (node) => `op${node}`): GroupFolder =>
  new GroupFolder({ line, op });
const root = (items: readonly Item[]): GroupDraft => ({ title: "", kind: "root", times: 1, items });
const nodes = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** A list folded all the way down: groups as nested lists, nodes as numbers. */
function folded(folder: GroupFolder, draft: GroupDraft, deep = 0): Item[] {
  if (deep > 100) throw new Error("folded more than a hundred levels deep");
  return folder.fold(draft).map((item) => (typeof item === "number" ? item : within(folder, item, deep + 1)));
}
const within = (folder: GroupFolder, draft: GroupDraft, deep: number): GroupDraft => ({
  ...draft,
  items: folded(folder, draft, deep),
});

function* leaves(items: readonly Item[]): Generator<number> {
  for (const item of items) {
    if (typeof item === "number") yield item;
    else yield* leaves(item.items);
  }
}
function* lists(items: readonly Item[]): Generator<readonly Item[]> {
  yield items;
  for (const item of items) if (typeof item !== "number") yield* lists(item.items);
}

describe("folding", () => {
  it("ends where more nodes than fit side by side stand on one line", () => {
    const made = folded(
      looks(() => "line 5"),
      root(nodes(200)),
    );
    expect(made.length).toBe(15);
    expect([...leaves(made)]).toEqual(nodes(200));
  });

  it("keeps blocks that repeat with the nodes of their line", () => {
    const before = nodes(30);
    const blocks = Array.from({ length: 12 }, (_, n) => 30 + n);
    const after = Array.from({ length: 38 }, (_, n) => 42 + n);
    const made = folded(
      looks(
        (node) => (node < 60 ? "line 5" : `line ${node}`),
        (node) => (node >= 30 && node < 42 ? `op${node % 3}` : `own ${node}`),
      ),
      root([...before, ...blocks, ...after]),
    );
    const [gradient] = made as GroupDraft[];
    expect([gradient.title, gradient.kind, [...leaves(gradient.items)].length]).toEqual(["line 5", "run", 60]);
  });

  it("ends where one line of many holds more than fit", () => {
    const made = folded(
      looks((node) => (node < 90 ? "line 5" : `line ${node}`)),
      root(nodes(100)),
    );
    expect(made[0]).toMatchObject({ title: "line 5", kind: "run" });
    expect((made[0] as GroupDraft).items[0]).toMatchObject({ kind: "run" });
  });

  it("divides blocks that repeat more often than fit side by side", () => {
    const block = (n: number): GroupDraft => ({
      title: `cell_${n}`,
      kind: "scope",
      times: 1,
      items: [2 * n, 2 * n + 1],
    });
    const made = folded(
      looks(
        () => "line 3",
        (node) => `op${node % 2}`,
      ),
      root(Array.from({ length: 500 }, (_, n) => block(n))),
    );
    const [only] = made as GroupDraft[];
    expect([made.length, only.title, only.kind, only.times]).toEqual([1, "cell", "repeat", 500]);
    expect(only.items.length).toBeLessThanOrEqual(MAX_SIBLINGS);
    expect(only.items[1]).toMatchObject({ title: "23 to 44 of 500" });
  });

  it("ends on any tree, keeps every node in its order, and leaves no list too long to be read", () => {
    for (let seed = 0; seed < 200; seed++) {
      const { int, pick } = seededRandom(seed);
      const rare = pick([6, 60]);
      let node = 0;
      const grown = (deep: number): Item[] =>
        Array.from({ length: int(pick([3, 12, 300 >> (2 * deep)])) + 1 }, () =>
          deep < 3 && int(rare) === 0
            ? { title: `s_${int(4)}`, kind: "scope", times: 1, items: grown(deep + 1) }
            : node++,
        );
      const items = grown(int(3));
      const [high, holes, ops] = [pick([1, 5, 60, 1000]), pick([7, 50, 1000]), pick([2, 5, 1e6])];
      const made = folded(
        looks(
          (n) => (n % holes === 6 ? "" : `line ${Math.floor(n / high)}`),
          (n) => `op${seededRandom(n).int(ops)}`,
        ),
        root(items),
      );
      expect([...leaves(made)]).toEqual([...leaves(items)]);
      for (const list of lists(made)) expect(list.length).toBeLessThanOrEqual(MAX_SIBLINGS);
    }
  });
});
