import { readFileSync } from "node:fs";
import { contrast, mix, themeOn } from "@tapeviz/core";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("./code.css", import.meta.url), "utf8").replace(/\s+/g, " ");
const colors = (rule: string): string[] => {
  const body = css.slice(css.indexOf(rule) + rule.length).split("}")[0];
  return [...body.matchAll(/#[\da-f]{6}/gi)].map(([color]) => color);
};

describe("the colours of the source", () => {
  const selected = /\[aria-selected\] \{ --tvc-ground: color-mix\(in srgb, var\(--tv-accent\) (\d+)%/;
  const share = Number(selected.exec(css)?.[1]) / 100;

  for (const [rule, pages] of [
    [".tvc-code { --k", ["#ffffff", "#fafafa", "#f8f8f8"]],
    ['[data-scheme="dark"] .tvc-code {', ["#111111", "#1e1e1e", "#212121", "#0d1117", "#000000"]],
  ] as const) {
    it(`read on ${pages.join(", ")}, on the band under the pointer and on the selected line`, () => {
      expect(share).toBeGreaterThan(0.05);
      expect(colors(rule).length).toBe(6);
      for (const page of pages) {
        const theme = themeOn(page);
        for (const ground of [theme.background, theme.band, mix(theme.accent, page, share)]) {
          for (const color of [...colors(rule), theme.text, theme.muted, theme.fault, theme.warn])
            expect(contrast(color, ground)).toBeGreaterThanOrEqual(4.5);
        }
      }
    });
  }
});
