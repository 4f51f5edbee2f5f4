import { format, h, on, type Disposer } from "@tapeviz/core";
import type { Viewport, Mode } from "./viewport";
import { segmented } from "./head";
import { cutAxes, locate, withAxis, withFacets, withIndex } from "./plane";

/** The tools above the picture: which axes, which cut, map or numbers, scale, zoom, go to. */
export function toolbar(viewport: Viewport, rebuild: () => void, disposer: Disposer): HTMLElement {
  const { plane } = viewport;
  const bar = h("div", { class: "tvt-bar", role: "toolbar", "aria-label": "how the elements are shown" });
  const modes: Record<Mode, string> = { map: "Map", numbers: "Numbers" };
  bar.append(
    segmented(
      "map or numbers",
      modes,
      viewport.mode,
      (mode) => {
        viewport.switch(mode);
        rebuild();
      },
      disposer,
    ),
  );
  if (plane.shape.length >= 2)
    bar.append(axisChoice(viewport, 0, rebuild, disposer), axisChoice(viewport, 1, rebuild, disposer));
  if (plane.shape.length >= 3) bar.append(facetChoice(viewport, rebuild, disposer));
  for (const axis of cutAxes(plane)) bar.append(slider(viewport, axis, disposer));
  bar.append(h("span", { class: "tvt-space" }));
  if (viewport.mode === "map") bar.append(zoomButtons(viewport, disposer));
  bar.append(goTo(viewport, disposer));
  return bar;
}

function axisChoice(viewport: Viewport, which: 0 | 1, rebuild: () => void, disposer: Disposer): HTMLElement {
  const { shape, axes } = viewport.plane;
  const label = which === 0 ? "axis of the rows" : "axis of the columns";
  const select = h(
    "select",
    { "aria-label": label },
    ...shape.map((n, axis) =>
      h("option", { value: axis, selected: axis === axes[which] }, `${axis} (${format.count(n)})`),
    ),
  );
  disposer.add(
    on(select, "change", () => {
      viewport.show(withAxis(viewport.plane, which, Number(select.value)));
      rebuild();
    }),
  );
  const [word, arrow] = which === 0 ? ["rows", "↓"] : ["columns", "→"];
  return h(
    "label",
    { class: "tvt-field", title: `the axis of the ${word}` },
    h("span", { class: "tv-muted tvt-word" }, word),
    h("span", { class: "tv-muted tvt-arrow", "aria-hidden": "true" }, arrow),
    select,
  );
}

/** Which axis is shown as tiles: a plane for each of its indices, side by side. */
function facetChoice(viewport: Viewport, rebuild: () => void, disposer: Disposer): HTMLElement {
  const { shape, axes, facets } = viewport.plane;
  const others = shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const option = (axis: number, text: string): HTMLElement =>
    h("option", { value: axis, selected: axis === (facets?.axis ?? -1) }, text);
  const select = h("select", { "aria-label": "axis shown as tiles" }, option(-1, "none"));
  select.append(...others.map((axis) => option(axis, `${axis} (${format.count(shape[axis])})`)));
  disposer.add(
    on(select, "change", () => {
      viewport.show(withFacets(viewport.plane, Number(select.value)));
      rebuild();
    }),
  );
  return h("label", { class: "tvt-field" }, h("span", { class: "tv-muted" }, "tiles"), select);
}

function slider(viewport: Viewport, axis: number, disposer: Disposer): HTMLElement {
  const last = viewport.plane.shape[axis] - 1;
  const range = h("input", { type: "range", min: 0, max: last, step: 1, value: viewport.plane.index[axis] });
  const said = h("output", {}, `${format.count(viewport.plane.index[axis])} of 0–${format.count(last)}`);
  disposer.add(
    on(range, "input", () => viewport.show(withIndex(viewport.plane, axis, Number(range.value)))),
    viewport.changed.on(() => {
      const at = viewport.plane.index[axis];
      if (Number(range.value) !== at) range.value = String(at);
      said.textContent = `${format.count(at)} of 0–${format.count(last)}`;
    }),
  );
  return h("label", { class: "tvt-field" }, h("span", { class: "tv-muted" }, `axis ${axis}`), range, said);
}

export function scaleButton(viewport: Viewport, rebuild: () => void, disposer: Disposer): HTMLElement {
  const button = h(
    "button",
    {
      type: "button",
      class: "tvt-small",
      "aria-pressed": String(viewport.logarithmic),
      title: "colours by powers of ten of the magnitude",
    },
    "log",
  );
  disposer.add(
    on(button, "click", () => {
      viewport.logarithmic = !viewport.logarithmic;
      rebuild();
    }),
  );
  return button;
}

function zoomButtons(viewport: Viewport, disposer: Disposer): HTMLElement {
  const make = (text: string, label: string, run: () => void): HTMLElement => {
    const button = h(
      "button",
      { type: "button", class: "tvt-small", "aria-label": `${text} ${label}`, title: label },
      text,
    );
    disposer.add(on(button, "click", run));
    return button;
  };
  return h(
    "span",
    { class: "tvt-zoom" },
    make("−", "zoom out (−)", () => viewport.zoom(0.5)),
    make("+", "zoom in (+)", () => viewport.zoom(2)),
    make("Fit", "show all (f)", () => viewport.fit()),
  );
}

/** A field that takes an index: "3, 17", or "[3, 17]". */
function goTo(viewport: Viewport, disposer: Disposer): HTMLElement {
  const { plane } = viewport;
  const last = plane.shape;
  const letters = Math.max(
    6 + 3 * last.length,
    plane.shape.map((n) => String(n - 1).length + 2).reduce((a, b) => a + b, 0),
  );
  const field = h("input", {
    type: "text",
    style: `width:${letters * 7 + 16}px`,
    placeholder: `go to ${last.map(() => "0").join(", ")}`,
    "aria-label": "index to go to",
    spellcheck: "false",
  });
  disposer.add(
    on<KeyboardEvent>(field, "keydown", (event) => {
      if (event.key !== "Enter") return;
      const target = locate(viewport.plane, (field.value.match(/-?\d+/g) ?? []).map(Number));
      field.setAttribute("aria-invalid", String(target === null));
      if (!target) return;
      viewport.show(target.plane);
      viewport.goTo(target.r, target.c);
    }),
    on(field, "input", () => field.removeAttribute("aria-invalid")),
  );
  return field;
}
