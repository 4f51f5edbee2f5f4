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
});
