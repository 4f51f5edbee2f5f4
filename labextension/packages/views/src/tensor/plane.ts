/** Which axes of a tensor are shown, and which elements stand where. Pure. */

/** A third axis shown as planes side by side: `across` in a row, `gap` empty cells between them. */
export interface Facets {
  readonly axis: number;
  readonly across: number;
  readonly gap: number;
}

export interface Plane {
  readonly shape: readonly number[];
  /** -1: the tensor has no such axis. A tensor with one axis is cut into rows of `wrap` elements. */
  readonly axes: readonly [row: number, column: number];
  /** Where the plane cuts the other axes; one number an axis. */
  readonly index: readonly number[];
  readonly wrap: number;
  readonly facets: Facets | null;
  readonly rows: number;
  readonly cols: number;
}

/** A block of a plane: every `stride`-th element from `start`; `size` counts elements that are taken. */
export interface Slice {
  readonly start: readonly [number, number];
  readonly size: readonly [number, number];
  readonly stride: readonly [number, number];
}

/** The plane a tensor is first shown in: its last two axes, or height by width where the last axis is a few channels. */
export function firstPlane(shape: readonly number[]): Plane {
  const n = shape.length;
  if (n < 2) return plane(shape, [-1, n - 1], [0]);
  const channels = n >= 3 && shape[n - 1] <= 4 && shape[n - 2] > 4;
  return plane(
    shape,
    channels ? [n - 3, n - 2] : [n - 2, n - 1],
    shape.map(() => 0),
  );
}

function plane(shape: readonly number[], axes: readonly [number, number], index: readonly number[], facet = -1): Plane {
  const [row, column] = axes;
  if (facet >= 0 && !axes.includes(facet)) return sheet(shape, axes, index, facet);
  const bare = { shape, axes, index, facets: null };
  const wrap = row < 0 && column >= 0 ? wrapOf(shape[column]) : 0;
  if (wrap > 0) return { ...bare, wrap, rows: Math.ceil(shape[column] / wrap), cols: Math.min(wrap, shape[column]) };
  return { ...bare, wrap, rows: row < 0 ? 1 : shape[row], cols: column < 0 ? 1 : shape[column] };
}

/** A plane for each index of an axis, laid out about twice as wide as high. */
function sheet(
  shape: readonly number[],
  axes: readonly [number, number],
  index: readonly number[],
  axis: number,
): Plane {
  const [tall, wide, count] = [shape[axes[0]], shape[axes[1]], shape[axis]];
  const across = Math.min(
    Math.max(Math.round(Math.sqrt((2 * count * tall) / Math.max(wide, 1))), 1),
    Math.max(count, 1),
  );
  const gap = Math.max(1, Math.round(Math.min(tall, wide) / 14));
  const [rows, cols] = [Math.ceil(count / across) * (tall + gap) - gap, across * (wide + gap) - gap];
  return { shape, axes, index, wrap: 0, facets: { axis, across, gap }, rows, cols };
}

/** The plane with an axis shown side by side, or none for -1. */
export const withFacets = (before: Plane, axis: number): Plane => plane(before.shape, before.axes, before.index, axis);

/** Round row lengths, so that an element's number is read off its row and column. */
function wrapOf(n: number): number {
  if (n <= 10) return Math.max(n, 1);
  return n <= 1000 ? 10 : 100;
}

/** The plane with another axis as its rows (0) or columns (1); the two axes swap when it was the other one. */
export function withAxis(before: Plane, which: 0 | 1, axis: number): Plane {
  const axes: [number, number] = [...before.axes];
  if (axes[1 - which] === axis) axes[1 - which] = axes[which];
  axes[which] = axis;
  return plane(before.shape, axes, before.index, before.facets?.axis);
}

export function withIndex(before: Plane, axis: number, at: number): Plane {
  const index = before.index.map((i, a) =>
    a === axis ? Math.min(Math.max(Math.round(at), 0), before.shape[a] - 1) : i,
  );
  return { ...before, index };
}

/** The axes that a plane cuts through: those that get a slider. */
export function cutAxes({ shape, axes, facets }: Plane): number[] {
  return shape
    .map((_, axis) => axis)
    .filter((axis) => !axes.includes(axis) && axis !== facets?.axis && shape[axis] > 1);
}

/** Which of the planes side by side a row and column are on, and where on it; null in a gap and past the last one. */
export function facetAt(
  { shape, axes, facets }: Plane,
  r: number,
  c: number,
): readonly [facet: number, r: number, c: number] | null {
  if (!facets) return [0, r, c];
  const [tall, wide] = [shape[axes[0]], shape[axes[1]]];
  const [down, right] = [tall + facets.gap, wide + facets.gap];
  const facet = Math.floor(r / down) * facets.across + Math.floor(c / right);
  return facet < shape[facets.axis] && r % down < tall && c % right < wide ? [facet, r % down, c % right] : null;
}

/** How far apart, in C order, neighbours along each axis are. */
export function strides(shape: readonly number[]): number[] {
  const out = shape.map(() => 1);
  for (let axis = shape.length - 2; axis >= 0; axis--) out[axis] = out[axis + 1] * shape[axis + 1];
  return out;
}

export const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** "6 planes of 28 by 28 along axis 0" */
export const facetsInWords = ({ shape, axes, facets }: Plane): string =>
  facets ? `${shape[facets.axis]} planes of ${shape[axes[0]]} by ${shape[axes[1]]} along axis ${facets.axis}` : "";

/** From row and column of a plane to the flat index of the element; -1 past the end of a wrapped axis and in a gap. */
export function flattener(of: Plane): (r: number, c: number) => number {
  const { shape, axes, index, wrap, facets } = of;
  if (wrap > 0) return (r, c) => (r * wrap + c < shape[axes[1]] ? r * wrap + c : -1);
  const steps = strides(shape);
  const own = [...axes, facets?.axis];
  const base = steps.reduce((sum, step, axis) => sum + (own.includes(axis) ? 0 : index[axis] * step), 0);
  const [down, right] = axes.map((axis) => (axis < 0 ? 0 : steps[axis]));
  if (!facets) return (r, c) => base + r * down + c * right;
  return (r, c) => {
    const at = facetAt(of, r, c);
    return at ? base + at[0] * steps[facets.axis] + at[1] * down + at[2] * right : -1;
  };
}

/** The index of an element as Python writes it: [3, 17]; empty in a gap. */
export function position(of: Plane, r: number, c: number): number[] {
  if (of.wrap > 0) return [r * of.wrap + c];
  const at = facetAt(of, r, c);
  if (!at) return [];
  const [facet, down, right] = at;
  const where = new Map([
    [of.axes[0], down],
    [of.axes[1], right],
    [of.facets?.axis ?? -1, facet],
  ]);
  return of.shape.map((_, axis) => where.get(axis) ?? of.index[axis]);
}

/** The plane, row and column where an element is: the way back from `position`. Null when there is no such element. */
export function locate(of: Plane, at: readonly number[]): { plane: Plane; r: number; c: number } | null {
  const inside =
    at.length === of.shape.length && at.every((i, axis) => Number.isInteger(i) && i >= 0 && i < of.shape[axis]);
  if (!inside) return null;
  if (of.wrap > 0) return { plane: of, r: Math.floor(at[0] / of.wrap), c: at[0] % of.wrap };
  const [r, c] = of.axes.map((axis) => (axis < 0 ? 0 : at[axis]));
  const cut = { ...of, index: at.map((i, axis) => (of.axes.includes(axis) ? of.index[axis] : i)) };
  if (!of.facets) return { plane: cut, r, c };
  const { axis, across, gap } = of.facets;
  const [down, right] = [Math.floor(at[axis] / across), at[axis] % across];
  return { plane: cut, r: down * (of.shape[of.axes[0]] + gap) + r, c: right * (of.shape[of.axes[1]] + gap) + c };
}

/** The index of a flat one: 65 in [32, 32] is [2, 1]. */
export function unflatten(shape: readonly number[], flat: number): number[] {
  return strides(shape).map((step, axis) => Math.floor(flat / step) % shape[axis]);
}
