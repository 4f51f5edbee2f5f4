import type { Theme } from "@tapeviz/core";
import type { Magnitude } from "../figures";
import type { Box } from "../layered/box";
import type { Pen } from "../layered/paint";
import { normColor, normFraction } from "./scale";

/** A column as high as a gradient's norm on the fixed scale; what is lost stands out as a frame of the whole height. */
export function drawNormColumn(pen: Pen, { x, y, w, h }: Box, { norm, state }: Magnitude, theme: Theme): void {
  const high = state === "number" ? Math.max(1, h * normFraction(norm)) : h;
  pen.fillStyle = state === "number" ? (theme.forced ? theme.text : normColor(norm, theme.dark)) : theme.background;
  pen.fillRect(x, y + h - high, w, high);
  if (state !== "none" && state !== "nan" && state !== "zero") return;
  pen.strokeStyle = theme.fault;
  pen.lineWidth = 1;
  pen.strokeRect(x + 0.5, y + 0.5, Math.max(1, w - 1), h - 1);
}
