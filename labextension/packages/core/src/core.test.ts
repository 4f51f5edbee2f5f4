import { describe, expect, it } from "vitest";
import {
  KeyBindings,
  Selection,
  Signal,
  cividis,
  contrast,
  ellipsize,
  ellipsizeMiddle,
  ellipsizeName,
  fixedWidth,
  format,
  textColor,
  linear,
  log10,
  logTicks,
  lowestContrast,
  placeLabels,
  divergingColor,
  themeOn,
  ticks,
} from "./index";

describe("signal", () => {
  it("tells listeners of a change, and not of the same value, until disposed", () => {
    const signal = new Signal(1);
    const seen: number[] = [];
    const off = signal.on((v) => seen.push(v));
    signal.set(2);
    signal.set(2);
    off();
    signal.set(3);
    expect(seen).toEqual([2]);
  });
});

describe("selection", () => {
  it("keeps the step when another op is selected, and forgets the tensor", () => {
    const selection = new Selection();
    selection.select({ event: 1, tensor: 5, step: 7 });
    selection.select({ event: 2 });
    expect(selection.selected.value).toEqual({ event: 2, tensor: -1, step: 7 });
  });
});

describe("scales", () => {
  it("maps and inverts", () => {
    const x = linear([10, 20], [0, 100]);
    expect([x(15), x.invert(25)]).toEqual([50, 12.5]);
    expect(log10([1e-4, 1], [0, 100])(1e-2)).toBeCloseTo(50);
  });
  it("makes round ticks, and an empty domain makes none", () => {
    expect(ticks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(ticks(3, 3, 5)).toEqual([]);
    expect(logTicks(1e-3, 1, 9).map(Math.log10).map(Math.round)).toEqual([-3, -2, -1, 0]);
  });
});

describe("format", () => {
  it("writes numbers as people read them", () => {
    const { bytes, count, duration, number, percent, plural, shape, spec } = format;
    expect([0, 1.23456, -2, 12345, 1e-9, NaN, Infinity].map((v) => number(v))).toEqual([
      "0",
      "1.23",
      "−2",
      "12345",
      "1×10⁻⁹",
      "NaN",
      "+inf",
    ]);
    expect([3, 1234, 999_999, 2.5e9].map(duration)).toEqual(["3 ns", "1.23 µs", "1 ms", "2.5 s"]);
    expect([12, 8192].map(bytes)).toEqual(["12 B", "8 KiB"]);
    expect([count(1234567), plural(1, "op"), plural(2, "op"), percent(0.004)]).toEqual([
      "1\u202f234\u202f567",
      "1 op",
      "2 ops",
      "<1 %",
    ]);
    expect([shape([32, 64]), shape([]), spec([3], "int32")]).toEqual(["32×64", "scalar", "(3,) int32"]);
  });
});

describe("moments", () => {
  it("tell neighbours apart", () => {
    expect(format.moments([0, 20_000, 40_000], 20_000)).toEqual(["0 µs", "20 µs", "40 µs"]);
    expect(format.moments([2.652e9, 2.654e9], 2e6)).toEqual(["2.652 s", "2.654 s"]);
    expect(format.moments([2.65e9, 2.65e9 + 20_000], 20_000)).toEqual(["2.650 s", "+20 µs"]);
  });
});

describe("text", () => {
  const measure = fixedWidth(10);
  it("is cut to fit, never wider", () => {
    expect(ellipsize("matmul", 60, measure)).toBe("matmul");
    expect(ellipsize("matmul", 45, measure)).toBe("mat…");
    expect(ellipsize("matmul", 19, measure)).toBe("");
    expect(ellipsizeMiddle("dense_1/kernel:0", 80, measure)).toBe("dens…l:0");
  });
  it("is cut within its scopes, so that names of layers of one kind stay apart", () => {
    expect(ellipsizeName("dense_1/kernel", 140, measure)).toBe("dense_1/kernel");
    expect(ellipsizeName("dense_1/kernel", 120, measure)).toBe("de…_1/kernel");
    expect(ellipsizeName("dense_12/kernel", 120, measure)).toBe("de…12/kernel");
    expect(ellipsizeName("sequential/conv2d_3/bias", 140, measure)).toBe("sequ…2d_3/bias");
    expect(ellipsizeName("dense_1/kernel", 90, measure)).toBe("…1/kernel");
    expect(ellipsizeName("dense_1/kernel", 80, measure)).toBe("…kernel");
    expect(ellipsizeName("dense_1/kernel", 60, measure)).toBe("den…el");
    expect(ellipsizeName("a_long_name_of_ones_own", 90, measure)).toBe("a_lo…_own");
    expect(ellipsizeName("dense_1/kernel", 10, measure)).toBe("");
    expect(ellipsizeName("model.0.weight", 90, measure)).toBe("…0.weight");
    for (let width = 0; width < 260; width += 7)
      for (const name of ["sequential/conv2d_3/bias", "dense/kernel", "/kernel", "dense/"])
        expect(measure(ellipsizeName(name, width, measure))).toBeLessThanOrEqual(Math.max(0, width));
  });
  it("places labels that do not touch", () => {
    const wanted = [10, 14, 40].map((middle) => ({ middle, width: 10 }));
    expect(placeLabels(wanted, 2)).toEqual([true, false, true]);
  });
});

describe("colours", () => {
  it("read at 4.5:1 and better on every notebook's ground", () => {
    for (const ground of ["#ffffff", "#fafafa", "#111111", "#1e1e1e", "#212121", "#000000", "#0d1117", "#fdf6e3"]) {
      expect(lowestContrast(themeOn(ground)), ground).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast(textColor("#E69F00"), "#E69F00")).toBeGreaterThan(4.5);
  });
  it("scales end where they should", () => {
    expect([cividis(-1), cividis(2)]).toEqual(["#00224e", "#fee838"]);
    expect([divergingColor(0), divergingColor(-1), divergingColor(1)]).toEqual(["#f7f4f9", "#2d004b", "#7f3b08"]);
  });
});

describe("keys", () => {
  it("the last binding wins until it is disposed", () => {
    const keys = new KeyBindings();
    const seen: string[] = [];
    keys.bind("f", "fit all", () => seen.push("all"));
    const off = keys.bind("f", "fit", () => seen.push("view"));
    keys.press("f");
    off();
    keys.press("f");
    expect([seen, keys.press("z"), keys.list()]).toEqual([["view", "all"], false, [{ key: "f", title: "fit all" }]]);
  });
  it("go on to the binding before where the last one has nothing to do", () => {
    const keys = new KeyBindings();
    const seen: string[] = [];
    let busy = true;
    keys.bind("Enter", "inspector", () => seen.push("shell"));
    keys.bind("Enter", "open", () => busy && seen.push("view"));
    keys.press("Enter");
    busy = false;
    expect([keys.press("Enter"), seen]).toEqual([true, ["view", "shell"]]);
  });
});
