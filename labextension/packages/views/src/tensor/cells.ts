import { elements, type Elements } from "./elements";
import { flattener, type Plane, type Slice } from "./plane";

/** An element that is here, one that is not, and a place where the tensor has none: a gap, or past the end of an axis. */
export const [HERE, MISSING, BEYOND] = [0, 1, 2] as const;

/** The elements of a slice, row by row. */
export interface Cells {
  readonly slice: Slice;
  readonly numbers: Float64Array;
  /** HERE, MISSING or BEYOND for each; null when all are here. */
  readonly missing: Uint8Array | null;
  readonly text: (i: number) => string;
}

/** A run of elements that the recording kept. */
export interface Run {
  readonly offset: number;
  readonly elements: Elements;
}

/** Cuts a slice of a plane out of runs kept; null when not one element of it is in them. */
export function recordedCells(plane: Plane, slice: Slice, runs: readonly Run[]): Cells | null {
  const [rows, cols] = slice.size;
  const flat = flattener(plane);
  const numbers = new Float64Array(rows * cols).fill(NaN);
  const missing = slotStates(plane, slice);
  let absent = 0;
  let present = 0;
  let run = runs[0];
  for (let i = 0, k = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, k++) {
      if (missing[k] === BEYOND) continue;
      const at = flat(slice.start[0] + i * slice.stride[0], slice.start[1] + j * slice.stride[1]);
      if (!run || !holds(run, at)) run = runs.find((r) => holds(r, at)) ?? run;
      if (run && holds(run, at)) {
        numbers[k] = run.elements.number(at - run.offset);
        present += 1;
      } else absent += missing[k] = MISSING;
    }
  }
  if (absent > 0 && present === 0) return null;
  const text = (k: number): string => {
    const at = flat(
      slice.start[0] + Math.floor(k / cols) * slice.stride[0],
      slice.start[1] + (k % cols) * slice.stride[1],
    );
    const holder = runs.find((r) => holds(r, at));
    return holder ? holder.elements.text(at - holder.offset) : "";
  };
  return { slice, numbers, missing: missing.some((state) => state !== HERE) ? missing : null, text };
}

const holds = ({ offset, elements: { length } }: Run, at: number): boolean => at >= offset && at < offset + length;

/** BEYOND where a slice has no element, HERE elsewhere. */
function slotStates(plane: Plane, { start, size: [rows, cols], stride }: Slice): Uint8Array {
  const states = new Uint8Array(rows * cols);
  if (plane.wrap === 0 && !plane.facets) return states;
  const flat = flattener(plane);
  for (let k = 0; k < states.length; k++) {
    if (flat(start[0] + Math.floor(k / cols) * stride[0], start[1] + (k % cols) * stride[1]) < 0) states[k] = BEYOND;
  }
  return states;
}

/** The cells of a kernel's answer; null when its size or its dtype is not what was asked for. */
export function kernelCells(
  plane: Plane,
  slice: Slice,
  shape: readonly [number, number],
  dtype: string,
  data: Uint8Array,
): Cells | null {
  const read = elements(dtype, data);
  const [rows, cols] = slice.size;
  if (!read || shape[0] !== rows || shape[1] !== cols || read.length !== rows * cols) return null;
  const missing = slotStates(plane, slice);
  return {
    slice,
    numbers: Float64Array.from({ length: rows * cols }, (_, i) => read.number(i)),
    missing: missing.some((state) => state !== HERE) ? missing : null,
    text: read.text,
  };
}

/** Where in the cells a plane's row and column are; -1 when they are not among them. */
export function cellIndex({ slice: { start, size, stride } }: Cells, r: number, c: number): number {
  const [i, j] = [Math.floor((r - start[0]) / stride[0]), Math.floor((c - start[1]) / stride[1])];
  return i >= 0 && i < size[0] && j >= 0 && j < size[1] ? i * size[1] + j : -1;
}
