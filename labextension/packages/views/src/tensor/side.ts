import { format, h, on, type Disposer } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { gradientAbsence, statsAbsence, type Absence } from "./absence";
import { healthBar, histogramPicture } from "./draw";
import { histogram, statsOf, type Stats } from "./layout";
import type { Compare } from "./viewport";
import { unflatten } from "./plane";
import type { Subject } from "./subject";

const HEIGHT = 178;
let pictures = 0;

/** How the summary is shown, and what its buttons do. */
export interface SideOptions {
  readonly compare: Compare;
  readonly width: number;
  /** Counts of the histogram by powers of ten. */
  readonly logarithmic: boolean;
  readonly toggle: () => void;
  /** Shows an element, given by its index. */
  readonly go: (index: readonly number[]) => void;
}

/** The summary beside the picture: health, distribution, figures. */
export function sidePanel(
  recording: Recording,
  subject: Subject,
  options: SideOptions,
  disposer: Disposer,
): HTMLElement {
  const { compare, width } = options;
  const { gradient } = subject;
  const there = gradient !== undefined && gradient >= 0;
  const value = statsOf(recording, subject.tensor);
  const slope = there ? statsOf(recording, gradient) : null;
  const missing = there
    ? statsAbsence(recording)
    : gradientAbsence(recording, subject.tensor, gradient as -1 | undefined);
  const panel = h("aside", { class: "tvt-side", "aria-label": "summary", tabindex: 0, style: `--tvt-room:${width}px` });
  const block = (title: string, stats: Stats | null, absence: Absence): void => {
    panel.append(h("h3", {}, compare === "both" ? title : "Elements"));
    if (!stats) panel.append(absenceNote(absence));
    else panel.append(healthBlock(stats, subject, options, disposer));
  };
  // What the eye goes to first is in sight without scrolling, at the height a notebook gives.
  if (value || slope) panel.append(...distribution(value, slope, options, disposer));
  if (compare !== "gradient") block("Value", value, statsAbsence(recording));
  if (compare === "gradient" || compare === "both") block("Gradient", slope, missing);
  if (value || slope) panel.append(figures(value, slope, subject, recording));
  return panel;
}

/** The health bar, and the way to the first element that is not finite: in a thinned picture it may not be seen. */
function healthBlock(
  stats: Stats,
  { size, shape }: Subject,
  { width, go }: SideOptions,
  disposer: Disposer,
): HTMLElement {
  const block = healthBar(stats, size, width);
  if (stats.bad < 0) return block;
  const index = unflatten(shape, stats.bad);
  const button = h("button", { type: "button", class: "tvt-link" }, `show the first, at [${index.join(", ")}]`);
  disposer.add(on(button, "click", () => go(index)));
  block.append(h("p", { class: "tvt-first" }, h("span", { class: "tvt-bad" }, "✕ not finite: "), button));
  return block;
}

/** What stands where figures would. */
export function absenceNote({ glyph, word, text }: Absence): HTMLElement {
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
  { width, logarithmic, toggle }: SideOptions,
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
