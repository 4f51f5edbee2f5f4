/** The families of ops: a colour and a glyph each, so that colour is never the only sign. */

export interface Family {
  readonly name: string;
  readonly title: string;
  readonly color: string;
  /** One character, for text. */
  readonly glyph: string;
  /** The same glyph as an SVG path in a 16 by 16 box, for canvas (Path2D) and SVG alike. */
  readonly path: string;
}

const family = (name: string, title: string, color: string, glyph: string, path: string): Family => ({
  name,
  title,
  color,
  glyph,
  path,
});

export const FAMILIES: readonly Family[] = [
  family("linalg", "linear algebra", "#0072B2", "■", "M2.5 2.5h11v11h-11z"),
  family("elementwise", "elementwise", "#56B4E9", "●", "M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12z"),
  family("reduction", "reduction", "#E69F00", "▼", "M1.5 3h13l-6.5 11z"),
  family("shape", "shape", "#C8C8C8", "▱", "M5 3.5h10.5l-4.5 9h-10.5z"),
  family("indexing", "indexing", "#8A6A45", "▤", "M2 2.5h12v2.6h-12zM2 6.7h12v2.6h-12zM2 10.9h12v2.6h-12z"),
  family("variable", "variable", "#009E73", "◆", "M8 1l7 7l-7 7l-7-7z"),
  family("control", "control", "#CC79A7", "⟲", "M8 1.5a6.5 6.5 0 1 0 6.5 6.5h-3a3.5 3.5 0 1 1-3.5-3.5v2.5l5-4l-5-4z"),
  family("random", "random", "#F0E442", "✦", "M8 .5l2 5.5l5.5 2l-5.5 2l-2 5.5l-2-5.5l-5.5-2l5.5-2z"),
  family(
    "collective",
    "between processes",
    "#3F1652",
    "⇄",
    "M1 3.2h8v-2.4l6 3.5l-6 3.5v-2.4h-8zM15 10.6h-8v-2.4l-6 3.5l6 3.5v-2.4h8z",
  ),
];

export const ERROR: Family = family(
  "error",
  "failed",
  "#D55E00",
  "✕",
  "M3.5 1.5l4.5 4.5l4.5-4.5l2 2l-4.5 4.5l4.5 4.5l-2 2l-4.5-4.5l-4.5 4.5l-2-2l4.5-4.5l-4.5-4.5z",
);

export const OTHER: Family = family(
  "other",
  "other",
  "#74787D",
  "○",
  "M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12zM8 4.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7z",
);

const BY_NAME = new Map([...FAMILIES, ERROR].map((f) => [f.name, f]));

export const familyOf = (name: string): Family => BY_NAME.get(name) ?? OTHER;

/** What a value can be besides a number: five texts and five glyphs that are never confused. */
export const STATES = {
  none: { glyph: "∅", text: "None" },
  zero: { glyph: "0", text: "exactly 0" },
  nan: { glyph: "✕", text: "NaN" },
  pending: { glyph: "⋯", text: "not computed yet" },
  evicted: { glyph: "⌫", text: "evicted" },
} as const;

export type State = keyof typeof STATES;

/** How grave a verdict is: a shape besides the colour. Index by the verdicts table's severity (1 to 3). */
export const SEVERITIES = [
  { glyph: "○", text: "fine", path: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11z" },
  { glyph: "●", text: "worth knowing", path: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11z" },
  { glyph: "◆", text: "likely a fault", path: "M8 1l7 7l-7 7l-7-7z" },
  { glyph: "▲", text: "a fault", path: "M8 1.5l7 12.5h-14z" },
] as const;
