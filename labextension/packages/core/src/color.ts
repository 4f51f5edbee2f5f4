/** Colours as arithmetic: parsing, mixing, contrast, and the two scales (cividis, purple-orange). */

export type Rgb = readonly [number, number, number];

export function parse(color: string): Rgb | null {
  const text = color.trim().toLowerCase();
  const hex = /^#([0-9a-f]{3,8})$/.exec(text)?.[1];
  if (hex && (hex.length === 3 || hex.length === 4)) {
    return [0, 1, 2].map((i) => parseInt(hex[i] + hex[i], 16)) as unknown as Rgb;
  }
  if (hex && hex.length >= 6) return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)) as unknown as Rgb;
  const parts = /^rgba?\(([^)]*)\)$/
    .exec(text)?.[1]
    ?.match(/[\d.]+/g)
    ?.map(Number);
  return parts && parts.length >= 3 && parts[3] !== 0 ? [parts[0], parts[1], parts[2]] : null;
}

export function css(rgb: Rgb): string {
  return `#${rgb.map((v) => Math.round(v).toString(16).padStart(2, "0")).join("")}`;
}

const mixed = new Map<string, string>();

/** `part` of `a` and the rest of `b`. Asked for the same few again and again by every frame, so remembered. */
export function mix(a: string, b: string, part: number): string {
  const key = `${a} ${b} ${part}`;
  const known = mixed.get(key);
  if (known !== undefined) return known;
  const made = mixing(a, b, part);
  if (mixed.size > 4000) mixed.clear();
  mixed.set(key, made);
  return made;
}

function mixing(a: string, b: string, part: number): string {
  const [x, y] = [parse(a), parse(b)];
  if (!x || !y) return a;
  return css([0, 1, 2].map((i) => x[i] * part + y[i] * (1 - part)) as unknown as Rgb);
}

/** Relative luminance, 0 black to 1 white (WCAG 2). */
export function luminance([r, g, b]: Rgb): number {
  const linear = (v: number): number => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2). */
export function contrast(a: string, b: string): number {
  const [x, y] = [parse(a), parse(b)];
  if (!x || !y) return 1;
  const [low, high] = [luminance(x), luminance(y)].sort((p, q) => p - q) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Black or white: whichever reads better on `background`. One of them always has 4.5:1; near-black would not. */
export function textColor(background: string): string {
  return contrast("#000000", background) >= contrast("#ffffff", background) ? "#000000" : "#ffffff";
}

// Eleven samples of cividis (Nuñez, Anderton, Renslow 2018), evenly spaced from low to high.
const CIVIDIS = [
  "#00224e",
  "#083370",
  "#35456c",
  "#4f576c",
  "#666970",
  "#7d7c78",
  "#948e77",
  "#aea371",
  "#c8b866",
  "#e5cf52",
  "#fee838",
];
const PURPLE = ["#f7f4f9", "#d6cfe6", "#a99ccb", "#7a65a8", "#4f2a85", "#2d004b"];
const ORANGE = ["#f7f4f9", "#fddbb0", "#f5ad5c", "#dc7a1c", "#ab4f07", "#7f3b08"];

function sample(stops: readonly string[], t: number): string {
  const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const index = Math.min(Math.floor(at), stops.length - 2);
  return mix(stops[index + 1], stops[index], at - index);
}

/** Magnitudes: t from 0 (small) to 1 (large). */
export const cividis = (t: number): string => sample(CIVIDIS, t);

// The same hues on a dark page: 0 is dark there, so that what stands out is what is large.
const PURPLE_DARK = ["#24222b", "#3d3260", "#5c4a92", "#8470bd", "#ad9cdc", "#dcd2fb"];
const ORANGE_DARK = ["#24222b", "#56300f", "#8a4a0d", "#c26a14", "#f0983c", "#ffd9a8"];

/** Signed values: t from -1 (purple) over 0 (nearly the page's white; nearly black on a dark page) to 1 (orange). */
export const divergingColor = (t: number, dark = false): string => {
  const [purple, orange] = dark ? [PURPLE_DARK, ORANGE_DARK] : [PURPLE, ORANGE];
  return t < 0 ? sample(purple, -t) : sample(orange, t);
};
