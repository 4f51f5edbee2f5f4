import { describe, expect, it } from "vitest";
import { NO_SELECTION, Selection, Signal, type Key } from "@tapeviz/core";
import { KIND } from "@tapeviz/recording";
import { Rows, traced, training } from "../fixture/index";
import { footnotes, headline, stopOf } from "./headline";
import { applyFilter, keyOfMatch, matchAt, nextMatch } from "./filter";
import { VIEWS, viewsOf } from "../registry";
import type { TextContext } from "../view";
import { NONFINITE, bySeverity, problems } from "../problems";
import { pythonExpression, nextOp, nextProblem, nextTensor, partner } from "./navigate";
import { factsOf } from "../facts";
import { magnitudeOf } from "../figures";
import { gradientsBySize, largest, timeByOp } from "./overview";
import { selectionText } from "./announcement";
import { findings } from "./findings";

const recording = training();
const at = (event: number, tensor = -1): Key => ({ event, tensor, step: -1 });

describe("keys", () => {
  it("go from op to op, over spans, and stop at the ends", () => {
    expect(nextOp(recording, NO_SELECTION, 1, null)?.event).toBe(2);
    expect(nextOp(recording, at(4), 1, null)?.event).toBe(6);
    expect(nextOp(recording, at(2), -1, null)).toBeNull();
  });
  it("stay within what the filter lets through", () => {
    const found = applyFilter(recording, "op:matmul");
    expect(nextOp(recording, at(2), 1, found.flags)?.event).toBe(6);
  });
  it("go round the inputs and outputs of an op", () => {
    const tensors = [1, 1, 1, 1].reduce<Key[]>(
      (keys) => [...keys, nextTensor(recording, keys.at(-1) ?? at(2), 1)!],
      [],
    );
    expect(tensors.map((k) => k.tensor)).toEqual([0, 1, 5, 0]);
    expect(tensors.every((k) => k.event === 2)).toBe(true);
    expect(nextTensor(recording, at(-1, 6), 1)?.event).toBe(3);
  });
  it("go to the partner and back", () => {
    const there = partner(recording, at(6))!;
    expect([there.event, partner(recording, there)?.event, partner(recording, at(20))]).toEqual([14, 6, null]);
  });
  it("go through the findings, gravest first, and round again", () => {
    const all = problems(training({ lost: true }));
    expect(all.map((p) => p.severity)).toEqual([3, 2]);
    const first = nextProblem(all, NO_SELECTION, 1)!;
    const second = nextProblem(all, at(first.event, first.tensor), 1)!;
    expect([first.text.slice(0, 5), nextProblem(all, at(second.event, second.tensor), 1)]).toEqual(["scale", first]);
    expect(nextProblem([], NO_SELECTION, 1)).toBeNull();
  });
  it("reach findings on one op, and those of a trace, which no op stands for", () => {
    const rows = new Rows();
    rows.add("ops", { name: "exp", family: "elementwise" });
    rows.add("events", { id: 0, kind: 0, op: 0 });
    for (const text of ["first", "second"]) rows.add("verdicts", { kind: "nan", severity: 3, event: 0, text });
    rows.add("verdicts", { kind: "retrace", severity: 2, text: "third", evidence: '{"graph": 7}' });
    const all = problems(rows.recording());
    const [first, second, third] = all;
    expect(all.map(({ graph }) => graph)).toEqual([-1, -1, 7]);
    expect(nextProblem(all, at(0), 1, first)).toBe(second);
    expect(nextProblem(all, at(0), 1, second)).toBe(third);
    expect(nextProblem(all, NO_SELECTION, 1, third)).toBe(first);
  });
  it("find a failed op that no verdict mentions", () => {
    const rows = new Rows();
    rows.add("ops", { name: "matmul", family: "linalg" });
    rows.add("events", { id: 0, kind: 0, op: 0, status: 1 });
    rows.add("messages", { event: 0, type: "ValueError", text: "sizes differ" });
    expect(problems(rows.recording())).toMatchObject([{ event: 0, severity: 3, text: "matmul: sizes differ" }]);
  });
});

describe("findings", () => {
  it("say once why a recording stopped, and what to do about it", () => {
    const { stop, all } = findings(training({ failed: true }));
    expect(stop?.text).toMatch(/^Stopped at op 5, line 6 · InvalidArgumentError: matmul.+ To do: transpose w2\.$/);
    expect(all.filter(({ event }) => event === 5)).toEqual([]);
  });
  it("may be about a span, such as a device that is not there, and mark no op", () => {
    const rows = new Rows();
    const params = rows.intern(JSON.stringify({ span: "device", name: "/gpu:0", placed: "CPU:0" }));
    rows.add("events", { id: 0, kind: KIND.span, op: -1, params, site: rows.add("sites", { line: 3, cell: -1 }) });
    rows.add("verdicts", { kind: "soft_placement", severity: 1, event: 0, site: 0, text: "ran on CPU:0", fix: "ask" });
    const wanted = { severity: 1, event: 0, tensor: -1, text: "ran on CPU:0", fix: "ask", line: 3, graph: -1 };
    expect(findings(rows.recording())).toEqual({ stop: null, all: [wanted] });
    expect(bySeverity(rows.recording()).size).toBe(0);
  });
});

describe("words", () => {
  it("of the header and the footer come from meta", () => {
    const { title, facts } = headline(recording);
    expect([title, facts[0], facts[1]]).toEqual(["one step on digits", "cell 3", "22 ops"]);
    expect(footnotes(recording)[0]).toMatch(/^recording took 6.8 µs \(\d+ %\), 310 ns an op$/);
  });
  it("of the header count the runs of graphs, where there are any", () => {
    expect(headline(traced()).facts).toContain("3 graph runs");
    // What ran as a graph did not run eagerly.
    expect(headline(traced()).facts).not.toContain("eager");
    expect(headline(recording).facts).toContain("eager");
    expect(headline(recording).facts.join()).not.toContain("graph");
  });
  it("say of how many ops these are the newest, and what failed before", () => {
    const rows = new Rows();
    rows.add("events", { id: 0, kind: KIND.op });
    rows.meta({ dropped: { ops: 1234566, failures: { add: 2, log: 1 } } });
    const ring = rows.recording();
    expect(headline(ring).facts[0]).toBe("the last 1 of 1\u202f234\u202f567 ops");
    expect(footnotes(ring)).toEqual(["of the ops before these, some failed: add 2, log 1"]);
  });
  it("say that elements are let go where the budget is used up, and statistics kept", () => {
    const rows = new Rows();
    for (const tensor of [0, 1, 2]) rows.add("stats", { tensor });
    rows.meta({ policy: { values: "stats", budget: 2 ** 26 }, evicted: { tensors: 2, bytes: 2 ** 20 } });
    expect(footnotes(rows.recording()).map((text) => text.replace(/\s/g, " "))).toEqual([
      "keeps statistics of 3 tensors, elements up to 64 MiB",
      "⌫ elements of 2 tensors let go, 1 MiB",
    ]);
    const none = new Rows();
    none.meta({ policy: { values: "none", budget: 2 ** 26 } });
    expect(footnotes(none.recording())).toEqual(["keeps neither statistics nor elements"]);
  });
  it("are silent about what is not known", () => {
    const empty = new Rows().recording();
    expect([headline(empty).title, footnotes(empty), stopOf(empty)]).toEqual(["tape", [], null]);
  });
  it("say where a recording stopped", () => {
    expect(stopOf(training({ failed: true }))?.text).toMatch(/^Stopped at op 5, line 6 · InvalidArgumentError: matmul/);
  });
  it("are Python that finds the same", () => {
    expect(pythonExpression(recording, at(6), "")).toBe("tape.events[6]  # matmul, line 6");
    expect(pythonExpression(recording, at(6, 7), "")).toBe("tape.tensors[7]  # h, line 6");
    expect(pythonExpression(traced(), NO_SELECTION, "", 4)).toMatch(/^tape\.nodes\[4\] {2}# \S+$/);
    expect(pythonExpression(recording, NO_SELECTION, 'op:"x"')).toBe('tape.query("op:\\"x\\"")');
  });
  it("can be spoken", () => {
    expect(selectionText(recording, at(14))).toBe("backward matmul, 19.8 µs, line 6");
    expect(selectionText(recording, at(6, 7))).toBe("h, 32×32 float32, of matmul, 9.4 µs, line 6");
  });
});

describe("the overview", () => {
  it("adds the runs of an op up, longest first", () => {
    const [first] = timeByOp(recording);
    expect([recording.ops.name[first.op], first.count, first.busy]).toEqual(["matmul", 4, 74_600]);
  });
  it("has the largest tensors first", () => {
    expect(largest([3, 9, 9, 1, 7], 3)).toEqual([1, 2, 4]);
    expect(largest([], 3)).toEqual([]);
    expect(largest([2, 5], 8)).toEqual([1, 0]);
  });
  it("has the smallest gradients first, before them those that are None", () => {
    const lost = training({ lost: true });
    const facts = factsOf(lost);
    const found = gradientsBySize(lost, (gradient) => magnitudeOf(facts, gradient));
    const norms = found.map(([, { state, norm }]) => (state === "none" ? -1 : norm));
    expect(norms).toContain(-1);
    expect(norms).toEqual([...norms].sort((a, b) => a - b));
  });
});

describe("the views", () => {
  it("of traced functions are offered where there are any", () => {
    const plain = viewsOf(recording);
    expect(VIEWS.filter((view) => !plain.includes(view)).map(({ id }) => id)).toEqual(["graph", "traces"]);
    expect(viewsOf(traced())).toEqual(VIEWS);
  });

  it("have their keys in the order of the switch", () => {
    expect(VIEWS.map(({ key }) => key)).toEqual(VIEWS.map((_, at) => `${at + 1}`));
  });
});

describe("a view in words", () => {
  const context = (filter: Uint8Array | null, event = -1): TextContext => {
    const selection = new Selection();
    selection.select({ event });
    return { recording: many, selection, matches: new Signal(filter) };
  };
  const rows = new Rows();
  rows.add("ops", { name: "add" });
  for (let id = 0; id < 2500; id++) rows.add("events", { id, kind: KIND.op, op: 0, origin: -1, parent: -1, t0: id });
  const many = rows.recording();
  const [timeline] = VIEWS;
  it("comes in pages, of which none of it is missing", () => {
    expect(timeline.pages!(context(null))).toEqual({ count: 3, selected: -1 });
    const lines = [0, 1, 2].flatMap((page) => timeline.text(context(null), page).match(/#\d+ /g)!);
    expect(lines).toEqual(Array.from({ length: 2500 }, (_, id) => `#${id} `));
  });
  it("opens at what is selected, and has fewer pages of what a filter lets through", () => {
    expect(timeline.pages!(context(null, 2100)).selected).toBe(2);
    const odd = Uint8Array.from({ length: 2500 }, (_, id) => id % 2);
    expect(timeline.pages!(context(odd, 2101))).toEqual({ count: 2, selected: 1 });
  });
});

describe("the filter", () => {
  it("counts nodes of graphs, too", () => {
    expect(applyFilter(traced(), "op:reduce_max")).toMatchObject({ nodes: 12 });
  });
  it("gives flags, or says what is wrong", () => {
    expect(applyFilter(recording, " ")).toMatchObject({ flags: null, note: "", nodes: 0 });
    expect(applyFilter(recording, "op:relu").rows).toHaveLength(2);
    expect(applyFilter(recording, "opp:x op:relu")).toMatchObject({ isWrong: true, text: "op:relu" });
  });
  it("finds the beginning of a name while it is typed, and hides nothing for an unfinished condition", () => {
    expect(applyFilter(recording, "op:mat")).toEqual({ ...applyFilter(recording, "op:mat*") });
    expect(applyFilter(recording, "op:")).toMatchObject({ flags: null, isWrong: false });
    expect(applyFilter(recording, "|g|<")).toMatchObject({ flags: null, isWrong: false });
  });
  it("is gone through from match to match, round and round", () => {
    const found = applyFilter(recording, "op:matmul");
    const there = [...found.rows].map((row) => matchAt(found, row));
    expect(there).toEqual([0, 1, 2, 3]);
    expect([nextMatch(found, -1, 1), nextMatch(found, -1, -1)]).toEqual([0, 3]);
    expect([nextMatch(found, found.rows[1], 1), nextMatch(found, found.rows[1], -1)]).toEqual([2, 0]);
    expect([nextMatch(found, found.rows[3], 1), nextMatch(found, found.rows[0], -1)]).toEqual([0, 3]);
    expect(matchAt(found, found.rows[0] + 1)).toBe(-1);
    expect(nextMatch(applyFilter(recording, "op:zzz"), 0, 1)).toBe(-1);
  });
  it("goes through the nodes of graphs where none of their runs were recorded", () => {
    const graphs = traced();
    const found = applyFilter(graphs, "op:reduce_max");
    const alone = { ...found, rows: new Int32Array([2, 5]), kind: "node" as const };
    expect(keyOfMatch(graphs, alone, 1).node).toEqual({ graph: graphs.nodes.graph[5], node: graphs.nodes.number[5] });
    expect([found.kind, applyFilter(graphs, "op:no_such").kind]).toEqual(["event", "node"]);
    expect(keyOfMatch(recording, applyFilter(recording, "op:relu"), 0)).toHaveProperty("event");
  });
});

describe("gravity", () => {
  it("marks where values are not finite, and where findings are", () => {
    const nan = bySeverity(training({ nan: true }));
    expect([nan.get(2), nan.get(3)]).toEqual([NONFINITE, NONFINITE]);
    expect([...bySeverity(training({ lost: true })).values()].sort()).toEqual([2, 3]);
    expect(bySeverity(recording).size).toBe(0);
  });
});
