import { Recording } from "@tapeviz/recording";
import { describe, expect, it } from "vitest";
import { fixtureBytes, fixtureJson } from "@tapeviz/recording/fixtures";
import { factsOf } from "../facts";
import { workingOf } from "./contribution";
import { workedElement } from "./element";
import { noteOf, titleOf } from "./explanation";
import { iterationsOf } from "./iterations";
import { stepAt } from "./place";
import { isRight, questionOf, verdictOn } from "./quiz";
import { entriesOf } from "./tapetable";
import { stepText } from "./text";
import { Values } from "./values";
import { adjointsAt, backwardFormulas, resultName, stepsOf, type Step } from "./walk";
import { changeable, indexOf } from "./whatif";

interface Expected {
  kind: Step["kind"];
  event: number;
  op: string;
  formula: string;
  line: number;
  name: string;
  inputs: number[];
  upstream: number;
  result: number;
  axes: number[];
  elementwise: boolean;
  product: [number, boolean][] | null;
  local: (number | null)[] | null;
}

const recording = await Recording.open(fixtureBytes("lecture"));
const expected = Object.values(fixtureJson<Record<string, Expected>>("lecture"));
const facts = factsOf(recording);
const steps = stepsOf(recording);
const values = new Values({ recording }, () => undefined);
const find = (kind: Step["kind"], name: string): number =>
  steps.findIndex((step) => step.kind === kind && resultName(facts, step) === name);

describe("steps", () => {
  it("are those that Python finds", () => {
    expect(steps.length).toBe(expected.length);
    steps.forEach((step, i) => {
      const { kind, event, op, formula, name, inputs, upstream, result, axes, elementwise } = expected[i];
      const own = { kind, event, formula, upstream, result, axes };
      expect(step).toMatchObject({
        ...own,
        ...(kind === "seed" ? {} : { op }),
        ...(kind === "sum" ? {} : { elementwise }),
      });
      // A gradient without a name of its own is "∇h" in the views.
      const shown = resultName(facts, step);
      if (!shown.includes("∇")) expect(shown).toBe(name);
      if (kind === "forward" || kind === "backward") expect(step.inputs).toEqual(inputs);
      expect(facts.location(event)?.line ?? -1).toBe(expected[i].line);
    });
  });

  it("are made of the same products and local derivatives", () => {
    let products = 0;
    let locals = 0;
    steps.forEach((step, i) => {
      if (step.kind !== "backward") return;
      const working = workingOf(step, values);
      const { product, local } = expected[i];
      expect(working.kind).toBe(product ? "product" : local ? "local" : "none");
      if (working.kind === "product" && product) {
        products += 1;
        expect([working.left, working.right].map((f) => [f.tensor, f.transposed])).toEqual(product);
      }
      if (working.kind === "local" && local) {
        locals += 1;
        const numbers = Array.from(working.local.numbers, (x) => (Number.isNaN(x) ? null : x));
        expect(numbers.length).toBe(local.length);
        numbers.forEach((x, k) => {
          if (local[k] === null) expect(x).toBe(null);
          else expect(x).toBeCloseTo(local[k], 3);
        });
      }
    });
    expect(products).toBeGreaterThan(4);
    expect(locals).toBeGreaterThan(15);
  });

  it("say what is summed for an input that was broadcast", () => {
    const step = steps[find("backward", "d loss / d b1")];
    const bias = steps.find(({ kind, axes }) => kind === "backward" && axes.length > 0) ?? step;
    expect(bias.formula).toContain("\\sum_{\\text{axis 0}}");
    expect(backwardFormulas(facts, bias.event)).toContain(bias.formula);
  });

  it("leave the adjoint of what has not been added up yet as it was", () => {
    const at = steps.findIndex(({ kind }) => kind === "sum") - 1;
    const { subject, result } = steps[at];
    expect(adjointsAt(steps, at).get(subject)).not.toBe(result);
    expect(adjointsAt(steps, at + 1).get(subject)).toBe(steps[at + 1].result);
    const second = find("seed", "d slope / d slope");
    expect([...adjointsAt(steps, second).keys()]).toEqual([steps[second].subject]);
  });

  it("are found by what is selected", () => {
    const at = find("sum", "d loss / d b1");
    const { event, result } = steps[at];
    expect(stepAt(steps, { event, tensor: result, step: -1 })).toBe(at);
    expect(steps[stepAt(steps, { event, tensor: -1, step: -1 })].event).toBe(event);
    expect(stepAt(steps, { event: 9999, tensor: -1, step: -1 })).toBe(-1);
  });

  it("say of a traced loop that it is one step here", () => {
    const loops = steps.filter(({ op }) => op === "while");
    expect(loops.length).toBeGreaterThan(1);
    for (const step of loops) expect(noteOf(recording, step, workingOf(step, values))).toContain("a graph of its own");
  });

  it("begin the tape with what is read and not made, from the step that reads it", () => {
    const entries = entriesOf(recording, steps);
    const scale = entries.find(({ tensor }) => facts.name(tensor) === "scale")!;
    expect(scale.step).toBe(-1);
    expect(steps[scale.since].inputs).toContain(scale.tensor);
  });
});

describe("an element", () => {
  it("of a product is a sum of products, which add up to it", () => {
    const at = steps.findIndex(({ kind, formula }) => kind === "backward" && formula.includes("A^\\top"));
    const working = workingOf(steps[at], values);
    const worked = workedElement(steps[at], working, values, 1)!;
    const [sum, made] = worked.text.replace(/^\[.*?\] /, "").split(" = ");
    const number = (text: string): number => Number(text.replace(/[()]/g, "").replace("−", "-"));
    const total = sum
      .split(" + ")
      .map((term) => term.split("·").map(number))
      .reduce((all, [a, b]) => all + a * b, 0);
    expect(total).toBeCloseTo(number(made), 1);
    expect(worked.lit.size).toBe(2);
  });

  it("is worked out in each step that says how", () => {
    for (const step of steps) {
      const working = workingOf(step, values);
      const worked = workedElement(step, working, values, 0);
      expect(worked === null).toBe(working.kind === "none" && step.kind !== "sum");
    }
  });
});

describe("the quiz", () => {
  it("has a right answer to each question, and others that are wrong", () => {
    let shapes = 0;
    for (const step of steps) {
      const question = questionOf(recording, step, values);
      if (!question) continue;
      expect(isRight(question, String(question.right))).toBe(true);
      expect(verdictOn(question, String(question.right))).toMatch(/^Right/);
      if (question.kind === "shape") {
        shapes += 1;
        expect(question.choices.filter((choice) => isRight(question, choice))).toEqual([question.right]);
        expect(question.choices.length).toBeGreaterThan(1);
      } else expect(isRight(question, String(question.right * 1.5 + 1))).toBe(false);
    }
    expect(shapes).toBeGreaterThan(5);
  });

  it("takes a comma and a minus sign, and nothing else, for a number", () => {
    const question = { kind: "number", text: "How large is x?", right: -0.5 } as const;
    expect(isRight(question, "−0,5")).toBe(true);
    expect(isRight(question, "")).toBe(false);
    expect(isRight(question, "half")).toBe(false);
    expect(verdictOn(question, null)).toBe("It is −0.5.");
  });
});

describe("in words", () => {
  it("the steps are a table, and the selected one is told", () => {
    const at = steps.findIndex(({ kind, formula }) => kind === "backward" && formula.includes("A^\\top"));
    const { event, result } = steps[at];
    const selection = { selected: { value: { event, tensor: result, step: -1 } } };
    const text = stepText({ recording, selection } as unknown as Parameters<typeof stepText>[0]);
    const line = text.split("\n").find((one) => one.startsWith(">"))!;
    expect(line).toContain(String(at + 1));
    expect(text).toContain(titleOf(recording, values, steps[at]));
    expect(text).toContain("is transposed");
  });

  it("runs of one line are told from each other", () => {
    const runs = [...iterationsOf(recording, steps).values()];
    for (const list of runs) expect(new Set(list.map((at) => steps[at].op)).size).toBe(1);
  });
});

describe("what if", () => {
  it("finds an element's place in its tensor", () => {
    expect(indexOf([], 0)).toEqual([]);
    expect(indexOf([4], 3)).toEqual([3]);
    expect(indexOf([2, 3], 4)).toEqual([1, 1]);
    expect(indexOf([5, 2, 3], 4)).toEqual([0, 1, 1]);
  });

  it("offers what the op reads and gives, and never the gradient that goes back", () => {
    for (const step of steps) {
      const offered = changeable(step);
      expect(offered).toEqual(expect.arrayContaining(step.inputs.filter((tensor) => tensor >= 0)));
      if (step.kind === "forward") expect(offered).toContain(step.result);
      else expect(offered).not.toContain(step.result);
    }
  });
});
