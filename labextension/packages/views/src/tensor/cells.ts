import { elements, type Elements } from "./elements";
import { flattener, type Plane, type Span } from "./plane";

/** The elements of a span, row by row. */
export interface Cells {
  readonly span: Span;
  readonly numbers: Float64Array;
  /** 1 where there is an element that is not here; null when all are. Past the end of a wrapped axis nothing is missing. */
  readonly missing: Uint8Array | null;
  readonly text: (i: number) => string;
}

/** A run of elements that the recording kept. */
export interface Run {
  readonly offset: number;
  readonly elements: Elements;
}

/** Cuts a span of a plane out of runs kept; null when not one element of it is in them. */
export function keptCells(plane: Plane, span: Span, runs: readonly Run[]): Cells | null {
  const [rows, cols] = span.size;
  const flat = flattener(plane);
  const numbers = new Float64Array(rows * cols).fill(NaN);
  const missing = new Uint8Array(rows * cols);
  let absent = 0;
  let run = runs[0];
  for (let i = 0, k = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, k++) {
      const at = flat(span.start[0] + i * span.stride[0], span.start[1] + j * span.stride[1]);
      if (at < 0) continue;
      if (!run || !holds(run, at)) run = runs.find((r) => holds(r, at)) ?? run;
      if (run && holds(run, at)) numbers[k] = run.elements.number(at - run.offset);
      else absent += missing[k] = 1;
    }
  }
  if (absent === rows * cols && absent > 0) return null;
  const text = (k: number): string => {
    const at = flat(span.start[0] + Math.floor(k / cols) * span.stride[0], span.start[1] + (k % cols) * span.stride[1]);
    const holder = runs.find((r) => holds(r, at));
    return holder ? holder.elements.text(at - holder.offset) : "";
  };
  return { span, numbers, missing: absent > 0 ? missing : null, text };
}

const holds = ({ offset, elements: { length } }: Run, at: number): boolean => at >= offset && at < offset + length;

/** The cells of a kernel's answer; null when its size or its dtype is not what was asked for. */
export function answeredCells(
  span: Span,
  shape: readonly [number, number],
  dtype: string,
  data: Uint8Array,
): Cells | null {
  const read = elements(dtype, data);
  const [rows, cols] = span.size;
  if (!read || shape[0] !== rows || shape[1] !== cols || read.length !== rows * cols) return null;
  return {
    span,
    numbers: Float64Array.from({ length: rows * cols }, (_, i) => read.number(i)),
    missing: null,
    text: read.text,
  };
}

/** Where in the cells a plane's row and column are; -1 when they are not among them. */
export function at({ span: { start, size, stride } }: Cells, r: number, c: number): number {
  const [i, j] = [Math.floor((r - start[0]) / stride[0]), Math.floor((c - start[1]) / stride[1])];
  return i >= 0 && i < size[0] && j >= 0 && j < size[1] ? i * size[1] + j : -1;
}
