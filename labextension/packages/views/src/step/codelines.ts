import { h } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { blocksOf, callSpan } from "../code/blocks";
import { fillCode } from "../code/draw";

/** The cell, with the line of an event marked. */
export function codeLines(recording: Recording, event: number): HTMLElement {
  const span = callSpan(recording, event);
  const blocks = blocksOf(recording);
  const block = blocks.find(({ lines }) => lines.some(({ key }) => key === span?.key)) ?? blocks[0];
  const lines = (block?.lines ?? []).map((line) => {
    const isNow = line.key === span?.key;
    const code = h("div", { class: "tvc-code" });
    fillCode(code, line, ...(isNow && span ? ([span.from, span.to] as const) : ([-1, -1] as const)));
    const number = h("span", { class: "tvw-line-number" }, line.number > 0 ? String(line.number) : "");
    return h("li", { class: isNow ? "tvw-now" : undefined, "aria-current": isNow ? "true" : undefined }, number, code);
  });
  return lines.length > 0
    ? h("ol", { class: "tvw-code" }, ...lines)
    : h("p", { class: "tv-muted" }, "no source was recorded");
}
