import { Selection, Signal } from "@tapeviz/core";
import { graphsOf, Recording } from "@tapeviz/recording";
import { describe, expect, it } from "vitest";
import { traced, training } from "../fixture";
import { selectNode } from "../nodes";
import { codeText } from "./text";
import { tracedCode, tracedTexts, shownTrace } from "./tracedcode";

const recording = traced();
const FIRST = 1;
const THIRD = 11;
const code = tracedCode(recording, THIRD);
const line = (number: number): (typeof code.source)[number] => code.source.find((one) => one.number === number)!;

describe("a trace as code", () => {
  it("is there for every trace whose text is known", () => {
    expect(tracedTexts(recording).map(({ title }) => title)).toEqual([
      "head",
      "train_step, trace 1",
      "train_step, trace 2",
      "train_step, trace 3",
    ]);
    expect(tracedTexts(training())).toEqual([]);
  });

  it("counts its lines as tracebacks do", () => {
    expect([code.title, code.location, code.source.length]).toEqual(["train_step, trace 3", "cell 5", 18]);
    expect([code.source[0].number, code.source[0].text]).toEqual([7, "@tf.function"]);
    expect(line(12).text.trim()).toBe("x = layer(x)");
  });

  it("has the nodes of each line, those of branches and bodies with their names", () => {
    const chips = (number: number): string[] =>
      line(number).chips.map(({ region, op, rows }) => `${region}|${op}|${rows.length}`);
    expect(chips(12).slice(0, 2)).toEqual(["|read_variable|12", "|matmul|6"]);
    expect(chips(14)).toEqual(["true branch|reduce_max|1", "true branch|divide|1"]);
    expect(chips(13)).toContain("false branch|identity|1");
    expect(chips(10)).toEqual([]);
    const all = [...code.source.flatMap((one) => one.chips), ...code.elsewhere];
    expect(all.reduce((n, { rows }) => n + rows.length, 0)).toBe(code.nodes);
    expect(code.elsewhere.map(({ region }) => region)).toContain("body");
  });

  it("links generated lines to the lines they come from", () => {
    const from = (number: number): number => code.generated[number - 1].line;
    expect([code.generated.length, from(8), from(13), from(2)]).toEqual([31, 6, 8, -1]);
    expect(code.source[from(13) - 1].text.trim()).toBe("x = x / tf.reduce_max(x)");
  });

  it("counts the lines they come from as the file does", () => {
    const tables = {
      cells: { number: [1], file: ["c"], text: ["\n\n\n\ndef f(x):\n  return x"], first: [1] },
      sites: { file: ["c"], line: [5], cell: [0], text: ["def f(x):"] },
      strings: { text: ["def f(x):\n  return x", "def tf__f(x):\n  return x"] },
      graphs: { id: [0], function: [0], trace: [1], name: ["f"], definition: [0], source: [0], generated: [1], lines: ["[[1, 5], [2, 6]]"] }, // prettier-ignore
    };
    expect(tracedCode(Recording.fromTables(tables), 0).generated.map((one) => one.line)).toEqual([1, 2]);
  });

  it("marks the lines that ran once", () => {
    expect(line(9).effects).toEqual(['print wrote "tracing with (32, 64)"']);
    expect(code.source.filter(({ effects }) => effects.length > 0).map(({ number }) => number)).toEqual([9, 16]);
  });

  it("knows the line of a node, and which nodes are none of its", () => {
    const graphs = graphsOf(recording);
    expect(code.lineOf(graphs.nodeRow(THIRD, 3))).toBe(6);
    expect(code.lineOf(graphs.nodeRow(FIRST, 3))).toBe(0);
  });
});

describe("the trace that is shown", () => {
  it("is the selected node's, also of one in a branch, else the one that ran last", () => {
    const selection = new Selection();
    const texts = tracedTexts(recording);
    const graphs = graphsOf(recording);
    expect(shownTrace({ recording, selection }, texts)).toBe(THIRD);
    selectNode(recording, selection, graphs.nodeRow(2, 1));
    expect(shownTrace({ recording, selection }, texts)).toBe(FIRST);
    selection.clear();
    expect(shownTrace({ recording, selection }, texts, 6)).toBe(6);
  });
});

describe("the code in words", () => {
  it("has the trace below the lines", () => {
    const matches = new Signal<Uint8Array | null>(null);
    const text = codeText({ recording, selection: new Selection(), matches }).split("\n");
    const at = text.indexOf('   9      print("tracing with", images.shape)');
    expect(text.slice(at + 1, at + 3)).toEqual([
      '      Ran once, while tracing: print wrote "tracing with (32, 64)"',
      '      AutoGraph 3: ag__.call(print, ("tracing with", images.shape))',
    ]);
    expect(text).toContain("      nodes: true branch: reduce_max, true branch: divide");
  });
});
