// What the kernel says of the lines and the names of a cell (tapeviz/exports/editor_marks.py), and which of the lines
// that an editor holds now are still those that ran.

export interface Finding {
  readonly kind: string;
  /** "none", "nan", "vanishing" or "exploding" where it is about gradients or values; else "". */
  readonly health: string;
  readonly severity: number;
  readonly text: string;
  readonly fix: string;
  readonly event: number;
  readonly tensor: number;
}

export interface MarkedLine {
  /** From 1, in the cell's text. */
  readonly line: number;
  readonly findings: readonly Finding[];
  readonly figures: readonly string[];
  readonly events: readonly number[];
  readonly part: number;
  readonly slowest: boolean;
}

export interface KnownName {
  readonly facts: readonly string[];
  readonly made: string;
  readonly event: number;
  readonly tensor: number;
}

export interface MarkedCell {
  /** The cell's id, "" where it is not known. */
  readonly cell: string;
  readonly number: number;
  readonly text: string;
  readonly lines: readonly MarkedLine[];
}

/** The kernel's answer about one tape. */
export interface TapeMarks {
  readonly tape: number;
  /** How many are worth knowing, likely faults, faults. */
  readonly findings: readonly number[];
  readonly cells: readonly MarkedCell[];
  readonly names: Readonly<Record<string, KnownName>>;
}

/** What one editor shows. */
export interface EditorMarks extends MarkedCell {
  readonly tape: number;
  readonly names: Readonly<Record<string, KnownName>>;
}

const LONGEST = 1000;

/**
 * For each line of a text that ran the number of the line that it is now, from 1; 0 for one that was changed or is gone.
 * Lines stay themselves while others are put in or taken out around them.
 */
export function linesNow(ran: readonly string[], now: readonly string[]): number[] {
  const found = new Array<number>(ran.length).fill(0);
  let start = 0;
  while (start < ran.length && start < now.length && ran[start] === now[start]) found[start] = ++start;
  let [end, last] = [ran.length, now.length];
  while (end > start && last > start && ran[end - 1] === now[last - 1]) found[--end] = last--;
  if (end - start <= LONGEST && last - start <= LONGEST) alignInner(ran, now, start, end, last, found);
  return found;
}

/** The longest common subsequence of what is between the lines that are alike at both ends. */
function alignInner(
  ran: readonly string[],
  now: readonly string[],
  start: number,
  end: number,
  last: number,
  found: number[],
): void {
  const [rows, columns] = [end - start, last - start];
  const width = columns + 1;
  const length = new Uint16Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      length[i * width + j] =
        ran[start + i] === now[start + j]
          ? length[(i + 1) * width + j + 1] + 1
          : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (ran[start + i] === now[start + j]) found[start + i++] = start + ++j;
    else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) i++;
    else j++;
  }
}

/** The sign of a line: of its gravest finding, of the slowest line, or none. */
export function signOf(line: MarkedLine): string {
  const [first] = line.findings;
  if (first) return first.health || `grade${first.severity}`;
  return line.slowest ? "slowest" : "";
}

const SIGNS: Record<string, string> = {
  nan: "NaN or infinity here",
  none: "gradient None",
  vanishing: "gradient vanishes",
  exploding: "gradient explodes",
  grade1: "worth knowing",
  grade2: "likely a fault",
  grade3: "a fault",
  slowest: "slowest line",
};

/** What a mark says: first the gravest finding in a few words. */
export function saidOf(line: MarkedLine): string[] {
  const sign = SIGNS[signOf(line)];
  const found = line.findings.flatMap(({ text, fix }) => [text, ...(fix ? [`Fix: ${fix}`] : [])]);
  const figures = line.figures.join(" · ");
  const slowest = line.slowest && line.findings.length > 0 ? " · slowest line" : "";
  return [...(sign ? [sign] : []), ...found, ...(figures ? [figures + slowest] : [])];
}

/** What to select for the n-th click on a line: what its gravest finding is about, then its ops one after the other. */
export function targetOf(line: MarkedLine, click: number): { event: number; tensor: number } {
  const aims = [
    ...line.findings.slice(0, 1).map(({ event, tensor }) => ({ event, tensor })),
    ...line.events.map((event) => ({ event, tensor: -1 })),
  ].filter(({ event, tensor }) => event >= 0 || tensor >= 0);
  const different = aims.filter((aim, i) => i === 0 || aim.event !== aims[0].event);
  return different.length > 0 ? different[click % different.length] : { event: -1, tensor: -1 };
}
