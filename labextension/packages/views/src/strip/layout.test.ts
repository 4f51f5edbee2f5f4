import { describe, expect, test } from "vitest";
import { FIRST, LAST, read, valueOf } from "./data";
import { example } from "./example";
import { cellAt, columnsOf, fractionDone, layout, lossLine, measuredAt, rowTop, stepsText } from "./layout";
import { spread } from "./rail";
import { shouts } from "./text";
import { cellText, tooltipText, progressText, summaryText } from "./text";

describe("the data of a strip", () => {
  test("bytes stand for places in a logarithmic range", () => {
    const scale = { title: "gradient norm", low: 1e-8, high: 1e4, log: true };
    expect(valueOf(FIRST, scale)).toBeCloseTo(1e-8, 12);
    expect(valueOf(LAST, scale)).toBeCloseTo(1e4, 4);
    expect(valueOf(1, scale)).toBe(0);
    expect(valueOf(255, scale)).toBeNaN();
    expect(valueOf(0, scale)).toBeNaN();
  });

  test("an empty payload is a training that has not begun", () => {
    const strip = read({});
    expect(strip.used).toBe(0);
    expect(progressText(strip)).toBe("Waiting for the first step");
    expect(layout(strip, 600, 60).columns).toBe(1);
  });
});

describe("the layout", () => {
  test("at 600 pixels the strip ends inside, and so do its labels", () => {
    for (const rows of [1, 6, 48]) {
      const where = layout(example(300, { rows }), 600, 90);
      expect(where.plot.left + where.plot.width).toBeLessThanOrEqual(600);
      expect(where.columnWidth * where.columns).toBeCloseTo(where.plot.width, 6);
      expect(where.labels.every(({ y }) => y < where.heat.top + where.heat.height)).toBe(true);
      expect(where.heat.rowHeight).toBeGreaterThanOrEqual(5);
      const [first, second] = where.labels;
      if (first && second) expect(second.y - first.y).toBeGreaterThanOrEqual(12);
      expect(where.height).toBeGreaterThan(where.loss.top + where.loss.height);
    }
  });

  test("while training runs the strip fills at least half of its room, and all of it at the end", () => {
    for (const steps of [1, 39, 40, 41, 100, 479, 481, 5000]) {
      const strip = example(steps);
      const columns = columnsOf(strip);
      expect(columns).toBeGreaterThanOrEqual(strip.used);
      if (steps >= 40) expect(columns).toBeLessThanOrEqual(2 * strip.used);
      expect(columnsOf(example(steps, { running: false }))).toBe(strip.used);
    }
  });

  test("what is under the pointer", () => {
    const strip = example(100);
    const where = layout(strip, 600, 90);
    const x = where.plot.left + 10.5 * where.columnWidth;
    expect(cellAt(strip, where, x, where.heat.top + 1)).toEqual({ row: 0, column: 10 });
    expect(cellAt(strip, where, x, where.loss.top + 5)).toEqual({ row: -1, column: 10 });
    expect(cellAt(strip, where, where.plot.left - 1, where.heat.top + 1)).toBeNull();
    expect(cellAt(strip, where, where.plot.left + where.plot.width, where.heat.top + 1)).toBeNull();
  });

  test("the loss lies between its lowest and its highest, NaN is no point", () => {
    const strip = example(200, { nan: true });
    const { y, low, high } = lossLine(strip, { top: 100, height: 60 });
    expect(low).toBeLessThan(high);
    expect(Math.min(...y.subarray(0, 199))).toBeCloseTo(104, 3);
    expect(Math.max(...y.subarray(0, 199))).toBeCloseTo(156, 3);
    expect(y[199]).toBeNaN();
  });

  test("where every loss is NaN there is no line, and no scale", () => {
    const strip = read({ steps: 1, loss: btoa(String.fromCharCode(0, 0, 192, 127)) });
    const { low, high, y } = lossLine(strip, { top: 0, height: 60 });
    expect([low, high, ...y]).toEqual([NaN, NaN, NaN]);
  });

  test("a loss that never changes is a line", () => {
    const flat = read({ steps: 2, loss: btoa(String.fromCharCode(0, 0, 128, 63, 0, 0, 128, 63)) });
    expect([...lossLine(flat, { top: 0, height: 60 }).y]).toEqual([56, 56]);
  });
});

describe("what is held, and what shouts", () => {
  test("a cell that was not measured is held from the last that was", () => {
    const strip = example(100);
    expect(measuredAt(strip, "zeros", 2, 4)).toBe(3);
    expect(measuredAt(strip, "zeros", 2, 3)).toBe(3);
    expect(measuredAt(strip, "update", 2, 3)).toBe(-1);
  });

  test("names that are too wide stand above their rows, whole", () => {
    const strip = example(100);
    const [side, above] = [layout(strip, 800, 200), layout(strip, 800, 500)];
    expect([side.above, above.above]).toEqual([false, true]);
    expect(side.plot.left).toBeGreaterThan(200);
    expect(above.plot.left).toBeLessThan(100);
    for (const { row, y } of above.labels) expect(y).toBeLessThan(rowTop(above, row));
    expect(above.labels.length).toBe(strip.rows.length);
    expect(cellAt(strip, above, above.plot.left + 1, rowTop(above, 2) + 1)?.row).toBe(2);
  });

  test("words are said once, with their layers", () => {
    const strip = read({ rows: ["a", "b", "c"], words: { a: "vanishing", c: "vanishing", b: "NaN" } });
    expect(shouts(strip)).toEqual(["vanishing: a, c", "NaN: b"]);
  });

  test("an axis that was chosen stays, and a logarithmic one has no place for 0", () => {
    const flat = read({ steps: 3, loss: btoa(String.fromCharCode(0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64)) });
    const where = { top: 0, height: 60 };
    expect(lossLine(flat, where, "loss").log).toBe(false);
    const { low, log, y } = lossLine(flat, where, "loss", "log");
    expect([low, log]).toEqual([1, true]);
    expect(y[0]).toBeNaN();
    expect(lossLine(flat, where, "loss", "linear").y[0]).toBe(56);
  });

  test("dots stand apart, and inside", () => {
    const marks = [4, 5, 6, 99].map((step, i) => ({ step, kind: "tape" as const, text: "", tape: i + 1 }));
    const gone = { step: 50, kind: "tape" as const, text: "", tape: 0 };
    const where = layout({ ...example(100, { running: false }), marks: [...marks, gone] }, 600, 90);
    const x = spread(where).map((dot) => dot.x);
    expect(x.length).toBe(4);
    for (let i = 1; i < x.length; i++) expect(x[i] - x[i - 1]).toBeGreaterThan(17.99);
    expect(Math.max(...x)).toBeLessThan(600);
  });
});

describe("in words", () => {
  test("steps of a column", () => {
    expect(stepsText(example(100), 4)).toBe("step 5");
    expect(stepsText(example(1000), 2)).toBe("steps 9–12");
    expect(stepsText(example(1001), 250)).toBe("step 1001");
  });

  test("cells", () => {
    const strip = example(200, { nan: true });
    expect(cellText(strip, "gradient", 3, 150)).toBe("exactly 0");
    expect(cellText(strip, "gradient", 0, 199)).toBe("NaN");
    expect(cellText(strip, "zeros", 0, 1)).toBe("15 % (held from step 1)");
    expect(cellText(strip, "zeros", 0, 0)).toBe("15 %");
    expect(cellText(strip, "update", 0, 1)).toBe("not measured");
    expect(tooltipText(strip, "gradient", 0, 199).title).toBe("conv2d · step 200");
    expect(tooltipText(strip, "gradient", 0, 199).lines).toContain("the loss is NaN");
  });

  test("progress", () => {
    expect(progressText(example(60))).toBe("epoch 2 of 10 · batch 3 of 57 · 0.2 s");
    expect(progressText(example(570, { running: false }))).toBe("Done · epoch 10 of 10 · 570 steps · 2.3 s");
    expect(fractionDone(example(57))).toBeCloseTo(0.1, 6);
    expect(fractionDone(example(0))).toBe(0);
    expect(fractionDone(read({}))).toBeNull();
  });

  test("all of it", () => {
    const text = summaryText(example(60, { nan: true }), "gradient");
    expect(text).toContain("Stopped · epoch 2 of 10");
    expect(text).toContain("the loss is NaN at step 60");
    expect(text).toContain("conv2d NaN");
  });
});
