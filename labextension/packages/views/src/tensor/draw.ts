import { format, h, s } from "@tapeviz/core";
import { ELEMENT_WORDS, health, inside, type Histogram, type Series, type Stats } from "./layout";

/** The health bar with a line of counts in words below it. */
export function healthBar(stats: Stats, size: number, width: number): HTMLElement {
  const segments = health(stats, size, width);
  const bar = h("div", { class: "tvt-health", "aria-hidden": "true" });
  bar.append(
    ...segments
      .filter((part) => part.width > 0)
      .map(({ kind, width: wide }) =>
        h("span", { class: `tvt-part tvt-${kind}`, style: `width:${(wide / width) * 100}%` }),
      ),
  );
  const counts = segments.map(({ kind, count, part }) => {
    const { glyph, word } = ELEMENT_WORDS[kind];
    const bad = count > 0 && (kind === "nan" || kind === "posinf" || kind === "neginf");
    return h(
      "li",
      { class: `${count === 0 ? "tvt-nil" : ""}${bad ? "tvt-bad" : ""}` },
      h("span", { class: `tvt-swatch tvt-${kind}`, "aria-hidden": "true" }, glyph),
      h("span", {}, word),
      h("b", {}, format.count(count)),
      h("span", { class: "tv-muted" }, count > 0 ? format.percent(part) : ""),
    );
  });
  return h(
    "div",
    { class: "tvt-health-block" },
    bar,
    h("ul", { class: `tvt-counts${width < 280 || (width < 400 && size >= 1000) ? " tvt-long" : ""}` }, ...counts),
  );
}

/** The histogram as SVG: the value solid, the gradient hatched over it. */
export function histogramPicture(layout: Histogram, width: number, height: number, id: string): SVGSVGElement {
  const { left, right, top, bottom, value, gradient } = layout;
  const picture = s(
    "svg",
    {
      class: "tvt-histogram",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": inWords(layout),
    },
    s(
      "defs",
      {},
      s(
        "pattern",
        { id, width: 5, height: 5, patternUnits: "userSpaceOnUse" },
        s("path", { d: "M-1 6L6 -1M-1 1L1 -1M4 6L6 4", class: "tvt-hatch-line" }),
      ),
    ),
  );
  if (value) picture.append(outline(value, bottom, "tvt-solid"));
  if (gradient) picture.append(outline(gradient, bottom, "tvt-hatched", `url(#${id})`));
  picture.append(s("path", { class: "tvt-axis", d: `M${left} ${bottom + 0.5}H${right}` }));
  if (value) axis(picture, value, layout, "value", bottom, id);
  if (gradient) {
    picture.append(s("path", { class: "tvt-axis", d: `M${left} ${top - 0.5}H${right}` }));
    axis(picture, gradient, layout, "gradient", top, id);
  }
  return picture;
}

/** The bars as one shape, so that no seam shows between them. */
function outline({ bars }: Series, bottom: number, name: string, fill?: string): SVGPathElement {
  const steps = bars.map(({ x, y, width }) => `L${round(x)} ${round(y)}H${round(x + width)}`).join("");
  const [first, last] = [bars[0], bars[bars.length - 1]];
  return s("path", {
    class: name,
    fill,
    d: `M${round(first.x)} ${bottom}${steps}L${round(last.x + last.width)} ${bottom}Z`,
  });
}

const round = (x: number): number => Math.round(x * 100) / 100;

function axis(
  picture: SVGSVGElement,
  { ticks, peak }: Series,
  { left, right }: Histogram,
  title: string,
  y: number,
  id: string,
): void {
  const down = title === "value" ? 1 : -1;
  for (const { x, label } of ticks) {
    picture.append(s("path", { class: "tvt-axis", d: `M${round(x)} ${y}v${4 * down}` }));
    const middle = inside(x, label.length * 6, left - 8, right + 8);
    picture.append(s("text", { x: round(middle), y: y + (down > 0 ? 15 : -7), "text-anchor": "middle" }, label));
  }
  const row = y + (down > 0 ? 28 : -20);
  const swatch = {
    x: left,
    y: row - 9,
    width: 13,
    height: 9,
    class: title === "value" ? "tvt-solid" : "tvt-hatched",
    fill: title === "value" ? undefined : `url(#${id})`,
  };
  picture.append(s("rect", swatch), s("text", { x: left + 18, y: row, class: "tvt-title" }, title));
  picture.append(s("text", { x: right, y: row, "text-anchor": "end" }, `fullest bin ${format.count(peak)}`));
}

function inWords({ value, gradient }: Histogram): string {
  const part = (series: Series | null, name: string): string => {
    if (!series) return "";
    const fullest = series.bars.reduce((a, b) => (b.count > a.count ? b : a));
    const [from, to] = [series.bars[0].from, series.bars[series.bars.length - 1].to];
    return `${name} from ${format.number(from)} to ${format.number(to)}, most between ${format.number(fullest.from)} and ${format.number(fullest.to)}`;
  };
  return `histogram: ${[part(value, "values"), part(gradient, "gradient")].filter(Boolean).join("; ") || "no finite elements"}`;
}
