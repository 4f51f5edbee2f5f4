import { describe, expect, it } from "vitest";
import { ERROR, FAMILIES, OTHER, contrast, parse, themeOn, type Rgb } from "./index";

type Matrix = readonly (readonly [number, number, number])[];

/** What eyes without one kind of cone see of linear light, whole deficiency (Machado, Oliveira, Fernandes 2009). */
const EYES: Readonly<Record<string, Matrix>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
/** From linear sRGB to XYZ, and the white of it (D65). */
const XYZ: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
const WHITE = [0.95047, 1, 1.08883];

const times = (matrix: Matrix, [a, b, c]: Rgb): Rgb =>
  matrix.map(([x, y, z]) => x * a + y * b + z * c) as unknown as Rgb;

function lab(color: string, eyes: Matrix): Rgb {
  const linear = parse(color)!.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  const seen = times(eyes, linear as unknown as Rgb).map((v) => Math.min(1, Math.max(0, v))) as unknown as Rgb;
  const root = (t: number): number => (t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29);
  const [x, y, z] = times(XYZ, seen).map((v, i) => root(v / WHITE[i]));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const hue = (a: number, b: number): number => ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;
const chromaWeight = (chroma: number): number => Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7));

/** The CIEDE2000 difference of two colours in CIELAB. */
function difference([l1, a1, b1]: Rgb, [l2, a2, b2]: Rgb): number {
  const stretch = 1.5 - 0.5 * chromaWeight((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2);
  const [c1, c2] = [Math.hypot(stretch * a1, b1), Math.hypot(stretch * a2, b2)];
  const [h1, h2] = [hue(stretch * a1, b1), hue(stretch * a2, b2)];
  const grey = c1 * c2 === 0;
  const turn = grey ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const middle = grey ? h1 + h2 : (h1 + turn / 2 + 360) % 360;
  const [light, chroma] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const cosine = (factor: number, shift: number): number => Math.cos(radians(factor * middle + shift));
  const t = 1 - 0.17 * cosine(1, -30) + 0.24 * cosine(2, 0) + 0.32 * cosine(3, 6) - 0.2 * cosine(4, -63);
  const l = (l2 - l1) / (1 + (0.015 * (light - 50) ** 2) / Math.sqrt(20 + (light - 50) ** 2));
  const c = (c2 - c1) / (1 + 0.045 * chroma);
  const h = (2 * Math.sqrt(c1 * c2) * Math.sin(radians(turn / 2))) / (1 + 0.015 * chroma * t);
  const rotation = -2 * chromaWeight(chroma) * Math.sin(radians(60 * Math.exp(-(((middle - 275) / 25) ** 2))));
  return Math.sqrt(l ** 2 + c ** 2 + h ** 2 + rotation * c * h);
}

const ALL = [...FAMILIES, ERROR, OTHER];
const PAIRS = ALL.flatMap((one, i) => ALL.slice(0, i).map((other) => [other, one] as const));

describe("CIEDE2000", () => {
  // Of the pairs that Sharma, Wu and Dalal (2005) give to test an implementation by.
  it.each([
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[50, 2.5, 0], [50, 0, -2.5], 4.3065],
    [[22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ] as const)("of %s and %s is %d", (one, other, expected) => {
    expect(difference(one, other)).toBeCloseTo(expected, 4);
    expect(difference(other, one)).toBeCloseTo(expected, 4);
  });
});

describe("families of ops", () => {
  it.each(Object.keys(EYES))("have colours that differ to eyes with %s", (name) => {
    const near = PAIRS.map(([one, other]) => ({
      pair: `${one.name} ${other.name}`,
      by: difference(lab(one.color, EYES[name]), lab(other.color, EYES[name])),
    })).filter(({ by }) => by < 10);
    expect(near).toEqual([]);
  });
  it("have glyphs that differ, in text and drawn", () => {
    expect(new Set(ALL.map(({ glyph }) => glyph)).size).toBe(ALL.length);
    expect(new Set(ALL.map(({ path }) => path)).size).toBe(ALL.length);
  });
  it("have outlines that stand out from light and dark pages, whatever the colour", () => {
    for (const ground of ["#ffffff", "#fafafa", "#111111", "#1e1e1e", "#000000"])
      expect(contrast(themeOn(ground).outline, ground), ground).toBeGreaterThanOrEqual(3);
  });
});
