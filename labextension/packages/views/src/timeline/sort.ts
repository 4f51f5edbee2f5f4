/** Rows sorted by where they start, as a typed array; already sorted ones are only copied. */
export function sortedByStart(rows: ArrayLike<number>, start: Float64Array): Int32Array {
  const sorted = Int32Array.from(rows);
  for (let i = 1; i < sorted.length; i++)
    if (start[sorted[i]] < start[sorted[i - 1]]) return sorted.sort((a, b) => start[a] - start[b]);
  return sorted;
}

/** The values of some rows. A plain loop: a callback for each of a million rows is felt. */
export function gather(values: Float64Array, rows: Int32Array): Float64Array {
  const out = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) out[i] = values[rows[i]];
  return out;
}

/** The first index whose value is above `x`, in a rising array. */
export function upperBound(values: Float64Array, x: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > x) high = middle;
    else low = middle + 1;
  }
  return low;
}
