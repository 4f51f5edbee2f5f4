/** Elements of a tensor out of raw bytes: as numbers for colours, as exact text for tables. */

export interface Elements {
  readonly length: number;
  /** For colours and comparisons: a complex element is its modulus, an int64 is rounded to a double. */
  readonly number: (i: number) => number;
  /** Exact: the fewest digits that give back the same element in its own dtype, as Python reads them. */
  readonly text: (i: number) => string;
}

type Reader = (data: ArrayBuffer) => Elements;

/** Bits of the mantissa and the exponent of the smallest normal number. */
type Format = readonly [bits: number, low: number];

const FORMATS: Record<string, Format> = {
  float16: [10, -14],
  bfloat16: [7, -126],
  float32: [23, -126],
  complex64: [23, -126],
};

const READERS: Record<string, Reader> = {
  float16: (data) => floats(Float32Array.from(new Uint16Array(data), float16Value), "float16"),
  bfloat16: (data) => floats(brain(new Uint16Array(data)), "bfloat16"),
  float32: (data) => floats(new Float32Array(data), "float32"),
  float64: (data) => floats(new Float64Array(data), "float64"),
  int8: (data) => integers(new Int8Array(data)),
  int16: (data) => integers(new Int16Array(data)),
  int32: (data) => integers(new Int32Array(data)),
  int64: (data) => integers(new BigInt64Array(data)),
  uint8: (data) => integers(new Uint8Array(data)),
  uint16: (data) => integers(new Uint16Array(data)),
  uint32: (data) => integers(new Uint32Array(data)),
  uint64: (data) => integers(new BigUint64Array(data)),
  bool: (data) => flags(new Uint8Array(data)),
  complex64: (data) => complex(new Float32Array(data), "complex64"),
  complex128: (data) => complex(new Float64Array(data), "complex128"),
};

const SIZES: Record<string, number> = {
  float16: 2,
  bfloat16: 2,
  float32: 4,
  float64: 8,
  int8: 1,
  int16: 2,
  int32: 4,
  int64: 8,
  uint8: 1,
  uint16: 2,
  uint32: 4,
  uint64: 8,
  bool: 1,
  complex64: 8,
  complex128: 16,
};

/** Bytes an element takes; 0 for a dtype whose elements are not numbers, such as string. */
export const itemSize = (dtype: string): number => SIZES[dtype] ?? 0;

/** Reads little-endian bytes; null for a dtype whose elements are not numbers. A cut-off last element is left out. */
export function elements(dtype: string, data: Uint8Array): Elements | null {
  const [reader, size] = [READERS[dtype], itemSize(dtype)];
  if (!reader) return null;
  // A copy: typed arrays have to begin at a multiple of their element's size.
  return reader(data.slice(0, Math.floor(data.length / size) * size).buffer);
}

function floats(values: ArrayLike<number>, dtype: string): Elements {
  return { length: values.length, number: (i) => values[i] ?? NaN, text: (i) => shortestText(values[i] ?? NaN, dtype) };
}

function integers(values: ArrayLike<number> | BigInt64Array | BigUint64Array): Elements {
  return {
    length: values.length,
    number: (i) => Number(values[i] ?? NaN),
    text: (i) => String(values[i] ?? ""),
  };
}

function flags(values: Uint8Array): Elements {
  return { length: values.length, number: (i) => (values[i] ? 1 : 0), text: (i) => (values[i] ? "True" : "False") };
}

function complex(values: ArrayLike<number>, dtype: string): Elements {
  return {
    length: values.length / 2,
    number: (i) => Math.hypot(values[2 * i] ?? NaN, values[2 * i + 1] ?? NaN),
    text: (i) => {
      const [real, imaginary] = [
        shortestText(values[2 * i] ?? NaN, dtype),
        shortestText(values[2 * i + 1] ?? NaN, dtype),
      ];
      return `${real}${/^[-+]/.test(imaginary) ? "" : "+"}${imaginary}j`;
    },
  };
}

/** The value of a float16's bits. */
export function float16Value(bits: number): number {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** A bfloat16 is the upper half of a float32. */
function brain(bits: Uint16Array): Float32Array {
  return new Float32Array(Uint32Array.from(bits, (b) => (b << 16) >>> 0).buffer);
}

/** The nearest number of a dtype, ties to even; float64 and integers stay as they are. */
export function roundToDtype(x: number, dtype: string): number {
  const format = FORMATS[dtype];
  if (!format || x === 0 || !Number.isFinite(x)) return x;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(x))), format[1]);
  const step = 2 ** (exponent - format[0]);
  const units = x / step;
  const low = Math.floor(units);
  const odd = units - low === 0.5 ? low % 2 !== 0 : units - low > 0.5;
  return (odd ? low + 1 : low) * step;
}

/** The fewest digits that read back as `x` in its dtype: 0.1 for the float32 nearest to 0.1, not 0.10000000149. */
export function shortestText(x: number, dtype: string): string {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "+inf" : "-inf";
  let text = String(x);
  for (let digits = 1; FORMATS[dtype] && digits <= 9; digits++) {
    const short = Number(x.toPrecision(digits));
    if (roundToDtype(short, dtype) !== x) continue;
    text = String(short);
    break;
  }
  if (Object.is(x, -0)) text = "-0";
  return text.replace("e+", "e");
}
