import { format, h, on, type Disposer } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { gradientAbsence, statsAbsence, type Absence } from "./absence";
import { healthBar, histogramPicture } from "./draw";
import { histogram, statsOf, type Stats } from "./layout";
import type { Compare } from "./board";
import type { Subject } from "./subject";

const HEIGHT = 178;
let pictures = 0;

/** The summary beside the picture: health, distribution, figures. */
export function side(
  recording: Recording,
  subject: Subject,
  compare: Compare,
  width: number,
  logarithmic: boolean,
  toggle: () => void,
  disposer: Disposer,
): HTMLElement {
  const value = statsOf(recording, subject.tensor);
  const { gradient } = subject;
  const slope = gradient !== undefined && gradient >= 0 ? statsOf(recording, gradient) : null;
  const panel = h("aside", { class: "tvt-side", "aria-label": "summary", tabindex: 0, style: `--tvt-room:${width}px` });
  const bars: [string, Stats | null, Absence][] = [];
  if (compare !== "gradient") bars.push(["Value", value, statsAbsence(recording)]);
  if (compare !== "value") {
    bars.push([
      "Gradient",
      slope,
      gradient !== undefined && gradient >= 0
        ? statsAbsence(recording)
        : gradientAbsence(recording, subject.tensor, gradient as -1 | undefined),
    ]);
  }
  for (const [title, stats, absence] of bars) {
    panel.append(
      h("h3", {}, bars.length > 1 ? title : "Elements"),
      stats ? healthBar(stats, subject.size, width) : absent(absence),
    );
  }
  if (value || slope)
    panel.append(
      ...distribution(value, slope, width, logarithmic, toggle, disposer),
      figures(value, slope, subject, recording),
    );
  return panel;
}

/** What stands where figures would. */
export function absent({ glyph, word, text }: Absence): HTMLElement {
  return h(
    "div",
    { class: "tvt-absent" },
    h("span", { class: "tvt-state", "aria-hidden": "true" }, glyph),
    h("b", {}, word),
    h("p", {}, text),
  );
}

function distribution(
  value: Stats | null,
  slope: Stats | null,
  width: number,
  logarithmic: boolean,
  toggle: () => void,
  disposer: Disposer,
): HTMLElement[] {
  const layout = histogram(value, slope, width, HEIGHT, logarithmic);
  if (!layout.value && !layout.gradient)
    return [h("h3", {}, "Distribution"), h("p", { class: "tv-muted" }, "No finite elements.")];
  const button = h(
    "button",
    {
      type: "button",
      class: "tvt-small",
      "aria-pressed": String(logarithmic),
      "aria-label": "log counts",
      title: "counts by powers of ten",
    },
    "log",
  );
  disposer.add(on(button, "click", toggle));
  return [
    h("div", { class: "tvt-distribution" }, h("h3", {}, "Distribution"), button),
    h("div", { class: "tvt-picture" }, histogramPicture(layout, width, HEIGHT, `tvt-hatch-${(pictures += 1)}`)),
  ];
}

/** The figures as a table: value and gradient side by side. */
function figures(value: Stats | null, slope: Stats | null, subject: Subject, recording: Recording): HTMLElement {
  const { gradient, tensor } = subject;
  const asked = gradient !== undefined;
  const none =
    asked && gradient >= 0 ? statsAbsence(recording) : gradientAbsence(recording, tensor, gradient as -1 | undefined);
  const rows = (["min", "max", "mean", "std", "norm"] as const).map((name) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      figure(value, name),
      asked && (slope ? figure(slope, name) : h("td", { class: "tv-muted" }, none.glyph)),
    ),
  );
  return h(
    "table",
    { class: "tvt-figures" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td", {}),
        h("th", { scope: "col" }, "value"),
        asked && h("th", { scope: "col" }, slope ? "gradient" : `gradient: ${none.word}`),
      ),
    ),
    h("tbody", {}, ...rows),
  );
}

function figure(stats: Stats | null, name: "min" | "max" | "mean" | "std" | "norm"): HTMLElement {
  if (!stats) return h("td", { class: "tv-muted" }, "–");
  const x = stats[name];
  const empty = Number.isNaN(x) && name !== "norm";
  return h("td", { class: Number.isFinite(x) || empty ? "" : "tvt-bad" }, empty ? "–" : format.number(x, 4));
}
