import { describe, expect, it } from "vitest";
import { elements, shortestText, float16Value, itemSize, roundToDtype } from "./elements";

const bytes = (array: ArrayBufferView): Uint8Array => new Uint8Array(array.buffer);
const texts = (dtype: string, array: ArrayBufferView): string[] => {
  const read = elements(dtype, bytes(array))!;
  return Array.from({ length: read.length }, (_, i) => read.text(i));
};

describe("elements", () => {
  it("says each element exactly and as shortly as its dtype allows", () => {
    expect(texts("float32", new Float32Array([0.1, 1 / 3, -2, 0, NaN, Infinity, -Infinity, 1e-7]))).toEqual([
      "0.1",
      "0.33333334",
      "-2",
      "0",
      "NaN",
      "+inf",
      "-inf",
      "1e-7",
    ]);
    expect(texts("float64", new Float64Array([0.1, 1 / 3]))).toEqual(["0.1", "0.3333333333333333"]);
    expect(texts("int64", new BigInt64Array([9007199254740993n, -5n]))).toEqual(["9007199254740993", "-5"]);
    expect(texts("uint64", new BigUint64Array([18446744073709551615n]))).toEqual(["18446744073709551615"]);
    expect(texts("bool", new Uint8Array([0, 1]))).toEqual(["False", "True"]);
    expect(texts("int8", new Int8Array([-128]))).toEqual(["-128"]);
  });

  it("reads half precision: 1, the smallest, the largest, −2, infinity, NaN", () => {
    expect([0x3c00, 1, 0x7bff, 0xc000, 0x7c00, 0x7e00].map(float16Value)).toEqual([
      1,
      2 ** -24,
      65504,
      -2,
      Infinity,
      NaN,
    ]);
    expect(texts("float16", new Uint16Array([0x2e66]))).toEqual(["0.1"]);
  });

  it("reads bfloat16 as the upper half of a float32", () => {
    expect(texts("bfloat16", new Uint16Array([0x3f80, 0x3dcd, 0x7f80, 0xff80]))).toEqual(["1", "0.1", "+inf", "-inf"]);
  });

  it("reads complex numbers: the modulus for colours, both parts as text", () => {
    const read = elements("complex64", bytes(new Float32Array([3, -4, 0, 1])))!;
    expect([read.length, read.number(0), read.text(0), read.text(1)]).toEqual([2, 5, "3-4j", "0+1j"]);
  });

  it("leaves out a cut-off last element, starts anywhere, and has nothing to say of strings", () => {
    const whole = new Uint8Array([9, ...bytes(new Float32Array([1.5, 2])), 7]);
    expect(elements("float32", whole.subarray(1))!.length).toBe(2);
    expect(elements("float32", whole.subarray(1))!.number(0)).toBe(1.5);
    expect(elements("string", whole)).toBeNull();
    expect([itemSize("bfloat16"), itemSize("complex128"), itemSize("string")]).toEqual([2, 16, 0]);
  });

  it("rounds to a dtype as hardware does", () => {
    for (const x of [0.1, 1 / 3, 1e-40, 123456789, -7.25e11]) expect(roundToDtype(x, "float32")).toBe(Math.fround(x));
    expect(roundToDtype(2049, "float16")).toBe(2048);
    expect(shortestText(-0, "float32")).toBe("-0");
  });
});
