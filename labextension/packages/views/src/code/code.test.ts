import { Selection, Signal } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { describe, expect, it } from "vitest";
import { training } from "../fixture";
import { Rows } from "../fixture/rows";
import { blocksOf, callSpan, nextEventOnLine, type CodeLine } from "./blocks";
import { figuresOf } from "./figures";
import { cellOf, columnsFor, lineText, largest, markedTokens, totals } from "./layout";
import { codeText } from "./text";

const lineOf = (recording: Recording, number: number): CodeLine =>
  blocksOf(recording)[0].lines.find((line) => line.number === number)!;
const text = (recording: Recording, event = -1): string => {
  const selection = new Selection();
  if (event >= 0) selection.select({ event });
  return codeText({ recording, selection, matches: new Signal<Uint8Array | null>(null) });
};

describe("the lines of a cell", () => {
  const recording = training();

  it("count from the line below the cell magic", () => {
    const [cell] = blocksOf(recording);
    expect([cell.title, cell.lines.length]).toEqual(["cell 3", 12]);
    expect(cell.lines.slice(0, 3).map(({ number, text: source }) => [number, source.slice(0, 6)])).toEqual([
      [0, "%%tape"],
      [1, "images"],
      [2, "with t"],
    ]);
  });

  it("carry what their ops did: three forward, three backward on line 4", () => {
    const { figures } = lineOf(recording, 4);
    expect(figures).toMatchObject({ forward: 3, backward: 3, forwardTime: 26_700, health: "ok", fault: null });
    expect(lineOf(recording, 9).figures).toBeNull();
    expect(lineText(4, "  h = x", figures)).toContain(
      "line 4; h = x; 3 ops forward in 26.7 µs; 3 backward in 33.3 µs;",
    );
  });

  it("know the call of an event by its columns, a backward step by its forward op's", () => {
    const call = callSpan(recording, 2)!;
    expect(lineOf(recording, 4).text.slice(call.from, call.to)).toBe("images @ w1");
    const backward = recording.events.origin.indexOf(2);
    expect(callSpan(recording, backward)).toEqual(call);
    expect(callSpan(recording, -1)).toBeNull();
  });

  it("say how their gradients are, the gravest first", () => {
    expect(lineOf(training({ lost: true }), 4).figures!.health).toBe("none");
    expect(lineOf(training({ nan: true }), 4).figures!.health).toBe("nan");
    expect(figuresOf(training({ failed: true })).size).toBe(2);
  });

  it("carry the error of an op that failed", () => {
    const line = lineOf(training({ failed: true }), 6);
    expect(line.figures!.fault).toMatchObject({ type: "InvalidArgumentError" });
    expect(line.text.slice(...line.fault)).toBe("h @ w2");
    expect(text(training({ failed: true }))).toMatch(
      /\n✕ +6 .*logits = h @ w2 \+ b2\n {4}InvalidArgumentError: matmul/,
    );
  });
});

describe("an error that no op raised", () => {
  it("marks the line of the taped cell that the recording stopped on", () => {
    const rows = new Rows();
    rows.add("cells", { number: 4, file: "<cell 4>", text: "x = 1\nraise ValueError(x)", first: 1 });
    rows.add("cells", { number: 1, file: "<cell 1>", text: "def f():\n    return 1", first: 1 });
    rows.meta({ cell: 4, stopped: { event: -1, line: 2, type: "ValueError", text: "1" } });
    const { fault } = lineOf(rows.recording(), 2).figures!;
    expect(fault).toEqual({ event: -1, type: "ValueError", text: "1" });
    expect(lineOf(rows.recording(), 1).figures).toBeNull();
    expect(blocksOf(rows.recording())[1].lines.every(({ figures }) => figures === null)).toBe(true);
  });
});

describe("lines of other files", () => {
  const rows = new Rows();
  rows.add("ops", { name: "relu", family: "elementwise" });
  [12, 13, 40].forEach((line, i) => {
    rows.add("sites", {
      file: "lib/model.py",
      line,
      function: "Model.call",
      cell: -1,
      text: `        return self.relu(${line})`,
    });
    rows.add("events", { id: i, parent: -1, op: 0, origin: -1, site: i, t0: i, dur: 100 });
  });
  const recording = rows.recording();

  it("are shown where something was recorded, with gaps between", () => {
    const [file] = blocksOf(recording);
    expect([file.title, file.detail]).toEqual(["model.py", "Model.call"]);
    expect(file.lines.map(({ number, gap, figures }) => [number, gap, figures?.forward])).toEqual([
      [12, false, 1],
      [13, false, 1],
      [40, true, 1],
    ]);
    expect(text(recording, 2)).toContain("model.py: Model.call");
    expect(text(recording, 2)).toMatch(/\n> +40 +1 +100 ns/);
  });
});

describe("figures", () => {
  const blocks = blocksOf(training());
  const most = largest(blocks);

  it("have bars that are parts of their column's largest", () => {
    const { figures } = lineOf(training(), 4);
    expect(cellOf("time", figures!, most)).toEqual({ text: "60 µs", solid: 26_700 / 60_000, hatched: 33_300 / 60_000 });
    expect(cellOf("forward", figures!, most).solid).toBeCloseTo(26.7 / 33.3, 9);
    expect(cellOf("bytes", figures!, most)).toMatchObject({ solid: 1, hatched: 0 });
    expect(totals(blocks)).toMatchObject({ forward: 15, backward: 7 });
  });

  it("leave the code its room, giving up detail before it", () => {
    const names = (width: number): string =>
      columnsFor(width)
        .map(({ name }) => name)
        .join(" ");
    expect(names(1280)).toBe("ops forward backward bytes gradient");
    expect(names(850)).toBe("ops time bytes gradient");
    expect(names(600)).toBe("time gradient");
  });
});

describe("a line", () => {
  it("gives its ops one after the other, and only matching ones while a filter is on", () => {
    expect([
      nextEventOnLine([3, 5, 9], -1, null, 1),
      nextEventOnLine([3, 5, 9], 3, null, 1),
      nextEventOnLine([3, 5, 9], 9, null, 1),
      nextEventOnLine([3, 5, 9], 3, null, -1),
    ]).toEqual([3, 5, 3, 9]);
    expect(nextEventOnLine([3, 5, 9], 3, (event) => event === 9, 1)).toBe(9);
    expect(nextEventOnLine([3, 5], 3, () => false, 1)).toBe(5);
    expect(nextEventOnLine([], 3, null, 1)).toBe(-1);
  });

  it("is cut where a call begins and ends, counted in characters", () => {
    const tokens = [
      { kind: "plain", text: "𝛼 = f(" },
      { kind: "number", text: "12" },
      { kind: "plain", text: ")" },
    ] as const;
    expect(
      markedTokens(tokens, 4, 9)
        .map(({ text: part, called }) => (called ? `<${part}>` : part))
        .join(""),
    ).toBe("𝛼 = <f(><12><)>");
    expect(markedTokens(tokens, -1, -1).some(({ called }) => called)).toBe(false);
  });
});
