import {
  canvas,
  cividis,
  Disposer,
  followTheme,
  format,
  h,
  on,
  measurer,
  style,
  type Dispose,
  type Signal,
} from "@tapeviz/core";
import base from "../base.css";
import { Tip } from "../tip";
import { Controls } from "./controls";
import { Curves } from "./curves";
import { FIRST, LAST, valueOf, type Scale, type Strip } from "./data";
import { draw, GLYPHS, type Cursor } from "./draw";
import { cellAt, fractionDone, layout, type Layout } from "./layout";
import { Rail } from "./rail";
import css from "./strip.css";
import { shouts, tooltipText, progressText, summaryText } from "./text";

export interface StripOptions {
  readonly strip: Signal<Strip>;
  /** Which quantity is shown. */
  readonly show: Signal<string>;
  /** Shows the tape of that number in a place; without it there are no dots. */
  readonly open?: (tape: number, place: HTMLElement) => Dispose;
}

/** Shows a training: layers x steps, the loss under them, and the progress. */
export function mountStrip(host: HTMLElement, { strip, show, open }: StripOptions): Dispose {
  style(host, base);
  style(host, css);
  const head = h("div", { class: "tvs-head" });
  const stage = h("div", { class: "tvs-stage", tabindex: 0, role: "application", "aria-label": "Layers by steps" });
  const foot = h("div", { class: "tvs-foot" });
  const said = h("div", { class: "visually-hidden", "aria-live": "polite" });
  const controls = new Controls();
  const rail = new Rail(open);
  const curves = new Curves();
  const root = h(
    "section",
    { class: "tapeviz tvs", "aria-label": strip.value.title },
    head,
    controls.element,
    stage,
    curves.element,
    foot,
    rail.tape,
    said,
  );
  stage.append(rail.element);
  host.append(root);
  const { theme, dispose } = followTheme(root);
  const tip = new Tip(stage);
  let where: Layout | null = null;
  let cursor: Cursor | null = null;
  const shown = (): string =>
    show.value in strip.value.cells ? show.value : (Object.keys(strip.value.cells)[0] ?? "");
  const paper = canvas(stage, "", (context, width) => {
    const measure = measurer(context, `11px ${theme.value.sans}`);
    const label = Math.max(...strip.value.rows.map(measure), 30);
    const beside = curves.labels(strip.value);
    where = layout(strip.value, width, label, Math.max(...beside.map(measure), 40));
    stage.style.height = `${where.height}px`;
    rail.update(where);
    const choice = { quantity: shown(), curve: curves.shown(strip.value), axis: curves.axis.value };
    draw(context, strip.value, choice, where, theme.value, cursor);
  });
  const point = (next: Cursor | null): void => {
    cursor = next;
    if (!next || !where) tip.hide();
    else {
      const x = where.plot.left + (next.column + 0.5) * where.columnWidth;
      tip.show(
        tooltipText(strip.value, shown(), next.row, next.column),
        x,
        where.heat.top + (next.row + 0.5) * where.heat.pitch,
      );
    }
    paper.redraw();
  };
  let state = "";
  const update = (): void => {
    const now = strip.value;
    fillHead(head, now, shown(), (name) => show.set(name));
    curves.update(now);
    fillFoot(foot, now);
    controls.update(now);
    const next = `${now.progress?.state} ${now.progress?.epoch}`;
    if (next !== state) {
      state = next;
      paper.element.setAttribute("aria-label", summaryText(now, shown()));
      said.textContent = progressText(now);
    }
    if (cursor && cursor.column >= now.used) point(null);
    paper.redraw();
  };
  update();
  return new Disposer().add(
    dispose,
    rail.dispose,
    paper.dispose,
    tip.dispose,
    () => root.remove(),
    strip.on(update),
    show.on(update),
    curves.name.on(paper.redraw),
    curves.axis.on(paper.redraw),
    theme.on(paper.redraw),
    on<PointerEvent>(stage, "pointermove", ({ clientX, clientY }) => {
      const box = stage.getBoundingClientRect();
      point(where && cellAt(strip.value, where, clientX - box.left, clientY - box.top));
    }),
    on(stage, "pointerleave", () => point(null)),
    on(stage, "blur", () => point(null)),
    on<KeyboardEvent>(stage, "keydown", (event) => {
      const next = moved(event.key, cursor, strip.value);
      if (next === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      point(next);
      if (next) {
        const { title, lines } = tooltipText(strip.value, shown(), next.row, next.column);
        said.textContent = [title, ...lines].join(", ");
      }
    }),
  ).dispose;
}

/** Where a key moves the cursor to; undefined for keys that are none of ours. */
function moved(key: string, cursor: Cursor | null, { used, rows }: Strip): Cursor | null | undefined {
  if (key === "Escape" && cursor) return null;
  const by: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
  };
  const step = by[key];
  if (!step || used === 0) return undefined;
  if (!cursor) return { row: 0, column: used - 1 };
  const within = (at: number, most: number): number => Math.min(Math.max(at, 0), most);
  return {
    row: within(cursor.row + step[0], rows.length - 1),
    column: within(cursor.column + step[1], used - 1),
  };
}

/** The choice of what is shown, and what its colours mean. */
function fillHead(head: HTMLElement, strip: Strip, shown: string, choose: (name: string) => void): void {
  const names = Object.keys(strip.cells);
  const key = JSON.stringify([names, shown]);
  if (head.dataset["key"] === key) return;
  head.dataset["key"] = key;
  const focused = head.contains(document.activeElement ?? null);
  const select = h("select", { "aria-label": "What is shown" });
  for (const name of names) {
    select.append(h("option", { value: name, selected: name === shown }, strip.scales[name]?.title ?? name));
  }
  on(select, "change", () => choose(select.value));
  const scale = strip.scales[shown];
  head.replaceChildren(names.length > 0 ? select : h("span", { class: "tv-muted" }, "Waiting for the first step"));
  if (scale) head.append(legend(scale));
  if (focused) select.focus();
}

function legend(scale: Scale): HTMLElement {
  const stops = Array.from({ length: 11 }, (_, i) => cividis(i / 10)).join(", ");
  const at = (code: number): string => {
    const value = valueOf(code, scale);
    return scale.log ? format.number(value, 2) : format.percent(value);
  };
  return h(
    "span",
    { class: "tvs-legend" },
    h("span", {}, `${scale.log ? "≤ " : ""}${at(FIRST)}`),
    h("i", { class: "tvs-ramp", style: `background: linear-gradient(90deg, ${stops})`, "aria-hidden": "true" }),
    h("span", {}, `${scale.log ? "≥ " : ""}${at(LAST)}`),
    h("i", { class: "tvs-held", "aria-hidden": "true" }),
    h("span", {}, "held"),
    h("i", { class: "tvs-zero", "aria-hidden": "true" }),
    h("span", {}, "exactly 0"),
    h("i", { class: "tvs-unknown", "aria-hidden": "true" }),
    h("span", {}, "not measured"),
    h("i", { class: "tvs-nan", "aria-hidden": "true" }),
    h("span", {}, "NaN, inf"),
  );
}

const MOST_FAULTS = 3;

/** Where training is: a bar, words, results, and what is worth knowing. */
function fillFoot(foot: HTMLElement, strip: Strip): void {
  const part = fractionDone(strip);
  const state = strip.progress?.state ?? "";
  const running = state === "running";
  const bar = h("div", {
    class: `tvs-bar${part === null && running ? " tvs-open" : ""}`,
    role: "progressbar",
    "aria-label": "Progress",
    ...(part === null ? {} : { "aria-valuenow": Math.round(part * 100), "aria-valuemin": 0, "aria-valuemax": 100 }),
  });
  bar.append(h("i", { style: `width:${100 * (part ?? (running ? 0.25 : 1))}%` }));
  const results = (strip.progress?.results ?? []).map(([name, value]) =>
    h("span", { class: "tvs-result" }, `${name} `, h("b", {}, value)),
  );
  const faults = strip.marks.filter(({ kind }) => kind === "nan");
  const opening = strip.marks.filter(({ tape }) => tape > 0).map(({ kind }) => kind);
  const kinds = [...new Set(opening)].filter((kind) => kind !== "nan");
  const rates = strip.marks.filter(({ kind, tape }) => tape === 0 && (kind === "rate" || kind === "retrace"));
  const words: Readonly<Record<string, string>> = {
    rate: "learning rate changed",
    retrace: "traced again",
    tape: "tape kept",
    measured: "tape of a measured step",
    trigger: "what was watched for",
  };
  const quiet = [
    ...rates.slice(-1).map(({ step, text }) => `step ${step + 1}: ${text}`),
    ...kinds.map((kind) => `${GLYPHS[kind]} ${words[kind] ?? kind}`),
    ...(strip.note ? [strip.note] : []),
    ...(strip.steps > 0 ? [`watching took ${format.percent(strip.overhead)} of the time`] : []),
  ];
  foot.replaceChildren(
    bar,
    h(
      "p",
      { class: "tvs-now" },
      h("span", { class: running ? undefined : "tvs-state" }, progressText(strip)),
      ...results,
    ),
    ...shouts(strip).map((text) => h("p", { class: "tvs-shout" }, text)),
    ...faults
      .slice(-MOST_FAULTS)
      .map(({ step, text }) => h("p", { class: "tvs-fault" }, `${GLYPHS.nan} step ${step + 1}: ${text}`)),
    h("p", { class: "tv-muted" }, quiet.join(" · ")),
  );
}
