// What the kernel, or a saved page, says of the difference of two recordings; read without trust, for files are old.

export interface DiffRow {
  readonly index: number;
  /** One text for each column. */
  readonly cells: readonly string[];
  /** "equal", "value", "nonfinite", "dtype", "shape", "only_a", "only_b", "not_kept" or "fused". */
  readonly what: string;
  /** Whether it is more than rounding explains. */
  readonly material: boolean;
  /** The index of the row that it inherits its difference from, -1 for none. */
  readonly cause: number;
  readonly backward: boolean;
  /** The ids of its events in both, -1 where there is none. */
  readonly events: Pair;
  /** The ids of its tensors in both, -1 where there is none. */
  readonly tensors: Pair;
  /** The largest error of an element; null where it is not known, or none. */
  readonly ulp: number | null;
  readonly relative: number | null;
}

export type Pair = readonly [a: number, b: number];

export interface DiffElement {
  readonly index: readonly number[];
  readonly a: string;
  readonly b: string;
  readonly ulp: string;
}

/** What is said of one row. */
export interface Details {
  readonly said: readonly string[];
  readonly places: readonly string[];
  readonly elements: readonly DiffElement[];
}

export interface DiffData {
  readonly sentence: string;
  /** All of it in words. */
  readonly summary: string;
  readonly names: readonly [string, string];
  /** The index of the first material row, -1 for none. */
  readonly first: number;
  /** How many rows there are besides. */
  readonly leftOut: number;
  readonly columns: readonly string[];
  readonly ulp: string;
  readonly rows: readonly DiffRow[];
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const texts = (value: unknown): string[] => list(value).map(text);
const id = (value: unknown): number => (typeof value === "number" ? value : -1);
const error = (value: unknown): number | null => (typeof value === "number" ? value : null);
const pair = (value: unknown): Pair => [id(list(value)[0]), id(list(value)[1])];

export function readDiff(value: unknown): DiffData {
  const fields = fieldsOf(value);
  const [a, b] = texts(fields["names"]);
  return {
    sentence: text(fields["sentence"]),
    summary: text(fields["summary"]),
    names: [a ?? "a", b ?? "b"],
    first: id(fields["first"]),
    leftOut: Math.max(0, id(fields["left_out"])),
    columns: texts(fields["columns"]),
    ulp: text(fields["ulp"]),
    rows: list(fields["rows"]).map((row) => readRow(fieldsOf(row))),
  };
}

function readRow(fields: Fields): DiffRow {
  return {
    index: id(fields["index"]),
    cells: texts(fields["cells"]),
    what: text(fields["what"]),
    material: fields["material"] === true,
    cause: id(fields["cause"]),
    backward: fields["phase"] === "backward",
    events: pair(fields["events"]),
    tensors: pair(list(fields["tensors"])[0]),
    ulp: error(fields["ulp"]),
    relative: error(fields["relative"]),
  };
}

export function readDetails(value: unknown): Details {
  const fields = fieldsOf(value);
  return {
    said: texts(fields["said"]),
    places: texts(fields["places"]),
    elements: list(fields["elements"]).map((element) => {
      const { index, a, b, ulp } = fieldsOf(element);
      return { index: list(index).map(id), a: text(a), b: text(b), ulp: text(ulp) };
    }),
  };
}
