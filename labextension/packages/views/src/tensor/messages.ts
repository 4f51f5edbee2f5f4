// What the tensor view asks the kernel, and what the kernel answers. `tapeviz/analysis/windows.py` cuts the other end.
//
// Asked when the elements wanted are not in the recording's `values` table, through `context.request`:
//
//   {kind: "window", tensor, axes: [r, c], index: [i0, i1, ...], start: [r0, c0], size: [rows, cols], stride: [sr, sc]}
//
// Answered by one message and one buffer:
//
//   {kind: "window", tensor, state: "ok", shape: [rows, cols], dtype: "float32"}    buffers: [bytes]
//   {kind: "window", tensor, state: "evicted" | "pending" | "unknown" | "error", text?: "one line"}    no buffers
//   {kind: "window", error: "one line"}    as the widget says when nobody behind it answers, or an answer failed
//
// Element (i, j) of the answer is the tensor's element at `index`, with axis r at r0 + i*sr and axis c at c0 + j*sc.
// `index` has one number an axis; what stands at r and c in it is not read. A tensor with one axis is cut into rows of
// `wrap` elements: axes is [-1, 0], and (i, j) is the element at (r0 + i*sr) * wrap + c0 + j*sc; where that is past the
// end, the answer holds zeros, which the view never shows. A scalar has axes [-1, -1] and size [1, 1].
//
// With `facets: [axis, across, gap]` the rows and columns asked for are those of a sheet of planes, one for each index of
// that axis, `across` of them in a row and `gap` empty rows and columns between them. With axes r and c of lengths h and
// w, row R and column C of the sheet are on plane R div (h + gap) * across + C div (w + gap), at row R mod (h + gap) and
// column C mod (w + gap) of it; in a gap and past the last plane the answer holds zeros, which the view never shows.
//
// With `edits: [{tensor, index, value}, ...]` the answer has the tensor's elements in a run of the program in which these
// elements have other values.
//
// The buffer holds rows*cols elements in C order, little endian, in the tensor's own dtype as the schema's DTYPES name
// it: bfloat16 as its 16 bits, bool as one byte, complex64 as two float32. Rows and columns are those asked for: the
// view never asks past an edge, nor for more than WINDOW_LIMIT elements at once.

import type { Edit } from "../experiments";
import type { Message } from "../view";

/** The most elements in one answer: 2 MiB of float64. `LIMIT` on the other end. */
export const WINDOW_LIMIT = 1 << 18;

export interface WindowRequest extends Message {
  readonly kind: "window";
  readonly tensor: number;
  readonly axes: readonly [row: number, column: number];
  readonly index: readonly number[];
  readonly start: readonly [number, number];
  readonly size: readonly [number, number];
  readonly stride: readonly [number, number];
  /** Elements with other values: asked for is what the tensor is in a run of the program with these. */
  readonly edits?: readonly Edit[];
  readonly facets?: readonly [axis: number, across: number, gap: number];
  /** Only with axes [-1, 0]: how many elements of the one axis make a row. */
  readonly wrap?: number;
}

/** Why there are no values; each has its own words, see `absence` in source.ts. */
export type Missing = "evicted" | "pending" | "unknown" | "error";

export type WindowAnswer =
  | { readonly state: "ok"; readonly shape: readonly [number, number]; readonly dtype: string }
  | { readonly state: Missing; readonly text: string };

/** Reads an answer, trusting nothing. */
export function readAnswer(message: Message): WindowAnswer {
  const { state, shape, dtype, error } = message;
  const text = message["text"] ?? error;
  if (state === "ok" && isPair(shape) && typeof dtype === "string") return { state, shape, dtype };
  const known =
    state === "evicted" || state === "pending" || state === "unknown"
      ? state
      : typeof error === "string"
        ? "unknown"
        : "error";
  return { state: known, text: typeof text === "string" ? text : "" };
}

function isPair(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((n) => Number.isInteger(n) && n >= 0);
}
