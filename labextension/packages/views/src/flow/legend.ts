import { h, s } from "@tapeviz/core";

/** What the lines between cards mean. */
export function legend(): HTMLElement {
  const line = (dash: string): SVGSVGElement =>
    s(
      "svg",
      { width: 26, height: 12, "aria-hidden": "true" },
      s("line", { x1: 1, x2: 25, y1: 6, y2: 6, class: "tv-stroke", "stroke-dasharray": dash }),
    );
  const band = s(
    "svg",
    { width: 26, height: 12, "aria-hidden": "true" },
    s(
      "pattern",
      { id: "tv-flow-legend", width: 4, height: 4, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      s("rect", { width: 1.6, height: 4, class: "tv-fill" }),
    ),
    s("rect", { x: 0.5, y: 2.5, width: 25, height: 7, fill: "url(#tv-flow-legend)", class: "tv-stroke" }),
  );
  const item = (picture: SVGSVGElement, text: string): HTMLElement => h("li", {}, picture, text);
  return h(
    "ul",
    { class: "tv-legend", "aria-label": "Lines" },
    item(line("0"), "value, forward"),
    item(band, "gradient, as wide as its norm"),
    item(line("1.5 4"), "no gradient"),
  );
}
