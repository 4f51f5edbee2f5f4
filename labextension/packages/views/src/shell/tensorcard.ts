import { STATES, format, h, on, s } from "@tapeviz/core";
import { SOURCES, type Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";

/** A tensor in the inspector: name, shape, a small histogram, the figures that matter, its gradient. */
export function tensorCard(recording: Recording, tensor: number, chosen: boolean, pick: () => void): HTMLElement {
  const facts = factsOf(recording);
  const button = h(
    "button",
    { type: "button", class: "tv-tensor", "aria-pressed": String(chosen), "data-tensor": tensor },
    h(
      "span",
      { class: "tv-tensor-head" },
      h("b", {}, facts.name(tensor)),
      h("span", { class: "tv-mono" }, dims(recording, tensor)),
    ),
    figures(recording, tensor),
    gradientLine(recording, tensor),
  );
  on(button, "click", pick);
  return button;
}

function dims(recording: Recording, tensor: number): string {
  const facts = factsOf(recording);
  return `${format.shape(facts.shape(tensor))} ${facts.dtype(tensor)}`;
}

function figures(recording: Recording, tensor: number): HTMLElement {
  const { stats } = recording;
  const row = factsOf(recording).stat(tensor);
  if (row < 0) return h("span", { class: "tv-muted" }, `${STATES.pending.glyph} ${STATES.pending.text}`);
  const { number, count } = format;
  const infinite = stats.posinf[row] + stats.neginf[row];
  const faults = [
    stats.nan[row] > 0 ? `${count(stats.nan[row])} NaN` : "",
    infinite > 0 ? `${count(infinite)} inf` : "",
  ].filter(Boolean);
  const pair = (name: string, value: string): HTMLElement[] => [
    h("span", { class: "tv-muted" }, name),
    h("span", {}, value),
  ];
  const constant = stats.min[row] === stats.max[row];
  const figures = constant
    ? pair("value", number(stats.min[row], 5))
    : [
        ...pair("range", `${number(stats.min[row])} … ${number(stats.max[row])}`),
        ...pair("mean", `${number(stats.mean[row])} ± ${number(stats.std[row])}`),
      ];
  return h(
    "span",
    { class: "tv-figures" },
    ...figures,
    faults.length > 0 && h("b", { class: "tv-fault" }, `${STATES.nan.glyph} ${faults.join(", ")}`),
    constant ? null : sparkline(stats.histogram[row]),
  );
}

/** 32 bars, their heights by the root of the counts, so that a few elements beside many zeros are seen. */
export function sparkline(histogram: Uint8Array | undefined): SVGSVGElement | null {
  if (!histogram || histogram.length < 128) return null;
  const counts = new Uint32Array(histogram.slice(0, 128).buffer);
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const bars = [...counts].map((count, i) => {
    const height = count === 0 ? 0 : Math.max(1, Math.sqrt(count / most) * 16);
    return `M${i * 3} 16v${-height}h2.2v${height}z`;
  });
  return s(
    "svg",
    { viewBox: "0 0 96 16", class: "tv-spark", "aria-hidden": "true", preserveAspectRatio: "none" },
    s("path", { d: bars.join("") }),
  );
}

function gradientLine(recording: Recording, tensor: number): HTMLElement | null {
  const { requests, gradients, tensors } = recording;
  const facts = factsOf(recording);
  if (tensors.source[facts.tensorRow(tensor)] === SOURCES.indexOf("gradient")) return null;
  const request = requests.source.lastIndexOf(tensor);
  const asked = request >= 0 ? requests.gradient[request] : facts.gradient(tensor);
  if (asked < 0 && request >= 0) return h("span", { class: "tv-fault" }, `∇ ${STATES.none.glyph} ${STATES.none.text}`);
  if (asked < 0) return gradients.rows > 0 ? h("span", { class: "tv-muted" }, "∇ no gradient computed") : null;
  const norm = facts.gradientNorm(tensor);
  return h("span", { class: "tv-muted" }, `∇ norm ${Number.isNaN(norm) ? STATES.pending.text : format.number(norm)}`);
}
