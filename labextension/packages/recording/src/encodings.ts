// The bytes of one column as its cells: the twin of encodings.py, which explains the encodings.

import { FormatError } from "./errors";
import { numberArray, type Cells, type NumberArray, type NumberType } from "./growable";
import type { ColumnType } from "./tables.gen";

export type Spec = Readonly<Record<string, unknown>>;

const EXACT = 2 ** 53;
const WIDEST = 7;
const ITEM_SIZES: Readonly<Record<string, number>> = { u1: 1, u2: 2, i4: 4, f4: 4, f8: 8 };

export function isNumberType(type: string): boolean {
  return type in ITEM_SIZES;
}

/** How many bytes a column takes by its header; throws for a header that no writer writes. */
export function encodedSize(spec: Spec, type: string, rows: number): number {
  const { code } = spec;
  if ((code === "offset" || code === "delta") && isNumberType(type)) {
    const width = integer(spec, "width", 0, WIDEST);
    integer(spec, "base", -EXACT, EXACT);
    if (code === "delta") integer(spec, "first", -EXACT, EXACT);
    return width * (code === "offset" ? rows : rows - 1);
  }
  if (code === "float" && (type === "f4" || type === "f8")) return floatWidth(spec, type) * rows;
  if (code === "text" && type === "text") {
    integer(spec, "separator", 0, 0x10ffff);
    return integer(spec, "size", 0, EXACT);
  }
  if (code === "bytes" && type === "bytes") {
    return encodedSize(lengthsOf(spec), "f8", rows) + integer(spec, "size", 0, EXACT);
  }
  throw new FormatError(`unknown encoding '${String(code)}' of type '${type}'`);
}

/** Cells of another version's type as cells of this version's; throws when one does not fit. */
export function convertCells(cells: Cells, from: string, to: ColumnType): Cells {
  if (from === to) return cells;
  const converted = numberArray(to as NumberType, cells.length);
  converted.set(cells as NumberArray);
  const lost = converted.findIndex((cell, i) => !Object.is(cell, cells[i]) && !(to === "f4" && from === "f8"));
  if (lost >= 0) throw new FormatError(`${String(cells[lost])} does not fit in ${to}`);
  return converted;
}

/** The cells of a column from its bytes, which are as many as `encodedSize` says. */
export function decodeCells(spec: Spec, type: string, rows: number, data: Uint8Array): Cells {
  if (type === "text") return decodeText(spec, rows, data);
  if (type === "bytes") return decodeBytes(spec, rows, data);
  return decodeNumbers(spec, type as NumberType, rows, data);
}

function integer(spec: Spec, key: string, low: number, high: number): number {
  const value = spec[key];
  if (typeof value !== "number" || !Number.isInteger(value) || value < low || value > high) {
    throw new FormatError(`${key} is ${String(value)}`);
  }
  return value;
}

function floatWidth(spec: Spec, type: string): number {
  const width = integer(spec, "width", 4, ITEM_SIZES[type]);
  if (width !== 4 && width !== 8) throw new FormatError(`width is ${width}`);
  return width;
}

function lengthsOf(spec: Spec): Spec {
  if (typeof spec.lengths !== "object" || spec.lengths === null) throw new FormatError("bytes without lengths");
  return spec.lengths as Spec;
}

function decodeNumbers(spec: Spec, type: NumberType, rows: number, data: Uint8Array): NumberArray {
  if (spec.code === "float") return decodeFloats(data, rows, spec.width as number, type);
  // On the way to a whole number that fits, a sum of its bytes may need more digits than four bytes have.
  if (type === "f4") return Float32Array.from(decodeNumbers(spec, "f8", rows, data));
  const width = spec.width as number;
  const base = spec.base as number;
  const cells = numberArray(type, rows);
  if (spec.code === "offset") {
    if (width === 0) return cells.fill(base);
    gather(cells, 0, data, width);
    if (base !== 0) for (let i = 0; i < rows; i++) cells[i] += base;
    return cells;
  }
  if (width > 0) gather(cells, 1, data, width);
  let value = spec.first as number;
  cells[0] = value;
  for (let i = 1; i < rows; i++) {
    value += cells[i] + base;
    cells[i] = value;
  }
  return cells;
}

/** Puts unsigned numbers of `width` bytes, whose bytes stand in planes, into the cells from `start` on. */
function gather(cells: NumberArray, start: number, planes: Uint8Array, width: number): void {
  const count = planes.length / width;
  if (width <= 4 && width <= cells.BYTES_PER_ELEMENT) return gatherNarrow(cells, start, planes, width);
  // Bytes above the cell's own, of which only a wrong header has any, fall off as they do in NumPy.
  for (let rank = width - 1, factor = 2 ** (8 * rank); rank >= 0; rank--, factor /= 256) {
    const plane = planes.subarray(rank * count, (rank + 1) * count);
    for (let i = 0; i < count; i++) cells[start + i] += plane[i] * factor;
  }
}

/** The same in one pass, where no byte can fall off. */
function gatherNarrow(cells: NumberArray, start: number, planes: Uint8Array, width: number): void {
  const count = planes.length / width;
  if (width === 1) return cells.set(planes, start);
  const [second, third, fourth] = [count, 2 * count, 3 * count];
  for (let i = 0; i < count; i++) {
    let value = planes[i] + planes[second + i] * 256;
    if (width > 2) value += planes[third + i] * 65536;
    if (width > 3) value += planes[fourth + i] * 16777216;
    cells[start + i] = value;
  }
}

function decodeFloats(data: Uint8Array, rows: number, width: number, type: ColumnType): NumberArray {
  const octets = new Uint8Array(rows * width);
  for (let rank = 0; rank < width; rank++) {
    const plane = data.subarray(rank * rows, (rank + 1) * rows);
    for (let i = 0; i < rows; i++) octets[i * width + rank] = plane[i]!;
  }
  const floats = width === 4 ? new Float32Array(octets.buffer) : new Float64Array(octets.buffer);
  return type === "f8" && width === 4 ? Float64Array.from(floats) : floats;
}

const decoder = () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeText(spec: Spec, rows: number, data: Uint8Array): string[] {
  let whole: string;
  try {
    whole = decoder().decode(data);
  } catch {
    throw new FormatError("text that is not UTF-8");
  }
  const texts = whole.split(String.fromCodePoint(spec.separator as number));
  if (texts.length !== rows) throw new FormatError(`${texts.length} texts where ${rows} are announced`);
  return texts;
}

function decodeBytes(spec: Spec, rows: number, data: Uint8Array): Uint8Array[] {
  const size = spec.size as number;
  const split = data.length - size;
  const lengths = decodeNumbers(lengthsOf(spec), "f8", rows, data.subarray(0, split));
  const cells: Uint8Array[] = [];
  let end = split;
  for (const length of lengths) {
    if (!(length >= 0 && end + length <= data.length)) break;
    cells.push(data.subarray(end, end + length));
    end += length;
  }
  const isWhole = cells.length === rows && end === data.length;
  if (!isWhole) throw new FormatError(`lengths that do not add up to ${size} bytes`);
  return cells;
}
