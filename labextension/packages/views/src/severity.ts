import { SEVERITIES, drawGlyph, glyphIcon, h, on, type Theme } from "@tapeviz/core";
import type { GradientFault } from "./gradientfaults";

const COLORS = ["var(--tv-muted)", "var(--tv-info)", "var(--tv-warn)", "var(--tv-fault)"];

/** The shape and colour of a severity. */
export const severityIcon = (severity: number): SVGSVGElement => {
  const { path } = SEVERITIES[severity];
  return glyphIcon(path, severity === 0 ? "none" : COLORS[severity], 11, COLORS[severity]);
};

/** The colour of a severity on a canvas. */
export const severityColor = (severity: number, theme: Theme): string => (severity > 2 ? theme.fault : theme.warn);

/** The shape of a severity around a point of a canvas. */
export function drawSeverity(
  pen: CanvasRenderingContext2D,
  theme: Theme,
  at: readonly [x: number, y: number],
  severity: number,
): void {
  pen.fillStyle = theme.background;
  pen.beginPath();
  pen.arc(...at, 9, 0, 2 * Math.PI);
  pen.fill();
  pen.fillStyle = severityColor(severity, theme);
  drawGlyph(pen, SEVERITIES[severity].path, ...at, 14);
}

/** A finding about gradients as a line of words, which goes to its op where that can be done. */
export function faultLine(
  { severity, text, forward }: GradientFault,
  go: ((event: number) => void) | null,
): HTMLElement {
  const words = [severityIcon(severity), h("span", {}, text)];
  if (go === null) return h("p", { class: "tv-faultline" }, ...words);
  const button = h("button", { type: "button" }, ...words);
  on(button, "click", () => go(forward));
  return h("p", { class: "tv-faultline" }, button);
}
