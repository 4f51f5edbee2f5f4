import { Disposer, OTHER, format, familyIcon, familyOf, h, on, s, type Dispose } from "@tapeviz/core";
import type { ViewContext } from "../view";
import { SOURCE_WORDS } from "./cardcontent";
import { tileOfKey } from "./find";
import { magnitudeText, glyphText } from "../figures";
import { lookedFor } from "../health";
import { ladder, layersOf, type LadderGroup, type LadderRow } from "./ladder";
import type { Model } from "./model";
import { normFraction, normColor } from "./scale";
import type { Stage } from "./stage";

/** The ladder beside the graph: a bar for every source on one scale. Fills the element and keeps it up to date. */
export function mountLadder(element: HTMLElement, stage: Stage, context: ViewContext): Dispose {
  const { selection, theme } = context;
  const list = h("ol", { class: "tv-ladder-rows" });
  const title = h("h3", {});
  const scale = scaleRow();
  const limits = h("p", { class: "tv-muted tv-limits" }, "┊ vanishing below the first, exploding above the second");
  element.append(h("header", {}, h("div", {}, title, limits), scale), list);
  const disposer = new Disposer();
  let buttons: { tile: number; button: HTMLButtonElement }[] = [];
  const mark = (): void => {
    const [chosen, over] = [selection.selected, selection.hovered].map((signal) =>
      tileOfKey(stage.model.value, signal.value),
    );
    for (const { tile, button } of buttons) {
      button.setAttribute("aria-pressed", String(tile >= 0 && tile === chosen));
      button.classList.toggle("tv-over", tile >= 0 && tile === over);
    }
  };
  const fill = (): void => {
    const model = stage.model.value;
    scale.hidden = limits.hidden = model.graph.pass === null;
    buttons = [];
    const rowOf = (row: LadderRow, from: number, reason: string): HTMLElement => {
      const button = rowButton(row, [row.name.slice(from), reason], context, model);
      buttons.push({ tile: tileOfKey(model, { event: -1, tensor: row.tensor }), button });
      return h("li", {}, button);
    };
    const layers = layersOf(ladder(model));
    const all = layers[0]?.rows[0].name.slice(0, Math.max(0, layers[0].common - 1)) ?? "";
    const what = model.graph.pass ? "Gradients of the sources" : "Variables";
    title.textContent = all === "" ? what : `${what} of ${all}`;
    list.replaceChildren(...layers.flatMap((group) => layerRows(group, rowOf)));
    if (model.graph.pass && buttons.length > 0 && !lookedFor(context.recording))
      list.append(h("li", { class: "tv-none" }, "Not judged yet: what vanishes or explodes is not marked."));
    if (buttons.length === 0) list.append(h("li", { class: "tv-none" }, "No sources were asked for."));
    mark();
  };
  fill();
  disposer.add(stage.model.on(fill), theme.on(fill), selection.selected.on(mark), selection.hovered.on(mark));
  return disposer.dispose;
}

/** The rows of a layer below its name and the norm of its gradients together; a single one has no name above it. */
function layerRows(
  { layer, common, rows, norm }: LadderGroup,
  rowOf: (row: LadderRow, from: number, reason: string) => HTMLElement,
): HTMLElement[] {
  if (layer === "" || rows.length === 1) return rows.map((row) => rowOf(row, common, reasonOf(row)));
  const reasons = rows.map(reasonOf);
  const shared = reasons.every((reason) => reason === reasons[0]) ? reasons[0] : "";
  const all = norm === null ? "" : format.number(norm);
  const title = `${layer}: ${format.plural(rows.length, "source")}${all && `, gradients of norm ${all} together`}`;
  const head = h(
    "p",
    { title },
    h("span", { class: "tv-name", "data-text-may-be-cut": true }, h("bdi", {}, layer.slice(common) || layer)),
    h("span", { class: "tv-norm" }, all),
  );
  const why = shared !== "" && h("span", { class: "tv-why" }, shared);
  const inside = rows.map((row, i) => rowOf(row, layer.length + 1, shared === "" ? reasons[i] : ""));
  return [h("li", { class: "tv-layer" }, head, why, h("ol", {}, ...inside))];
}

/** Why a gradient is no number, with its sign; a small or large number says it all with a sign beside it. */
const reasonOf = ({ gradient, verdict, severity }: LadderRow): string =>
  gradient.state === "number" || verdict === "" ? "" : `${severity > 2 ? "▲" : "◆"} ${verdict}`;

function rowButton(
  row: LadderRow,
  [name, reason]: [string, string],
  context: ViewContext,
  model: Model,
): HTMLButtonElement {
  const { selection } = context;
  const known = model.graph.pass !== null;
  const { gradient } = row;
  const bad = row.severity > 0;
  const value = !known ? "" : bad && gradient.state === "number" ? `◆ ${magnitudeText(gradient)}` : glyphText(gradient);
  const words = [row.name, SOURCE_WORDS[row.kind], row.shape, value, row.verdict, limitsText(row)];
  const button = h(
    "button",
    { type: "button", class: bad ? "tv-ladder-row tv-bad" : "tv-ladder-row", title: words.filter(Boolean).join(", ") },
    familyIcon(row.kind === "data" ? OTHER : familyOf("variable"), 11),
    h("span", { class: "tv-name", "data-text-may-be-cut": true }, h("bdi", {}, name)),
    known && normBar(row, context.theme.value.dark),
    known && h("span", { class: "tv-norm" }, value),
    reason !== "" && h("span", { class: "tv-why" }, reason),
  );
  on(button, "click", () => selection.select({ tensor: row.tensor }));
  on(button, "pointerenter", () => selection.hover({ tensor: row.tensor }));
  on(button, "pointerleave", () => selection.hover());
  return button;
}

function limitsText({ judged }: LadderRow): string {
  if (judged === null || Number.isNaN(judged.low)) return "";
  return `vanishing below ${format.number(judged.low, 2)}, exploding above ${format.number(judged.high, 2)}`;
}

let patterns = 0;

/** The bar, hatched, with the two limits as fine lines. */
function normBar({ gradient, judged }: LadderRow, dark: boolean): SVGSVGElement {
  const id = `tv-hatch-${(patterns += 1)}`;
  const color = normColor(gradient.norm, dark);
  const wide = gradient.state === "number" ? Math.max(1.5, 100 * normFraction(gradient.norm)) : 0;
  const limit = (norm: number): SVGLineElement | false =>
    norm > 0 &&
    s("line", {
      x1: `${100 * normFraction(norm)}%`,
      x2: `${100 * normFraction(norm)}%`,
      y1: 0,
      y2: 12,
      class: "tv-limit",
    });
  return s(
    "svg",
    { class: "tv-bar-line", "aria-hidden": "true", height: 12 },
    s(
      "pattern",
      { id, width: 4, height: 4, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      s("rect", { width: 4, height: 4, fill: color, "fill-opacity": 0.35 }),
      s("rect", { width: 1.6, height: 4, fill: color }),
    ),
    s("rect", { class: "tv-track", width: "100%", height: 12 }),
    wide > 0 && s("rect", { width: `${wide}%`, height: 11, y: 0.5, fill: `url(#${id})`, stroke: color }),
    ...(judged ? [limit(judged.low), limit(judged.high)] : []),
  );
}

/** The powers of ten above the bars, and what the fine lines are. */
function scaleRow(): HTMLElement {
  const marks = [-6, 0].map((power) => {
    const label = h("span", {}, format.number(10 ** power).replace("1×", ""));
    label.style.left = `${100 * normFraction(10 ** power)}%`;
    return label;
  });
  const title = "The norm of the gradient. Fine lines: vanishing below the left one, exploding above the right one.";
  return h("div", { class: "tv-scale", title }, ...marks);
}
