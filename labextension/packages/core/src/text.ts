/** Text that has to fit: measured with the font it is drawn in, cut with an ellipsis, never overlapping. */

export type Measure = (text: string) => number;

/** A measure for a canvas font, remembering what it measured. */
export function measurer(context: { font: string; measureText(t: string): { width: number } }, font: string): Measure {
  const known = new Map<string, number>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    context.font = font;
    const width = context.measureText(text).width;
    if (known.size > 20_000) known.clear();
    known.set(text, width);
    return width;
  };
}

/** A measure for tests and for layouts without a canvas: each character `em` wide. */
export const fixedWidth =
  (em: number): Measure =>
  (text) =>
    [...text].length * em;

/** The longest beginning of `text` that fits in `width`, with "…" where it was cut; "" when not even 2 letters fit. */
export function ellipsize(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  const letters = [...text];
  let low = 0;
  let high = letters.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(`${letters.slice(0, middle).join("")}…`) <= width) low = middle;
    else high = middle - 1;
  }
  return low < 2 ? "" : `${letters.slice(0, low).join("").trimEnd()}…`;
}

/** As `ellipsize`, but keeps both ends: for names whose end tells them apart, such as "dense_1/kernel:0". */
export function ellipsizeMiddle(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  const letters = [...text];
  for (let keep = letters.length - 1; keep >= 2; keep--) {
    const head = Math.ceil(keep / 2);
    const cut = `${letters.slice(0, head).join("")}…${letters.slice(letters.length - (keep - head)).join("")}`;
    if (measure(cut) <= width) return cut;
  }
  return "";
}

/** Whether a name says where it belongs, as Keras ("dense_1/kernel") and PyTorch ("model.0.weight") write it. */
export const isScoped = (name: string): boolean => /[/.]/.test(name);

/**
 * A name in scopes, cut within the scopes: "de…_1/kernel" of "dense_1/kernel". What it is called stays whole, and of where
 * it is the end, in which layers of one kind differ; in little room it is only what it is called. Other names, and all in
 * the shortest room, are cut in the middle.
 */
export function ellipsizeName(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  const last = Math.max(text.lastIndexOf("/"), text.lastIndexOf("."));
  const own = text.slice(last);
  const scope = text.slice(0, Math.max(0, last));
  const cuts = [ellipsizeMiddle(scope, width - measure(own), measure), `…${[...scope].at(-1) ?? ""}`];
  const found = cuts.find((cut) => cut.length > 1 && measure(`${cut}${own}`) <= width);
  if (found !== undefined) return `${found}${own}`;
  const called = `…${own.slice(1)}`;
  return last >= 0 && own.length > 1 && measure(called) <= width ? called : ellipsizeMiddle(text, width, measure);
}

/** Of labels with a wanted middle and a width, in order of importance, those that fit without touching one another. */
export function placeLabels(wanted: readonly { middle: number; width: number }[], gap: number): boolean[] {
  const taken: [number, number][] = [];
  return wanted.map(({ middle, width }) => {
    const [from, to] = [middle - width / 2 - gap / 2, middle + width / 2 + gap / 2];
    const free = taken.every(([a, b]) => to <= a || from >= b);
    if (free) taken.push([from, to]);
    return free;
  });
}
