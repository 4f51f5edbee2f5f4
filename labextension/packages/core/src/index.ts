export { Boundary, guarded } from "./boundary";
export { canvas, type Canvas } from "./canvas";
export { cividis, contrast, css, textColor, luminance, mix, parse, divergingColor, type Rgb } from "./color";
export { breakable, h, on, s, style } from "./dom";
export { ERROR, FAMILIES, OTHER, SEVERITIES, STATES, familyOf, type Family, type State } from "./families";
export * as format from "./format";
export { drawGlyph, familyIcon, glyphIcon, hatch } from "./glyph";
export { KeyBindings } from "./keys";
export { formula, mathText, parseLatex, unknownCommands, type MathNode } from "./mathml";
export { clamp, linear, log10, logTicks, ticks, type Scale } from "./scales";
export { LOOP, SELECT, TAPE, askLoop, askSelect, askTape, requestId } from "./loop";
export type { LoopRequest, SelectRequest, TapeRequest } from "./loop";
export { NO_SELECTION, NO_NODE, Selection, type Key, type NodeKey } from "./selection";
export { Disposer, Signal, type Dispose } from "./signal";
export {
  ellipsize,
  ellipsizeMiddle,
  ellipsizeName,
  fixedWidth,
  isScoped,
  measurer,
  placeLabels,
  type Measure,
} from "./text";
export { applyTheme, followTheme, lowestContrast, themeOn, type Theme } from "./theme";
