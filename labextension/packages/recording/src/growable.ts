// The rows of one table, growing at the end. A column is a typed array with room to spare, so that a live recording
// appends without copying what it has; what was handed out before stays valid, since no row ever changes.

import { SCHEMA, type ColumnType, type Tables } from "./tables.gen";

export type NumberArray = Uint8Array | Uint16Array | Int32Array | Float32Array | Float64Array;
export type Cells = NumberArray | readonly string[] | readonly Uint8Array[];
export type NumberType = Exclude<ColumnType, "text" | "bytes">;

const ARRAYS = {
  u1: Uint8Array,
  u2: Uint16Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array,
} as const;

/** A new array of a number column's type. */
export function numberArray(type: NumberType, length: number): NumberArray {
  return new ARRAYS[type](length);
}

interface GrowableColumn {
  append(cells: ArrayLike<unknown> | undefined, rows: number): void;
  view(): Cells;
}

/**
 * What was appended waits in parts until the column is asked for: a file read at once becomes one array of just its
 * size, and only what grows after that gets room to spare.
 */
class NumberColumn implements GrowableColumn {
  private buffer: NumberArray;
  private used = 0;
  private parts: ArrayLike<number>[] = [];
  private total = 0;

  constructor(
    private readonly type: NumberType,
    private readonly none: number,
  ) {
    this.buffer = numberArray(type, 0);
  }

  append(cells: ArrayLike<unknown> | undefined, rows: number): void {
    this.parts.push((cells as ArrayLike<number> | undefined) ?? numberArray(this.type, rows).fill(this.none));
    this.total += rows;
  }

  view(): NumberArray {
    if (this.parts.length > 0) this.join();
    return this.buffer.subarray(0, this.used);
  }

  private join(): void {
    const [first] = this.parts;
    if (this.used === 0 && this.parts.length === 1 && first instanceof ARRAYS[this.type]) this.buffer = first;
    else {
      this.makeRoom();
      let at = this.used;
      for (const part of this.parts) {
        this.buffer.set(part, at);
        at += part.length;
      }
    }
    this.used = this.total;
    this.parts = [];
  }

  private makeRoom(): void {
    if (this.total <= this.buffer.length) return;
    const larger = numberArray(this.type, this.used === 0 ? this.total : Math.max(this.total, 2 * this.used));
    larger.set(this.buffer.subarray(0, this.used));
    this.buffer = larger;
  }
}

class ListColumn<T> implements GrowableColumn {
  private items: readonly T[] = [];
  private parts: (readonly T[])[] = [];

  constructor(private readonly none: T) {}

  append(cells: ArrayLike<unknown> | undefined, rows: number): void {
    this.parts.push(cells ? Array.from(cells as ArrayLike<T>) : new Array<T>(rows).fill(this.none));
  }

  view(): Cells {
    if (this.parts.length > 0) {
      this.items = this.items.length + this.parts.length === 1 ? this.parts[0] : this.items.concat(...this.parts);
      this.parts = [];
    }
    return this.items as unknown as Cells;
  }
}

function growingColumn(type: ColumnType, none: number): GrowableColumn {
  if (type === "text") return new ListColumn("");
  if (type === "bytes") return new ListColumn(new Uint8Array(0));
  return new NumberColumn(type, none);
}

export class GrowableTable<T extends keyof Tables = keyof Tables> {
  private rows = 0;
  private readonly columns: [string, GrowableColumn][];

  constructor(name: T) {
    this.columns = SCHEMA[name].map(([column, type, none]) => [column, growingColumn(type, none)]);
  }

  /** How many rows there are. */
  get length(): number {
    return this.rows;
  }

  /** Adds `rows` rows; a column that is not among the cells gets its none. */
  append(rows: number, cells: Readonly<Record<string, ArrayLike<unknown> | undefined>>): void {
    for (const [name, column] of this.columns) column.append(cells[name], rows);
    this.rows += rows;
  }

  /** The table as it is now: an object that later appends do not change. */
  view(): Tables[T] {
    const columns = this.columns.map(([name, column]) => [name, column.view()] as const);
    return { rows: this.rows, ...Object.fromEntries(columns) } as unknown as Tables[T];
  }
}
