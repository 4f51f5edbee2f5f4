import { describe, expect, it } from "vitest";
import { fixtureBytes } from "./fixtures";
import { linesOf, memoryOf, queriesOf, Recording } from "./index";

const recording = await Recording.open(fixtureBytes("network"));
const queries = queriesOf(recording);
// The numbers are those of tests/recording/network.py.
const [W2, H, LOSS] = [3, 8, 15];
const [DENSE1, RELU, MATMUL2, SPAN, MATMUL2_BACK, FAILED] = [2, 5, 7, 14, 20, 24];

describe("queries", () => {
  it("know who made and who reads a tensor", () => {
    expect(queries.producer(H)).toBe(RELU);
    expect([...queries.consumers(H)]).toEqual([MATMUL2]);
    expect([...queries.consumers(W2)]).toEqual([MATMUL2, 11]);
    expect([...queries.inputs(MATMUL2)]).toEqual([H, W2]);
    expect([...queries.outputs(MATMUL2)]).toEqual([9]);
    expect([...queries.saved(MATMUL2)]).toEqual([]);
    expect(queries.producer(W2)).toBe(-1);
    expect([...queries.inputs(12345)]).toEqual([]);
  });

  it("know partners", () => {
    expect(queries.partners(MATMUL2_BACK)).toEqual([MATMUL2]);
    expect(queries.partner(MATMUL2)).toBe(MATMUL2_BACK);
    expect(queries.partner(FAILED)).toBe(-1);
    expect(queries.isBackward(MATMUL2_BACK)).toBe(true);
  });

  it("know names", () => {
    expect([W2, H, LOSS, 9].map((t) => queries.name(t))).toEqual(["w2", "h", "loss", "matmul #7"]);
    expect(queries.name(16)).toBe("tensor 16");
    expect(queries.name(999)).toBe("?");
    expect([W2, H, 9].map((t) => queries.isNamed(t))).toEqual([true, true, false]);
  });

  it("know shapes and dtypes", () => {
    expect(queries.shape(H)).toEqual([4, 5]);
    expect(queries.shape(LOSS)).toEqual([]);
    expect(queries.dtype(H)).toBe("float32");
  });

  it("know gradients and what they are sums of", () => {
    expect(queries.gradient(W2)).toBe(26);
    expect(queries.gradientNorm(W2)).toBe(0.75);
    expect(queries.addends(W2)).toEqual([
      { backward: 17, addend: 20, gradient: 20 },
      { backward: 20, addend: 25, gradient: 26 },
    ]);
    expect(queries.gradient(5)).toBe(-1);
    expect(queries.gradientNorm(5)).toBeNaN();
  });

  it("know spans", () => {
    expect(queries.span(DENSE1)).toEqual({ kind: "module", name: "net/dense1" });
    expect(queries.spans(RELU).map((e) => queries.title(e))).toEqual(["net/dense1", "GradientTape", "[7]"]);
    expect([...queries.children(DENSE1)]).toEqual([3, 4, RELU]);
    expect(queries.roots()).toEqual([0]);
    expect(queries.duration(RELU)).toBe(2500);
    expect(queries.duration(DENSE1)).toBe(2300 + 2400 + 2500 + 4 * 1000 - 500);
    expect(queries.duration(SPAN)).toBeGreaterThan(9 * 3000);
  });

  it("give a span that never ended no duration", () => {
    const open = Recording.fromTables({ events: { id: [0], kind: [1], t0: [5] } });
    expect(queriesOf(open).duration(0)).toBeNaN();
    expect(queriesOf(open).title(0)).toBe("span");
  });

  it("put a backward step on the line of its forward op", () => {
    expect(queries.location(MATMUL2_BACK)).toEqual({ site: 2, line: 3, cell: 7, text: "    z = h @ w2 + b2" });
    expect(queries.location(999)).toBeNull();
  });

  it("read facts", () => {
    expect(queries.meta("title")).toBe("training step");
    expect(queries.meta("nothing")).toBeUndefined();
  });

  it("are made once, and again after rows were added", async () => {
    const live = await Recording.open(fixtureBytes("network"));
    const before = queriesOf(live);
    expect(queriesOf(live)).toBe(before);
    await live.append(new Uint8Array(0));
    expect(queriesOf(live)).not.toBe(before);
  });

  it("do not hang on spans in a circle", () => {
    const circle = Recording.fromTables({ events: { id: [0, 1], parent: [1, 0] } });
    expect(queriesOf(circle).spans(0)).toEqual([1, 0]);
  });
});

describe("figures", () => {
  it("count each line's ops, both ways", () => {
    const lines = linesOf(recording);
    expect(lines.map(({ line, forward, backward }) => [line, forward, backward])).toEqual([
      [2, 3, 3],
      [3, 2, 2],
      [4, 1, 0],
      [5, 4, 4],
      [7, 1, 0],
    ]);
    expect(lines[0]).toMatchObject({ cell: 7, file: "cell-7", forwardTime: 7200, backwardTime: 9000 });
    expect(lines[0].bytes).toBe(4 * (3 * 20 + 20 + 20 + 5 + 15));
  });

  it("follow the memory", () => {
    const { t, bytes } = memoryOf(recording);
    expect([...t]).toEqual([...t].sort((a, b) => a - b));
    const total = recording.tensors.nbytes.reduce((a, b) => a + b, 0);
    expect(bytes.at(-1)).toBe(total - 4 * (20 + 20 + 1));
    expect(bytes[7]).toBe(recording.tensors.nbytes.subarray(0, 6).reduce((a, b) => a + b, 0) + 4 * (1 + 10));
  });

  it("count shared memory once, until the last of its tensors goes", () => {
    const shared = Recording.fromTables({
      tensors: { id: [0, 1], nbytes: [8, 8], storage: [0, 0], producer: [-1, -1] },
      releases: { tensor: [0, 1], t: [10, 20] },
    });
    expect(memoryOf(shared)).toEqual({ t: Float64Array.of(0, 20), bytes: Float64Array.of(8, 0) });
  });
});
