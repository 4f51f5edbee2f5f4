import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mathText, parseLatex, unknownCommands } from "./mathml";

const inside = (latex: string): string => mathText(parseLatex(latex)).replace(/^<math>|<\/math>$/g, "");

describe("formulas", () => {
  it("has scripts, fractions and accents", () => {
    expect(inside("x_{ij}^2")).toBe("<msubsup><mi>x</mi><mrow><mi>i</mi><mi>j</mi></mrow><mn>2</mn></msubsup>");
    expect(inside("\\frac{1}{n}")).toBe("<mfrac><mn>1</mn><mi>n</mi></mfrac>");
    expect(inside("\\bar x_i")).toBe('<msub><mover><mi>x</mi><mo stretchy="false">_</mo></mover><mi>i</mi></msub>');
  });
  it("puts the limits of a sum above and below", () => {
    expect(inside("\\sum_k a_k")).toContain('<munder><mo data-large="">∑</mo><mi>k</mi></munder>');
  });
  it("keeps words whole and minus long", () => {
    expect(inside("\\mathrm{softmax}(-x)")).toBe(
      '<mi mathvariant="normal">softmax</mi><mo stretchy="false">(</mo><mo>−</mo><mi>x</mi><mo stretchy="false">)</mo>',
    );
  });
  it("makes cases", () => {
    expect(inside("\\begin{cases} x & x > 0 \\\\ 0 \\end{cases}")).toContain("<mtr><mtd><mn>0</mn></mtd></mtr>");
  });
  it("names what it does not know, and never hangs on what is broken", () => {
    expect(unknownCommands("\\bar x + \\foo{1}")).toEqual(["foo"]);
    for (const broken of ["{", "}", "x_", "\\frac{", "\\begin{cases} x", "^", "\\left(", "\\mathrm{a"])
      parseLatex(broken);
  });
  it("knows every command in the formulas of the ops", () => {
    const folder = new URL("../../../../tapeviz/ops/", import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".py"));
    const strings = sources.flatMap(
      (name) => readFileSync(new URL(name, folder), "utf8").match(/r"[^"\n]*\\[^"\n]*"/g) ?? [],
    );
    expect(strings.length).toBeGreaterThan(50);
    const unknown = strings.flatMap((text) => unknownCommands(text.slice(2, -1)).map((name) => `${name} in ${text}`));
    expect(unknown).toEqual([]);
  });
});
