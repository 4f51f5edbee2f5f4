import { fixedWidth } from "@tapeviz/core";
import { describe, expect, it } from "vitest";
import { CARD, cardParts, type CardContent } from "./card";

const FAMILY = { key: "state", name: "State", color: "#000000", path: "" } as unknown as CardContent["family"];

const content = (title: string): CardContent => ({
  title,
  sub: "variable",
  shape: "64 × 32",
  family: FAMILY,
  figures: null,
  range: "−1 … 1",
  gradient: null,
  stack: 0,
  named: true,
});

const measures = { title: fixedWidth(7), small: fixedWidth(6) };

/** The lines of a card's name. */
const lines = (title: string, w: number, h: number = CARD.height): string[] =>
  cardParts(content(title), w, h, measures).texts.flatMap(({ role, text }) =>
    role === "title" || role === "name" ? [text] : [],
  );

/** What a card of that size calls itself. */
const called = (title: string, w: number, h?: number): string => lines(title, w, h).join("");

describe("cards", () => {
  it("of layers of one kind have names that differ, as narrow as they get", () => {
    const names = ["dense/kernel", "dense_1/kernel", "dense_2/kernel"];
    for (const width of [CARD.least, 108, 120, 156]) {
      const shown = names.map((name) => called(name, width));
      expect(new Set(shown).size, `${shown.join(", ")} in ${width} px`).toBe(3);
      expect(shown.every((name) => name.endsWith("kernel"))).toBe(true);
    }
  });
  it("from afar, too", () => {
    const shown = ["sequential/conv2d/bias", "sequential/conv2d_1/bias"].map((name) => called(name, 80, 60));
    expect(shown).toEqual(["seq…v2d/bias", "seq…d_1/bias"]);
  });
  it("from afar are broken behind a word where there is room for two lines", () => {
    expect(lines("basic_block_1", 80, 80)).toEqual(["basic_", "block_1"]);
    expect(lines("transformer_block_1", 80, 80)).toEqual(["transformer_", "block_1"]);
    expect(lines("dense_1", 80, 80)).toEqual(["dense_1"]);
    expect(called("sequential/transformer_block_1/kernel", 80, 80)).toMatch(/^sequential\/.*kernel$/);
  });
  it("that are narrow have the whole name before what stands below it", () => {
    expect(lines("strided_slice", 92)).toEqual(["strided_", "slice"]);
    expect(lines("distances", 88)).toEqual(["distances"]);
    expect(lines("add", 92)).toEqual(["add"]);
    const roles = (title: string): string[] =>
      cardParts(content(title), 92, CARD.height, measures).texts.map(({ role }) => role);
    expect([roles("strided_slice").includes("sub"), roles("add").includes("sub")]).toEqual([false, true]);
  });
  it("of ops keep the beginning in short room", () => {
    expect(called("softmax_cross_entropy", CARD.least)).toBe("softmax_…");
  });
});
