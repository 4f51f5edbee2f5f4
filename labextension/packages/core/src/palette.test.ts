import { describe, expect, it } from "vitest";
import { parse, type Rgb } from "./color";
import { ERROR, FAMILIES, OTHER } from "./families";

/** What eyes see that lack a kind of cones: Machado, Oliveira and Fernandes (2009), in linear RGB, severity 1. */
const SIGHTS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  normal: [
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
const TO_XYZ = [
  [0.4124564, 0.3575761, 0.180437],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
const WHITE = [0.95047, 1, 1.08883];
const LEAST = 10;

type Lab = readonly [number, number, number];

const times = (rows: readonly (readonly number[])[], vector: readonly number[]): number[] =>
  rows.map((row) => row.reduce((sum, value, i) => sum + value * vector[i], 0));
const linear = (rgb: Rgb): number[] =>
  rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));

function labOf(color: string, sight: string): Lab {
  const seen = times(SIGHTS[sight], linear(parse(color)!)).map((v) => Math.min(Math.max(v, 0), 1));
  const [x, y, z] = times(TO_XYZ, seen)
    .map((v, i) => v / WHITE[i])
    .map((v) => (v > 216 / 24389 ? Math.cbrt(v) : ((24389 / 27) * v + 16) / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const degrees = (radians: number): number => ((radians * 180) / Math.PI + 360) % 360;
const cosine = (angle: number): number => Math.cos((angle * Math.PI) / 180);
const seventh = (c: number): number => Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));

/** The difference of two colours: CIEDE2000, after Sharma, Wu and Dalal (2005). */
function difference([l1, a1, b1]: Lab, [l2, a2, b2]: Lab): number {
  const stretch = 1 + (1 - seventh((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2)) / 2;
  const [c1, c2] = [Math.hypot(a1 * stretch, b1), Math.hypot(a2 * stretch, b2)];
  const [h1, h2] = [degrees(Math.atan2(b1, a1 * stretch)), degrees(Math.atan2(b2, a2 * stretch))];
  const isGrey = c1 * c2 === 0;
  const apart = Math.abs(h1 - h2) > 180;
  const turn = isGrey ? 0 : h2 - h1 + (apart ? (h2 > h1 ? -360 : 360) : 0);
  const hue = isGrey ? h1 + h2 : (h1 + h2 + (apart ? (h1 + h2 < 360 ? 360 : -360) : 0)) / 2;
  const [light, chroma] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const weight =
    1 - 0.17 * cosine(hue - 30) + 0.24 * cosine(2 * hue) + 0.32 * cosine(3 * hue + 6) - 0.2 * cosine(4 * hue - 63);
  const inLight = (l2 - l1) / (1 + (0.015 * (light - 50) ** 2) / Math.sqrt(20 + (light - 50) ** 2));
  const inChroma = (c2 - c1) / (1 + 0.045 * chroma);
  const inHue = (2 * Math.sqrt(c1 * c2) * Math.sin((turn * Math.PI) / 360)) / (1 + 0.015 * chroma * weight);
  const rotation = -2 * seventh(chroma) * Math.sin((60 * Math.exp(-(((hue - 275) / 25) ** 2)) * Math.PI) / 180);
  return Math.sqrt(inLight ** 2 + inChroma ** 2 + inHue ** 2 + rotation * inChroma * inHue);
}

describe("the families of ops", () => {
  const every = [...FAMILIES, ERROR, OTHER];

  it("are measured as the published pairs are", () => {
    expect(difference([50, 2.6772, -79.7751], [50, 0, -82.7485])).toBeCloseTo(2.0425, 4);
    expect(difference([50, 2.5, 0], [73, 25, -18])).toBeCloseTo(27.1492, 4);
    expect(difference([2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514])).toBeCloseTo(0.9082, 4);
  });

  for (const sight of Object.keys(SIGHTS)) {
    it(`differ by their colours: ${sight}`, () => {
      const labs = every.map(({ color }) => labOf(color, sight));
      const close = every.flatMap((one, i) =>
        every.slice(i + 1).map((other, j) => [difference(labs[i], labs[i + 1 + j]), one.name, other.name] as const),
      );
      expect(close.filter(([by]) => by < LEAST)).toEqual([]);
    });
  }

  it("differ by their glyphs and by the paths of these", () => {
    expect(new Set(every.map(({ glyph }) => glyph)).size).toBe(every.length);
    expect(new Set(every.map(({ path }) => path)).size).toBe(every.length);
  });
});
